"""Bytes, time, keys, retries and concurrency: what holds for every search API."""

import asyncio
import gzip
import json
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from hydra_web.errors import ConfigError, SearchProviderError, WebError
from hydra_web.providers import EnvironmentCredentials, ExaSearch, SearchApi, Secret, count_retries
from hydra_web.providers._base import _abandoned
from hydra_web.signals import AbortSignal
from hydra_web.testing._canary import CANARY, assert_no_canary, canary_spellings
from hydra_web.testing._shapes import SAMPLE_SOURCES, SHAPES
from hydra_web.testing.providers import ProviderReply, ProviderServer
from hydra_web.types import WebSearchRequest

REQUEST = WebSearchRequest(query="deep sea")
Factory = Callable[..., SearchApi]


async def _fails(provider: SearchApi, signal: AbortSignal | None = None) -> WebError:
    with pytest.raises(WebError) as caught:
        await provider.search(REQUEST, signal)
    return caught.value


async def test_a_body_of_exactly_the_cap_is_read_and_one_byte_more_is_not(api: str, make: Factory) -> None:
    sources = [{**SAMPLE_SOURCES[0], "snippet": "độ sâu của biển – 深海"}]
    body = json.dumps(SHAPES[api](sources), ensure_ascii=False).encode()
    with ProviderServer(api) as server:
        server.replies.extend([ProviderReply(body=body)] * 2)
        result = await make(server.base_url, max_response_bytes=len(body)).search(REQUEST)
        assert len(result.sources) == 1
        error = await _fails(make(server.base_url, max_response_bytes=len(body) - 1))
    assert (error.code, getattr(error, "status_code", None)) == ("INVALID_RESPONSE", 200)


async def test_the_providers_own_time_is_up(api: str, make: Factory) -> None:
    with ProviderServer(api) as server:
        server.replies.append(ProviderReply(hold_header=True))
        error = await _fails(make(server.base_url, timeout_ms=60))
    assert isinstance(error, SearchProviderError)
    assert (error.code, error.retryable, error.status_code) == ("TIMEOUT", True, None)


async def test_a_time_out_in_the_body_keeps_the_status() -> None:
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(body={"results": []}, hold_body=True))
        error = await _fails(ExaSearch(api_key="k", base_url=server.base_url, timeout_ms=1000))
    assert (error.code, getattr(error, "status_code", None)) == ("TIMEOUT", 200)


class _Stubborn:
    """A credential store that ignores cancellation until it is let go."""

    def __init__(self) -> None:
        self.release = asyncio.Event()

    async def resolve(self, reference: str) -> str | None:
        while not self.release.is_set():
            try:
                await self.release.wait()
            except asyncio.CancelledError:
                continue
        return "late"


@pytest.mark.parametrize("own_timer", [True, False])
async def test_a_credential_store_that_hangs_is_left_behind(api: str, make: Factory, own_timer: bool) -> None:
    store = _Stubborn()
    with ProviderServer(api) as server:
        timeout_ms = 60 if own_timer else 60_000
        provider = make(server.base_url, api_key=None, api_key_env="KEY", credentials=store, timeout_ms=timeout_ms)
        signal = AbortSignal()
        if not own_timer:
            asyncio.get_running_loop().call_later(0.02, signal.abort)
        error = await _fails(provider, signal)
        assert error.code == ("TIMEOUT" if own_timer else "WEB_ABORTED")
        store.release.set()
        await asyncio.gather(*_abandoned, return_exceptions=True)
        assert not server.calls


class _Failing:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    async def resolve(self, reference: str) -> str | None:
        raise self.error


@pytest.mark.parametrize("error", [RuntimeError(CANARY), asyncio.CancelledError()])
async def test_a_credential_store_that_fails_counts_as_empty(api: str, make: Factory, error: BaseException) -> None:
    with ProviderServer(api) as server:
        provider = make(server.base_url, api_key=None, api_key_env="KEY", credentials=_Failing(error))
        if not provider.key_required:
            assert (await provider.search(REQUEST)).sources
            return
        failure = await _fails(provider)
        assert failure.code == "CONFIG_ERROR"
        assert "Settings > Web Search" in str(failure)
        assert_no_canary(failure)
        assert not server.calls


