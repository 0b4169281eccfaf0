"""The demonstration: a small invented web shipped with the package, and the main job done on it.

Here live the corpus, the scenario that every framework plays, and the steps of the core. A
framework adds its own step through the entry-point group `hydra_web.demo`. Nothing here needs
a key or a network: pages come from a site on this machine's loopback interface.
"""

from hydra_web.demo.corpus import corpus_pages, corpus_path
from hydra_web.demo.run import run_demo
from hydra_web.demo.scenario import SCENARIO, AgentRun, Scenario

__all__ = ["SCENARIO", "AgentRun", "Scenario", "corpus_pages", "corpus_path", "run_demo"]
