"""Methods of a system as compiled kernels: each is made when it is first called, and kept.

A kernel belongs to one function, its static arguments (names, forms) and the layout of its run-time data. Its key for
the disk cache is made of texts only, so that a later process that finds it there does not even trace.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from .. import kernels
from ..dynamics.economy.fewest_operations import cheapest
from ..kernels import cuda
from ..kernels.kernel import EmptyShape
from ..model import Tree

Function = Callable[..., Any]
#: ("q", 19) for an array, ("gravity", 0) for one that is left out and zero, ("wrenches", ("tool", …)) for a mapping.
Layout = tuple[tuple[str, Any], ...]

_NAMED_BY_TEXT = (str, int, float, bool, type(None))
_SOURCE_ROOMS = ("trace", "kernels", "lie", "model", "dynamics", "worlds", "integrators", "control")


def laid_out(arguments: Mapping[str, Any]) -> tuple[Layout, list[np.ndarray]]:
    """The layout of checked run-time data and its arrays one after the other.

    Gravity that is exactly zero is left out, so that it folds away; so is a mapping that is not given.
    """
    layout: list[tuple[str, Any]] = []
    flat: list[np.ndarray] = []
    for name, x in arguments.items():
        if x is None or isinstance(x, Mapping):
            frames = tuple(sorted(x)) if x else ()
            layout.append((name, frames))
            flat += [x[frame] for frame in frames]  # type: ignore[index]
        elif x.shape[-1] == 0 or (
            name == "gravity" and isinstance(x, np.ndarray) and x.ndim == 1 and not x.any()
        ):
            layout.append((name, 0))
        else:
            layout.append((name, x.shape[-1]))
            flat.append(x)
    return tuple(layout), flat


def common_dtype(given: Iterable[Any]) -> np.dtype:
    """float32 if all arrays that were given are, else float64; numbers and lists have no say."""
    flat = [part for x in given for part in (x.values() if isinstance(x, Mapping) else (x,))]
    single = {x.dtype == np.float32 for x in flat if hasattr(x, "dtype")}
    return np.dtype(np.float32 if single == {True} else np.float64)


class KernelBook:
    """The kernels of one tree."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._kernels: dict[tuple, Function] = {}

    def kernel(
        self, function: Function, static: tuple, layout: Layout, dtype: np.dtype, backend: str = "cpu"
    ) -> Function:
        """The compiled function of the flat arrays, with the result in the function's own structure."""
        place = (function, static, layout, dtype.char, backend)
        found = self._kernels.get(place)
        if found is None:
            found = self._kernels[place] = self._made(*place[:3], dtype, backend)
        return found

    def _made(
        self, function: Function, static: tuple, layout: Layout, dtype: np.dtype, backend: str
    ) -> Function:
        def flat_function(*flat: np.ndarray) -> Any:
            result = cheapest(function, self._tree, *_rebuilt(layout, flat), *static)
            return tuple(result) if isinstance(result, tuple) else result

        def reference(*flat: np.ndarray, out: Any = None) -> Any:
            return written(out, function(self._tree, *_rebuilt(layout, flat), *static))

        name = f"{function.__module__.removeprefix('unmoored.')}.{function.__name__}"
        if backend == "cuda":
            kernel = cuda.compile(flat_function, _shapes(layout), name=name, dtype=dtype.name)
        else:
            key = self._key(static, layout)
            try:
                kernel = kernels.compile(flat_function, _shapes(layout), name=name, dtype=dtype.name, key=key)
            except EmptyShape:  # nothing passive, or nothing active: NumPy is quick with nothing
                return reference
        structure = result_structure(function)
        if structure is None:
            return kernel
        return lambda *arrays, out=None: structure(*kernel(*arrays, out=out))

    def _key(self, static: tuple, layout: Layout) -> str | None:
        """Text that tells the kernel apart in every process; None if code of the user's is part of it."""
        digest = self._tree.digest
        if digest is None or not all(isinstance(x, _NAMED_BY_TEXT) for x in static):
            return None
        return "\0".join((digest, source_digest(), repr(static), repr(layout)))


def _shapes(layout: Layout) -> list[tuple[int, ...]]:
    shapes: list[tuple[int, ...]] = []
    for _, size in layout:
        if isinstance(size, tuple):
            shapes += [(6,)] * len(size)
        elif size:
            shapes.append((size,))
    return shapes


def _rebuilt(layout: Layout, flat: tuple[np.ndarray, ...]) -> list[Any]:
    arrays = iter(flat)
    arguments: list[Any] = []
    for name, size in layout:
        if isinstance(size, tuple):
            arguments.append({frame: next(arrays) for frame in size} if size else None)
        else:
            arguments.append(next(arrays) if size else np.zeros(3 if name == "gravity" else 0))
    return arguments


def result_structure(function: Function) -> Function | None:
    """The named tuple that the function says it returns, or None for an array or a plain tuple."""
    returned = get_type_hints(function).get("return")
    named = inspect.isclass(returned) and issubclass(returned, tuple) and hasattr(returned, "_fields")
    return returned if named else None


def written(out: Any, result: Any) -> Any:
    """The result, written into `out` if that is given."""
    if out is None:
        return result
    for target, value in zip(out, result, strict=True) if isinstance(out, tuple) else ((out, result),):
        np.copyto(target, value)
    return out


@cache
def source_digest() -> str:
    """Digest of the code that kernels are traced from and compiled with: a change anywhere makes new kernels."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for room in _SOURCE_ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
