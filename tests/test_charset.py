"""From bytes to text: the standard's order, its prescan, its labels, and a detector for the rest."""

import codecs

import pytest
from hypothesis import given, strategies

from hydra_web.charset import check_label, declared_in_markup, decode
from hydra_web.errors import WebError

DOCTYPE = "<!DOCTYPE html>\n"


def html_charset(markup: str) -> str:
    return decode(markup.encode("latin-1"), declared=None, kind="html").charset


def comment(length: int) -> str:
    return f"<!-- {length} ".ljust(length - 4, "x") + "-->"


# The prescan: (markup, the encoding it leads to). Turkish stands for "found", windows-1252 for "not found".
TURKISH, NONE = "windows-1254", "windows-1252"
PRESCAN = [
    ("", NONE),
    ("<p>nothing said</p>", NONE),
    ('<meta charset="iso-8859-9">', TURKISH),
    ("<meta charset='iso-8859-9'>", TURKISH),
    ("<meta charset=iso-8859-9>", TURKISH),
    ("<meta charset=iso-8859-9/>", NONE),
    ("<meta charset=iso-8859-9 />", TURKISH),
    ("<META CHARSET=ISO-8859-9>", TURKISH),
    ("<meta\ncharset=iso-8859-9>", TURKISH),
    ("<meta\tcharset\x0c=\rlatin5>", TURKISH),
    ("<meta/charset=iso-8859-9>", TURKISH),
    ("<meta / / charset = 'iso-8859-9' >", TURKISH),
    ("<metacharset=iso-8859-9>", NONE),
    ("<meta><p charset=iso-8859-9>", NONE),
    ("<meta charset>", NONE),
    ("<meta charset=>", NONE),
    ("<meta charset=''>", NONE),
    ('<meta charset="\niso-8859-9\n">', TURKISH),
    ("<meta charset=\niso-8859-9\n>", TURKISH),
    ("<meta charset=' iso-8859-9\t'>", TURKISH),
    ("<meta charset='iso-8859-9\x0b'>", NONE),
    ("<meta charset=iso-8859-1>", "windows-1252"),
    ("<meta charset=ascii>", "windows-1252"),
    ("<meta charset=utf-8>", "utf-8"),
    ("<meta charset=UTF8>", "utf-8"),
    ("<meta charset=utf-16>", "utf-8"),
    ("<meta charset=utf-16be>", "utf-8"),
    ("<meta charset=utf-16le>", "utf-8"),
    ("<meta charset=utf-7>", NONE),
    ("<meta charset=utf-32>", NONE),
    ("<meta charset=x-user-defined>", "windows-1252"),
    ("<meta charset=iso-2022-kr>", NONE),
    ("<meta charset=x-sjis>", "shift_jis"),
    ("<meta charset=euc_jp>", NONE),
    ("<meta charset=x-euc-jp>", "euc-jp"),
    ("<meta charset=gb2312>", "gbk"),
    ("<meta charset=ks_c_5601-1987>", "euc-kr"),
    ("<meta charset=tis-620>", "windows-874"),
    ("<meta charset=visual>", "iso-8859-8"),
    ("<meta charset=logical>", "iso-8859-8-i"),
    ("<meta charset=\xe9>", NONE),
    # several declarations
    ("<meta charset=bogus><meta charset=iso-8859-9>", TURKISH),
    ("<meta charset=iso-8859-9><meta charset=utf-8>", TURKISH),
    ("<meta charset=iso-8859-9 charset=utf-8>", TURKISH),
    ("<meta charset=bogus charset=iso-8859-9>", NONE),
    ("<p>x</p><meta name=a content=b><meta charset=iso-8859-9>", TURKISH),
    # http-equiv
    ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-9">', TURKISH),
    ('<meta content="text/html; charset=iso-8859-9" http-equiv="content-type">', TURKISH),
    ("<meta http-equiv=Content-Type content=text/html;charset=iso-8859-9>", TURKISH),
    ("<meta http-equiv=Content-Type content=text/html; charset=iso-8859-9>", TURKISH),
    ("<meta content='text/html; charset=utf-8' charset=iso-8859-9>", TURKISH),
    ("<meta http-equiv=content-type content='charset=utf-8' charset=iso-8859-9>", TURKISH),
    ("<meta http-equiv=content-type content='charset=iso-8859-9' charset=bogus>", NONE),
    ('<meta content="text/html; charset=iso-8859-9">', NONE),
    ('<meta name="Content-Type" content="text/html; charset=iso-8859-9">', NONE),
    ('<meta http-equiv="Content-Style-Type" content="text/html; charset=iso-8859-9">', NONE),
    ('<meta http-equiv="Content-Type " content="text/html; charset=iso-8859-9">', NONE),
    ('<meta http-equiv="Content-Type>" content="text/html; charset=iso-8859-9">', NONE),
    ('<meta http-equiv="Content-Type content="text/html; charset=iso-8859-9">', NONE),
    ("<meta http-equiv=content-type content='text/html'>", NONE),
    ("<meta http-equiv=content-type content=' charset  =  iso-8859-9 '>", TURKISH),
    ("<meta http-equiv=content-type content='charset charset=iso-8859-9'>", TURKISH),
    ("<meta http-equiv=content-type content='charset=iso-8859-9;x'>", TURKISH),
    ("<meta http-equiv=content-type content='charset=\"iso-8859-9\"'>", TURKISH),
    ("<meta http-equiv=content-type content=\"charset='iso-8859-9'\">", TURKISH),
    ("<meta http-equiv=content-type content='charset=\"iso-8859-9'>", NONE),
    ("<meta http-equiv=content-type content='charset=\"x charset=iso-8859-9'>", NONE),
    ("<meta http-equiv=content-type content='charset='>", NONE),
    ("<meta http-equiv=content-type content='\ntext/html;\ncharset=iso-8859-9\n'>", TURKISH),
    # quotes gone wrong
    ('<meta charset="iso-8859-9>\n<p>"</p>', NONE),
    ('<meta charset=iso-8859-9">\n<p>"</p>', NONE),
    ('<meta " charset=iso-8859-9>\n<p>"</p>', TURKISH),
    ('<meta a" charset=iso-8859-9>\n<p>"</p>', TURKISH),
    ('<meta a=" charset=iso-8859-9>\n<p>"</p>', NONE),
    ("<meta a='\" charset=iso-8859-9>\n<p>'\"</p>", NONE),
    ('<meta a="" charset=iso-8859-9>', TURKISH),
    ('<meta a=x" charset=iso-8859-9>\n<p>"</p>', TURKISH),
    ('<p title="x>\n<meta charset=iso-8859-9>\n<p>"</p>', NONE),
    ('<p title="x>">\n<meta charset=iso-8859-9>', TURKISH),
    ("<meta =charset=utf-8 charset=iso-8859-9>", TURKISH),
    # comments, bogus comments, other tags, the end of the input
    ("<!--<meta charset=utf-8>--><meta charset=iso-8859-9>", TURKISH),
    ("<!--><meta charset=iso-8859-9>", TURKISH),
    ("<!---><meta charset=iso-8859-9>", TURKISH),
    ("<!-- <meta charset=iso-8859-9>", NONE),
    ("<?x <meta charset=utf-8><meta charset=iso-8859-9>", TURKISH),
    ("<!x><meta charset=iso-8859-9>", TURKISH),
    ("</ meta charset=utf-8><meta charset=iso-8859-9>", TURKISH),
    ("</meta charset=utf-8><meta charset=iso-8859-9>", TURKISH),
    ("< meta charset=utf-8><meta charset=iso-8859-9>", TURKISH),
    ("<1><meta charset=iso-8859-9>", TURKISH),
    ("<a<meta charset=iso-8859-9>", NONE),
    ("<", NONE),
    ("<!", NONE),
    ("<meta", NONE),
    ("<meta ", NONE),
    ("<meta charset", NONE),
    ("<meta charset=", NONE),
    ("<meta charset=iso-8859-9", NONE),
    ("<meta charset='iso-8859-9", NONE),
    ("<meta charset='iso-8859-9'", NONE),
    ("<p class=", NONE),
    ("<script>document.write('<meta charset=\"iso-8859-' + '9\">')</script>", NONE),
    ("<script>document.write('<meta charset=\"iso-8859-9\">')</script>", TURKISH),
    ("<p><meta charset=iso-8859-9></p>", TURKISH),
    # beyond the first 1024 bytes, where a browser's parser still finds it
    *[(comment(n) + "\n<meta charset=iso-8859-9>", TURKISH) for n in (511, 1000, 1023, 1024, 1025, 4096, 8193)],
    (comment(2000) + "<title><meta charset=utf-8></title><meta charset=iso-8859-9>", TURKISH),
    (comment(2000) + "<script>'<meta charset=iso-8859-9>'</script>", NONE),
    (comment(2000) + "<style><meta charset=iso-8859-9>", NONE),
    (comment(2000) + "<meta charset=bogus>", NONE),
    (comment(300_000) + "<meta charset=iso-8859-9>", NONE),
]


