"""Where a redirect may lead. Pure."""

import re
from collections.abc import Collection, Sequence
from typing import Final, Literal, TypeAlias

from hydra_web.errors import WebError
from hydra_web.net._failures import redirect_blocked
from hydra_web.net._targets import Origin, Target, join, read_target

__all__ = ["REDIRECT_STATUSES", "RedirectPolicy", "next_target"]

RedirectPolicy: TypeAlias = Literal["same-origin", "guarded"]

REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_UNREADABLE: Final = re.compile(r"[^\x20-\x7e]|\\")
_ABSOLUTE: Final = re.compile(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE | re.ASCII)
_CREDENTIALS: Final = re.compile(r"(?<=//)[^/?#]*@")


def next_target(
    current: Target,
    locations: Sequence[str],
    *,
    status: int = 302,
    policy: RedirectPolicy = "same-origin",
    grants: frozenset[Origin] = frozenset(),
    allowed_ports: Collection[int] | None = None,
    max_length: int = 2048,
) -> Target:
    """The target a response's `Location` values name.

    Same origin means the same scheme, host and port. A guarded hop may leave the origin, but never into
    one that only a grant opens. Raises WebError: `WEB_REDIRECT_BLOCKED`, `WEB_PROVIDER_ERROR` when there is
    no Location, and `WEB_BLOCKED_URL` for credentials on the same origin.
    """
    location = locations[0].strip(" \t") if locations else ""
    if not location:
        text = f"redirect response (HTTP {status}) without a Location header"
        raise WebError(text, "WEB_PROVIDER_ERROR", "no_location")
    if len(locations) > 1 or _UNREADABLE.search(location):
        raise redirect_blocked("the redirect's target is ambiguous", "ambiguous")
    absolute = _absolute(current, location)
    refusal: WebError | None = None
    try:
        target = read_target(absolute, grants, allowed_ports, max_length)
    except WebError as error:
        refusal = error
    if refusal is not None:
        raise _refused(current, absolute, refusal)
    _check_origin(current, target, policy)
    return target


def _absolute(current: Target, location: str) -> str:
    if _ABSOLUTE.match(location):
        return location
    if location.startswith("//"):
        return f"{current.scheme}:{location}"
    return join(current.url, location) or location


def _refused(current: Target, absolute: str, refusal: WebError) -> WebError:
    if refusal.reason == "credentials" and _same_origin_without_credentials(current, absolute):
        return WebError(refusal.message, refusal.code, refusal.reason)
    if refusal.code == "WEB_BLOCKED_URL":
        return redirect_blocked(f"redirect refused: {refusal.message}", "target_blocked")
    return redirect_blocked("the redirect's target is not a valid URL", "target_invalid")


def _same_origin_without_credentials(current: Target, absolute: str) -> bool:
    try:
        target = read_target(_CREDENTIALS.sub("", absolute, count=1), frozenset({current.origin}), None, len(absolute))
    except WebError:
        return False
    return target.origin == current.origin


def _check_origin(current: Target, target: Target, policy: RedirectPolicy) -> None:
    if target.origin == current.origin:
        return
    if policy == "same-origin":
        raise redirect_blocked(
            f"cross-origin redirect to {target.origin} is not followed automatically; retry against that URL directly",
            "cross_origin",
        )
    if target.granted:
        raise redirect_blocked("a page may not redirect into an origin that was allowed by name", "into_grant")
