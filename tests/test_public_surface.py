"""The names users rely on are frozen in tests/data/public_surface.json.

After a deliberate change: `python tests/test_public_surface.py` writes the file anew; the diff belongs in the review.
"""

import importlib
import inspect
import json
from pathlib import Path
from types import ModuleType

import pytest

MODULES = (
    "hydra_web",
    "hydra_web.content",
    "hydra_web.evidence",
    "hydra_web.net",
    "hydra_web.protocols",
    "hydra_web.providers",
    "hydra_web.research",
    "hydra_web.store",
    "hydra_web.testing",
    "hydra_web.tools",
    "langchain_hydra_web",
    "llama_index.tools.hydra_web",
)
FROZEN = Path(__file__).parent / "data" / "public_surface.json"


def describe(module: ModuleType) -> dict[str, str]:
    """Each public name with its kind and, for our own callables, its parameters."""
    return {name: _describe_value(getattr(module, name)) for name in sorted(module.__all__)}


def _describe_value(value: object) -> str:
    if not inspect.isclass(value) and not inspect.isfunction(value):
        return "value"
    kind = "class" if inspect.isclass(value) else "function"
    if getattr(value, "_is_protocol", False) or hasattr(value, "model_fields"):
        members = getattr(value, "model_fields", None) or _protocol_members(value)
        return f"{kind}({', '.join(sorted(name for name in members if not name.startswith('_')))})"
    parameters = inspect.signature(value).parameters.values()
    return f"{kind}({', '.join(_describe_parameter(parameter) for parameter in parameters)})"


def _protocol_members(protocol: object) -> set[str]:
    bases = [base for base in inspect.getmro(protocol) if getattr(base, "_is_protocol", False)]  # type: ignore[arg-type]
    return {name for base in bases for name in vars(base)}


def _describe_parameter(parameter: inspect.Parameter) -> str:
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    optional = "" if parameter.default is inspect.Parameter.empty else "=…"
    keyword = "" if parameter.kind is not inspect.Parameter.KEYWORD_ONLY else " (keyword)"
    return f"{star}{parameter.name}{optional}{keyword}"


@pytest.mark.parametrize("name", MODULES)
def test_public_names_and_parameters_are_those_that_were_released(name: str) -> None:
    frozen = json.loads(FROZEN.read_text("utf-8"))
    assert describe(importlib.import_module(name)) == frozen[name]


@pytest.mark.parametrize("name", MODULES)
def test_all_lists_every_public_name_once(name: str) -> None:
    module = importlib.import_module(name)
    assert len(module.__all__) == len(set(module.__all__))
    own = {
        public
        for public, value in vars(module).items()
        if not public.startswith("_") and getattr(value, "__module__", "").startswith(name)
    }
    assert own <= set(module.__all__)


if __name__ == "__main__":
    surface = {name: describe(importlib.import_module(name)) for name in MODULES}
    FROZEN.write_text(json.dumps(surface, indent=1, ensure_ascii=False) + "\n", "utf-8")
