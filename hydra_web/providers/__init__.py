"""Search providers: one file per search API, each a description of the call it makes and of the answer it reads.

Everything they share lives in the private modules beside them: `_http` is the only one that opens a connection,
`_base` runs a search, and the rest are pure (locale, dates, mapping, reading). Nothing here fetches pages,
chooses between providers or knows about tools.
"""

import os
from collections.abc import Mapping
from typing import Final

from hydra_web.protocols import SettingsSource
from hydra_web.providers._base import SearchApi
from hydra_web.providers._secret import Secret
from hydra_web.providers.brave import BraveSearch
from hydra_web.providers.credentials import CredentialStore, EnvironmentCredentials, WritableCredentialStore
from hydra_web.providers.custom import CustomSearch
from hydra_web.providers.deepseek import DeepSeekSearch
from hydra_web.providers.exa import ExaSearch
from hydra_web.providers.jina import JinaSearch
from hydra_web.providers.perplexity import PerplexitySearch
from hydra_web.providers.searxng import SearxngSearch
from hydra_web.providers.serper import SerperSearch
from hydra_web.providers.tavily import TavilySearch
from hydra_web.providers.wikipedia import WikipediaSearch
from hydra_web.retries import count_retries

__all__ = [
    "PROVIDER_CLASSES",
    "BraveSearch",
    "CredentialStore",
    "CustomSearch",
    "DeepSeekSearch",
    "EnvironmentCredentials",
    "ExaSearch",
    "JinaSearch",
    "PerplexitySearch",
    "SearchApi",
    "SearxngSearch",
    "Secret",
    "SerperSearch",
    "TavilySearch",
    "WikipediaSearch",
    "WritableCredentialStore",
    "count_retries",
    "usual_providers",
]

PROVIDER_CLASSES: Final[tuple[type[SearchApi], ...]] = (
    DeepSeekSearch,
    SerperSearch,
    CustomSearch,
    ExaSearch,
    PerplexitySearch,
    TavilySearch,
    BraveSearch,
    SearxngSearch,
    WikipediaSearch,
    JinaSearch,
)
"""Every provider, in the order people see them."""


def usual_providers(environ: Mapping[str, str], settings: SettingsSource | None = None) -> list[SearchApi]:
    """The providers an environment is set up for: those whose key is there, and SearXNG where its address is.

    Saved settings count too. Wikipedia, which needs nothing, is left to the caller's choice.
    """
    credentials = EnvironmentCredentials(None if environ is os.environ else environ)
    providers = []
    for kind in PROVIDER_CLASSES:
        provider = kind(base_url=kind.address_in(environ), credentials=credentials, settings=settings)
        if kind.needs_setup and provider.available():
            providers.append(provider)
    return providers
