"""Conversion off the event loop."""

import asyncio
from functools import partial
from typing import Any, Literal

from hydra_web.content._render import render
from hydra_web.content._rendered import Rendered

__all__ = ["render_off_loop"]


async def render_off_loop(html: str, url: str, mode: Literal["main", "full"] = "main", **options: Any) -> Rendered:
    """`render` in a worker thread.

    Parsing releases the interpreter lock, and the walk in Python gives it up every few milliseconds. A thread cannot be
    stopped: after a cancellation it runs on, until the deadline of `render` at the latest.
    """
    return await asyncio.to_thread(partial(render, html, url, mode, **options))
