import pytest

from hydra_web.errors import ConfigError
from hydra_web.tools import WebToolsConfig

POSITIVE = [
    "search_max_results",
    "search_max_queries",
    "fetch_timeout_ms",
    "search_timeout_ms",
    "fetch_max_output_chars",
]


def test_defaults_are_the_documented_ones():
    config = WebToolsConfig()
    assert [getattr(config, key) for key in POSITIVE] == [8, 4, 30_000, 30_000, 200_000]
    assert (config.search, config.fetch, config.cache_seconds) == (True, True, 900)
    assert (config.content, config.search_arguments, config.on_partial_failure) == ("main", "queries", "abort")
    assert (config.outline, config.fetch_scope, config.schema_style) == ("off", "any", "standard")
    assert (config.allowed_domains, config.blocked_domains) == (None, ())


@pytest.mark.parametrize("key", POSITIVE)
@pytest.mark.parametrize("value", [0, -1, -5, 1.5, True, "8", None, float("nan")])
def test_numbers_must_be_positive_integers(key, value):
    with pytest.raises(ConfigError) as caught:
        WebToolsConfig(**{key: value})
    assert str(caught.value) == f"tool-web: {key} must be a positive integer, not {value!r}"


@pytest.mark.parametrize("key", ["fetch_timeout_ms", "search_timeout_ms"])
def test_time_outs_have_an_upper_bound(key):
    with pytest.raises(ConfigError, match=f"tool-web: {key} must be at most 2147483647, not 2147483648"):
        WebToolsConfig(**{key: 2**31})


@pytest.mark.parametrize("value", [-1, 0.5, True, "900"])
def test_cache_seconds_may_be_zero_but_nothing_odd(value):
    assert WebToolsConfig(cache_seconds=0).cache_seconds == 0
    with pytest.raises(ConfigError, match="tool-web: cache_seconds must be an integer of 0 or more"):
        WebToolsConfig(cache_seconds=value)


@pytest.mark.parametrize("key", ["search", "fetch"])
def test_switches_must_be_boolean(key):
    with pytest.raises(ConfigError, match=f"tool-web: {key} must be True or False, not 1"):
        WebToolsConfig(**{key: 1})


@pytest.mark.parametrize(
    ("key", "choices"),
    [
        ("content", "main, full"),
        ("search_arguments", "queries, query"),
        ("on_partial_failure", "abort, report"),
        ("outline", "off, long"),
        ("fetch_scope", "any, seen"),
        ("schema_style", "standard, strict"),
    ],
)
@pytest.mark.parametrize("value", ["nonsense", None, 1, ["main"]])
def test_unknown_choices_are_refused_by_name(key, choices, value):
    with pytest.raises(ConfigError) as caught:
        WebToolsConfig(**{key: value})
    assert str(caught.value) == f"tool-web: {key} must be one of {choices}, not {value!r}"


def test_domains_are_kept_in_canonical_form():
    config = WebToolsConfig(
        allowed_domains=["Example.COM", "*.python.org", "bücher.example"], blocked_domains=[".x.io."]
    )
    assert config.allowed_domains == ("example.com", "python.org", "xn--bcher-kva.example")
    assert config.blocked_domains == ("x.io",)


@pytest.mark.parametrize(
    "value", ["example.com", 3, [""], ["a b"], ["https://a.test"], ["a.test/x"], ["a.test:80"], [4]]
)
@pytest.mark.parametrize("key", ["allowed_domains", "blocked_domains"])
def test_what_is_no_list_of_domains_is_refused(key, value):
    with pytest.raises(ConfigError, match=f"tool-web: {key} must"):
        WebToolsConfig(**{key: value})


def test_an_empty_list_of_allowed_domains_is_a_mistake():
    with pytest.raises(ConfigError, match="allowed_domains must name at least one domain"):
        WebToolsConfig(allowed_domains=[])
