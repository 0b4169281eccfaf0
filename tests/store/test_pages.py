"""The page index: what is found, in what order, and what a query can never do."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hydra_web.errors import ConfigError
from hydra_web.store import IndexedPage, SqliteStore
from hydra_web.store._words import cut_snippet, fold, loose_words, query_words, telling_words

MakePage = Callable[..., IndexedPage]

PAGES = {
    "http://t.example/tea": ("Green tea", "Green tea is brewed at eighty degrees. Black tea wants boiling water."),
    "http://t.example/coffee": ("Coffee", "Espresso is brewed under pressure. Some drink tea instead, black or green."),
    "http://t.example/vi": ("Cà phê sữa đá", "Người Việt Nam uống cà phê sữa đá vào buổi sáng. Cơ sở dữ liệu quan hệ."),
    "http://t.example/zh": ("数据库", "这是一个关系数据库的介绍。我们使用SQLite数据库来保存网页。"),
    "http://t.example/ja": ("データベース", "このページはデータベースの説明です。日本語の検索ができます。"),
    "http://t.example/ko": ("한국어", "이 페이지는 한국어 검색을 시험하기 위한 글입니다. 학교에서 공부합니다."),
    "http://t.example/th": ("ไทย", "การค้นหาภาษาไทยต้องทำงานได้"),
    "http://t.example/ru": ("Поиск", "Ёлка стоит в лесу, а поиск находит её и без точек."),
}


@pytest.fixture
def filled(sqlite: SqliteStore, make_page: MakePage) -> SqliteStore:
    sqlite.add_pages(make_page(url, text, title) for url, (title, text) in PAGES.items())
    return sqlite


def found(store: SqliteStore, query: str, since: str | None = None, until: str | None = None) -> list[str]:
    return [hit.url.rpartition("/")[2] for hit in store.search_pages(query, since=since, until=until)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("green tea", "tea"),
        ("GREEN TEA!", "tea"),
        ("espresso pressure", "coffee"),
        ("cà phê sữa đá", "vi"),
        ("ca phe sua da", "vi"),
        ("CƠ SỞ DỮ LIỆU", "vi"),
        ("co so du lieu", "vi"),
        ("ca\u0300 phe\u0302", "vi"),
        ("数据", "zh"),
        ("关系数据库", "zh"),
        ("SQLite数据库", "zh"),
        ("sqlite 网页", "zh"),
        ("データベース", "ja"),
        ("日本語 検索", "ja"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "ja"),
        ("학교", "ko"),
        ("ค้นหา", "th"),
        ("ёлка", "ru"),
        ("елка", "ru"),
    ],
)
def test_words_of_every_script_are_found(filled: SqliteStore, query: str, first: str) -> None:
    assert found(filled, query)[:1] == [first]


def test_side_by_side_comes_before_somewhere(filled: SqliteStore) -> None:
    assert found(filled, "black tea") == ["tea", "coffee"]
    scores = [hit.score for hit in filled.search_pages("black tea")]
    assert scores == sorted(scores, reverse=True)


def test_a_title_weighs_more_than_a_body(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite.add_page(make_page("http://t.example/body", "kettles and kettles, all about a kettle", "Pots"))
    sqlite.add_page(make_page("http://t.example/title", "pots and pans, with one of them described here", "Kettle"))
    sqlite.add_page(make_page("http://t.example/none", "nothing of that kind on this page", "Nothing"))
    assert found(sqlite, "kettle") == ["title", "body"]


def test_a_question_finds_the_page_that_holds_most_of_its_words(filled: SqliteStore) -> None:
    assert found(filled, "at how many degrees is green tea brewed?")[0] == "tea"
    assert found(filled, "what is the pressure of an espresso?") == ["coffee"]


def test_when_nothing_better_is_found_any_word_will_do(filled: SqliteStore) -> None:
    assert found(filled, "green zebra") == ["tea", "coffee"]
    assert found(filled, "how many teas does a zebra drink?") == ["coffee", "tea"]
    assert found(filled, "数据库要多久")[:1] == ["zh"]
    assert all(hit.score > 0 for hit in filled.search_pages("green zebra"))


@pytest.mark.parametrize("query", ["unheard words entirely", "zebra", "what is the zebra?", "马"])
def test_when_no_page_holds_a_word_nothing_is_found(filled: SqliteStore, query: str) -> None:
    assert filled.search_pages(query) == []


def test_a_subject_on_most_pages_still_counts(sqlite: SqliteStore, make_page: MakePage) -> None:
    for name in ("ferry fares", "ferry times", "ferry crew"):
        sqlite.add_page(make_page(f"http://t.example/{name.split()[1]}", f"All about {name}.", name.title()))
    sqlite.add_page(make_page("http://t.example/other", "Nothing about ships: a lead was cast.", "Other"))
    assert set(found(sqlite, "when does the ferry depart")) == {"fares", "times", "crew"}
    assert found(sqlite, "what does a ferry crew earn")[0] == "crew"


def test_a_question_with_few_answers_is_given_pages_with_any_of_its_words(
    sqlite: SqliteStore, make_page: MakePage
) -> None:
    sqlite.add_pages(make_page(f"http://t.example/both{number}", "kettle whistle") for number in range(4))
    sqlite.add_pages(make_page(f"http://t.example/one{number}", "kettle") for number in range(20))
    assert len(found(sqlite, "kettle whistle")) == 4
    asked = found(sqlite, "why does a kettle whistle?")
    assert [name[:-1] for name in asked] == ["both", "both", "both", "both", "one"]
    sqlite.add_page(make_page("http://t.example/both4", "kettle whistle"))
    assert len(found(sqlite, "why does a kettle whistle?")) == 5


def test_the_small_words_of_a_question_need_not_be_there(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite.add_pages(
        make_page(f"http://t.example/{number}", f"what is the use of the thing called {number}x")
        for number in range(60)
    )
    sqlite.add_page(make_page("http://t.example/kettle", "Boiling water: a kettle whistles."))
    assert found(sqlite, "what is the whistles of kettle")[0] == "kettle"
    assert found(sqlite, "what is the use of")[0] != "kettle"
    assert found(sqlite, "thing called use, whistles kettle") == ["kettle"]
    assert found(sqlite, "thing called use")[0] != "kettle"


def test_near_misses_follow_the_pages_that_hold_everything(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite.add_page(make_page("http://t.example/all", "black tea and a long story about boiling water"))
    sqlite.add_page(make_page("http://t.example/some", "black tea tea tea, water"))
    sqlite.add_page(make_page("http://t.example/one", "water"))
    assert found(sqlite, "black tea water boiling") == ["all", "some"]
    scores = [hit.score for hit in sqlite.search_pages("black tea water boiling")]
    assert scores[0] > scores[1] > 0


@pytest.mark.parametrize(
    "query",
    ["", " ", "?!", '"', "*", "()", "-", "'", "\x00", "^", "🍵", "\ud800"],
)
def test_a_query_without_words_finds_nothing(filled: SqliteStore, query: str) -> None:
    assert filled.search_pages(query) == []


@pytest.mark.parametrize(
    "query",
    ['tea"', "tea*", "title:tea", "tea NOT", "tea AND", "(tea", "tea -", "NEAR(tea)", "^tea", "{title}: tea", "tea--"],
)
def test_fts5_syntax_is_only_text(filled: SqliteStore, query: str) -> None:
    filled.search_pages(query)
    assert set(found(filled, "tea")) == {"tea", "coffee"}


@settings(max_examples=150, deadline=None)
@given(query=st.text(max_size=60))
def test_any_query_is_harmless(query: str, any_store: SqliteStore) -> None:
    hits = any_store.search_pages(query, limit=3)
    assert all(hit.score > 0 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.fixture(scope="module")
def any_store(tmp_path_factory: pytest.TempPathFactory) -> "SqliteStore":
    store = SqliteStore(tmp_path_factory.mktemp("any") / "s")
    store.add_pages(
        IndexedPage(url=url, title=title, kind="text", content=text, text=text, fetched_at="2026-01-01")
        for url, (title, text) in PAGES.items()
    )
    return store


def test_a_page_replaces_the_one_of_the_same_url(filled: SqliteStore, make_page: MakePage) -> None:
    filled.add_page(make_page("http://T.example:80/tea#top", "Only cocoa now.", "Cocoa"))
    assert found(filled, "green tea") == ["coffee"]
    assert found(filled, "cocoa") == ["tea"]
    assert len(filled.pages()) == len(PAGES)
    page = filled.page("http://t.example/tea#elsewhere")
    assert page is not None
    assert (page.title, page.content) == ("Cocoa", "Only cocoa now.")


def test_a_removed_page_is_gone_everywhere(filled: SqliteStore) -> None:
    assert filled.remove_page("http://t.example/tea#x")
    assert not filled.remove_page("http://t.example/tea")
    assert filled.page("http://t.example/tea") is None
    assert found(filled, "degrees") == []
    assert "http://t.example/tea" not in [page.url for page in filled.pages()]


def test_a_page_comes_back_as_it_was_recorded(sqlite: SqliteStore, make_page: MakePage) -> None:
    page = make_page(
        "http://t.example/p?q=1",
        "plain",
        kind="html",
        content="<p>plain\x00 é</p>",
        published_at="2024-05-01",
        modified_at="2025-01-01",
    )
    sqlite.add_page(page)
    assert sqlite.page(page.url) == page
    (summary,) = sqlite.pages()
    assert (summary.url, summary.title, summary.kind, summary.characters) == (page.url, None, "html", 5)


def test_text_that_is_no_unicode_is_mended(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite.add_page(make_page("no url \ud800", "half a \ud83d pair", "\udc00 title"))
    assert [page.title for page in sqlite.pages()] == ["? title"]
    assert sqlite.search_pages("half pair")[0].snippet == "half a ? pair"
    assert sqlite.remove_page("no url \ud800")


def test_days_bound_what_is_found(sqlite: SqliteStore, make_page: MakePage) -> None:
    sqlite.add_page(make_page("http://t.example/old", "tea", published_at="2020-05-01T10:00:00Z"))
    sqlite.add_page(make_page("http://t.example/new", "tea", modified_at="2024-05-01T10:00:00+00:00"))
    sqlite.add_page(make_page("http://t.example/undated", "tea"))
    assert set(found(sqlite, "tea")) == {"old", "new", "undated"}
    assert found(sqlite, "tea", since="2024-05-01") == ["new"]
    assert found(sqlite, "tea", until="2020-05-01") == ["old"]
    assert found(sqlite, "tea", since="2020-05-02", until="2024-04-30") == []


def test_limits(filled: SqliteStore) -> None:
    assert len(filled.search_pages("tea", 1)) == 1
    assert filled.search_pages("tea", 0) == []


@pytest.mark.parametrize("timeout", [-1, True, 1.5, "5"])
def test_a_wrong_busy_timeout_is_named(tmp_path: object, timeout: int) -> None:
    with pytest.raises(ConfigError, match="busy_timeout_ms must be an integer"):
        SqliteStore(f"{tmp_path}/x", busy_timeout_ms=timeout)


def test_threads_write_and_search_at_once(sqlite: SqliteStore, make_page: MakePage) -> None:
    def work(worker: int) -> bool:
        for number in range(10):
            url = f"http://t.example/{worker}/{number}"
            sqlite.add_page(make_page(url, f"tea number {number}"))
            assert sqlite.search_pages("tea", 3)
            if number % 2:
                assert sqlite.remove_page(url)
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))
    assert len(sqlite.pages()) == 30
    assert len(sqlite.search_pages("tea", 100)) == 30


# Pure parts


def test_a_snippet_is_cut_around_the_words_from_the_raw_text() -> None:
    text = "Filler words stand here. " * 40 + "The Rare Wörd stands\nbeside the other one. " + "More filler. " * 40
    snippet = cut_snippet(text, query_words("rare word"))
    assert "The Rare Wörd stands beside the other one." in snippet
    assert snippet.startswith("…")
    assert snippet.endswith("…")
    assert len(snippet) <= 242


def test_a_snippet_prefers_where_more_of_the_words_meet() -> None:
    text = "tea " * 30 + "x " * 400 + "tea with milk"
    assert cut_snippet(text, ["tea", "milk"]).endswith("tea with milk")


def test_a_snippet_without_words_is_the_start() -> None:
    assert cut_snippet("one two", ["three"]) == "one two"
    assert cut_snippet("a" * 500, ["three"]) == "a" * 240 + "…"
    assert cut_snippet("", ["three"]) == ""


def test_a_snippet_of_unspaced_text_stays_readable() -> None:
    text = "天气很好。" * 100 + "数据库很重要。" + "天气很好。" * 100
    assert "数据库很重要" in cut_snippet(text, ["数据库"])


def test_folding() -> None:
    assert fold("ABC def") == "abc def"
    assert fold("Đường İstanbul Ñandú ﬁle").split() == ["duong", "istanbul", "nandu", "file"]
    assert fold("数a据").split() == ["数", "a", "据"]
    assert query_words("Tea tea TÉA 数据 x_y") == ["tea", "数据", "x", "y"]


@pytest.mark.parametrize(
    ("word", "loose"),
    [
        ("tides", ["tides", "tide"]),
        ("tide", ["tide", "tides"]),
        ("数据库", ["数据", "据库"]),
        ("海", ["海"]),
        ("of", ["of"]),
        ("80", ["80"]),
        ("ёлка", ["ёлка"]),
    ],
)
def test_loose_words(word: str, loose: list[str]) -> None:
    assert loose_words(word) == loose


def test_small_words_are_left_out_unless_there_are_no_others() -> None:
    assert telling_words(["how", "long", "does", "the", "ferry", "take"]) == ["ferry"]
    assert telling_words(["the", "who"]) == ["the", "who"]


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_snippets_are_one_line_and_bounded(text: str, queries: list[str]) -> None:
    snippet = cut_snippet(text, query_words(" ".join(queries)))
    assert "\n" not in snippet
    assert len(snippet) <= 242