async def test_settings_that_cannot_be_read_make_a_provider_unusable(tmp_path: Path) -> None:
    from hydra_web.settings_file import SettingsStore

    (tmp_path / "settings.json").write_text("{")
    provider = ExaSearch(api_key="k", settings=SettingsStore(tmp_path / "settings.json"))
    assert not provider.available()
    assert (await _fails(provider)).code == "CONFIG_ERROR"


async def test_a_rotated_key_applies_at_once() -> None:
    environ = {"EXA_API_KEY": "key-one"}
    with ProviderServer("exa") as server:
        provider = ExaSearch(
            base_url=server.base_url, api_key_env="EXA_API_KEY", credentials=EnvironmentCredentials(environ)
        )
        await provider.search(REQUEST)
        environ["EXA_API_KEY"] = "key-two"
        await provider.search(REQUEST)
        sent = [call.headers["authorization"] for call in server.calls]
    assert sent == ["Bearer key-one", "Bearer key-two"]


@pytest.mark.parametrize("kind", ["exa", "perplexity", "deepseek-official", "serper", "tavily", "brave", "jina"])
async def test_the_usual_key_never_goes_to_another_host(kind: str) -> None:
    from hydra_web.providers import PROVIDER_CLASSES

    provider_class = next(entry for entry in PROVIDER_CLASSES if entry.id == kind)
    credentials = EnvironmentCredentials(dict.fromkeys(provider_class.credential_names, "real-key"))
    with ProviderServer(kind) as server:
        loose: Any = provider_class(base_url=server.base_url, credentials=credentials)
        assert not loose.available()
        assert (await _fails(loose)).code == "CONFIG_ERROR"
        assert not server.calls
        name = provider_class.credential_names[0]
        tied: Any = provider_class(base_url=server.base_url, credentials=credentials, api_key_env=name)
        assert tied.available()
        await tied.search(REQUEST)
        assert len(server.calls) == 1


@pytest.mark.parametrize("key", ["two\nlines", "naïve", " padded", "tab\tbed"])
async def test_a_key_that_cannot_stand_in_a_header_is_never_sent(key: str) -> None:
    with ProviderServer("exa") as server:
        assert (await _fails(ExaSearch(base_url=server.base_url, api_key=Secret(key)))).code == "CONFIG_ERROR"
        assert not server.calls


async def test_a_result_that_echoes_the_key_is_invalid(api: str, make: Factory) -> None:
    with ProviderServer(api, [{"url": "https://example.org/a", "snippet": "your key is plain-secret-key"}]) as server:
        error = await _fails(make(server.base_url, api_key="plain-secret-key"))
    assert error.code == "INVALID_RESPONSE"


async def test_no_local_variable_of_a_failed_search_shows_the_key(api: str, make: Factory) -> None:
    replies = [
        ProviderReply(status=401, body={"error": CANARY}),
        ProviderReply(status=422, body={"message": CANARY}),
        ProviderReply(status=302, headers={"Location": f"/?key={CANARY}"}),
        ProviderReply(body=f"<p>{CANARY}".encode()),
        ProviderReply(body=SHAPES[api]([{"url": "https://example.org/x", "snippet": CANARY}])),
        ProviderReply(body={"results": CANARY}, hold_body=True),
    ]
    with ProviderServer(api) as server:
        server.replies.extend(replies)
        for _ in replies:
            error = await _fails(make(server.base_url, timeout_ms=80))
            shown = []
            trace = error.__traceback__
            while trace is not None:
                frame, trace = trace.tb_frame, trace.tb_next
                if "hydra_web/providers" in frame.f_code.co_filename.replace("\\", "/"):
                    shown += [repr(value) for value in frame.f_locals.values()]
            assert not [spelling for spelling in canary_spellings() if any(spelling in text for text in shown)]
            assert error.__context__ is None
            assert error.__cause__ is None


# --- Encodings ---------------------------------------------------------------------------------------------------


def _gzip(body: bytes) -> ProviderReply:
    return ProviderReply(body=gzip.compress(body), headers={"Content-Encoding": "gzip"})


