"""Graphs to running code: compiled kernels for the processor, with a disk cache."""

from .disk_cache import CacheWarning
from .kernel import Facts, Kernel, NotANumber, compile, source
from .lower import lowered
from .number_formats import FLOAT32, FLOAT64, Format, format_of
from .threads import WORTH_SHARING
from .time_loop import NOT_FINITE, LoopKernel, LoopResult, compile_loop

__all__ = [
    "FLOAT32",
    "FLOAT64",
    "NOT_FINITE",
    "WORTH_SHARING",
    "CacheWarning",
    "Facts",
    "Format",
    "Kernel",
    "LoopKernel",
    "LoopResult",
    "NotANumber",
    "compile",
    "compile_loop",
    "format_of",
    "lowered",
    "source",
]
