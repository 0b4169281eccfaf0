"""The guarded door: everything that fetches pages, and the policy that decides what may be fetched.

What lives here: URL and address policy (pure), name lookups, connections that go only to checked
addresses, bounded reading of bodies, and `HttpFetch`, the fetch provider made of them. Nothing else
in the package opens a connection to a page; search APIs have a door of their own.
"""

from hydra_web.net._dialling import check_addresses
from hydra_web.net._http_fetch import HttpFetch
from hydra_web.net._targets import Target, check_url

__all__ = ["HttpFetch", "Target", "check_addresses", "check_url"]
