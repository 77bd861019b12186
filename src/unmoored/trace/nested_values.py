"""Nested values (arrays, numbers, tuples of them) as flat lists of entries, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .symbol import Symbol, for_users
from .tracing_error import TracingError

#: what is left of a value without its entries; equal for values of the same form
Form = tuple[Any, ...]


def flatten(value: Any) -> tuple[list[Any], Form]:
    """The scalar entries of a nested value, and its form."""
    entries: list[Any] = []
    return entries, _collect(value, entries)


def _collect(value: Any, entries: list[Any]) -> Form:
    if value is None:
        return ("none",)
    if isinstance(value, np.ndarray):
        entries.extend(value.ravel().tolist())
        return ("array", value.shape)
    if isinstance(value, Symbol | float | int | np.floating | np.integer):
        entries.append(value if isinstance(value, Symbol) else float(value))
        return ("number",)
    if isinstance(value, tuple | list):
        return ("tuple", type(value), *(_collect(part, entries) for part in value))
    raise TracingError(f"scans carry arrays, numbers and tuples of them, not {type(value).__name__}")


def rebuild(form: Form, entries: list[Any]) -> Any:
    """The nested value of this form with the given entries."""
    return _assemble(form, iter(entries))


def _assemble(form: Form, entries: Iterator[Any]) -> Any:
    if form[0] == "none":
        return None
    if form[0] == "number":
        return next(entries)
    if form[0] == "array":
        values = [next(entries) for _ in range(math.prod(form[1]))]
        kind = object if any(isinstance(value, Symbol) for value in values) else float
        array = np.empty(len(values), dtype=kind)
        array[:] = values
        return for_users(array.reshape(form[1])) if kind is object else array.reshape(form[1])
    parts = [_assemble(part, entries) for part in form[2:]]
    make: Callable[..., Any] = form[1]
    return make(*parts) if hasattr(make, "_fields") else make(parts)


def leaves(value: Any) -> tuple[list[Any], Form]:
    """The arrays and numbers in a nested value, and the form that is left of it without them."""
    found: list[Any] = []
    return found, _leaves(value, found)


def _leaves(value: Any, found: list[Any]) -> Form:
    if isinstance(value, tuple | list):
        return ("tuple", type(value), *(_leaves(part, found) for part in value))
    found.append(value)
    return ("leaf",)


def joined(form: Form, found: list[Any]) -> Any:
    """The inverse of `leaves`."""
    return _joined(form, iter(found))


def _joined(form: Form, found: Iterator[Any]) -> Any:
    if form == ("leaf",):
        return next(found)
    parts = [_joined(part, found) for part in form[2:]]
    make: Callable[..., Any] = form[1]
    return make(*parts) if hasattr(make, "_fields") else make(parts)