async def test_gzip_is_read() -> None:
    with ProviderServer("exa") as server:
        server.replies.append(_gzip(json.dumps(SHAPES["exa"](SAMPLE_SOURCES)).encode()))
        assert len((await ExaSearch(api_key="k", base_url=server.base_url).search(REQUEST)).sources) == 2
        assert server.calls[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    "reply",
    [
        _gzip(b" " * 3_000_000 + b"{}"),
        ProviderReply(body=gzip.compress(b"{}")[:-4], headers={"Content-Encoding": "gzip"}),
        ProviderReply(body=b"not gzip", headers={"Content-Encoding": "gzip"}),
        ProviderReply(body=b"{}", headers={"Content-Encoding": "br"}),
        ProviderReply(body=b"\xff\xfe{}"),
    ],
    ids=["bomb", "truncated", "garbage", "not offered", "not UTF-8"],
)
async def test_what_cannot_be_decoded_within_the_cap_is_invalid(reply: ProviderReply) -> None:
    with ProviderServer("exa") as server:
        server.replies.append(reply)
        provider = ExaSearch(api_key="k", base_url=server.base_url, max_response_bytes=1_000_000)
        assert (await _fails(provider)).code == "INVALID_RESPONSE"


# --- Retries -----------------------------------------------------------------------------------------------------


async def test_nothing_is_tried_again_unless_the_operator_says_so() -> None:
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(status=503))
        with count_retries() as counter:
            assert (await _fails(ExaSearch(api_key="k", base_url=server.base_url))).code == "NETWORK_ERROR"
        assert (len(server.calls), counter.retries) == (1, 0)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_a_failure_that_may_pass_is_tried_again(status: int) -> None:
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(status=status, headers={"Retry-After": "0"}))
        with count_retries() as outer, count_retries() as counter:
            result = await ExaSearch(api_key="k", base_url=server.base_url, retry=2).search(REQUEST)
        assert (result.status_code, len(server.calls), counter.retries, outer.retries) == (200, 2, 1, 1)


async def test_a_lost_connection_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hydra_web.providers._retry._FIRST_DELAY_SECONDS", 0.001)
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(body={"results": []}, reset=True))
        await ExaSearch(api_key="k", base_url=server.base_url, retry=3).search(REQUEST)
        assert len(server.calls) == 2


@pytest.mark.parametrize("status", [301, 400, 401, 402, 403, 404, 422, 432, 433])
async def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(status=status, headers={"Retry-After": "0"}))
        await _fails(ExaSearch(api_key="k", base_url=server.base_url, retry=5))
        assert len(server.calls) == 1


async def test_used_up_quota_is_not_tried_again() -> None:
    with ProviderServer("exa") as server:
        body = {"error": {"message": "no", "code": "INSUFFICIENT_FUNDS_CREDITS"}}
        server.replies.append(ProviderReply(status=429, body=body, headers={"Retry-After": "0"}))
        assert (await _fails(ExaSearch(api_key="k", base_url=server.base_url, retry=5))).code == "RATE_LIMITED"
        assert len(server.calls) == 1


async def test_the_tries_end() -> None:
    with ProviderServer("exa") as server:
        server.respond = lambda _: ProviderReply(status=500, headers={"Retry-After": "0"})
        with count_retries() as counter:
            await _fails(ExaSearch(api_key="k", base_url=server.base_url, retry=3))
        assert (len(server.calls), counter.retries) == (3, 2)


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_retry_after_beyond_the_deadline_ends_the_search_at_once(form: str) -> None:
    later = "120" if form == "seconds" else format_datetime(datetime.now(UTC) + timedelta(minutes=2), usegmt=True)
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(status=429, headers={"Retry-After": later}))
        provider = ExaSearch(api_key="k", base_url=server.base_url, retry=3, timeout_ms=30_000)
        assert (await _fails(provider)).code == "RATE_LIMITED"
        assert len(server.calls) == 1


