"""NaN among the arguments of a method: refused in a single call, and in a batch kept to its sample.

All results of a sample with a NaN are NaN, also those that do not depend on it, and no other sample is touched. The
kernels do so by themselves; here it is done for NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .argument_kinds import ArrayOf, not_a_number

if TYPE_CHECKING:
    from .method import Method


def refuse_nan(owner: Any, arrays: Mapping[str, Any]) -> None:
    """Raise for the first NaN in arrays on the host, by the argument's name and its place."""
    for name, x in arrays.items():
        parts = {f"{name}[{frame!r}]": F for frame, F in x.items()} if isinstance(x, dict) else {name: x}
        for label, array in parts.items():
            if isinstance(array, np.ndarray) and np.isnan(array).any():
                place = tuple(int(i) for i in np.argwhere(np.isnan(array))[0])
                raise not_a_number(owner.name, label, place)


def reference_result(method: Method, owner: Any, names: Mapping[str, Any], arrays: list[Any]) -> Any:
    """The method in NumPy; samples with a NaN are left out of it, and their results are NaN."""
    cores = [
        len(kind.shape(owner, names)) if isinstance(kind, ArrayOf) else 1 for kind in method.arrays.values()
    ]
    leaves = [(x, core) for given, core in zip(arrays, cores, strict=True) for x in _leaves(given)]
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - core] for x, core in leaves)) if leaves else ()
    bad = np.zeros(batch, dtype=bool)
    for x, core in leaves:
        bad |= np.isnan(x).any(axis=tuple(range(x.ndim - core, x.ndim)))
    if not bad.any():
        return owner._reference(method, arrays, tuple(names.values()))
    # without a good sample, one of numbers that do no harm tells the shapes
    good = np.array([0]) if bad.all() else np.flatnonzero(~bad.ravel())
    system, chosen = getattr(owner, "system", owner), []
    for kind, given, core in zip(method.arrays.values(), arrays, cores, strict=True):
        harmless = system.neutral() if isinstance(kind, ArrayOf) and kind.size == "nq" else np.zeros(())
        if isinstance(given, dict):
            chosen.append({frame: _rows(F, batch, core, good, harmless) for frame, F in given.items()})
        else:
            chosen.append(None if given is None else _rows(given, batch, core, good, harmless))
    found = owner._reference(method, chosen, tuple(names.values()))
    try:
        return _spread(found, bad, good)
    except _OneForAll:
        given = dict(zip(method.arrays, arrays, strict=True))
        refuse_nan(owner, {name: x for name, x in given.items() if x is not None})
        raise


class _OneForAll(Exception):
    """A result belongs to all samples together."""


def _spread(found: Any, bad: np.ndarray, good: np.ndarray) -> Any:
    """Results of the good samples in their places among all, NaN in the others."""
    if isinstance(found, tuple):
        parts = [_spread(part, bad, good) for part in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    if is_dataclass(found) and not isinstance(found, type):
        parts = {field.name: _spread(getattr(found, field.name), bad, good) for field in fields(found)}
        return type(found)(**parts)
    found = np.asarray(found)
    if found.shape[:1] != good.shape:
        raise _OneForAll
    rows = np.full((bad.size, *found.shape[1:]), np.nan, np.float32 if found.dtype == np.float32 else float)
    if not bad.all():
        rows[good] = found
    return rows.reshape(bad.shape + found.shape[1:])


def _leaves(given: Any) -> list[np.ndarray]:
    values = given.values() if isinstance(given, dict) else () if given is None else (given,)
    return [np.asarray(x) for x in values]


def _rows(x: Any, batch: tuple[int, ...], core: int, good: np.ndarray, harmless: np.ndarray) -> np.ndarray:
    """The good samples of an array, one after the other."""
    x = np.asarray(x)
    shape = x.shape[x.ndim - core :]
    rows = np.broadcast_to(x, batch + shape).reshape(math.prod(batch), *shape)[good]
    return np.where(np.isnan(rows), harmless, rows)
