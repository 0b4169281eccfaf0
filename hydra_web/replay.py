"""Recorded runs: what the web answered, kept in a store and answered again without the web.

A `Recorder` and a `Replay` are both search and fetch providers, to be registered in a runtime.
A recording holds what came back and not how it was reached: no header, key or address of a provider.
"""

import asyncio
import contextlib
import difflib
import json
import threading
import time
from collections import defaultdict
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar, get_args

from pydantic import ValidationError

from hydra_web.errors import SearchErrorCode, SearchProviderError, WebError
from hydra_web.protocols import JsonObject, Store
from hydra_web.signals import Aborted, AbortSignal, run_abortable
from hydra_web.text import one_line
from hydra_web.types import WebFetchRequest, WebFetchResult, WebSearchRequest, WebSearchResult

__all__ = ["Recordable", "Recorder", "Replay", "recording_stream"]

Kind: TypeAlias = Literal["search", "fetch"]
_Key: TypeAlias = tuple[str, str]
_Result = TypeVar("_Result", WebSearchResult, WebFetchResult)
_NEAREST_CHARS: Final = 200


class Recordable(Protocol):
    """What can be recorded: a runtime, or anything that searches and fetches like one."""

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Runs one search."""
        ...

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page."""
        ...


def recording_stream(run: str) -> str:
    """The stream of a store that holds a recorded run."""
    return f"recording/{run}"


