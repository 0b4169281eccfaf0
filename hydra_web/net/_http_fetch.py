"""`HttpFetch`: the fetch provider that goes through the guarded door."""

import re
import ssl
from collections.abc import Collection, Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, Literal

from hydra_web.errors import WebError
from hydra_web.net import _pdf
from hydra_web.net._body import BodyDecoder, check_declared_length, content_encoding, read_body
from hydra_web.net._failures import redirect_blocked
from hydra_web.net._lookups import Resolver, system_resolver
from hydra_web.net._media import ACCEPT, read_media
from hydra_web.net._options import DEFAULT_USER_AGENT, read_options, read_ssl_context
from hydra_web.net._pace import Pace
from hydra_web.net._page import Page, check_charset, compose, mark_fresh
from hydra_web.net._redirects import REDIRECT_STATUSES, next_target
from hydra_web.net._robots import Robots
from hydra_web.net._targets import MAX_URL_LENGTH, Target, read_target
from hydra_web.net._transport import Reply, Transport
from hydra_web.signals import Aborted, AbortSignal, run_abortable
from hydra_web.types import WebFetchRequest, WebFetchResult

__all__ = ["HttpFetch"]

_PDF_PAGE: Final = re.compile(r"#(?:[^#]*&)?page=0*([1-9][0-9]{0,5})(?![0-9])")


