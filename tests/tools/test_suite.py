import pytest

from hydra_web.errors import ConfigError, WebError
from hydra_web.evidence import EvidenceLedger
from hydra_web.runtime import WebRuntime
from hydra_web.tools import WebTools, WebToolsConfig


@pytest.fixture
def usual(monkeypatch):
    """Runtimes made from the environment, and which of them were closed."""
    made, closed = [], []

    class Usual(WebRuntime):
        async def aclose(self):
            closed.append(self)
            await super().aclose()

    def from_env():
        made.append(Usual())
        return made[-1]

    monkeypatch.setattr(WebRuntime, "from_env", from_env)
    return made, closed


async def test_the_usual_runtime_is_made_on_first_use_and_closed_with_the_tools(usual):
    made, closed = usual
    async with WebTools() as tools:
        tools.definitions()
        tools.guidance()
        assert made == []
        assert tools.web is tools.web
        outcome = await tools.call("web_fetch", {"url": "https://a.test"})
        assert outcome.error.code == "WEB_PROVIDER_UNAVAILABLE"
    assert len(made) == 1
    assert closed == made
    await tools.aclose()
    assert closed == made


def test_synchronous_callers_close_it_too(usual):
    made, closed = usual
    with WebTools() as tools:
        assert tools.sync.web_search("q").error.code == "WEB_PROVIDER_UNAVAILABLE"
    assert closed == made
    tools.close()
    assert len(closed) == 1


async def test_a_runtime_that_is_given_stays_open(usual):
    _, closed = usual
    web = WebRuntime()
    async with WebTools(web) as tools:
        assert tools.web is web
    assert closed == []


def test_a_fresh_ledger_is_kept_for_the_tools_life():
    tools = WebTools(WebRuntime())
    assert isinstance(tools.evidence, EvidenceLedger)
    assert tools.evidence is tools.evidence


async def test_with_no_tool_enabled_a_call_says_so():
    tools = WebTools(WebRuntime(), WebToolsConfig(search=False, fetch=False))
    assert tools.definitions() == ()
    outcome = await tools.call("web_search", {})
    assert outcome.text == "Error: invalid arguments: tool name: no tool is enabled"


def test_cards_are_reached_through_the_tools(fakes):
    tools = fakes.make().tools
    assert tools.present_call("web_fetch", {"url": "https://a.test"})["title"] == "https://a.test"
    assert tools.present_result("web_fetch", {}, None) is None


async def test_settings_that_cannot_be_read_are_an_error_result_and_take_no_tool_away(monkeypatch):
    def refuse():
        raise WebError("settings cannot be read", "WEB_STORE_ERROR")

    web = WebRuntime()
    monkeypatch.setattr(web, "search_preferences", refuse)
    tools = WebTools(web)
    assert [tool.timeout_ms for tool in tools.definitions()] == [30_000, 30_000]
    assert (await tools.call("web_search", {"queries": ["q"]})).error.code == "WEB_STORE_ERROR"


@pytest.mark.parametrize(
    ("argument", "value", "words"),
    [
        ("web", "exa", "web must be a WebRuntime, not str"),
        ("web", WebRuntime, "web must be a WebRuntime, not the class WebRuntime"),
        ("config", {"search": False}, "config must be a WebToolsConfig, not dict"),
        ("evidence", "run.db", "evidence must be an EvidenceLedger, not str"),
        ("evidence", EvidenceLedger, "evidence must be an EvidenceLedger, not the class EvidenceLedger"),
        ("budget", 3, "budget must be a ResearchBudget, not int"),
        ("store", "store.sqlite", "store must be a Store, not str"),
        ("render", "markdown", "render must be a function, not str"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named_at_once(argument, value, words):
    with pytest.raises(ConfigError, match=f"^{words}$"):
        WebTools(**{argument: value})