class Recorder:
    """Passes searches and fetches on and keeps what came back, failures and durations included.

    Give it as both providers of a runtime, or use it directly. The store may block; it is
    called off the event loop. A call that was cancelled is kept as the error `WEB_ABORTED`.
    """

    id: Final = "recorder"

    def __init__(self, web: Recordable, store: Store, run: str = "default") -> None:
        self._web = web
        self._store = store
        self._stream = recording_stream(run)

    def available(self) -> bool:
        """Always: what it passes on to decides by itself."""
        return True

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """Searches and records. Raises what the search raises, and WebError `WEB_STORE_ERROR`."""
        return await self._record("search", request, self._web.search(request, signal))

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches and records. Raises what the fetch raises, and WebError `WEB_STORE_ERROR`."""
        return await self._record("fetch", request, self._web.fetch(request, signal))

    def record_usage(self, input_tokens: int, output_tokens: int, cache_read_tokens: int = 0) -> None:
        """Keeps what one request to a model cost in tokens, for `hydra-web report`."""
        usage = {"inputTokens": input_tokens, "outputTokens": output_tokens, "cacheReadTokens": cache_read_tokens}
        self._store.append(self._stream, {"kind": "usage", "usage": usage})

    async def _record(
        self, kind: Kind, request: WebSearchRequest | WebFetchRequest, work: Coroutine[Any, Any, _Result]
    ) -> _Result:
        record: JsonObject = {
            "kind": kind,
            "request": request.to_json_dict(),
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        started = time.monotonic()
        try:
            result = await work
        except Exception as error:
            record |= {"error": _error_json(error), "durationMs": _elapsed(started)}
            with contextlib.suppress(WebError):  # the failure itself matters more than its record
                await asyncio.to_thread(self._store.append, self._stream, record)
            raise
        except BaseException as error:
            record |= {"error": _error_json(error), "durationMs": _elapsed(started)}
            with contextlib.suppress(WebError):  # a cancelled task must not wait again
                self._store.append(self._stream, record)
            raise
        record["result"] = result.to_json_dict()
        record["durationMs"] = _elapsed(started)
        await asyncio.to_thread(self._store.append, self._stream, record)
        return result


class Replay:
    """Answers searches and fetches from a recorded run and from nothing else.

    The same request asked again gets the recorded answers in turn, the last one from then on. A page
    recorded for one of its sections answers for the others: a fragment is never sent to a server.
    """

    id: Final = "replay"

    def __init__(self, store: Store, run: str = "default") -> None:
        self._store = store
        self._stream = recording_stream(run)
        self._lock = threading.Lock()
        self._answers: dict[_Key, list[JsonObject]] | None = None
        self._pages: dict[str, _Key] = {}
        self._next: defaultdict[_Key, int] = defaultdict(int)

    def available(self) -> bool:
        """Always."""
        return True

    async def search(self, request: WebSearchRequest, signal: AbortSignal | None = None) -> WebSearchResult:
        """The recorded answer. Raises the recorded failure, or WebError `WEB_REPLAY_MISS` when there is none."""
        record = await run_abortable(asyncio.to_thread(self._answer, "search", request), signal)
        return _result(record, WebSearchResult)

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """The recorded page. Raises the recorded failure, or WebError `WEB_REPLAY_MISS` when there is none."""
        record = await run_abortable(asyncio.to_thread(self._answer, "fetch", request), signal)
        return _result(record, WebFetchResult)

    def _answer(self, kind: Kind, request: WebSearchRequest | WebFetchRequest) -> JsonObject:
        asked = request.to_json_dict()
        key: _Key = (kind, _canonical(asked))
        with self._lock:
            if self._answers is None:
                self._answers = self._load()
            if key not in self._answers and kind == "fetch":
                key = self._pages.get(_without_fragment(asked), key)
            answers = self._answers.get(key)
            if answers:
                turn = min(self._next[key], len(answers) - 1)
                self._next[key] += 1
                return answers[turn]
            recorded = [json.loads(other) for known, other in self._answers if known == kind]
        raise _miss(kind, asked, recorded)

    def _load(self) -> dict[_Key, list[JsonObject]]:
        answers: dict[_Key, list[JsonObject]] = defaultdict(list)
        for _, record in self._store.read(self._stream):
            if record.get("kind") not in get_args(Kind):
                continue
            if not isinstance(record.get("request"), dict):
                raise _damaged()
            key = (record["kind"], _canonical(record["request"]))
            answers[key].append(record)
            if record["kind"] == "fetch" and not _is_pdf(record):
                self._pages.setdefault(_without_fragment(record["request"]), key)
        return dict(answers)


def _canonical(request: JsonObject) -> str:
    return json.dumps(request, sort_keys=True)


def _without_fragment(request: JsonObject) -> str:
    return str(request.get("url")).partition("#")[0]


def _is_pdf(record: JsonObject) -> bool:
    """Whether the fragment chose what was kept: that of a PDF names a page of it."""
    match record.get("result"):
        case {"body": {"kind": "pdf"}}:
            return True
        case _:
            return False


def _elapsed(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _error_json(error: BaseException) -> JsonObject:
    match error:
        case SearchProviderError():
            return {
                "provider": error.provider,
                "code": error.code,
                "message": error.message,
                "statusCode": error.status_code,
            }
        case WebError():
            return {"code": error.code, "message": error.message, "reason": error.reason}
        case Exception() if not isinstance(error, Aborted):
            return {"code": "UNKNOWN", "message": "the call failed", "reason": None}
        case _:
            return {"code": "WEB_ABORTED", "message": "the call was aborted", "reason": None}


def _result(record: JsonObject, kind: type[_Result]) -> _Result:
    error = record.get("error")
    if error is not None:
        raise _recorded_error(error)
    with contextlib.suppress(ValidationError):
        return kind.model_validate(record.get("result"))
    raise _damaged()


def _recorded_error(error: object) -> WebError:
    match error:
        case {"provider": str(provider), "code": code, "message": str(message), "statusCode": status} if (
            code in get_args(SearchErrorCode)
        ):
            return SearchProviderError(provider, code, status, message)
        case {"code": str(code), "message": str(message), **rest}:
            reason = rest.get("reason")
            return WebError(message, code, reason if isinstance(reason, str) else None)
        case _:
            return _damaged()


def _damaged() -> WebError:
    return WebError("the recording is damaged", "WEB_REPLAY_MISS", "damaged")


def _miss(kind: Kind, asked: JsonObject, recorded: list[JsonObject]) -> WebError:
    wanted = _canonical(asked)
    nearest = max(
        recorded,
        key=lambda other: difflib.SequenceMatcher(None, wanted, _canonical(other), autojunk=False).quick_ratio(),
        default=None,
    )
    what = "search" if kind == "search" else "page"
    if nearest is None:
        return WebError(f"this {what} was not recorded; the recording holds no {kind} at all", "WEB_REPLAY_MISS")
    return WebError(f"this {what} was not recorded; the nearest recording is {_describe(nearest)}", "WEB_REPLAY_MISS")


def _describe(request: JsonObject) -> str:
    main = request.get("query", request.get("url", ""))
    rest = ", ".join(f"{key} {value}" for key, value in request.items() if key not in ("query", "url"))
    text = f'"{one_line(str(main))[:_NEAREST_CHARS]}"'
    return f"{text} with {one_line(rest)[:_NEAREST_CHARS]}" if rest else text
