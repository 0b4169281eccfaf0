"""Helpers for the tests of people who build on hydra-web: loopback servers and stand-ins.

Everything here works offline and touches nothing but this machine's loopback interface.
Import from the modules: `hydra_web.testing.site` serves pages, `hydra_web.testing.hostile` misbehaves.
"""
