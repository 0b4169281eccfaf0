"""The seam between those who need the web and the providers that reach it.

What may live here: choosing a provider, running it so that whatever it does comes out as a result or a WebError,
the operator's selection in product mode, and the usual composition from the environment. Selection is pure; nothing
here opens a socket.
"""

from hydra_web.runtime._runtime import RuntimeOptions, WebRuntime

__all__ = ["RuntimeOptions", "WebRuntime"]
