"""Graphs to running code: compiled kernels for the processor, with a disk cache, and for NVIDIA GPUs (`cuda`)."""
# public is what `__all__` names; the rest is for other rooms

from . import cuda
from .disk_cache import CacheWarning
from .kernel import Facts, Kernel, NotANumber, compile, source
from .lower import lowered
from .number_formats import FLOAT32, FLOAT64, Format, format_of
from .threads import WORTH_SHARING
from .time_loop import NOT_FINITE, LoopKernel, LoopResult, compile_loop

__all__ = [
    "CacheWarning",
    "Kernel",
    "LoopKernel",
    "LoopResult",
    "compile",
    "compile_loop",
    "cuda",
]
