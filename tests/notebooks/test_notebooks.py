"""The committed notebooks run offline, and show today what they showed when they were committed.

With HYDRA_REFRESH_NOTEBOOKS=1 the notebooks are written anew instead of being compared.
"""

import os
import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PATHS = [ROOT, ROOT / "integrations" / "langchain", ROOT / "integrations" / "llama_index"]


def _execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    with client.setup_kernel(env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PATHS))}):
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number)
    return _stable(notebook)


def _stable(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Without what differs from run to run: time stamps, and the plain repr of what has a better form."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "text/html" in output.get("data", {}):
                output.data.pop("text/plain", None)
    return notebook


def _outputs(notebook: nbformat.NotebookNode) -> list[Any]:
    return [cell.get("outputs") for cell in notebook.cells]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_shows_what_it_showed(path: Path, tmp_path: Path) -> None:
    committed = _outputs(nbformat.read(path, as_version=4))
    executed = _execute(path, tmp_path)
    if os.environ.get("HYDRA_REFRESH_NOTEBOOKS"):
        nbformat.write(executed, path)
    else:
        assert _outputs(executed) == committed


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_holds_nothing_of_the_machine_that_ran_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(?:tmp|home|root|Users|private|var/folders)/|site-packages|<script|127\.0\.0\.1:\d", text)


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["01_quickstart", "02_langchain_agent", "03_llama_index_agent"]
