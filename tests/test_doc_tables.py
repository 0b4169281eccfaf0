"""Tables in docs/ that repeat what the code says are generated from it.

`python tests/test_doc_tables.py` writes them anew between their markers.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from hydra_web.errors import SearchErrorCode, SearchProviderError
from hydra_web.net import HttpFetch
from hydra_web.providers import usual_providers
from hydra_web.research import ResearchBudget
from hydra_web.tools import WebTools, WebToolsConfig
from hydra_web.types import WebSearchSettings

DOCS = Path(__file__).parent.parent / "docs"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, tuple("---" for _ in head), *rows])


def _field_sentences(owner: type) -> dict[str, str]:
    """The one-sentence docstring that stands below each field of a class."""
    (class_node,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    assert isinstance(class_node, ast.ClassDef)
    sentences: dict[str, str] = {}
    for node, following in zip(class_node.body, class_node.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(following, ast.Expr):
            sentences[node.target.id] = ast.literal_eval(following.value)
    return sentences


def config_table() -> str:
    defaults = WebToolsConfig()
    rows = [
        (f"`{key}`", f"`{getattr(defaults, key)!r}`", text) for key, text in _field_sentences(WebToolsConfig).items()
    ]
    return _table(("key", "default", "meaning"), rows)


def settings_table() -> str:
    defaults = WebSearchSettings()
    rows = [
        (f"`{WebSearchSettings.model_fields[key].alias}`", f"`{getattr(defaults, key)!r}`", text)
        for key, text in _field_sentences(WebSearchSettings).items()
    ]
    return _table(("key", "default", "meaning"), rows)


def search_errors_table() -> str:
    rows = []
    for code in get_args(SearchErrorCode):
        error = SearchProviderError("any", code)
        rows.append((f"`{code}`", "yes" if error.retryable else "no", error.message))
    return _table(("code", "worth another try", "message"), rows)


def guidance_text() -> str:
    return f"```text\n{WebTools().guidance()}\n```"


TABLES: dict[tuple[str, str], Callable[[], str]] = {
    ("limits.md", "config"): config_table,
    ("limits.md", "settings"): settings_table,
    ("errors.md", "search"): search_errors_table,
    ("model.md", "guidance"): guidance_text,
}


def _between(page: str, name: str) -> re.Match[str] | None:
    return re.search(rf"(<!-- generated: {name} -->\n)(.*?)(<!-- end -->)", page, re.DOTALL)


@pytest.mark.parametrize(("page", "name"), TABLES)
def test_a_generated_part_of_the_docs_says_what_the_code_says(page: str, name: str) -> None:
    found = _between((DOCS / page).read_text("utf-8"), name)
    assert found is not None
    assert found[2] == TABLES[page, name]() + "\n"


@pytest.mark.parametrize("owner", [HttpFetch, ResearchBudget])
def test_the_arguments_of_a_class_stand_in_the_docs_with_their_defaults(owner: type) -> None:
    page = (DOCS / "limits.md").read_text("utf-8")
    section = page[page.index(f"`{owner.__name__}`") :].partition("\n## ")[0]
    documented = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", section, re.MULTILINE))
    parameters = inspect.signature(owner).parameters.values()
    assert documented == {p.name: "system" if callable(p.default) else f"`{p.default!r}`" for p in parameters}


def test_every_error_code_in_the_code_is_explained() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (DOCS.parent / "hydra_web").rglob("*.py"))
    raised = set(re.findall(r'"(WEB_[A-Z_]+|RESEARCH_[A-Z_]+|BUDGET_[A-Z_]+|TOOL_TIMEOUT|INVALID_ARGS)"', source))
    explained = set(re.findall(r"`([A-Z_]+)`", (DOCS / "errors.md").read_text("utf-8")))
    assert raised - explained - {"WEB_SEARCH_CAPABILITIES"} == set()


def test_every_keyed_provider_has_its_row() -> None:
    keys = dict.fromkeys(re.findall(r"`([A-Z_]+_API_KEY)`", (DOCS / "providers.md").read_text("utf-8")), "key")
    page = (DOCS / "providers.md").read_text("utf-8")
    for provider in usual_providers({**keys, "SEARXNG_BASE_URL": "https://searx.example"}):
        assert f"`{provider.id}`" in page


if __name__ == "__main__":
    for (page_name, table_name), build in TABLES.items():
        path = DOCS / page_name
        text = path.read_text("utf-8")
        match = _between(text, table_name)
        assert match is not None, f"{page_name} has no marker for {table_name}"
        path.write_text(text[: match.end(1)] + build() + "\n" + text[match.start(3) :], "utf-8")
