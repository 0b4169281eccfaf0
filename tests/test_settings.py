"""The rules of the saved preferences, and the source that keeps them in memory."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_web.errors import ConfigError
from hydra_web.protocols import SettingsSource
from hydra_web.settings import SEARCH_NAMESPACE, MemorySettings, merge_section, search_settings
from hydra_web.types import WebSearchSettings

WRONG = [
    ({"enabled": 1}, "web-search.enabled must be true or false, not 1"),
    ({"provider": 5}, "web-search.provider must be text, not 5"),
    ({"maxQueries": 0}, "web-search.maxQueries must be an integer from 1 to 100, not 0"),
    ({"max_queries": 101}, "web-search.maxQueries must be an integer from 1 to 100, not 101"),
    ({"maxResults": True}, "web-search.maxResults must be an integer from 1 to 100, not True"),
    ({"maxResults": 2.5}, "web-search.maxResults must be an integer from 1 to 100, not 2.5"),
    ({"maxResults": "5"}, "web-search.maxResults must be an integer from 1 to 100, not '5'"),
    ({"timeoutMs": 600_001}, "web-search.timeoutMs must be an integer from 1 to 600000, not 600001"),
    ({"enabled": "x" * 99}, f"web-search.enabled must be true or false, not '{'x' * 36}..."),
    (
        {"max": 5},
        "web-search has no setting 'max'; it has enabled, provider, maxQueries, maxResults, timeoutMs",
    ),
]


def test_defaults() -> None:
    settings = WebSearchSettings(enabled=True, provider="", max_queries=4, max_results=8, timeout_ms=60_000)
    assert search_settings({}) == settings
    assert search_settings({}, "exa").provider == "exa"


def test_a_section_lies_over_the_defaults() -> None:
    settings = search_settings({"provider": "", "maxQueries": 1, "timeoutMs": 600_000, "maxResults": 100}, "exa")
    assert settings == WebSearchSettings(max_queries=1, timeout_ms=600_000, max_results=100)


@pytest.mark.parametrize(("section", "message"), WRONG)
def test_wrong_values_are_refused_with_name_and_bounds(section: dict[str, Any], message: str) -> None:
    settings = MemorySettings({SEARCH_NAMESPACE: {"maxResults": 3}})
    for attempt in (
        lambda: search_settings(section),
        lambda: MemorySettings({SEARCH_NAMESPACE: section}),
        lambda: settings.update(SEARCH_NAMESPACE, {"provider": "exa", **section}),
    ):
        with pytest.raises(ConfigError) as caught:
            attempt()
        assert str(caught.value) == message
        assert caught.value.__context__ is None
    assert settings.section(SEARCH_NAMESPACE) == {"maxResults": 3}


def test_a_memory_source_is_a_settings_source() -> None:
    settings = MemorySettings()
    assert isinstance(settings, SettingsSource)
    assert settings.writable
    assert settings.section("web-search-exa") == {}


def test_keys_are_set_and_removed_one_by_one() -> None:
    settings = MemorySettings()
    settings.update(SEARCH_NAMESPACE, {"max_results": 3, "provider": "exa"})
    settings.update(SEARCH_NAMESPACE, {"maxResults": 5})
    assert settings.section(SEARCH_NAMESPACE) == {"maxResults": 5, "provider": "exa"}
    settings.update(SEARCH_NAMESPACE, {"max_results": None, "unknown": None})
    assert settings.section(SEARCH_NAMESPACE) == {"provider": "exa"}


def test_other_sections_belong_to_their_providers() -> None:
    settings = MemorySettings({"web-search-custom": {"base_url": "https://example.com"}})
    settings.update("web-search-custom", {"anything": [1]})
    assert settings.section("web-search-custom") == {"base_url": "https://example.com", "anything": [1]}


def test_a_section_that_was_read_does_not_change() -> None:
    settings = MemorySettings({SEARCH_NAMESPACE: {"provider": "a"}})
    section = settings.section(SEARCH_NAMESPACE)
    settings.update(SEARCH_NAMESPACE, {"provider": "b"})
    assert section == {"provider": "a"}
    with pytest.raises(TypeError):
        section["provider"] = "c"  # type: ignore[index]


def test_only_the_fields_that_were_given_count_as_set() -> None:
    assert MemorySettings.of_search(WebSearchSettings(max_results=8)).section(SEARCH_NAMESPACE) == {"maxResults": 8}


def test_threads_lose_no_change() -> None:
    settings = MemorySettings()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: settings.update("many", {str(number): number}), range(200)))
    assert len(settings.section("many")) == 200


SECTIONS = st.dictionaries(
    st.sampled_from(["enabled", "provider", "maxQueries", "maxResults", "timeoutMs"]),
    st.sampled_from([None, True, False, "", "exa", -1, 0, 1, 100, 101]),
)


@given(SECTIONS, SECTIONS)
def test_a_merged_section_is_always_readable(first: dict[str, Any], second: dict[str, Any]) -> None:
    try:
        merged = merge_section(SEARCH_NAMESPACE, merge_section(SEARCH_NAMESPACE, {}, first), second)
    except ConfigError:
        return
    read = search_settings(merged).model_dump(by_alias=True)
    assert {key: read[key] for key in merged} == merged
    assert merged == {key: value for key, value in {**first, **second}.items() if value is not None}
