"""A key planted to be found: it, or a usual encoding of it, must turn up nowhere."""

import base64
import json
import traceback
from typing import Any, Final
from urllib.parse import quote

__all__ = ["CANARY", "assert_no_canary", "canary_spellings"]

CANARY: Final = 'sk-Canary+9f/"3b=7c1d'
"""The key to plant: URL encoding, base64 and JSON each change it."""

_DEEPEST: Final = 12


def canary_spellings() -> tuple[str, ...]:
    """The planted key as it is, URL-encoded, in base64 (at any alignment) and escaped for JSON."""
    encoded = [
        base64.b64encode(b"\0" * lead + CANARY.encode()).decode()[skipped : (len(CANARY) + lead) // 3 * 4]
        for lead, skipped in ((0, 0), (1, 2), (2, 3))
    ]
    return (CANARY, quote(CANARY, safe=""), json.dumps(CANARY)[1:-1], *encoded)


def assert_no_canary(*things: Any) -> None:
    """Raises AssertionError when the planted key shows in any way of looking at the things."""
    for thing in things:
        texts = list(_views(thing, set(), 0))
        if isinstance(thing, BaseException):
            texts += traceback.format_exception(thing)
        for spelling in canary_spellings():
            if any(spelling in text for text in texts):
                raise AssertionError(f"the key shows in {type(thing).__name__}")


def _views(thing: Any, seen: set[int], depth: int) -> list[str]:
    """What printing shows of a thing, and of everything its attributes lead to."""
    if id(thing) in seen or depth > _DEEPEST:
        return []
    seen.add(id(thing))
    if isinstance(thing, str):
        return [thing]
    if isinstance(thing, bytes | bytearray):
        return [bytes(thing).decode("utf-8", "replace")]
    views = [repr(thing), str(thing), format(thing)] if depth < 3 else [repr(thing)]
    inside: list[Any] = []
    if isinstance(thing, dict):
        inside = [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        inside = list(thing)
    if isinstance(thing, BaseException):
        inside += [thing.__cause__, thing.__context__, *thing.args]
    inside += list(getattr(thing, "__dict__", {}).values()) if not isinstance(thing, type) else []
    for entry in inside:
        views += _views(entry, seen, depth + 1)
    return views
