"""Synchronous searches from scripts, loops, threads and worker processes, with every warning an error."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROVIDER = """
import asyncio, multiprocessing, os, sys, threading, warnings
from hydra_web.runtime import WebRuntime
from hydra_web.types import WebSearchRequest, WebSearchResult

class Search:
    id = "a"

    def available(self):
        return True

    async def search(self, request, signal=None):
        await asyncio.sleep(0)
        return WebSearchResult(sources=(), truncated=False, content=request.query)

web = WebRuntime()
web.register_search_provider(Search())

def search(query):
    return web.sync.search(WebSearchRequest(query=query)).content
"""

SCRIPTS = {
    "loops": """
        async def main():
            both = search("sync"), (await web.search(WebSearchRequest(query="async"))).content
            assert both == ("sync", "async")

        for _ in range(3):
            asyncio.run(main())
        """,
    "threads": """
        found = []
        threads = [threading.Thread(target=lambda query=str(n): found.append(search(query))) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == sorted(str(n) for n in range(16))
        """,
    "fork": """
        warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
        assert search("parent") == "parent"
        child = os.fork()
        assert search("both") == "both"
        if child:
            assert os.waitpid(child, 0)[1] == 0
        """,
    "spawn": """
        assert search("parent") == "parent"
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            assert pool.map(search, ["x", "y"]) == ["x", "y"]
            pool.close()
            pool.join()
        """,
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_synchronous_search_leaves_no_warning(name: str, tmp_path: Path) -> None:
    if name == "fork" and not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    script = tmp_path / "script.py"
    body = textwrap.indent(textwrap.dedent(SCRIPTS[name]), "    ")
    script.write_text(
        f"{PROVIDER}\nif __name__ == '__main__':\n{body}\n    web.close()\n    print('done', flush=True)\n"
    )
    result = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", str(script)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert set(result.stdout.split()) == {"done"}
