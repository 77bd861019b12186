"""Values as short texts: every digit of few numbers, of tables their shape."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

#: entries of an array, and of a list, that are shown; characters of a text
_NUMBERS, _ITEMS, _LETTERS = 16, 6, 120


def shown(x: Any) -> str:
    """A value in a line: `<19×36×6 complex128>` is an array that would be long."""
    if isinstance(x, np.ndarray):
        if x.size <= _NUMBERS and x.dtype != object:
            return repr(x.tolist())
        return f"<{'×'.join(map(str, x.shape)) or 'one'} {x.dtype}>"
    if isinstance(x, np.generic):
        return repr(x.item())
    if isinstance(x, str):
        return repr(x) if len(x) <= _LETTERS else f"{x[:_LETTERS]!r}… ({len(x)} characters)"
    if isinstance(x, Mapping):
        return f"{{{_some([f'{shown(k)}: {shown(v)}' for k, v in list(x.items())[:_ITEMS]], len(x))}}}"
    if type(x) in (list, tuple):
        few = _NUMBERS if all(isinstance(item, int | float) for item in x) else _ITEMS
        inside = _some([shown(item) for item in x[:few]], len(x))
        return f"[{inside}]" if isinstance(x, list) else f"({inside}{',' if len(x) == 1 else ''})"
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if isinstance(shape, tuple) and shape and dtype is not None:  # of CuPy, torch, jax
        return f"<{'×'.join(map(str, shape))} {dtype}>"
    return repr(x)


def _some(parts: list[str], count: int) -> str:
    return ", ".join(parts + [f"… {count} in all"] * (count > len(parts)))


def short_repr(self: Any) -> str:
    """`__repr__` of a dataclass or named tuple: all fields that it shows, in short."""
    if isinstance(self, tuple):
        names: list[str] = list(self._fields)  # type: ignore[attr-defined]
    else:
        names = [field.name for field in dataclasses.fields(self) if field.repr]
    return f"{type(self).__name__}({', '.join(f'{name}={shown(getattr(self, name))}' for name in names)})"
