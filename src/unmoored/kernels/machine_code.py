"""Machine code of this computer's processor: LLVM source to objects, and objects to addresses."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..error_roots import UnmooredWarning
from . import code_pages
from .number_formats import Format

# LLVM is entered by one thread at a time; a fork waits for it, so that the child finds it free and whole.
_lock = threading.RLock()
#: llvmlite's own lock, which others that use it (Numba) may hold, while a fork is under way
_taken: list[Any] = []


@cache
def _llvm() -> Any:
    """llvmlite's binding: imported with the first kernel, under the lock, so that no fork comes in between."""
    with _lock:
        from llvmlite import binding

        return binding


def _take() -> None:
    _lock.acquire()
    lib = getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None)
    own = getattr(getattr(lib, "_lock", None), "_lock", None) or threading.RLock()
    own.acquire()
    _taken.append(own)


def _give_back() -> None:
    if _taken:  # not if this module was imported while a fork was about to begin
        _taken.pop().release()
        _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take, after_in_parent=_give_back, after_in_child=_give_back)


#: of the 32 that there are with AVX-512, those that are not needed on the way
_REGISTERS = 24
#: bytes of the first cache of one core of AMD's processors that rows of results may fill
_GATHERED = 1 << 15


class SlowProcessorWarning(UnmooredWarning):
    """Kernels run on this computer, but slowly."""


@dataclass(frozen=True)
class Processor:
    """What code is generated for."""

    name: str
    features: str
    vector_bytes: int
    architecture: str
    #: registers for lane vectors that long code may count on; 0 where that is left to LLVM
    registers: int = 0
    #: bytes of the rows of all lanes up to which they are put together first and then written past the caches in one
    #: go: where memory takes whole lines many times faster than they are computed (AMD: 80 bytes per ns, Intel: 20)
    gathered: int = 0

    def width(self, form: Format) -> int:
        """Lanes of one vector."""
        return self.vector_bytes // form.bytes


@cache
def host() -> Processor:
    """The processor that this runs on."""
    llvm = _llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    # with 256-bit registers two of them per lane vector are faster than one: more independent work
    architecture = llvm.get_default_triple().split("-")[0]
    warn_without_fma(architecture, features)
    size = 64 if features.get("avx512f") or features.get("avx2") else 32 if features.get("avx") else 16
    registers = _REGISTERS if features.get("avx512f") else 0
    name = llvm.get_host_cpu_name()
    gathered = _GATHERED if name.startswith("znver") else 0
    return Processor(name, features.flatten(), size, architecture, registers, gathered)


def warn_without_fma(architecture: str, features: Mapping[str, bool]) -> None:
    """Warn of an x86 processor (or an emulated one) that rounds products and sums in two steps."""
    if architecture in ("x86_64", "i386", "i686") and not features.get("fma"):
        warnings.warn(
            "this processor has no fused multiply-add (FMA): kernels do it in software, about ten times slower, "
            "with the same bits",
            SlowProcessorWarning,
            stacklevel=3,
        )


def llvm_version() -> str:
    """Version of the LLVM library, such as "20.1.8"."""
    return ".".join(map(str, _llvm().llvm_version_info))


def optimisation() -> int:
    """How much the code generator optimises: little; with UNMOORED_QUICK_COMPILE=1 not at all.

    Not at all takes half the time to compile, and the kernels then take about twice as long. There are no lanes then
    either: the samples of a batch follow one by one. The bits are the same.
    """
    return 0 if os.environ.get("UNMOORED_QUICK_COMPILE") == "1" else 1


def _target_machine() -> Any:
    # The passes over LLVM's own representation are skipped and the code generator optimises little: on
    # straight-line code more of either costs time and gains nothing.
    processor = host()
    return (
        _llvm()
        .Target.from_default_triple()
        .create_target_machine(
            cpu=processor.name,
            features=processor.features,
            opt=optimisation(),
            codemodel="jitdefault",
            jit=True,
        )
    )


def assemble(source: str) -> bytes:
    """Object code of an LLVM module."""
    with _lock:
        machine = _target_machine()
        return machine.emit_object(_llvm().parse_assembly(source))


class LoadedCode:
    """Code in memory, as long as this object lives: whatever may call its functions must keep it."""

    __slots__ = ("__weakref__", "_engine", "addresses")

    def __init__(self, code: bytes, names: tuple[str, ...]) -> None:
        with _lock:
            self._engine = _engine(code)
            #: of the named functions
            self.addresses = [self._engine.get_function_address(name) for name in names]
            if (walk := _walk()) is not None:
                place, size = code_pages.text_of(code, names[0])
                code_pages.settle(self.addresses[0] - place, size, walk)
        _loaded.add(self)


def _engine(code: bytes) -> Any:
    """What holds the code of an object file in memory."""
    engine = _llvm().create_mcjit_compiler(_llvm().parse_assembly(""), _target_machine())
    engine.add_object_file(_llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@cache
def _walk() -> Callable[[int, int, int], int] | None:
    """The function of `code_pages.WALK` where pages of code may meet: on AMD's processors, under Linux."""
    if sys.platform != "linux" or not host().name.startswith("znver"):
        return None
    engine = _engine(assemble(code_pages.WALK))
    _kept.append(engine)
    kind = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int64)
    return kind(engine.get_function_address("walk"))


#: code that is never freed
_kept: list[Any] = []
_loaded: weakref.WeakSet[LoadedCode] = weakref.WeakSet()


def loaded() -> int:
    """How many objects of code are in memory."""
    return len(_loaded)
