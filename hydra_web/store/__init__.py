"""Where evidence, pages and charges are kept: in memory, in one SQLite file, or in Redis.

What may live here: the three backends of `hydra_web.protocols.Store`, the page index inside the SQLite
file, and the `local` search and fetch providers that read it. Only these modules import sqlite3 or redis.
Nothing here knows how a page was fetched or rendered: that comes in as an `IndexedPage`.
"""

from hydra_web.store.local import LocalFetch, LocalSearch
from hydra_web.store.memory import MemoryStore
from hydra_web.store.pages import IndexedPage, PageHit, PageSummary
from hydra_web.store.redis import RedisStore
from hydra_web.store.repair import RepairReport, repair_store
from hydra_web.store.sqlite import SqliteStore

__all__ = [
    "IndexedPage",
    "LocalFetch",
    "LocalSearch",
    "MemoryStore",
    "PageHit",
    "PageSummary",
    "RedisStore",
    "RepairReport",
    "SqliteStore",
    "repair_store",
]
