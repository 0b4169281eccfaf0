"""The provider in a runtime: registered, used, taken out again."""

import pytest

from hydra_web.errors import WebError
from hydra_web.net import HttpFetch
from hydra_web.runtime import WebRuntime
from hydra_web.testing.site import LocalSite
from hydra_web.types import TextBody, WebFetchRequest


async def test_it_registers_as_http_and_is_gone_after_its_disposer() -> None:
    with LocalSite({"/": ("text/plain", b"page")}) as site:
        runtime = WebRuntime(fetch_provider="http")
        dispose = runtime.register_fetch_provider(HttpFetch(allowed_origins=[site.origin]))
        result = await runtime.fetch(WebFetchRequest(url=site.origin))
        assert result.body == TextBody(content="page")
        dispose()
        with pytest.raises(WebError) as caught:
            await runtime.fetch(WebFetchRequest(url=site.origin))
    assert caught.value.code == "WEB_PROVIDER_CONFIGURED_MISSING"


async def test_its_errors_come_through_a_runtime_unchanged() -> None:
    runtime = WebRuntime()
    with runtime.register_fetch_provider(HttpFetch()), pytest.raises(WebError) as caught:
        await runtime.fetch(WebFetchRequest(url="http://127.0.0.1/"))
    assert (caught.value.code, caught.value.reason) == ("WEB_BLOCKED_URL", "address")
