"""What a reader cannot see does not reach the text."""

import pytest

from hydra_web.content import render

FILLER = "<p>An ordinary visible sentence about gardening, with enough words to count as the content of the page.</p>"

HIDING = {
    "display none": '<div style="display:none">SECRET</div>',
    "display none important": '<div style="color:red; DISPLAY : none !important">SECRET</div>',
    "visibility hidden": '<p style="visibility:hidden">SECRET</p>',
    "visibility collapse": '<p style="visibility: collapse">SECRET</p>',
    "opacity": '<p style="opacity:0">SECRET</p>',
    "opacity with decimals": '<p style="opacity: 0.0;">SECRET</p>',
    "font size": '<span style="font-size:0px">SECRET</span>',
    "off screen left": '<div style="position:absolute;left:-9999px">SECRET</div>',
    "off screen top": '<div style="position:fixed;top:-5000px">SECRET</div>',
    "text indent": '<div style="text-indent:-9999px">SECRET</div>',
    "clip path": '<span style="clip-path:inset(50%);position:absolute">SECRET</span>',
    "clip rectangle": '<span style="position:absolute;clip:rect(0,0,0,0)">SECRET</span>',
    "clip of one pixel": '<span style="clip: rect(1px, 1px, 1px, 1px)">SECRET</span>',
    "no height": '<div style="height:0;overflow:hidden">SECRET</div>',
    "no width": '<div style="width:0px;overflow:hidden">SECRET</div>',
    "no greatest height": '<div style="max-height:0">SECRET</div>',
    "scaled away": '<div style="transform:scale(0)">SECRET</div>',
    "moved away": '<div style="transform: translateX(-9999px)">SECRET</div>',
    "transparent": '<div style="color:transparent">SECRET</div>',
    "hidden": "<div hidden>SECRET</div>",
    "aria hidden": '<div aria-hidden="true">SECRET</div>',
    "comment": "<!-- SECRET -->",
    "title": '<a href="https://e.test/x" title="SECRET">link</a>',
    "template": "<template><p>SECRET</p></template>",
    "noscript": "<noscript><p>SECRET</p></noscript>",
    "script": '<script>var x="SECRET";</script>',
    "style": "<style>/* SECRET */</style>",
    "description": '<meta name="description" content="SECRET">',
    "textarea": "<textarea>SECRET</textarea>",
    "input": '<input type="hidden" value="SECRET">',
    "svg": '<svg width="1"><desc>SECRET</desc><text>SECRET</text></svg>',
    "frame": '<iframe srcdoc="&lt;p&gt;SECRET&lt;/p&gt;"></iframe>',
    "select": "<select><option>SECRET</select>",
    "button": "<button>SECRET</button>",
    "dialog": "<dialog>SECRET</dialog>",
    "canvas": "<canvas>SECRET</canvas>",
    "object": "<object>SECRET</object>",
    "link target": '<a href="javascript:SECRET()">click</a>',
    "data target": '<a href="data:text/html,SECRET">click</a>',
}


@pytest.mark.parametrize("mode", ["main", "full"])
@pytest.mark.parametrize("name", HIDING)
def test_hidden_text_is_removed(name, mode):
    page = render(
        f"<article><h1>Garden</h1>{FILLER * 4}{HIDING[name]}{FILLER * 3}</article>", "https://site.test/", mode
    )
    assert "SECRET" not in page.text
    assert "SECRET" not in page.page_text
    assert page.text.count("ordinary visible") == 7


def test_hidden_elements_are_counted():
    page = render(f"{FILLER * 3}<p hidden>a</p><p style='opacity:0'>b</p><p hidden></p>", "https://site.test/")
    assert page.meta["hiddenRemoved"] == 2


@pytest.mark.parametrize(
    "hidden",
    [
        "ta" + "".join(chr(0xE0000 + ord(c)) for c in "gs"),
        "z\u200be\u200bro\ufeff",
        "\u202ebidi\u202c\u2066x\u2069",
        "soft\u00adhyphen",
        "\U0001f600" + "".join(chr(0xE0100 + b) for b in b"vs"),
        "\x1b[31mred\x1b]8;;https://evil.test\x07x\x1b]8;;\x07",
        "nul\x00",
    ],
)
@pytest.mark.parametrize("as_reference", [False, True])
def test_invisible_characters_are_removed(hidden, as_reference):
    written = "".join(f"&#{ord(c)};" for c in hidden) if as_reference else hidden
    page = render(f"<p>before {written} after</p>", "https://site.test/")
    for text in (page.text, page.page_text):
        assert text.isprintable() or text.replace("\n", "").isprintable()
        assert not any(ord(c) in range(0xE0000, 0xE01F0) for c in text)
        assert "before" in text


def test_what_is_shown_on_demand_stays():
    html = "<details><summary>More</summary><p>Body</p></details><p hidden=until-found>Found</p>"
    page = render(html, "https://site.test/", "full")
    assert "Body" in page.text
    assert "Found" in page.text


def test_an_open_shadow_root_is_shown():
    assert (
        "shadow" in render("<x-a><template shadowrootmode=open><p>shadow</p></template></x-a>", "https://s.test/").text
    )


def test_a_page_that_a_script_reveals_is_shown():
    page = render(f"<div hidden id='S:0'>{FILLER * 9}</div><p>x</p>", "https://site.test/")
    assert page.text.count("ordinary") == 9


def test_a_page_for_browsers_without_scripts_is_shown():
    assert "ordinary" in render(f"<div id=app></div><noscript>{FILLER * 3}</noscript>", "https://site.test/").text


def test_a_control_that_swallowed_the_page_is_no_control():
    assert "ordinary" in render(f"<p>a</p><button>{FILLER * 9}", "https://site.test/", "full").text


def test_a_heading_in_a_drawing_is_not_the_title():
    assert render("<svg><title>icon</title></svg><p>a</p>", "https://site.test/").title is None


def test_an_unclosed_list_of_options_does_not_take_the_page_along():
    page = render("<select>" + "<option>x" * 9 + FILLER * 2, "https://site.test/", "full")
    assert page.text.count("ordinary") == 2
