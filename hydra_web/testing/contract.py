"""The rules every search provider keeps, as one check that anyone's provider can run.

    await assert_provider_contract(lambda base_url: MySearch(api_key=CANARY, base_url=base_url), shape=my_answer)

Each situation starts a loopback server that behaves in one way, and looks at what the provider makes of it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from hydra_web.errors import SearchProviderError, WebError
from hydra_web.protocols import WebSearchProvider
from hydra_web.signals import AbortSignal
from hydra_web.testing._canary import CANARY, assert_no_canary
from hydra_web.testing._shapes import SAMPLE_SOURCES, SHAPES, RawSource, Shape
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest, WebSearchResult
from hydra_web.urls import is_http_url

__all__ = ["CANARY", "CONTRACT", "ProviderFactory", "assert_provider_contract"]

ProviderFactory: TypeAlias = Callable[[str], WebSearchProvider]
"""Makes a provider that calls the API at a base URL; a keyed one with `CANARY` for its key."""

_REQUEST: Final = WebSearchRequest(query="deep sea", max_results=5)
_PATIENCE_MS: Final = 150
_HTML: Final = b"<!doctype html><title>Busy</title><p>Come back later."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Situation:
    """One way an API can behave, and what a provider makes of it."""

    name: str
    """What happens."""
    sources: Sequence[RawSource] = SAMPLE_SOURCES
    """What the API finds, in a situation that ends well."""
    reply: ProviderReply | None = None
    """What it says instead of a success."""
    expected: tuple[str, ...] = ()
    """The error codes allowed; none where the search succeeds."""
    found: int | None = None
    """How many sources come of it; None for any number."""
    may_refuse: bool = False
    """Whether a provider may call the whole answer invalid instead of leaving a part out."""
    patience_ms: int | None = None
    """The caller's time limit, in milliseconds."""
    https: bool = False
    """Whether the provider speaks TLS to this server, which does not."""


def _with(**parts: Any) -> Sequence[RawSource]:
    return (SAMPLE_SOURCES[0], {**SAMPLE_SOURCES[1], **parts})


def _status(code: int, expected: str) -> _Situation:
    body = {"error": f"key {CANARY} is not welcome", "message": CANARY}
    return _Situation(name=f"HTTP {code}", reply=ProviderReply(status=code, body=body), expected=(expected,))


_SITUATIONS: Final[tuple[_Situation, ...]] = (
    _Situation(name="success", found=2),
    _Situation(name="nothing found", sources=(), found=0),
    _Situation(
        name="more than was asked for",
        sources=[{**SAMPLE_SOURCES[0], "url": f"https://example.org/{n}"} for n in range(20)],
    ),
    _Situation(
        name="1000 results", sources=[{**SAMPLE_SOURCES[0], "url": f"https://example.org/{n}"} for n in range(1000)]
    ),
    _Situation(name="the same page twice", sources=(SAMPLE_SOURCES[0], SAMPLE_SOURCES[0])),
    _Situation(name="nothing but a URL", sources=({"url": "https://example.org/only"},)),
    _Situation(name="null score", sources=_with(score=None, position=None), may_refuse=True),
    _Situation(name="boolean score", sources=_with(score=True, position=True), may_refuse=True),
    _Situation(name="NaN score", sources=_with(score=float("nan"), position=float("nan")), may_refuse=True),
    _Situation(name="absurd numbers", sources=_with(score=10**400, position=-(10**400)), may_refuse=True),
    _Situation(name="numbers for texts", sources=_with(title=5, snippet=6, published=7), may_refuse=True),
    _Situation(name="no http URL", sources=_with(url="javascript:alert(1)"), may_refuse=True),
    _Situation(name="line break in a URL", sources=_with(url="https://example.org/a\n b"), may_refuse=True),
    _Situation(name="no URL", sources=_with(url=None), may_refuse=True),
    _Situation(name="lone surrogate", sources=_with(title="a\ud800b")),
    _Situation(name="invalid JSON", reply=ProviderReply(body=b'{"results": ['), expected=("INVALID_RESPONSE",)),
    _Situation(name="wrong shape", reply=ProviderReply(body=["no", "object"]), expected=("INVALID_RESPONSE",)),
    _Situation(name="deep JSON", reply=ProviderReply(body=b"[" * 100_000), expected=("INVALID_RESPONSE",)),
    _Situation(name="HTML", reply=ProviderReply(body=_HTML), expected=("INVALID_RESPONSE",)),
    _Situation(name="no body", reply=ProviderReply(status=204), expected=("INVALID_RESPONSE",)),
    _status(400, "CONFIG_ERROR"),
    _status(401, "AUTH_ERROR"),
    _status(402, "CONFIG_ERROR"),
    _status(403, "AUTH_ERROR"),
    _status(404, "CONFIG_ERROR"),
    _status(408, "CONFIG_ERROR"),
    _status(422, "CONFIG_ERROR"),
    _status(429, "RATE_LIMITED"),
    _status(500, "NETWORK_ERROR"),
    _status(503, "NETWORK_ERROR"),
    _Situation(
        name="slow header", reply=ProviderReply(hold_header=True), expected=("TIMEOUT",), patience_ms=_PATIENCE_MS
    ),
    _Situation(
        name="slow body",
        reply=ProviderReply(body={"results": []}, hold_body=True),
        expected=("TIMEOUT",),
        patience_ms=_PATIENCE_MS,
    ),
    _Situation(
        name="reset in mid-body", reply=ProviderReply(body={"results": []}, reset=True), expected=("NETWORK_ERROR",)
    ),
    _Situation(name="TLS failure", https=True, expected=("NETWORK_ERROR",)),
)


