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
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '\\|') for cell in line)} |" for line in lines)


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


def _arguments_table(owner: type) -> str:
    """The keyword arguments of a class whose docstring explains each on a line `name: sentence`."""
    sentences = dict(re.findall(r"^\s*`?(\w+)`?: (.+(?:\n\s{6,}\S.*)*)", inspect.getdoc(owner) or "", re.MULTILINE))
    parameters = inspect.signature(owner).parameters.values()
    missing = [parameter.name for parameter in parameters if parameter.name not in sentences]
    assert not missing, f"the docstring of {owner.__name__} does not explain {missing}"
    rows = [(f"`{p.name}`", f"`{p.default!r}`", " ".join(sentences[p.name].split())) for p in parameters]
    return _table(("argument", "default", "meaning"), rows)


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
    ("limits.md", "fetch"): lambda: _arguments_table(HttpFetch),
    ("limits.md", "budget"): lambda: _arguments_table(ResearchBudget),
    ("errors.md", "search"): search_errors_table,
    ("model.md", "guidance"): guidance_text,
}


def _between(page: str, name: str) -> re.Match[str] | None:
    return re.search(rf"(<!-- generated: {name} -->\n)(.*?)(\n<!-- end -->)", page, re.DOTALL)


@pytest.mark.parametrize(("page", "name"), TABLES)
def test_a_generated_part_of_the_docs_says_what_the_code_says(page: str, name: str) -> None:
    found = _between((DOCS / page).read_text("utf-8"), name)
    assert found is not None
    assert found[2] == TABLES[page, name]()


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
        path.write_text(text[: match.end(1)] + build() + text[match.start(3) :], "utf-8")
