"""Whole time loops in one kernel: steps, records and stopping, for any number of samples at once."""

from .loop_call import NOT_FINITE, LoopResult
from .loop_compiling import compile_loop
from .loop_kernel import LoopKernel

__all__ = ["NOT_FINITE", "LoopKernel", "LoopResult", "compile_loop"]
