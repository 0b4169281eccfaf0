"""The demonstration: a small invented web shipped with the package, and the main job done on it.

Here live the corpus, the scenario that every framework plays, and the steps of the core. A
framework adds its own step through the entry-point group `hydra_web.demo`. Nothing here needs
a key or a network: pages come from a site on this machine's loopback interface.
"""

from hydra_web.demo.corpus import corpus_pages, corpus_path
from hydra_web.demo.local_web import CORPUS_URL, LocalWeb, corpus_runtime, index_corpus, open_local_web
from hydra_web.demo.run import run_demo
from hydra_web.demo.scenario import SCENARIO, AgentRun, Scenario

__all__ = [
    "CORPUS_URL",
    "SCENARIO",
    "AgentRun",
    "LocalWeb",
    "Scenario",
    "corpus_pages",
    "corpus_path",
    "corpus_runtime",
    "index_corpus",
    "open_local_web",
    "run_demo",
]
