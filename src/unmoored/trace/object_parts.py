"""What objects of other people's classes are made of: names of classes and packages, attributes, slots, labels."""

from __future__ import annotations

import types
from typing import Any

import numpy as np


def root(kind: type) -> str:
    """The package of a class."""
    return kind.__module__.partition(".")[0]


def title(kind: type) -> str:
    """A class by its module and name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def attributes_of(x: Any) -> dict[str, Any] | None:
    """The attributes of an object by name; None if it has no place for them."""
    try:
        return x.__dict__
    except Exception:  # there are none, or a class has ideas of its own
        return None


def home(x: Any) -> str:
    """The package that something is of; "builtins" for numbers, arrays and containers."""
    if isinstance(x, np.ndarray | np.generic):
        return "builtins"
    kind = type(x)
    if kind is types.ModuleType:
        return x.__name__.partition(".")[0]
    owner = x if kind is types.FunctionType or isinstance(x, type) else kind
    return (owner.__module__ or "").partition(".")[0]


def dtype_text(dtype: np.dtype) -> str:
    """An array\'s format, with the names of its fields."""
    return dtype.str if dtype.names is None else repr(dtype)


def labels(x: Any) -> Any:
    """What names the entries of arrays of pandas and xarray."""
    shown = ("axes", "names", "dims", "name", "attrs")
    labels = [getattr(x, word, None) for word in shown if root(type(x)) in ("pandas", "xarray")]
    coordinates = getattr(x, "coords", {}) if root(type(x)) == "xarray" else {}
    return [tuple(label) if isinstance(label, list) else label for label in labels] + [
        (name, coordinate.dims, coordinate.values) for name, coordinate in sorted(coordinates.items())
    ]


def slots(kind: type) -> list[str]:
    """Names of the slots of a class, as its objects know them."""
    found = []
    for base in kind.__mro__:
        given = vars(base).get("__slots__", ())
        for name in (given,) if isinstance(given, str) else given:
            private = name.startswith("__") and not name.endswith("__")
            found.append(f"_{base.__name__.lstrip('_')}{name}" if private else name)
    return [name for name in found if name not in ("__weakref__", "__dict__")]


def filled_slots(x: Any, kind: type) -> list[str]:
    """Names of the slots of x that hold something."""
    return [name for name in slots(kind) if hasattr(x, name)]
