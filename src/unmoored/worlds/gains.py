"""Which fields of a law are run-time gains, and how they are taken out and put back.

Fields annotated `int`, `bool` or `str`, frozen objects and the names in `static` are structure: part of the code.
Every other field that holds numbers is a gain: run-time data, so that other values need no new kernel.
"""

from __future__ import annotations

import copy
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..model import ModelError
from ..model.field_types import Numbers
from ..model.value import Value, checked_numbers
from ..trace import Symbol, is_symbolic

#: annotations that make a field structure
_STRUCTURE = (int, bool, str, bytes, type(None))
Path = tuple[Any, ...]


class Gain(NamedTuple):
    """A gain: where it is (field, then keys), its values (..., *shape), and its shape for one sample."""

    path: Path
    values: np.ndarray
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """The path as text, such as "stiffness" or "laws.0.stiffness"."""
        return ".".join(map(str, self.path))


def gains_of(law: Any) -> tuple[Gain, ...]:
    """All gains of a law, those of laws inside it included, in a fixed order."""
    found: list[Gain] = []

    def collect(path: Path, values: Any, shape: tuple[int, ...] | None) -> Any:
        array = np.asarray(values, dtype=None if is_symbolic(values) else float)
        found.append(Gain(path, array, array.shape if shape is None else shape))
        return values

    def visit(path: Path, value: Any) -> None:
        if isinstance(value, tuple):
            for k, part in enumerate(value):
                visit((*path, k), part)
        elif _is_law(value):
            _each_gain(value, path, visit, collect)

    visit((), law)
    return tuple(found)


def _each_gain(
    law: Any, path: Path, inner: Callable[[Path, Any], Any], change: Callable[..., Any]
) -> dict[str, Any]:
    """{field: inner(path, value)} of fields with laws in them, change(path, values, shape or None) of gains."""
    found = {}
    for field in fields(law):
        value, here = getattr(law, field.name), (*path, field.name)
        if _has_laws(value):
            found[field.name] = inner(here, value)
        elif not is_structure(law, field.name) and _holds_numbers(value):
            found[field.name] = _mapped_value(here, value, _shape(law, field.name), change)
    return found


def with_gains(law: Any, values: Mapping[str, Any]) -> Any:
    """The same law with other gains, by name, unchecked: they may be symbols."""

    def put(path: Path, old: Any, shape: tuple[int, ...] | None) -> Any:
        new = values[".".join(map(str, path))]
        return new[()] if isinstance(new, np.ndarray) and new.ndim == 0 else new

    return _mapped(law, (), put)


def structure_of(law: Any) -> dict[str, Any]:
    """The fields of a law that are structure; in place of gains their shapes for one sample."""
    found: dict[str, Any] = {}
    for field in fields(law):
        value = getattr(law, field.name)
        if _has_laws(value):
            found[field.name] = value
        elif is_structure(law, field.name) or not _holds_numbers(value):
            found[field.name] = ("structure", value)
        else:
            shape = _shape(law, field.name)
            found[field.name] = ("gains", _mapped_value((), value, shape, lambda _, x, s: _own_shape(x, s)))
    return found


def _own_shape(values: Any, shape: tuple[int, ...] | None) -> tuple[int, ...]:
    return np.shape(values) if shape is None else shape


def settle(law: Any) -> None:
    """Check the fields of a law that was just made, and turn its gains into read-only floats."""
    name_of_law = type(law).__name__
    known = {field.name for field in fields(law)} | set(law.static)
    for name in vars(law):
        if name not in known and not isinstance(getattr(type(law), name, None), cached_property):
            expected = "a field (`field(init=False)` if it is derived), a property, or a name in `static`"
            raise ModelError.single(name_of_law, f"attribute {name}", expected=expected, given="none of them")

    def settled(path: Path, value: Any, shape: tuple[int, ...] | None) -> Any:
        return _settled(name_of_law, ".".join(map(str, path)), value, shape)

    for field in fields(law):
        if not is_structure(law, field.name):
            value = getattr(law, field.name)
            if _holds_numbers(value):
                new = _mapped_value((field.name,), value, _shape(law, field.name), settled)
                object.__setattr__(law, field.name, new)
            elif _wants_numbers(law, field, value):
                expected = "a number" if _annotation(type(law), field.name) is float else "numbers"
                raise ModelError.single(name_of_law, field.name, expected=expected, given=repr(value))


def _wants_numbers(law: Any, field: Field[Any], value: Any) -> bool:
    """Whether what is no number does not belong into a field: a trajectory may stand for its numbers, and nothing
    where that is the default, or the law's choice."""
    if _annotation(type(law), field.name) is float:
        return True
    if value is None:
        return field.default is not None and _shape(law, field.name) is not None
    if _shape(law, field.name) is not None:
        return not isinstance(value, Value)
    return _is_numeric(type(law), field.name)


@lru_cache(maxsize=1024)
def _is_numeric(kind: type, name: str) -> bool:
    """Whether a field is annotated as numbers and nothing else."""
    return any(isinstance(part, Numbers) for part in typing.get_args(_annotation(kind, name)))


