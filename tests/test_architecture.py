"""There is no second door: only a few places in the package can open a connection."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hydra_web

ROOT = Path(hydra_web.__file__).parent
DOORS = ("net/", "providers/_http.py", "store/redis", "store/_redis", "testing/", "demo/")
NETWORK = {
    *("httpx", "httpcore", "requests", "urllib.request", "urllib3", "aiohttp", "socket", "ssl", "http.client"),
    *(
        "http.server",
        "socketserver",
        "ftplib",
        "smtplib",
        "poplib",
        "imaplib",
        "xmlrpc",
        "websockets",
        "redis",
        "anyio",
        "httpx2",
        "httpcore2",
        "pycurl",
        "curl_cffi",
        "multiprocessing.connection",
    ),
}
LOOP_CONNECTIONS = {
    *("open_connection", "open_unix_connection", "create_connection", "create_unix_connection"),
    *("create_datagram_endpoint", "sock_connect"),
}
# httpx's values read and write URLs; they connect to nothing
HTTPX_VALUES = {"URL", "QueryParams", "InvalidURL", "__version__"}

MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
OTHERS = [module for module in MODULES if not module.startswith(DOORS)]


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{name.name}" for name in names)
            case ast.Call(func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module")):
                yield from (str(part.value) for part in node.args if isinstance(part, ast.Constant))


def _network_modules(tree: ast.AST) -> set[str]:
    return {known for name in _imported(tree) for known in NETWORK if name == known or name.startswith(known + ".")}


def _uses_of(tree: ast.AST, module: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == module
    }


def _parse(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text("utf-8"))


@pytest.mark.parametrize("module", OTHERS)
def test_a_module_that_is_no_door_can_open_no_connection(module: str) -> None:
    tree = _parse(module)
    assert _network_modules(tree) == set()
    assert not {name.rpartition(".")[2] for name in _imported(tree)} & LOOP_CONNECTIONS
    assert not {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & LOOP_CONNECTIONS


def test_the_check_sees_what_it_is_meant_to_see() -> None:
    assert len(OTHERS) > 30
    assert {"net/_transport.py", "providers/_http.py"} <= set(MODULES)
    for text, expected in (
        ("import httpx", {"httpx"}),
        ("from urllib import request", {"urllib.request"}),
        ("import urllib.parse", set()),
        ("def f():\n    from socket import create_connection", {"socket"}),
        ("import importlib\nimportlib.import_module('requests')", {"requests"}),
        ("__import__('ssl')", {"ssl"}),
        ("from http.client import HTTPConnection", {"http.client"}),
    ):
        assert _network_modules(ast.parse(text)) == expected


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith("net/")])
def test_pages_never_go_through_the_client_of_httpx(module: str) -> None:
    assert _uses_of(_parse(module), "httpx") <= HTTPX_VALUES | {"create_ssl_context"}