@pytest.mark.parametrize(("markup", "expected"), PRESCAN)
def test_a_document_says_its_encoding_as_the_standard_reads_it(markup: str, expected: str) -> None:
    assert html_charset(DOCTYPE + markup) == expected


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ('<?xml version="1.0" encoding="iso-8859-9"?>', TURKISH),
        ("<?xml version='1.0' encoding = 'iso-8859-9' ?>", TURKISH),
        ('<?xml version="1.0" encoding="utf-16"?>', "utf-8"),
        ('<?xml version="1.0" encoding="bogus"?>', None),
        ('<?xml version="1.0" encoding=""?>', None),
        ('<?xml version="1.0"?>', None),
        ('<?xml encodings="x"?>', None),
        (' <?xml version="1.0" encoding="iso-8859-9"?>', None),
    ],
)
def test_an_xml_declaration_counts_at_the_very_start(declaration: str, expected: str | None) -> None:
    assert declared_in_markup(declaration.encode() + b"<feed/>", "text") == expected
    assert declared_in_markup(declaration.encode() + b"<html/>", "html") == expected


def test_a_meta_comes_before_the_xml_declaration() -> None:
    page = b'<?xml version="1.0" encoding="utf-8"?><html><meta charset="iso-8859-9">'
    assert declared_in_markup(page, "html") == TURKISH
    assert declared_in_markup(page, "text") == "utf-8"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_seen_without_a_mark(codec: str) -> None:
    for text in ('<?xml version="1.0"?><p>Grüße</p>', "Plain text, quite short."):
        found = decode(text.encode(codec), declared=None, kind="text")
        assert (found.text, found.charset) == (text, codec.replace("-le", "le").replace("-be", "be"))


