"""The version of all three distributions."""

__version__ = "0.1.0"