def is_structure(law: Any, name: str) -> bool:
    """Whether a field is structure by its declaration."""
    return name in law.static or _declared_structure(type(law), name)


def _settled(law: str, name: str, value: Any, shape: tuple[int, ...] | None) -> Any:
    if is_symbolic(value):
        return value
    array = checked_numbers(value, where=law, what=name)
    if not np.all(np.isfinite(array)):
        raise ModelError.single(law, name, expected="finite numbers", given=repr(value))
    if shape is not None:
        rank = len(shape)
        if array.ndim == 0 and rank:
            array = np.full(shape, float(array))
        if array.ndim not in (rank, rank + 1) or array.shape[array.ndim - rank :] != shape:
            expected = f"one number, or shape {shape}, with a leading dimension for samples"
            raise ModelError.single(law, name, expected=expected, given=f"shape {array.shape}")
    if array.ndim == 0:
        return float(array)
    array.setflags(write=False)
    return array


def _mapped(law: Any, path: Path, change: Callable[..., Any]) -> Any:
    """A copy of the law with change(path, values, shape or None) in place of every gain; caches are left out."""
    new = copy.copy(law)
    for name in tuple(vars(new)):
        if isinstance(getattr(type(law), name, None), cached_property):
            del new.__dict__[name]
    for name, value in _each_gain(law, path, lambda here, x: _mapped_laws(here, x, change), change).items():
        object.__setattr__(new, name, value)
    return new


def _mapped_laws(path: Path, value: Any, change: Callable[..., Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_mapped_laws((*path, k), part, change) for k, part in enumerate(value))
    return _mapped(value, path, change) if _is_law(value) else value


def _mapped_value(path: Path, value: Any, shape: tuple[int, ...] | None, change: Callable[..., Any]) -> Any:
    if _number_like(value):
        return change(path, value, shape)
    if isinstance(value, Mapping):
        return {key: _mapped_value((*path, key), part, None, change) for key, part in value.items()}
    parts = [_mapped_value((*path, k), part, None, change) for k, part in enumerate(value)]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def _is_law(x: Any) -> bool:
    return hasattr(type(x), "__law__")


def _has_laws(x: Any) -> bool:
    return _is_law(x) or (isinstance(x, tuple) and any(map(_has_laws, x)))


def _holds_numbers(x: Any) -> bool:
    """Whether x is a number, an array of numbers, or tuples, lists and mappings of such, not empty."""
    if _number_like(x):
        return True
    if isinstance(x, Mapping):
        return bool(x) and all(map(_holds_numbers, x.values()))
    return isinstance(x, tuple | list) and bool(x) and all(map(_holds_numbers, x))


def _number_like(x: Any) -> bool:
    """Whether x is one number or one array of numbers (a list of equal rows is one)."""
    if isinstance(x, Symbol):
        return True
    if isinstance(x, bool | np.bool_ | str | bytes | Mapping) or x is None or hasattr(x, "_fields"):
        return False
    if isinstance(x, int | float | np.number):
        return True
    if isinstance(x, tuple | list):
        try:
            array = np.array(x)
        except ValueError:  # rows of different lengths
            return False
        return array.size > 0 and (array.dtype.kind in "iuf" or _symbols(array))
    if not hasattr(x, "__array__"):
        return False
    array = np.asarray(x)
    return array.dtype.kind in "iuf" or _symbols(array)


def _symbols(array: np.ndarray) -> bool:
    return array.dtype == object and all(isinstance(x, Symbol | int | float) for x in array.ravel().tolist())


def _shape(law: Any, name: str) -> tuple[int, ...] | None:
    """The shape for one sample: declared in `shapes`, () for `float`, else None: that of the value."""
    declared = law.shapes
    if name in declared:
        return tuple(declared[name])
    hint = _annotation(type(law), name)
    return () if hint is float or (not isinstance(hint, type) and float in typing.get_args(hint)) else None


@lru_cache(maxsize=1024)
def _annotation(kind: type, name: str) -> Any:
    """The annotation of a field, evaluated; None if that is not possible."""
    for owner in kind.__mro__:
        written = inspect.get_annotations(owner).get(name)
        if written is not None:
            try:
                names = vars(sys.modules[owner.__module__])
                return eval(written, dict(names)) if isinstance(written, str) else written
            except Exception:  # a name that only type checkers see
                return {"int": int, "bool": bool, "str": str, "float": float}.get(written)
    return None


@lru_cache(maxsize=1024)
def _declared_structure(kind: type, name: str) -> bool:
    return _is_structure(_annotation(kind, name))


def _is_structure(hint: Any) -> bool:
    if typing.get_origin(hint) is typing.Annotated:
        return _is_structure(typing.get_args(hint)[0])
    if hint is None or hint is Any:
        return False
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint in _STRUCTURE or issubclass(hint, enum.Enum)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return True
    if origin in (tuple, list, frozenset, typing.Union, types.UnionType):
        return all(_is_structure(part) or part in (type(None), Ellipsis) for part in inner)
    return False
