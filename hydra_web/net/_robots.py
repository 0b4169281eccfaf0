"""robots.txt, as RFC 9309 reads it, fetched through the same door as pages."""

import asyncio
import importlib.util
import re
import threading
import time
import weakref
from collections import OrderedDict
from typing import Any, Final

from hydra_web.errors import ConfigError, WebError
from hydra_web.net._body import BodyDecoder, content_encoding, read_body
from hydra_web.net._failures import blocked
from hydra_web.net._options import Options
from hydra_web.net._redirects import REDIRECT_STATUSES, next_target
from hydra_web.net._targets import Origin, Target, read_target
from hydra_web.net._transport import Reply, Transport

__all__ = ["Robots"]

_MOST_BYTES: Final = 512_000  # at least 500 KiB must be read (RFC 9309 2.5)
_MOST_REDIRECTS: Final = 5
_MOST_ORIGINS: Final = 512
_KEPT_SECONDS: Final = 3_600
_KEPT_SECONDS_AFTER_FAILURE: Final = 300

_ALLOW_ALL: Final = ""
_DISALLOW_ALL: Final = "User-agent: *\nDisallow: /"
_AGENT_LINE: Final = re.compile(r"\s*(?:user-agent|useragent|user\s+agent)\s*(?::|\s|$)\s*([^#]*)", re.IGNORECASE)
_SITE_WIDE: Final = re.compile(r"\s*(?:site-?maps?|host)\b", re.IGNORECASE)


class Robots:
    """Asks each origin's robots.txt once an hour. Raises ConfigError when the `[robots]` extra is not installed."""

    def __init__(self, options: Options, transport: Transport) -> None:
        if importlib.util.find_spec("protego") is None:
            raise ConfigError("web-fetch-http: robots 'respect' needs the extra hydra-web[robots]")
        self._options = options
        self._transport = transport
        self._product = re.split(r"[/\s]", options.user_agent, maxsplit=1)[0]
        self._rules: OrderedDict[Origin, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._asking: weakref.WeakValueDictionary[tuple[int, Origin], asyncio.Lock] = weakref.WeakValueDictionary()

    async def check(self, target: Target) -> None:
        """Raises WebError `WEB_BLOCKED_URL` when the target's robots.txt does not allow it."""
        place = id(asyncio.get_running_loop()), target.origin
        async with self._asking.setdefault(place, asyncio.Lock()):
            rules = self._kept(target.origin) or await self._ask(target)
        if not await asyncio.to_thread(rules.can_fetch, target.url, self._product):
            raise blocked("robots")

    def _kept(self, origin: Origin) -> Any:
        with self._lock:
            expiry, rules = self._rules.get(origin, (0.0, None))
        return rules if expiry > time.monotonic() else None

    async def _ask(self, target: Target) -> Any:
        from protego import Protego

        unreachable = False
        try:
            text = await self._load(target)
        except WebError:
            unreachable, text = True, _DISALLOW_ALL
        rules = await asyncio.to_thread(lambda: Protego.parse(_group_for(text, self._product)))
        kept = _KEPT_SECONDS_AFTER_FAILURE if unreachable else _KEPT_SECONDS
        with self._lock:
            self._rules[target.origin] = (time.monotonic() + kept, rules)
            self._rules.move_to_end(target.origin)
            while len(self._rules) > _MOST_ORIGINS:
                self._rules.popitem(last=False)
        return rules

    async def _load(self, target: Target) -> str:
        """The rules' text. Redirects are followed wherever policy allows; raises WebError for an unreachable file."""
        options = self._options
        headers = [("User-Agent", options.user_agent), ("Accept", "text/plain"), ("Accept-Encoding", "gzip")]
        here = read_target(f"{target.origin}/robots.txt", options.grants, options.allowed_ports, options.max_url_length)
        for _ in range(_MOST_REDIRECTS + 1):
            answer = await self._transport.exchange(here, headers, _read)
            if isinstance(answer, str):
                return answer
            here = next_target(
                here,
                answer.all("location"),
                policy="guarded",
                grants=options.grants,
                allowed_ports=options.allowed_ports,
                max_length=options.max_url_length,
            )
            options.domains.check(here.host)
        return _ALLOW_ALL


def _group_for(text: str, product: str) -> str:
    """The rules for one robot, as a file for everybody (RFC 9309 2.2.1).

    The parser keeps every rule once for each robot named above it, so that a small file can fill the memory;
    with one robot it stays linear.
    """
    own: list[str] = []
    common: list[str] = []
    agents: set[str] = set()
    in_rules = found = False
    for line in text.splitlines():
        agent = _AGENT_LINE.match(line)
        if agent is not None:
            agents = set() if in_rules else agents
            in_rules = False
            name = re.split(r"[/\s]", agent[1].lower(), maxsplit=1)[0]
            agents.add(name if name == "*" else name.replace("*", ""))
            found = found or product.lower() in agents
        elif line.partition("#")[0].strip() and not _SITE_WIDE.match(line):
            in_rules = True
            own += [line] if product.lower() in agents else []
            common += [line] if "*" in agents else []
    return "\n".join(["User-agent: *", *(own if found else common)])


async def _read(reply: Reply) -> str | Reply:
    """The file's text, or a redirect."""
    if reply.status in REDIRECT_STATUSES:
        return reply
    if 400 <= reply.status < 500:
        return _ALLOW_ALL
    if not 200 <= reply.status < 300:
        raise blocked("robots")
    gzipped = content_encoding(reply.all("content-encoding"))
    body = await read_body(reply.chunks, BodyDecoder(_MOST_BYTES, gzipped=gzipped))
    return body.data.decode("utf-8", "replace")
