"""docs/providers.md says what is true."""

import re
from pathlib import Path
from typing import Any

import pytest

from hydra_web.providers import PROVIDER_CLASSES
from hydra_web.testing.contract import assert_provider_contract

PAGE = Path(__file__, "../../../docs/providers.md").resolve().read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("kind", PROVIDER_CLASSES, ids=lambda kind: kind.id)
def test_every_provider_has_its_rows(kind: Any) -> None:
    facts, locale = (line for line in PAGE.splitlines() if line.startswith(f"| `{kind.id}` "))
    assert f"`{kind.__name__}`" in facts
    for fact in (*kind.credential_names, kind.base_url_env, kind.usual_base_url):
        assert not fact or f"`{fact}`" in facts
    assert locale.count("|") == 6


def test_the_tables_list_no_provider_that_there_is_not() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted(2 * [kind.id for kind in PROVIDER_CLASSES])


async def test_the_provider_of_thirty_lines_keeps_the_contract() -> None:
    (source,) = [block for block in BLOCKS if "class AcmeSearch" in block]
    assert len(source.splitlines()) <= 35
    names: dict[str, Any] = {}
    exec(compile(source, "docs/providers.md", "exec"), names)  # our own page
    (check,) = [block for block in BLOCKS if "assert_provider_contract(" in block]
    names["assert_provider_contract"] = assert_provider_contract
    lines = check.replace("await assert_provider_contract(", "arguments = (")
    exec(compile(lines, "docs/providers.md", "exec"), names)
    await assert_provider_contract(*names["arguments"])


def test_the_mapping_of_the_page_is_accepted() -> None:
    (block,) = [block for block in BLOCKS if "results_path=" in block]
    names: dict[str, Any] = {}
    exec(compile(block.replace("\nCustomSearch(", "\nprovider = CustomSearch("), "docs/providers.md", "exec"), names)
    assert names["provider"].available()