async def _assert_situation(situation: _Situation, factory: ProviderFactory, shape: Shape) -> None:
    with ProviderServer(shape, situation.sources) as server:
        if situation.reply is not None:
            server.replies.append(situation.reply)
        base_url = server.base_url.replace("http:", "https:") if situation.https else server.base_url
        provider = factory(base_url)
        signal = AbortSignal.timeout(situation.patience_ms) if situation.patience_ms else None
        outcome = await _outcome(provider, signal)
        assert_no_canary(outcome, provider)
    _judge(outcome, situation)


def _judge(outcome: WebSearchResult | WebError, situation: _Situation) -> None:
    if isinstance(outcome, WebError):
        allowed = situation.expected or (("INVALID_RESPONSE",) if situation.may_refuse else ())
        assert outcome.code in allowed, f"{situation.name}: {outcome.code}, expected one of {allowed or 'no error'}"
        assert isinstance(outcome, SearchProviderError), f"{situation.name}: not a SearchProviderError"
        return
    assert not situation.expected, f"{situation.name}: succeeded, expected {situation.expected}"
    urls = [source.url for source in outcome.sources]
    assert all(is_http_url(url) for url in urls), f"{situation.name}: a source has no http(s) URL"
    assert all(url.isprintable() for url in urls), f"{situation.name}: a URL has characters that cannot be seen"
    assert situation.found in (None, len(urls)), f"{situation.name}: {len(urls)} sources, expected {situation.found}"
    outcome.to_json_dict()


async def _outcome(provider: WebSearchProvider, signal: AbortSignal | None = None) -> WebSearchResult | WebError:
    """The result or the error; any exception that is no WebError breaks the contract by itself."""
    try:
        return await provider.search(_REQUEST, signal)
    except WebError as error:
        return error


async def _assert_redirect_refused(status: int, factory: ProviderFactory, shape: Shape) -> None:
    with ProviderServer(shape) as target, ProviderServer(shape) as server:
        location = {"Location": f"{target.base_url}/elsewhere"}
        server.replies.append(ProviderReply(status=status, headers=location))
        outcome = await _outcome(factory(server.base_url))
        assert isinstance(outcome, SearchProviderError), f"redirect {status}: no SearchProviderError"
        assert outcome.code == "NETWORK_ERROR", f"redirect {status}: {outcome.code}"
        assert not target.calls, f"redirect {status}: its target was contacted"
        assert_no_canary(outcome, None)


async def _assert_abort_before(factory: ProviderFactory, shape: Shape) -> None:
    with ProviderServer(shape) as server:
        signal = AbortSignal()
        signal.abort()
        outcome = await _outcome(factory(server.base_url), signal)
        assert isinstance(outcome, WebError), "aborted before: no error"
        assert outcome.code == "WEB_ABORTED", f"aborted before: {outcome.code}"
        assert not server.calls, "aborted before: the API was called"
        assert_no_canary(outcome, None)


async def _assert_abort_during(factory: ProviderFactory, shape: Shape) -> None:
    for reply in (ProviderReply(hold_header=True), ProviderReply(body={"results": []}, hold_body=True)):
        with ProviderServer(shape) as server:
            signal = AbortSignal()

            def abort(_: object, signal: AbortSignal = signal, reply: ProviderReply = reply) -> ProviderReply:
                signal.abort("changed my mind")
                return reply

            server.respond = abort
            outcome = await _outcome(factory(server.base_url), signal)
            assert isinstance(outcome, WebError), "aborted during: no error"
            assert outcome.code == "WEB_ABORTED", f"aborted during: {outcome.code}"
            assert_no_canary(outcome, None)


async def _assert_abort_after(factory: ProviderFactory, shape: Shape) -> None:
    with ProviderServer(shape) as server:
        signal = AbortSignal()
        outcome = await _outcome(factory(server.base_url), signal)
        signal.abort()
        assert isinstance(outcome, WebSearchResult), "aborted after: the result was lost"


async def _assert_no_server(factory: ProviderFactory, shape: Shape) -> None:
    with ProviderServer(shape) as server:
        base_url = server.base_url
    outcome = await _outcome(factory(base_url))
    assert isinstance(outcome, SearchProviderError), "nobody listens: no SearchProviderError"
    assert outcome.code == "NETWORK_ERROR", f"nobody listens: {outcome.code}"
    assert_no_canary(outcome, None)


CONTRACT: Final[Mapping[str, Callable[[ProviderFactory, Shape], Awaitable[None]]]] = {
    **{situation.name: partial(_assert_situation, situation) for situation in _SITUATIONS},
    **{f"redirect {status}": partial(_assert_redirect_refused, status) for status in (301, 302, 303, 307, 308)},
    "aborted before": _assert_abort_before,
    "aborted during": _assert_abort_during,
    "aborted after": _assert_abort_after,
    "nobody listens": _assert_no_server,
}
"""Every rule by its name, each a check of a factory and a shape."""


async def assert_provider_contract(factory: ProviderFactory, shape: Shape | str | None = None) -> None:
    """Checks every rule.

    `factory` makes the provider for a base URL; `shape` is the id of an API whose answers it reads, by default its
    own, or a function that builds such an answer from sources. Raises AssertionError naming the situation.
    """
    known = factory("http://127.0.0.1").id if shape is None else shape
    build = SHAPES.get(known) if isinstance(known, str) else known
    assert build is not None, f"the answers of {known} are not known: give a function that builds one as `shape`"
    for check in CONTRACT.values():
        await check(factory, build)