def test_a_few_nul_bytes_are_no_utf16() -> None:
    assert decode(b"\0" * 600, declared=None, kind="text").source == "default"
    assert decode(b"one\0two three four five six", declared=None, kind="html").charset == "windows-1252"


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
    ],
)
def test_a_byte_order_mark_beats_everything_and_is_removed(mark: bytes, codec: str, name: str) -> None:
    data = mark + "<meta charset=iso-8859-9>é中".encode(codec)
    found = decode(data, declared="koi8-r", kind="html")
    assert (found.text, found.charset, found.source) == ("<meta charset=iso-8859-9>é中", name, "bom")


def test_the_header_beats_the_document() -> None:
    found = decode("<meta charset=utf-8>Привет".encode("koi8-r"), declared=" KOI8-R ", kind="html")
    assert (found.text[-6:], found.charset, found.source) == ("Привет", "koi8-r", "header")


def test_bytes_that_fit_nothing_become_the_replacement_character() -> None:
    assert decode(b"ok \xff\xe4\xb8", declared="utf-8", kind="text").text == "ok \ufffd\ufffd"
    assert decode(b"ok \x81\xff", declared="shift_jis", kind="text").text.startswith("ok ")


def test_plain_ascii_takes_the_default() -> None:
    assert decode(b"abc", declared=None, kind="html").charset == "windows-1252"
    found = decode(b"abc", declared=None, kind="text")
    assert (found.text, found.charset, found.source) == ("abc", "utf-8", "default")


@pytest.mark.parametrize("label", ["utf-7", "iso-2022-kr", "x-user-defined", "nonsense", "", "é", "replacement"])
def test_an_unknown_label_in_the_header_is_refused(label: str) -> None:
    for attempt in (lambda: check_label(label), lambda: decode(b"x", declared=label, kind="text")):
        with pytest.raises(WebError) as caught:
            attempt()
        assert caught.value.code == "WEB_UNSUPPORTED_CONTENT_TYPE"
        assert caught.value.message == f'unsupported charset "{label}"'


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("latin1", b"caf\xe9 \x80 \x81", "café € \x81"),
        ("us-ascii", b"\x93x\x94", "“x”"),
        ("windows-1253", b"\xe1\xaa\x81", "α\ufffd\x81"),
        ("gb2312", "编码䶮".encode("gb18030"), "编码䶮"),
        ("gbk", b"\x80 5, \xff", "€ 5, \ufffd"),
        ("big5", "許㗎".encode("big5hkscs") + b"\xa3\xe1", "許㗎€"),
        ("euc-kr", "똠방각하".encode("cp949"), "똠방각하"),
        ("shift_jis", "①～髙ｱ".encode("cp932"), "①～髙ｱ"),
        ("euc-jp", b"\xad\xa1\xfc\xe2\xa4\xa2\xff", "①髙あ\ufffd"),
        ("iso-2022-jp", b"\x1b$B\x2d\x21\x24\x22\x1b(Bok\xff", "①あok\ufffd"),
        ("iso-8859-8-i", b"\xe0", "א"),
        ("macintosh", b"\x8a", "ä"),
        ("x-mac-cyrillic", b"\x80", "А"),
        ("dos-874", b"\xa1\x80", "ก€"),
        ("utf-16", "aß".encode("utf-16-le"), "aß"),
    ],
)
def test_labels_mean_what_the_standard_says(label: str, data: bytes, text: str) -> None:
    check_label(label)
    assert decode(data, declared=label, kind="text").text == text


