import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hydra_web.evidence._folding import FoldedText, fold
from hydra_web.evidence._passages import Quote, SearchableText

_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(list("aBc 12.,*_`~[]()<>&;#'’-–|\\\n\t\u00ad\u200b\u0301Ａ１ﬁ今天กあ€%°½ǅßﷺ😀")),
        st.characters(),
    )
)


def _pieces(text: str, folded: FoldedText) -> list[str]:
    return [text[start:end] for start, end in zip(folded.starts, folded.ends, strict=True)]


@given(_TEXT)
@example("Tom &amp; H<sub>2</sub>O &frac12; &#x41;")
def test_every_token_knows_where_it_stands(text: str) -> None:
    folded = fold(text)

    tokens = folded.joined.split(" ")[1:-1]
    assert len(tokens) == len(folded.starts) == len(folded.ends) == len(folded.offsets)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)
    for token, offset in zip(tokens, folded.offsets, strict=True):
        assert folded.joined[offset : offset + len(token) + 1] == f"{token} "


@given(_TEXT)
def test_a_token_folds_to_itself_where_it_stands(text: str) -> None:
    folded = fold(text)

    for token, piece in zip(folded.joined.split(" ")[1:-1], _pieces(text, folded), strict=True):
        if "&" not in piece and token not in ("-", ">", ".", "#"):
            assert token in fold(piece).joined.replace(" ", "")


@given(_TEXT, _TEXT, _TEXT)
def test_a_text_is_found_in_any_text_that_holds_it_between_line_breaks(before: str, inside: str, after: str) -> None:
    whole = SearchableText(f"{before}\n\n{inside}\n\n{after}")

    passage = whole.find(Quote(inside))

    assert passage is not None
    assert passage.match == "exact" if inside.strip() else True
    assert whole.text[passage.start : passage.end] == inside


@given(_TEXT, st.data())
def test_a_found_passage_folds_as_the_quote_does(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    count = len(folded.starts)
    first = data.draw(st.integers(0, count))
    last = data.draw(st.integers(first, count))
    tokens = folded.joined.split(" ")[1:-1][first:last]
    quote = FoldedText(f" {' '.join(tokens)} " if tokens else "", (0,) * len(tokens), (0,) * len(tokens), ())

    found = folded.find(quote)

    if not tokens:
        assert found is None
        return
    assert found is not None
    assert found[1] - found[0] == len(tokens)
    assert folded.joined.split(" ")[1:-1][found[0] : found[1]] == tokens


@given(st.text(alphabet=st.characters(categories=("Ll", "Lu")), min_size=1))
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)

    assert fold(composed).joined.replace(" ", "") == fold(decomposed).joined.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("PublisherHoughton Mifflin", "Publisher Houghton Mifflin"),
        ("54mR HOKAKaha HTMLParser", "54 m R HOKA Kaha HTML Parser"),
        ("39.1cm COVID-19 1,000.5 10:30 1/2", "39.1 cm COVID 19 1,000.5 10:30 1/2"),
        ("-5 – 3 2010–2015", "- 5 3 2010 2015"),
        ("![alt](https://x.test/a.png) [image: A dog] \\[image: B\\]", "alt"),
        ("$5 €3 5% ½ ① ™", "$ 5 € 3 5 % 1⁄2 1"),
        ("‘quoted’ don’t l'eau", "quoted don't l'eau"),
        ("80℃ 5㎎ № 7 30㎞/h", "80 ° C 5 mg No 7 30 km h"),
        ("10² m² x₁₂ 2020¹ 10⁻⁶", "10 2 m 2 x 12 2020 1 10 - 6"),
        (".5 $.50 end.5 ...5 -.5", ". 5 $ . 50 end 5 5 - . 5"),
        ("-$5 −€5 a-$5", "- $ 5 - € 5 a $ 5"),
        ("> 5 mg\n> 6 mg", "> 5 mg 6 mg"),
        ("> quoted\n> > twice", "quoted twice"),
        ("a != b, wow! C# and F#, A# B ## Title ##", "a != b wow C # and F # A # B Title"),
        ("x ∈ A ∉ B − C ∙ D", "x ∈ A ∉ B C D"),
        ("１．５ １，５ ١٫٥ 5٪", "1.5 1,5 ١٫٥ 5 ٪"),
        ("✓ yes ✗ no ❌ never", "yes ✗ no ❌ never"),
        ("can＇t can′t", "can't can't"),
        ("", ""),
        ("*** --- |||", ""),
    ],
)
def test_words_numbers_and_meaningful_signs_stay(text: str, tokens: str) -> None:
    assert fold(text).joined.strip() == tokens


def test_a_long_quote_may_break_off_within_its_last_word() -> None:
    text = SearchableText("We want to be transparent and help everyone understand whatever it costs, can't we 123456")

    assert text.find(Quote("We want to  be transparent and help everyone underst")) is not None
    assert text.find(Quote("to  be transparent underst")) is None
    assert text.find(Quote("and help everyone understand  whatever it costs, can")) is None
    assert (
        text.find(Quote("want to be  transparent and help everyone understand whatever it costs can't we 1234")) is None
    )


def test_the_nearest_passage_must_share_half_of_the_words() -> None:
    text = SearchableText("alpha beta gamma delta epsilon zeta eta theta")

    assert text.nearest(Quote("alpha beta gamma delta unlike")) == "alpha beta gamma delta epsilon zeta eta theta"
    assert text.nearest(Quote("nothing like that stands here alpha")) is None
    assert text.nearest(Quote("")) is None
    assert SearchableText("").nearest(Quote("alpha beta")) is None


@pytest.mark.parametrize(
    "piece",
    ["Some words, 12.5 % and **more**. ",
     "](", "](a", "[image: ", "<b", "a*", "*a", "&amp", "> ", "> > x\n", " ", "’a", "今",
     "aB1", "1.", "\\", "(-1", "℃", "１．", " .5", "1²", " C#", "-$"],
)  # fmt: skip
def test_folding_takes_time_in_proportion_to_the_text(piece: str) -> None:
    small, large = _seconds(piece, 20_000), _seconds(piece, 160_000)

    # Eight times the text: a quadratic fold would take 64 times as long.
    assert large < 24 * small + 0.05


def _seconds(piece: str, size: int) -> float:
    text = piece * (size // len(piece))
    times = []
    for _ in range(2):
        started = time.thread_time()
        fold(text)
        times.append(time.thread_time() - started)
    return min(times)
