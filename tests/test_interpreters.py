"""Every supported interpreter found on this machine runs a synchronous search, not only the one of this run.

The others get an environment of their own below the one of this run, with the dependencies of the core,
made the first time. Where that cannot be done the test is skipped by name; with HYDRA_REQUIRE_SERVICES=1 it fails.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
OLDEST_MINOR = 11

ASK = """
import sys, sysconfig
free_threaded = sysconfig.get_config_var("Py_GIL_DISABLED")
print(f"{sys.version_info[0]}.{sys.version_info[1]}", sys.implementation.name, bool(free_threaded))
"""
SEARCH = """
import os, sys, tempfile
from pathlib import Path
from hydra_web import WebTools
from hydra_web.demo import index_corpus

with tempfile.TemporaryDirectory() as folder:
    os.environ["HYDRA_WEB_STORE"] = str(index_corpus(Path(folder) / "store.sqlite"))
    with WebTools() as tools:
        found = tools.sync.call("web_search", {"queries": ["ferry timetable", "渡船"]})
print(f"{sys.version_info[0]}.{sys.version_info[1]}", found.is_error, "Ferry timetable" in found.text)
"""


def _candidates() -> Iterator[tuple[int, Path]]:
    """Minor version by name, and executable: what is on PATH, and what pyenv holds."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for path in sorted(Path(folder).glob("python3.*")):
            if named := re.fullmatch(r"python3\.(\d+)(?:\.exe)?", path.name):
                yield int(named[1]), path
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in sorted(versions.glob("3.*/bin/python")):
        if named := re.fullmatch(r"3\.(\d+)\.\d+", path.parts[-3]):
            yield int(named[1]), path


def _version(python: Path) -> str | None:
    """The version of an interpreter; None where it does not start or is of a kind we do not support."""
    try:
        answer = subprocess.run([python, "-c", ASK], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version, *kind = answer.stdout.split()
    return version if kind == ["cpython", "False"] else None


def _find_interpreters() -> dict[str, Path]:
    found = {THIS: Path(sys.executable)}
    for minor, path in _candidates():
        if minor >= OLDEST_MINOR and f"3.{minor}" not in found and _version(path) == f"3.{minor}":
            found[f"3.{minor}"] = path
    return found


def _run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def _prepare(version: str, python: Path) -> Path:
    """An interpreter of this version that has the dependencies of the core."""
    if version == THIS:
        return python
    folder = Path(sys.prefix) / "interpreters" / version
    prepared = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    stamp, wanted = folder / "installed.txt", "\n".join([*needed, CONSTRAINTS.read_text("utf-8")])
    if prepared.exists() and stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return prepared
    pip = (prepared, "-m", "pip", "install", "--quiet", "--retries=1", "--timeout=60", "--only-binary=:all:")
    try:
        made = _run(python, "-m", "venv", "--clear", folder)
        if made.returncode == 0:
            made = _run(*pip, "-c", CONSTRAINTS, *needed)
        failure = "" if made.returncode == 0 else f"it ended with {made.returncode}: {made.stdout}{made.stderr}"
    except (OSError, subprocess.TimeoutExpired) as error:
        failure = str(error)
    if not failure:
        stamp.write_text(wanted, "utf-8")
        return prepared
    reason = f"Python {version} was found, but the dependencies cannot be installed for it"
    if os.environ.get("HYDRA_REQUIRE_SERVICES") == "1":
        pytest.fail(f"{reason}:\n{failure}")
    pytest.skip(reason)


INTERPRETERS = _find_interpreters()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("version", INTERPRETERS)
def test_a_synchronous_search_runs_on_every_interpreter_found(version: str) -> None:
    python = _prepare(version, INTERPRETERS[version])
    searched = _run(python, "-W", "error", "-c", SEARCH, PYTHONPATH=str(ROOT))
    assert (searched.stdout.split(), searched.stderr) == ([version, "False", "True"], "")