SAMPLES = {
    "windows-1251": "Съешь же ещё этих мягких французских булок, да выпей чаю. Это предложение повторяется. ",
    "koi8-r": "Съешь же ещё этих мягких французских булок, да выпей чаю. Это предложение повторяется. ",
    "koi8-u": "Щастям б'єш жук їх глицю в фон й ґедзь пріч. Це речення українською мовою, і її тут є. ",
    "gb18030": "中国的经济发展很快，人们的生活水平也在不断提高，这是大家都可以看到的。",
    "big5": "中國的經濟發展很快，人們的生活水平也在不斷提高，這是大家都可以看到的。",
    "shift_jis": "これは日本語の文章です。文字コードの判定を試験するために書かれています。",
    "euc-jp": "これは日本語の文章です。文字コードの判定を試験するために書かれています。",
    "iso-2022-jp": "これは日本語の文章です。文字コードの判定を試験するために書かれています。",
    "euc-kr": "이 문장은 한국어로 쓰여 있습니다. 문자 집합을 판별하는 시험을 하기 위한 글입니다. ",
    "windows-1252": "Voilà déjà l'été, où les élèves préfèrent être dehors : ça leur plaît, même à Noël. ",
    "iso-8859-2": "Příliš žluťoučký kůň úpěl ďábelské ódy. Vyšlo včera večer, prosím, přečtěte si to. ",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_undeclared_text_is_recognised(name: str) -> None:
    codec = {"koi8-u": "koi8_u", "iso-2022-jp": "iso2022_jp"}.get(name, name)
    text = SAMPLES[name] * 4
    for page, kind in ((text, "text"), (f"<html><body class='a b'>{'<p>plain words here</p>' * 90}{text}", "html")):
        found = decode(page.encode(codec), declared=None, kind=kind)  # type: ignore[arg-type]
        assert found.source == "detected"
        assert found.text == page


def test_undeclared_utf8_survives_a_cut_and_a_damaged_character() -> None:
    data = ("Đây là một câu tiếng Việt. " * 4).encode()
    assert decode(data, declared=None, kind="html").charset == "utf-8"
    assert decode(data[: data.index(b"\xc4", 3) + 1], declared=None, kind="text").charset == "utf-8"
    assert decode(data.replace(b"\xc3\xa0", b"\xe0", 1), declared=None, kind="text").charset == "utf-8"


def test_a_single_accent_is_read_as_western_text() -> None:
    assert decode(b"<p>" + b"word " * 50 + b"M\xfcller</p>", declared=None, kind="html").text.endswith("Müller</p>")


@given(strategies.binary(max_size=400), strategies.sampled_from(["html", "text"]))
def test_any_bytes_give_text(data: bytes, kind: str) -> None:
    found = decode(data, declared=None, kind=kind)  # type: ignore[arg-type]
    assert isinstance(found.text, str)
    found.text.encode()  # no lone surrogate


@given(strategies.text(alphabet=strategies.sampled_from("<>!-/?=\"' \nmetacharsutf-8:;p"), max_size=200))
def test_the_prescan_reads_anything(markup: str) -> None:
    declared_in_markup(markup.encode(), "html")


HOSTILE = [b"<meta ", b"<a b=", b"<!--", b"<meta charset", b"</", b"<a '", b"<title>", b'<meta content="charset', b"= "]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_markup_is_read_in_linear_time(unit: bytes) -> None:
    declared_in_markup(unit * (600_000 // len(unit)), "html")
    declared_in_markup(unit * (600_000 // len(unit)) + b">", "html")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("label", ["windows-1253", "dos-874", "iso-2022-jp", "euc-jp", "big5", "shift_jis", "gb18030"])
def test_noise_is_read_quickly_whatever_it_claims_to_be(label: str) -> None:
    for unit in (b"\x80", b"\x81", b"\xff\x81", b"\xfc\xe2", b"\xa3\xfe"):
        decode(unit * (4_800_000 // len(unit)), declared=label, kind="text")
