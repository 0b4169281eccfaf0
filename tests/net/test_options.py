"""Wrong settings are refused when the fetcher is made, by name."""

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme

from hydra_web.errors import ConfigError
from hydra_web.net import HttpFetch
from hydra_web.net._options import read_options, read_ssl_context
from hydra_web.protocols import CacheableFetchProvider, WebFetchProvider


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"max_response_bytes": -1}, "maxResponseBytes must be a positive finite number, not -1"),
        ({"max_response_bytes": True}, "maxResponseBytes must be a positive finite number, not True"),
        ({"max_body_chars": float("inf")}, "maxBodyChars must be a positive finite number, not inf"),
        ({"max_url_length": 0}, "maxUrlLength must be a positive finite number, not 0"),
        ({"timeout_ms": 0}, "timeoutMs must be a positive finite number, not 0"),
        ({"timeout_ms": 2147483648}, "timeoutMs must be no greater than 2147483647, not 2147483648"),
        ({"max_redirects": 1.5}, "maxRedirects must be a non-negative integer, not 1.5"),
        ({"max_redirects": -1}, "maxRedirects must be a non-negative integer, not -1"),
        ({"max_redirects": True}, "maxRedirects must be a non-negative integer, not True"),
        ({"user_agent": "a\r\nX: b"}, "userAgent must be printable ASCII text"),
        ({"user_agent": ""}, "userAgent must be printable ASCII text"),
        ({"user_agent": " a"}, "userAgent must not begin or end with a space"),
        (
            {"extra_blocked_networks": ["10.0.0.1/8"]},
            "extraBlockedNetworks must contain networks such as 161.26.0.0/16",
        ),
        ({"allowed_ports": [0]}, "allowedPorts must contain integers from 1 to 65535, not 0"),
        ({"allowed_ports": [True]}, "allowedPorts must contain integers from 1 to 65535, not True"),
        ({"allowed_domains": ["a/b"]}, "allowedDomains must contain host names such as example.com"),
        ({"blocked_domains": [7]}, "blockedDomains must contain host names such as example.com"),
        ({"blocked_domains": "*.com"}, "blockedDomains must contain host names such as example.com"),
        ({"proxy": "socks5://x:1"}, "proxy must be an address such as http://proxy.example:3128"),
        ({"proxy": 3}, "proxy must be an address such as http://proxy.example:3128"),
        ({"redirects": "all"}, "redirects must be one of same-origin, guarded, not 'all'"),
        ({"robots": "obey"}, "robots must be one of ignore, respect, not 'obey'"),
        ({"per_host_concurrency": 0}, "perHostConcurrency must be a positive finite number, not 0"),
        ({"per_host_delay_ms": -1}, "perHostDelayMs must be a number from 0 to 2147483647, not -1"),
        (
            {"headers_for_origin": {"https://example.com": {"Host": "x"}}},
            "headersForOrigin must not set connection headers and must use plain header names",
        ),
        (
            {"headers_for_origin": {"https://example.com": {"Cookie": "a\nb"}}},
            "headersForOrigin must be printable ASCII text",
        ),
        ({"ssl_context": "x"}, "sslContext must be an ssl.SSLContext and excludes caBundle"),
        ({"ca_bundle": "/nowhere/at/all.pem"}, "caBundle must name a readable file of PEM certificates"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HttpFetch(**settings)
    assert caught.value.message == f"web-fetch-http: {text}"
    assert caught.value.__context__ is None


def test_tls_settings_that_do_not_verify_are_refused() -> None:
    with pytest.raises(ConfigError, match="must verify certificates"):
        HttpFetch(ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))


def test_a_certificate_bundle_or_a_context_of_the_operator_is_taken(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(bundle))
    assert read_ssl_context(None, bundle) is not None
    context = ssl.create_default_context()
    assert read_ssl_context(context, None) is context
    assert read_ssl_context(None, None) is None


def test_zero_redirects_and_single_values_are_accepted() -> None:
    fetch = HttpFetch(
        max_redirects=0, allowed_origins="http://localhost:43117/", extra_blocked_networks="161.26.0.0/16"
    )
    options = fetch._options
    assert options.max_redirects == 0
    assert len(options.grants) == len(options.extra_blocked) == 1


def test_secrets_do_not_print() -> None:
    defaults = {key: value for key, value in (HttpFetch.__init__.__kwdefaults__ or {}).items() if key != "resolver"}
    options = read_options(
        defaults
        | {
            "proxy": "http://name:s%40cret@proxy.example:3128",
            "headers_for_origin": {"https://example.com": {"Authorization": "Bearer s@cret"}},
        }
    )
    assert options.proxy is not None
    assert options.proxy.auth == ("name", "s@cret")
    assert "s@cret" not in repr(options)
    assert "name" not in repr(options.proxy)


def test_it_is_a_fetch_provider_whose_pages_can_be_kept() -> None:
    fetcher = HttpFetch()
    assert isinstance(fetcher, WebFetchProvider)
    assert isinstance(fetcher, CacheableFetchProvider)
    assert (fetcher.id, fetcher.available()) == ("http", True)
