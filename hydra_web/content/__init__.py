"""Decoded HTML in, Markdown and plain text out.

What may live here: pure steps of one pipeline over one lxml tree (guard, sanitise, choose the main content, walk to
GitHub-flavoured Markdown, outline) and the worker that runs them off the event loop. Values in, values out: nothing
here opens a socket or a file, and nothing here depends on another folder of floor 2.
"""

from hydra_web.content._render import render
from hydra_web.content._rendered import Heading, Rendered

__all__ = ["Heading", "Rendered", "render"]
