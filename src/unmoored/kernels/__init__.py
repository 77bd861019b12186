"""Graphs to running code: compiled kernels for the processor, with a disk cache."""

from .formats import FLOAT32, FLOAT64, Format, format_of
from .kernel import Facts, Kernel, compile, source
from .lower import lowered
from .store import CacheWarning
from .threads import WORTH_SHARING

__all__ = [
    "FLOAT32",
    "FLOAT64",
    "WORTH_SHARING",
    "CacheWarning",
    "Facts",
    "Format",
    "Kernel",
    "compile",
    "format_of",
    "lowered",
    "source",
]
