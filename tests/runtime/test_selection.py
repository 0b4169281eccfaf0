"""Selection as a pure function: the order of registration decides nothing."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.runtime._selection import (
    cap_sources,
    label_result,
    may_fall_back,
    resolve_chain,
    select_provider,
    supports_search,
)
from hydra_web.types import WebSearchCapabilities, WebSearchProviderDescriptor, WebSearchResult, WebSearchSource
from hydra_web.urls import normalized_search_url


@dataclass(frozen=True)
class Named:
    id: str
    usable: bool


PROVIDERS = st.lists(
    st.builds(Named, id=st.sampled_from(["a", "b", "c", "d"]), usable=st.booleans()), unique_by=lambda named: named.id
)
URLS = st.sampled_from(
    ["https://a.example", "https://a.example/#x", "https://b.example/?utm_source=x", "https://b.example/", "no url"]
)
RESULTS = st.builds(
    lambda urls, truncated: WebSearchResult(
        sources=tuple(WebSearchSource(url=url, position=place) for place, url in enumerate(urls)), truncated=truncated
    ),
    st.lists(URLS, max_size=8),
    st.booleans(),
)


def selected(providers: list[Named], chosen: str | None) -> str:
    try:
        return select_provider({named.id: named for named in providers}, chosen, lambda named: named.usable).id
    except WebError as error:
        return error.code


@given(PROVIDERS, st.sampled_from(["a", "b", None]), st.randoms())
def test_order_of_registration_never_matters(providers: list[Named], chosen: str | None, random: object) -> None:
    shuffled = list(providers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert selected(providers, chosen) == selected(shuffled, chosen)


@given(PROVIDERS, st.sampled_from(["a", "b", None]))
def test_the_table(providers: list[Named], chosen: str | None) -> None:
    usable = [named.id for named in providers if named.usable]
    if chosen is None:
        expected = ["WEB_PROVIDER_UNAVAILABLE", *usable][len(usable)] if len(usable) < 2 else "WEB_PROVIDER_AMBIGUOUS"
    elif chosen in usable:
        expected = chosen
    elif chosen in [named.id for named in providers]:
        expected = "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"
    else:
        expected = "WEB_PROVIDER_CONFIGURED_MISSING"
    assert selected(providers, chosen) == expected


def test_an_unchosen_provider_is_not_even_asked() -> None:
    asked: list[str] = []
    providers = {name: Named(name, True) for name in "ab"}
    select_provider(providers, "a", lambda named: not asked.append(named.id))  # type: ignore[func-returns-value]
    assert asked == ["a"]


def test_a_chain_keeps_its_own_order() -> None:
    providers = {name: Named(name, True) for name in "abc"}
    assert [named.id for named in resolve_chain(providers, ["c", "a"])] == ["c", "a"]


@given(RESULTS, st.none() | st.integers(1, 10))
def test_capping(result: WebSearchResult, limit: int | None) -> None:
    capped = cap_sources(result, limit)
    assert capped.sources == result.sources[:limit]
    assert capped.truncated == (result.truncated or capped.sources != result.sources)
    assert cap_sources(capped, limit) == capped


@given(RESULTS)
def test_labelling(result: WebSearchResult) -> None:
    labelled = label_result(result, "a", "cats")
    keys = [normalized_search_url(source.url) for source in labelled.sources]
    assert keys == list(dict.fromkeys(normalized_search_url(source.url) for source in result.sources))
    assert all(source.provider == "a" for source in labelled.sources)
    assert label_result(labelled, "a", "cats") == labelled
    assert (labelled.provider, labelled.query, labelled.truncated) == ("a", "cats", result.truncated)


@pytest.mark.parametrize(
    ("error", "may"),
    [
        (SearchProviderError("a", "TIMEOUT"), True),
        (SearchProviderError("a", "UNKNOWN"), False),
        (WebError("x", "WEB_PROVIDER_ERROR"), True),
        (WebError("x", "WEB_PROVIDER_CREDENTIAL_MISSING"), True),
        (WebError("x", "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"), True),
        (WebError("x", "WEB_PROVIDER_CONFIGURED_MISSING"), False),
        (WebError("x", "TIMEOUT"), False),
    ],
)
def test_which_failures_may_be_followed_by_another_provider(error: WebError, may: bool) -> None:
    assert may_fall_back(error) is may


def test_kinds_of_search() -> None:
    descriptor = WebSearchProviderDescriptor(
        id="a", display_name="A", capabilities=WebSearchCapabilities(web=False, academic=True)
    )
    assert [supports_search(descriptor, kind) for kind in ("web", "academic", "news")] == [False, True, False]
    assert [supports_search(None, kind) for kind in ("web", "images")] == [True, False]
