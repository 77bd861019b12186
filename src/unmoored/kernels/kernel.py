"""Compiled functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..error_roots import ArrayError, UnmooredError
from ..trace import LOOPS_BEYOND, Traced, graph_digest, trace
from . import disk_cache, machine_code
from .cache_key import place as place_of
from .compile_once import compiled_once
from .gufunc import make_entry, make_gufunc, signature
from .llvm_source import module_text
from .llvm_source.llvm_types import LlvmTypes
from .llvm_source.streamed_rows import SHARE, row_bytes
from .lower import lowered
from .number_formats import Format, format_of
from .shared_batch import SharedBatch

Shape = tuple[int, ...]


class NotANumber(UnmooredError, ValueError):
    """A single sample has a NaN among its inputs: at `place` of `argument`."""

    def __init__(self, name: str, argument: int, place: Shape) -> None:
        super().__init__(f"{name}: argument {argument} is NaN at {list(place)}")
        self.argument, self.place = argument, place


class EmptyShape(UnmooredError, ValueError):
    """A function with an array of no entries has no kernel; NumPy runs it well enough."""


@dataclass(frozen=True)
class Facts:
    """What is known about a compiled function."""

    input_shapes: tuple[Shape, ...]
    output_shapes: tuple[Shape, ...]
    operations: int


class Kernel:
    """A compiled function of arrays `(..., *shape)`; leading dimensions are a batch and broadcast.

    `kernel(*arrays, out=None)` returns an array, or a tuple of them if there are several outputs. `direct`
    is the same without `out`, as a builtin function; `ufunc` is the NumPy generalised ufunc.
    """

    __slots__ = (
        "_large",
        "_large_given",
        "_shared",
        "direct",
        "dtype",
        "facts",
        "name",
        "ufunc",
        "watched",
        "width",
    )

    name: str
    dtype: np.dtype[Any]
    facts: Facts
    width: int
    watched: bool
    ufunc: np.ufunc
    direct: Callable[..., Any]

    def __init__(self, name: str, form: Format, facts: Facts, width: int, code: bytes, watched: bool) -> None:
        self.name, self.dtype, self.facts, self.width = name, form.dtype, facts, width
        self.watched = watched
        loaded = machine_code.LoadedCode(code, ("loop", "entry"))
        inputs, outputs = facts.input_shapes, facts.output_shapes
        streamed = row_bytes((*inputs, *outputs), len(inputs), LlvmTypes(form, width))
        least = SHARE // streamed if streamed else 1
        self._shared = SharedBatch(  # its code stays as long as the ufunc does
            loaded.addresses[0], inputs, outputs, self.dtype, facts.operations, width, least
        )
        #: an array with no more entries than this has too few samples for that: without `out`, and with it
        smallest = min(math.prod(shape) for shape in inputs)
        self._large = (self._shared.worthwhile - 1) * smallest
        self._large_given = (self._shared.shareable - 1) * smallest
        doc = f"{name}: {signature(inputs, outputs)} in {form.name}, compiled"
        self.ufunc = make_gufunc(loaded, name, doc, inputs, outputs, self.dtype)
        self.direct = make_entry(loaded, name, self.ufunc, self._general, inputs, self.dtype)

    @property
    def operations(self) -> int:
        """Arithmetic operations per sample."""
        return self.facts.operations

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        if out is None:
            return self.direct(*arrays)
        return self._general(*arrays, out=out)

    def __repr__(self) -> str:
        shapes = signature(self.facts.input_shapes, self.facts.output_shapes)
        return f"Kernel({self.name}{shapes}, {self.dtype.name}, {self.operations} operations)"

    def _general(self, *arrays: Any, out: Any = None) -> Any:
        """Any arguments: large batches over threads, with large results; the rest (errors included) by the ufunc."""
        large = self._large if out is None else self._large_given
        for array in arrays:
            if array.__class__ is np.ndarray and array.size > large:
                shared = self._shared(self.ufunc, arrays, out)
                if shared is not None:
                    return shared
                break
        result = self.ufunc(*arrays) if out is None else self.ufunc(*arrays, out=out)
        if self.watched:
            self._refuse_single_nan(arrays, result)
        return result

    def _refuse_single_nan(self, arrays: tuple[Any, ...], result: Any) -> None:
        """Raise for a NaN among the inputs of a single sample, all of whose results are NaN then.

        In a batch it stays with its sample.
        """
        first = result[0] if result.__class__ is tuple else result
        if first.ndim != len(self.facts.output_shapes[0]) or first.flat[0] == first.flat[0]:
            return
        for k, x in enumerate(map(np.asarray, arrays)):
            if x.dtype.kind == "f" and np.isnan(x).any():
                raise NotANumber(self.name, k, tuple(int(i) for i in np.argwhere(np.isnan(x))[0]))


def compile(
    function: Callable[..., Any] | Traced,
    shapes: Sequence[Sequence[int]] = (),
    *,
    name: str | None = None,
    dtype: object = "float64",
    key: str | None = None,
    width: int | None = None,
    loops_beyond: int | None = LOOPS_BEYOND,
    exact_zeros: bool = True,
    watched: bool = False,
) -> Kernel:
    """Trace a function of arrays with the given shapes and compile it for this computer's processor.

    The code is kept in the disk cache. With a `key` that tells apart everything the function's result depends on,
    a later process that has it there does not even trace; without one it traces, and the graph is the key. `width`
    is the number of lanes; results do not depend on it. Scans over more than `loops_beyond` items become loops over
    tables. `exact_zeros=False` takes 0 x for 0 whatever x is, which suits structural zeros of models.
    `watched=True`: a NaN among the inputs of a sample of a batch makes all of that sample's results NaN, and in a
    single sample it raises `NotANumber`; else it reaches the results that depend on it.
    """
    form = format_of(dtype)
    lanes = width or machine_code.host().width(form)
    if lanes < 2 or lanes & (lanes - 1):
        raise ArrayError(f"the number of lanes must be a power of two and at least 2, got {lanes}")
    title = name or getattr(function, "name", None) or getattr(function, "__name__", "function")
    wanted = function.input_shapes if isinstance(function, Traced) else [tuple(shape) for shape in shapes]
    traced: Traced | None = None

    def graph() -> Traced:
        if isinstance(function, Traced):
            return function
        return trace(function, *shapes, name=title, loops_beyond=loops_beyond, exact_zeros=exact_zeros)

    if key is None:
        traced = graph()
        key = graph_digest(traced)
    place = place_of(
        "kernel", f"{key}\0{wanted}\0{loops_beyond}\0{exact_zeros}\0{watched}", title, form, lanes
    )

    def compiled() -> disk_cache.Entry:
        return _compiled(traced or graph(), form, lanes, watched)

    entry = compiled_once(place, title, compiled)
    facts = Facts(
        tuple(map(tuple, entry.facts["inputs"])),
        tuple(map(tuple, entry.facts["outputs"])),
        entry.facts["operations"],
    )
    return Kernel(title, form, facts, lanes, entry.code, watched)


def source(
    traced: Traced, dtype: object = "float64", width: int | None = None, architecture: str | None = None
) -> str:
    """LLVM source of the kernel of a traced function, by default for this computer's processor."""
    form, processor = format_of(dtype), machine_code.host()
    lanes = width or processor.width(form)
    return module_text(
        lowered(traced, form),
        form,
        lanes,
        architecture or processor.architecture,
        False,
        _registers(form, lanes),
    )


def _registers(form: Format, lanes: int) -> int:
    """Registers for vectors of so many lanes, where they are told which values to keep."""
    processor = machine_code.host()
    return processor.registers if lanes == processor.width(form) else 0


def _compiled(traced: Traced, form: Format, lanes: int, watched: bool) -> disk_cache.Entry:
    if not traced.input_shapes or not traced.outputs:
        raise ArrayError(f"{traced.name}: a kernel needs at least one input and one output")
    for what, shapes in (("input", traced.input_shapes), ("output", traced.output_shapes)):
        for k, shape in enumerate(shapes):
            if 0 in shape:
                raise EmptyShape(
                    f"{traced.name}: {what} {k} of a kernel must have entries, its shape is {shape}"
                )
    plain = lowered(traced, form)
    processor = machine_code.host()
    text = module_text(plain, form, lanes, processor.architecture, watched, _registers(form, lanes))
    code = machine_code.assemble(text)
    facts = {"inputs": plain.input_shapes, "outputs": plain.output_shapes, "operations": plain.operations}
    return disk_cache.Entry(facts, code)
