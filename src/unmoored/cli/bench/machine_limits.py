"""What one core has to give at most: stores past the caches, and fused operations that stay in registers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from ...kernels.machine_code import LoadedCode, assemble
from .measure import best_time

#: bytes of results from which on they go to memory, and not to caches
FAR = 6 << 20
_LINE, _CHAINS, _LANES, _TURNS = "<8 x double>", 16, 8, 1 << 16
_STORES = f"""!0 = !{{i32 1}}
define void @store_all(ptr %array, i64 %bytes) {{
entry:
  br label %next
next:
  %i = phi i64 [0, %entry], [%after, %next]
  %place = getelementptr i8, ptr %array, i64 %i
  store {_LINE} zeroinitializer, ptr %place, align 64, !nontemporal !0
  %after = add i64 %i, 64
  %more = icmp slt i64 %after, %bytes
  br i1 %more, label %next, label %end
end:
  fence seq_cst
  ret void
}}
"""


def _multiply_adds() -> str:
    """LLVM source of independent chains of fused operations; the compiler cannot know the factor."""
    chains = range(_CHAINS)
    phis = "\n".join(f"  %x{k} = phi {_LINE} [%factor, %entry], [%y{k}, %next]" for k in chains)
    fused = "\n".join(
        f"  %y{k} = call {_LINE} @llvm.fma.v8f64({_LINE} %x{k}, {_LINE} %factor, {_LINE} %factor)"
        for k in chains
    )
    sums = "\n".join(f"  %s{k} = fadd {_LINE} {'%factor' if k == 0 else f'%s{k - 1}'}, %y{k}" for k in chains)
    return f"""declare {_LINE} @llvm.fma.v8f64({_LINE}, {_LINE}, {_LINE})
define void @multiply_adds(ptr %array, i64 %turns) {{
entry:
  %factor = load {_LINE}, ptr %array, align 64
  br label %next
next:
  %i = phi i64 [0, %entry], [%after, %next]
{phis}
{fused}
  %after = add i64 %i, 1
  %more = icmp slt i64 %after, %turns
  br i1 %more, label %next, label %end
end:
{sums}
  store {_LINE} %s{_CHAINS - 1}, ptr %array, align 64
  ret void
}}
"""


def _called(source: str, name: str, nbytes: int, argument: int) -> Callable[[], object]:
    """A call of a function of LLVM's language with memory of its own, whole cache lines, and a number."""
    array = np.zeros(nbytes // 8 + 8)
    start, code = array.ctypes.data, LoadedCode(assemble(source), (name,))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.addresses[0])

    def call(keep: object = (array, code)) -> object:
        function(start + -start % 64, argument)
        return keep

    return call


def storing(nbytes: int) -> Callable[[], object]:
    """A function that stores so many bytes, whole cache lines, past the caches, and does nothing else."""
    return _called(_STORES, "store_all", nbytes, nbytes // 64 * 64)


@cache
def store_rate() -> float:
    """Bytes per second of stores past the caches."""
    nbytes = 32 << 20
    return nbytes / best_time(storing(nbytes))


@cache
def operation_rate() -> float:
    """Operations per second, a fused one counted once, on numbers in registers."""
    return _CHAINS * _LANES * _TURNS / best_time(_called(_multiply_adds(), "multiply_adds", 64, _TURNS))


def least_time(operations: int, samples: int, nbytes: int) -> tuple[float, str]:
    """Seconds of a sample that nothing can undercut, and why: "a" for arithmetic, "m" for memory.

    operations: of a sample.  nbytes: of all results; few of them stay in caches.
    """
    arithmetic = operations / operation_rate()
    memory = nbytes / samples / store_rate() if nbytes >= FAR else 0.0
    return max((arithmetic, "a"), (memory, "m"))
