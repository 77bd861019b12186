"""Compiled functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..error_roots import ArrayError, UnmooredError
from ..trace import LOOPS_BEYOND, Traced, graph_digest, is_symbolic, plain_array, trace
from . import disk_cache, machine_code
from .cache_key import place as place_of
from .compile_once import compiled_once
from .gufunc import make_entry, make_gufunc, signature
from .llvm_source import module_text, only_by
from .llvm_source.llvm_types import LlvmTypes
from .llvm_source.streamed_rows import SHARE, row_bytes
from .lower import lowered
from .number_formats import Format, format_of
from .shared_batch import SharedBatch

Shape = tuple[int, ...]
#: operations up to which the codes for one sample and for the lanes are compiled together
_SMALL = 500
#: what NumPy's functions give arrays of its own for
_USUAL = frozenset((np.ndarray, np.float64, float, int, list, tuple))


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


class _Lanes(NamedTuple):
    """What batches take: an array with no more entries than `large` has too few samples to be shared over threads
    without `out`, and than `large_given` with it.
    """

    ufunc: np.ufunc
    shared: SharedBatch
    large: int
    large_given: int


class Kernel:
    """A compiled function of arrays `(..., *shape)`; leading dimensions are a batch and broadcast.

    `kernel(*arrays, out=None)` returns an array, or a tuple of them if there are several outputs. `direct`
    is the same without `out`, as a builtin function; `ufunc` is the NumPy generalised ufunc.

    It is made of the code for one sample; that of the lanes, for batches, is compiled when the first batch comes:
    half of the wait, for those who have none.
    """

    __slots__ = (
        "_dimensions",
        "_few",
        "_lanes",
        "_many",
        "direct",
        "dtype",
        "facts",
        "name",
        "watched",
        "width",
    )

    name: str
    dtype: np.dtype[Any]
    facts: Facts
    width: int
    watched: bool
    direct: Callable[..., Any]

    def __init__(
        self,
        name: str,
        form: Format,
        facts: Facts,
        width: int,
        watched: bool,
        one: bytes,
        many: Callable[[], bytes] | None,
    ) -> None:
        """one: code that a single sample takes; many: makes that of the lanes, None if the first is for batches too."""
        self.name, self.dtype, self.facts, self.width = name, form.dtype, facts, width
        self.watched, self._many = watched, many
        code = machine_code.LoadedCode(one, ("loop", "entry"))
        self._few, self._dimensions = self._made(code), tuple(map(len, facts.input_shapes))
        self._lanes = self._batches(code) if many is None else None
        self.direct = make_entry(code, name, self._few, self._general, facts.input_shapes, self.dtype)

    def _made(self, code: machine_code.LoadedCode) -> np.ufunc:
        inputs, outputs = self.facts.input_shapes, self.facts.output_shapes
        doc = f"{self.name}: {signature(inputs, outputs)} in {self.dtype.name}, compiled"
        return make_gufunc(code, self.name, doc, inputs, outputs, self.dtype)

    def _batches(self, code: machine_code.LoadedCode) -> _Lanes:
        inputs, outputs = self.facts.input_shapes, self.facts.output_shapes
        streamed = row_bytes((*inputs, *outputs), len(inputs), LlvmTypes(format_of(self.dtype), self.width))
        least = SHARE // streamed if streamed else 1
        shared = SharedBatch(  # its code stays as long as the ufunc does
            code.addresses[0], inputs, outputs, self.dtype, self.facts.operations, self.width, least
        )
        smallest = min(math.prod(shape) for shape in inputs)
        limits = (shared.worthwhile - 1) * smallest, (shared.shareable - 1) * smallest
        return _Lanes(self._made(code), shared, *limits)

    def _for_batches(self) -> _Lanes:
        """The lanes, compiled now if they are not yet."""
        many = self._many
        if many is not None:  # in two threads at once both load them, and either's will do
            self._lanes = self._batches(machine_code.LoadedCode(many(), ("loop",)))
            self._many = None
        assert self._lanes is not None
        return self._lanes

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy generalised ufunc."""
        return self._for_batches().ufunc

    @property
    def operations(self) -> int:
        """Arithmetic operations per sample."""
        return self.facts.operations

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        if out is None:
            return self.direct(*arrays)
        return self._general(*arrays, out=out)

    def __reduce__(self) -> Any:
        """Refused: its code is for this processor."""
        raise TypeError(
            f"{self!r} is code of this processor: hand on the function, and compile it where it is to run"
        )

    def __copy__(self) -> Kernel:
        return self

    def __deepcopy__(self, memo: object) -> Kernel:
        return self

    def __repr__(self) -> str:
        shapes = signature(self.facts.input_shapes, self.facts.output_shapes)
        return f"Kernel({self.name}{shapes}, {self.dtype.name}, {self.operations} operations)"

    def _general(self, *arrays: Any, out: Any = None) -> Any:
        """Any arguments: large batches over threads, with large results; the rest (errors included) by the ufunc."""
        if len(arrays) != len(self._dimensions):  # NumPy would write results into what is too many
            raise TypeError(f"{self.name} takes {len(self._dimensions)} arrays, got {len(arrays)}")
        if not _USUAL.issuperset(map(type, arrays)):
            arrays = tuple(x if type(x) in _USUAL or is_symbolic(x) else plain_array(x) for x in arrays)
        for array, own in zip(arrays, self._dimensions, strict=True):
            if (array.ndim if array.__class__ is np.ndarray else np.ndim(array)) > own:
                break
        else:
            return self._by(self._few, arrays, out)
        lanes = self._lanes or self._for_batches()
        large = lanes.large if out is None else lanes.large_given
        for array in arrays:
            if array.__class__ is np.ndarray and array.size > large:
                shared = lanes.shared(lanes.ufunc, arrays, out)
                if shared is not None:
                    return shared
                break
        return self._by(lanes.ufunc, arrays, out)

    def _by(self, ufunc: np.ufunc, arrays: tuple[Any, ...], out: Any) -> Any:
        result = ufunc(*arrays) if out is None else ufunc(*arrays, out=out)
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
    whole = f"{key}\0{wanted}\0{loops_beyond}\0{exact_zeros}\0{watched}"
    places = {
        samples: place_of(f"kernel {samples}", whole, title, form, lanes) for samples in ("first", "many")
    }
    plain: list[Traced] = []

    def first() -> disk_cache.Entry:
        plain.append(lowered(_checked(traced or graph()), form))
        return _compiled(plain[0], form, lanes, watched, _first_code(plain[0], form, lanes))

    def many() -> bytes:
        def compiled() -> disk_cache.Entry:
            kept = plain[0] if plain else lowered(traced or graph(), form)
            made = _compiled(kept, form, lanes, watched, "many")
            if made.facts["graph"] != entry.facts["graph"]:
                raise ArrayError(f"{title} is not the function any more that it was when it was compiled")
            return made

        return compiled_once(places["many"], f"{title} for batches", compiled).code

    entry = compiled_once(places["first"], title, first)
    facts = Facts(
        tuple(map(tuple, entry.facts["inputs"])),
        tuple(map(tuple, entry.facts["outputs"])),
        entry.facts["operations"],
    )
    only = entry.facts["samples"] == "any" or machine_code.optimisation() == 0
    return Kernel(title, form, facts, lanes, watched, entry.code, None if only else many)


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
        gathered=processor.gathered,
    )


