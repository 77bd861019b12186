"""The memory of a law: declared as shapes or initial values, carried as one flat vector."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..lie.arrays import join
from ..model import ModelError
from ..model.names import check_plain_name
from ..trace import is_symbolic, plain_numbers

#: ((name, shape), …)
MemoryLayout = tuple[tuple[str, tuple[int, ...]], ...]


def initial_memory(law: Any) -> dict[str, np.ndarray]:
    """Initial values by name: an int or a tuple of ints is a shape (zeros), a float or an array a value."""
    declared = law.memory
    if not isinstance(declared, Mapping):
        raise _wrong(law, "memory", "{name: shape or initial value}", declared)
    return {name: _initial(law, name, start) for name, start in declared.items()}


def _initial(law: Any, name: Any, start: Any) -> np.ndarray:
    if not isinstance(name, str):
        raise _wrong(law, "memory", "names that are texts", name)
    check_plain_name(f"memory of {getattr(law, '__qualname__', type(law).__name__)}", name)
    where = f'memory["{name}"]'
    whole = isinstance(start, int | np.integer) and not isinstance(start, bool)
    if whole or (isinstance(start, tuple) and all(isinstance(n, int | np.integer) for n in start)):
        shape = (int(start),) if whole else tuple(map(int, start))  # type: ignore[arg-type]
        if min(shape, default=1) < 1:
            raise _wrong(law, where, "sizes ≥ 1", start)
        return np.zeros(shape)
    try:
        array = plain_numbers(start)
    except (TypeError, ValueError):
        raise _wrong(law, where, "a shape (int, tuple of ints) or an initial value", start) from None
    if not np.all(np.isfinite(array)):
        raise _wrong(law, where, "a shape (int, tuple of ints) or a finite initial value", start)
    return array


def layout_of(values: Mapping[str, np.ndarray]) -> MemoryLayout:
    """Names and shapes."""
    return tuple((name, np.shape(value)) for name, value in values.items())


def size_of(layout: MemoryLayout) -> int:
    """Number of entries."""
    return sum(math.prod(shape) for _, shape in layout)


def unpacked(vector: np.ndarray, layout: MemoryLayout) -> dict[str, Any]:
    """{name: (..., *shape)} from vectors (..., n)."""
    found, first = {}, 0
    for name, shape in layout:
        size = math.prod(shape)
        found[name] = vector[..., first : first + size].reshape((*vector.shape[:-1], *shape))[()]
        first += size
    return found


def packed(law: Any, memory: Any, layout: MemoryLayout) -> np.ndarray:
    """The vector (n,) of what a law gave back as its memory, which must be as it was declared."""
    names = [name for name, _ in layout]
    if not isinstance(memory, Mapping) or set(memory) != set(names):
        given = list(memory) if isinstance(memory, Mapping) else memory
        raise _wrong(law, "memory given back", f"a mapping with {', '.join(names) or 'nothing'}", given)
    parts = []
    for name, shape in layout:
        array = np.asarray(memory[name], dtype=object if is_symbolic(memory[name]) else float)
        if array.shape != shape:
            raise _wrong(law, f'memory["{name}"] given back', f"shape {shape}", f"shape {array.shape}")
        parts.append(array.reshape(-1))
    return join(parts) if parts else np.zeros(0)


def _wrong(law: Any, what: str, expected: str, given: Any) -> ModelError:
    name = getattr(law, "__qualname__", type(law).__name__)
    return ModelError.single(
        name, what, expected=expected, given=given if isinstance(given, str) else repr(given)
    )