async def test_the_callers_signal_cuts_the_wait_between_tries() -> None:
    with ProviderServer("exa") as server:
        server.replies.append(ProviderReply(status=429, headers={"Retry-After": "30"}))
        provider = ExaSearch(api_key="k", base_url=server.base_url, retry=3)
        assert (await _fails(provider, AbortSignal.timeout(80))).code == "TIMEOUT"


# --- Concurrency, proxies, configuration -------------------------------------------------------------------------


async def test_no_more_searches_run_at_once_than_allowed() -> None:
    under_way = most = 0

    class Slow:
        async def resolve(self, reference: str) -> str | None:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.005)
            under_way -= 1
            return "key"

    with ProviderServer("exa") as server:
        provider = ExaSearch(base_url=server.base_url, api_key_env="KEY", credentials=Slow(), max_concurrency=2)
        await asyncio.gather(*(provider.search(REQUEST) for _ in range(6)))
    assert most == 2


def test_a_provider_serves_several_event_loops() -> None:
    with ProviderServer("exa") as server:
        provider = ExaSearch(api_key="k", base_url=server.base_url, max_concurrency=1)

        async def two() -> None:
            await asyncio.gather(provider.search(REQUEST), provider.search(REQUEST))

        asyncio.run(two())
        asyncio.run(two())
        assert len(server.calls) == 4


async def test_the_environments_proxies_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProviderServer("exa") as proxy, ProviderServer("exa") as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.base_url)
        await ExaSearch(api_key="k", base_url=server.base_url).search(REQUEST)
        assert not proxy.calls


async def test_the_operators_proxy_is_used() -> None:
    with ProviderServer("exa") as proxy:
        provider = ExaSearch(api_key="k", base_url="http://api.example.org", proxy=proxy.base_url)
        await provider.search(REQUEST)
        assert proxy.calls[0].headers["host"] == "api.example.org"


async def test_only_trusted_certificates_are_accepted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with ProviderServer("exa") as server:
        assert server._server is not None
        server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
        provider = ExaSearch(api_key="k", base_url=server.base_url.replace("http:", "https:"))
        assert (await _fails(provider)).code == "NETWORK_ERROR"
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        assert (await provider.search(REQUEST)).sources
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"timeout_ms": 0}, "timeout_ms must be an integer from 1 to 600000, not 0"),
        ({"timeout_ms": True}, "timeout_ms must be an integer from 1 to 600000, not True"),
        ({"max_response_bytes": 0}, "max_response_bytes must be an integer of at least 1, not 0"),
        ({"retry": 1}, "retry must be an integer from 2 to 10, not 1"),
        ({"max_concurrency": 0}, "max_concurrency must be"),
        ({"api_key_env": "not a name"}, "api_key_env must be the name of a credential"),
        ({"api_key": 5}, "api_key must be text"),
        ({"proxy": b"http://user:sk-secret@example.org"}, "proxy must be text"),
        ({"proxy": "socks5://user:sk-secret@example.org"}, "proxy must be an http(s) URL"),
        ({"base_url": "ftp://example.org"}, "base_url must be an http(s) URL"),
        ({"base_url": "https://☃.example.org"}, "base_url must be an http(s) URL"),
        ({"base_url": "https://user:sk-secret@example.org"}, "base_url must not hold a user name"),
        ({"base_url": "https://example.org/?key=sk-secret"}, "base_url must not hold"),
        ({"base_url": "https://example.org/#x"}, "base_url must not hold"),
    ],
)
def test_wrong_options_are_refused_at_once(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ExaSearch(**options)
    assert text in str(caught.value)
    assert "sk-secret" not in str(caught.value)


async def test_an_empty_address_is_not_configured() -> None:
    provider = ExaSearch(api_key="k", base_url="")
    assert not provider.available()
    assert (await _fails(provider)).code == "CONFIG_ERROR"


async def test_a_hundred_searches_leave_no_task_behind() -> None:
    before = len(asyncio.all_tasks())
    with ProviderServer("exa") as server:
        provider = ExaSearch(api_key="k", base_url=server.base_url)
        started = time.monotonic()
        await asyncio.gather(*(provider.search(REQUEST) for _ in range(100)))
        assert time.monotonic() > started
    assert len(asyncio.all_tasks()) == before