class HttpFetch:
    """Fetches pages over HTTP and HTTPS, and only from the public web unless an origin is allowed by name.

    A page that answers 404 is a result. One object may be used from several event loops and threads; it holds
    no connections. `fetch` raises WebError; a wrong argument is a ConfigError that names it.

    Arguments:
        resolver: gives the addresses of a host name, may block or be awaited; by default the operating system is asked.
        timeout_ms: the total time of one fetch, lookups, redirects and decoding included.
        max_response_bytes: the most bytes of a body, after decompression; more is cut off, or refused when declared.
        max_body_chars: the most characters of a body; more is cut off.
        max_redirects: the most redirects followed.
        max_url_length: the longest URL.
        user_agent: the User-Agent header, best with a contact.
        allowed_origins: exact origins, such as `http://wiki.corp:8080`, whose addresses may be private;
            metadata and link-local addresses stay refused.
        extra_blocked_networks: networks refused besides the built-in table, for allowed origins too.
        allowed_ports: the only ports; None is every port but those of other protocols.
        allowed_domains: the only domains, with the names below them; None is all.
        blocked_domains: domains refused, with the names below them.
        proxy: an HTTP proxy, which then resolves names and must itself refuse private addresses.
        headers_for_origin: headers sent to an exact origin and to no other, not even across a redirect.
        redirects: `same-origin`, or `guarded` to follow checked redirects to other origins.
        robots: `ignore`, or `respect` to ask each site's robots.txt (RFC 9309; needs the extra `hydra-web[robots]`).
        per_host_concurrency: the most fetches of one host at a time.
        per_host_delay_ms: the least time between the starts of two fetches of one host.
        ssl_context: a TLS context that verifies certificates and names; None is the usual public authorities.
        ca_bundle: a file of PEM certificates trusted instead of the usual ones.
    """

    id = "http"

    def __init__(
        self,
        *,
        resolver: Resolver = system_resolver,
        timeout_ms: int = 30_000,
        max_response_bytes: int = 5_000_000,
        max_body_chars: int = 2_000_000,
        max_redirects: int = 5,
        max_url_length: int = MAX_URL_LENGTH,
        user_agent: str = DEFAULT_USER_AGENT,
        allowed_origins: Iterable[str] = (),
        extra_blocked_networks: Iterable[str | IPv4Network | IPv6Network] = (),
        allowed_ports: Collection[int] | None = None,
        allowed_domains: Iterable[str] | None = None,
        blocked_domains: Iterable[str] = (),
        proxy: str | None = None,
        headers_for_origin: Mapping[str, Mapping[str, str]] | None = None,
        redirects: Literal["same-origin", "guarded"] = "same-origin",
        robots: Literal["ignore", "respect"] = "ignore",
        per_host_concurrency: int = 8,
        per_host_delay_ms: int = 0,
        ssl_context: ssl.SSLContext | None = None,
        ca_bundle: str | Path | None = None,
    ) -> None:
        self._options = read_options({key: value for key, value in locals().items() if key != "self"})
        self._transport = Transport(self._options, resolver, read_ssl_context(ssl_context, ca_bundle))
        self._robots = Robots(self._options, self._transport) if self._options.respect_robots else None
        self._pace = Pace(self._options.per_host_concurrency, self._options.per_host_delay_ms)

    def available(self) -> bool:
        """Always: whether the network works shows only when it is used."""
        return True

    async def fetch(self, request: WebFetchRequest, signal: AbortSignal | None = None) -> WebFetchResult:
        """Fetches one page within the total time. Raises WebError."""
        return await self._bounded(request, None, signal)

    def cache_key(self, url: str) -> str | None:
        """The canonical URL, with the page number of a PDF link; None where a grant or operator headers apply.

        Raises WebError when policy refuses the URL.
        """
        target = self._read(url)
        if target.granted or target.origin in self._options.headers:
            return None
        page = _pdf_page(url)
        return target.url if page is None else f"{target.url}#page={page}"

    async def revalidate(
        self, request: WebFetchRequest, known: WebFetchResult, signal: AbortSignal | None = None
    ) -> WebFetchResult:
        """Asks with the known page's ETag or date; gives the known page, marked fresh, when it has not changed."""
        return await self._bounded(request, known, signal)

    async def _bounded(
        self, request: WebFetchRequest, known: WebFetchResult | None, signal: AbortSignal | None
    ) -> WebFetchResult:
        deadline = AbortSignal.timeout(self._options.timeout_ms, "FETCH_TIMEOUT")
        fused = deadline if signal is None else AbortSignal.any([signal, deadline])
        reason: object = None
        try:
            return await run_abortable(self._follow(request.url, known), fused)
        except Aborted as aborted:
            reason = aborted.reason
        if deadline.aborted and reason is deadline.reason:
            raise WebError("web fetch timed out", "WEB_FETCH_TIMEOUT", "deadline")
        raise WebError("web fetch aborted", "WEB_ABORTED")

    async def _follow(self, url: str, known: WebFetchResult | None) -> WebFetchResult:
        await self._pace.start()
        target = first = self._read(url)
        hops = 0
        while True:
            async with self._pace.turn(target.host):
                if self._robots is not None:
                    await self._robots.check(target)
                answer = await self._visit(target, self._headers(target, first, known))
            if isinstance(answer, Page):
                return await compose(answer, max_chars=self._options.max_body_chars, pdf_page=_pdf_page(url))
            if known is not None and answer.status == 304:
                return mark_fresh(known, answer.headers)
            if hops == self._options.max_redirects:
                raise redirect_blocked(f"exceeded the maximum of {hops} redirects", "too_many")
            hops += 1
            target = next_target(
                target,
                answer.all("location"),
                status=answer.status,
                policy="guarded" if self._options.guarded_redirects else "same-origin",
                grants=self._options.grants,
                allowed_ports=self._options.allowed_ports,
                max_length=self._options.max_url_length,
            )
            self._options.domains.check(target.host)

    def _read(self, url: str) -> Target:
        options = self._options
        target = read_target(url, options.grants, options.allowed_ports, options.max_url_length)
        options.domains.check(target.host)
        return target

    def _headers(self, target: Target, first: Target, known: WebFetchResult | None) -> list[tuple[str, str]]:
        own = self._options.headers.get(target.origin, ()) if target.origin == first.origin else ()
        named = {name.lower() for name, _ in own}
        usual = [("User-Agent", self._options.user_agent), ("Accept", ACCEPT), ("Accept-Encoding", "gzip")]
        headers = [header for header in usual if header[0].lower() not in named] + list(own)
        if known is not None and known.url.partition("#")[0] == target.url:
            conditions = (("If-None-Match", "etag"), ("If-Modified-Since", "lastModified"))
            headers += [(name, str(known.meta[key])) for name, key in conditions if key in known.meta]
        return headers

    async def _visit(self, target: Target, headers: list[tuple[str, str]]) -> Page | Reply:
        """One request: the page, or the head of a redirect or of a 304, whose body is never read."""
        heads = REDIRECT_STATUSES | ({304} if any(name.startswith("If-") for name, _ in headers) else set())
        cap = self._options.max_response_bytes

        async def read(reply: Reply) -> Page | Reply:
            if reply.status in heads:
                return reply
            media = read_media(reply.first("content-type"))
            check_charset(media)
            if media.kind == "pdf":
                _pdf.check_available()
            check_declared_length(reply.all("content-length"), cap)
            decoder = BodyDecoder(cap, gzipped=content_encoding(reply.all("content-encoding")))
            body = await read_body(reply.chunks, decoder)
            return Page(target=target, status=reply.status, headers=reply.headers, media=media, body=body)

        return await self._transport.exchange(target, headers, read)


def _pdf_page(url: str) -> int | None:
    found = _PDF_PAGE.search(url)
    return int(found[1]) if found else None