def _registers(form: Format, lanes: int) -> int:
    """Registers for vectors of so many lanes, where they are told which values to keep."""
    processor = machine_code.host()
    return processor.registers if lanes == processor.width(form) else 0


def _checked(traced: Traced) -> Traced:
    """The same, if it can be a kernel."""
    if not traced.input_shapes or not traced.outputs:
        raise ArrayError(f"{traced.name}: a kernel needs at least one input and one output")
    for what, shapes in (("input", traced.input_shapes), ("output", traced.output_shapes)):
        for k, shape in enumerate(shapes):
            if 0 in shape:
                raise EmptyShape(
                    f"{traced.name}: {what} {k} of a kernel must have entries, its shape is {shape}"
                )
    return traced


def _first_code(plain: Traced, form: Format, lanes: int) -> str:
    """What is compiled at first: the code for one sample; all of it, where that is little or cannot be told apart."""
    if machine_code.optimisation() == 0:
        return "one"
    small = plain.operations <= _SMALL or only_by(plain, LlvmTypes(form, lanes).bytes)
    return "any" if small else "one"


def _compiled(plain: Traced, form: Format, lanes: int, watched: bool, samples: str) -> disk_cache.Entry:
    """Code of a lowered function, for `samples` "one", "many" or "any"."""
    processor, registers = machine_code.host(), _registers(form, lanes)
    text = module_text(
        plain, form, lanes, processor.architecture, watched, registers, samples, processor.gathered
    )
    facts = {
        "inputs": plain.input_shapes,
        "outputs": plain.output_shapes,
        "operations": plain.operations,
        "samples": samples,
        "graph": graph_digest(plain),
    }
    return disk_cache.Entry(facts, machine_code.assemble(text))
