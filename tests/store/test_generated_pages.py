"""The page index on some hundred generated pages: in every language exactly the pages that hold the words are found."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_web.store import IndexedPage, SqliteStore

# language: the words its pages are made of, what stands between them, and the phrase that only a few pages hold
LANGUAGES = {
    "en": ("harbour tide ferry window garden table letter autumn market bridge", " ", "copper lantern"),
    "vi": ("bến tàu thủy triều khu vườn bức thư mùa thu cây cầu chợ sớm", " ", "đèn lồng đồng"),
    "zh": ("港口 潮汐 渡船 窗户 花园 桌子 信件 秋天 市场 桥梁", "", "灯笼"),
    "ja": ("みなとの 潮が 船で まどから 庭の つくえに 手紙を 秋は 市場へ 橋を", "", "ちょうちん"),
}
PAGES_OF_A_LANGUAGE = 150
PAGES_WITH_THE_PHRASE = {7, 70, 140}


def _pages() -> Iterator[IndexedPage]:
    chance = random.Random(20)
    for language, (words, between, phrase) in LANGUAGES.items():
        for number in range(PAGES_OF_A_LANGUAGE):
            text = chance.choices(words.split(), k=chance.randint(20, 200))
            if number in PAGES_WITH_THE_PHRASE:
                text.insert(chance.randrange(len(text)), phrase)
            body = between.join(text)
            yield IndexedPage(
                url=f"http://t.example/{language}/{number}",
                title=f"{text[0]} {number}",
                kind="text",
                content=body,
                text=body,
                fetched_at="2026-01-01",
            )


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    path: Path = tmp_path_factory.mktemp("generated") / "store.sqlite3"
    store = SqliteStore(path)
    store.add_pages(_pages())
    yield store
    store.close()


@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("en", "copper lantern"),
        ("en", "Lantern, COPPER"),
        ("vi", "đèn lồng đồng"),
        ("vi", "den long dong"),
        ("zh", "灯笼"),
        ("ja", "ちょうちん"),
    ],
)
def test_exactly_the_pages_with_the_words_are_found(generated: SqliteStore, language: str, query: str) -> None:
    hits = generated.search_pages(query, limit=20)
    assert {hit.url for hit in hits} == {f"http://t.example/{language}/{number}" for number in PAGES_WITH_THE_PHRASE}
    phrase = LANGUAGES[language][2]
    assert all(phrase in hit.snippet for hit in hits)


@pytest.mark.parametrize("query", ["", "   ", '"', "* OR NOT", "title:", "😀"])
def test_what_holds_no_word_of_a_page_finds_nothing(generated: SqliteStore, query: str) -> None:
    assert generated.search_pages(query) == []


@pytest.mark.parametrize("query", ['"copper lantern', "copper lantern*", "(copper) ^lantern", "copper AND lantern)"])
def test_the_index_language_is_only_text(generated: SqliteStore, query: str) -> None:
    found = {hit.url for hit in generated.search_pages(query, limit=20)}
    assert {f"http://t.example/en/{number}" for number in PAGES_WITH_THE_PHRASE} <= found
