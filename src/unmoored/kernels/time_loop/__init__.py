"""Whole time loops in one kernel: steps, records and stopping, for any number of samples at once."""

from .call import NOT_FINITE, LoopResult
from .compiling import compile_loop
from .kernel import LoopKernel

__all__ = ["NOT_FINITE", "LoopKernel", "LoopResult", "compile_loop"]
