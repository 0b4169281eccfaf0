"""Saved settings in one JSON file: replaced whole, numbered, and never half written.

    {"revision": 3, "sections": {"web-search": {"provider": "exa"}, "web-search-exa": {"numResults": 5}}}

Secrets have no place in it: settings name credentials, they do not hold them.
"""

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from hydra_web.errors import WebError
from hydra_web.providers import PROVIDER_CLASSES
from hydra_web.settings import merge_section

__all__ = ["SectionCheck", "SettingsStore", "check_section", "default_settings_path"]

SectionCheck: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Refuses a section, by its namespace and what it would hold, by raising ConfigError."""

_CORRUPT: Final = "the settings file is not valid JSON of the expected shape"


def default_settings_path() -> Path:
    """`settings.json` in the platform's configuration folder, or what `HYDRA_WEB_SETTINGS` names."""
    import platformdirs

    named = os.environ.get("HYDRA_WEB_SETTINGS", "").strip()
    return Path(named).expanduser() if named else platformdirs.user_config_path("hydra-web") / "settings.json"


def check_section(namespace: str, section: Mapping[str, Any]) -> None:
    """Raises ConfigError when the section's provider would not accept it; other sections pass."""
    for kind in PROVIDER_CLASSES:
        if kind.namespace == namespace:
            kind(base_url=kind.usual_base_url).configured(section)


@dataclass(frozen=True, slots=True)
class _Document:
    revision: int
    sections: Mapping[str, Mapping[str, Any]]


class SettingsStore:
    """A settings source in a file. Safe from several threads and processes.

    Every change counts `revision` up by one. A change made for a revision that is no longer the current one is
    refused with WebError `WEB_SETTINGS_CONFLICT`. `read_only` refuses every change with `WEB_SETTINGS_READ_ONLY`.
    A file that cannot be read, or makes no sense, raises `WEB_SETTINGS_ERROR` and is left as it is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        check: SectionCheck = check_section,
    ) -> None:
        self.path: Path = Path(path) if path is not None else default_settings_path()
        self._read_only = read_only
        self._check = check
        self._lock = threading.Lock()

    @property
    def writable(self) -> bool:
        """Whether `update` can work: the store is not read-only, and neither is the folder."""
        folder = Path(os.path.realpath(self.path)).parent
        while not folder.exists():
            folder = folder.parent
        return not self._read_only and folder.is_dir() and os.access(folder, os.W_OK)

    @property
    def revision(self) -> int:
        """The number of the last change; 0 while there is none."""
        return self._load().revision

    def sections(self) -> Mapping[str, Mapping[str, Any]]:
        """Every section that has a key."""
        return self._load().sections

    def section(self, namespace: str) -> Mapping[str, Any]:
        """The keys a person has set in a section; empty when there are none."""
        return MappingProxyType(dict(self._load().sections.get(namespace, {})))

    def update(self, namespace: str, changes: Mapping[str, Any], revision: int | None = None) -> None:
        """Sets keys of a section, all or none; None removes a key.

        With `revision`, only when nothing else has changed since. Raises ConfigError for a value that is refused.
        """
        if self._read_only:
            raise WebError("the settings are read-only", "WEB_SETTINGS_READ_ONLY")
        target = Path(os.path.realpath(self.path))  # a link stays a link
        with self._lock, _file_lock(target):
            document = self._load()
            if revision is not None and revision != document.revision:
                raise WebError("the settings have changed since they were read", "WEB_SETTINGS_CONFLICT")
            merged = merge_section(namespace, document.sections.get(namespace, {}), changes)
            if any(value is not None for value in changes.values()):  # what is wrong can always be taken away
                self._check(namespace, merged)
            sections = {**document.sections, namespace: merged}
            kept = {name: dict(section) for name, section in sections.items() if section}
            _replace(target, {"revision": document.revision + 1, "sections": kept})

    def _load(self) -> _Document:
        """The file's content; nothing saved yet is revision 0."""
        try:
            text = self.path.read_text(encoding="utf-8-sig")  # some editors mark UTF-8
        except FileNotFoundError:
            return _Document(0, {})
        except (OSError, UnicodeDecodeError):
            text = ""
        document = _parse(text)
        if document is None:
            raise WebError(_CORRUPT, "WEB_SETTINGS_ERROR")
        return document


def _parse(text: str) -> _Document | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    revision, sections = data.get("revision"), data.get("sections")
    if isinstance(revision, bool) or not isinstance(revision, int) or not isinstance(sections, dict):
        return None
    return _Document(revision, sections) if all(isinstance(part, dict) for part in sections.values()) else None


def _replace(path: Path, data: Mapping[str, Any]) -> None:
    """Writes beside the file, flushes, then takes its place: at every moment one whole version is there."""
    done = False
    with suppress(OSError, TypeError, ValueError):
        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
        handle, temporary = tempfile.mkstemp(prefix=".settings-", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)  # noqa: PTH105 - Path.replace is the same call
            done = True
        finally:  # an interrupt, too, leaves nothing behind
            if not done:
                os.unlink(temporary)  # noqa: PTH108 - as above
    if not done:
        raise WebError("the settings could not be saved", "WEB_SETTINGS_ERROR")


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Keeps other processes from changing the file; a crash gives the lock back."""
    lock = path.with_name(f".{path.name}.lock")
    descriptor = None
    locked = False
    try:
        with suppress(OSError):  # some network file systems have no locks
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
            _lock_descriptor(descriptor)
            locked = True
        if not locked:
            raise WebError("the settings could not be saved", "WEB_SETTINGS_ERROR")
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock_descriptor(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _lock_descriptor(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
