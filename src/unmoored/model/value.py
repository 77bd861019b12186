"""Frozen values: dataclasses that hold read-only arrays and compare by content."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Self

import numpy as np

from ..trace import plain_numbers
from .errors import ModelError
from .short_text import shown

# Nothing in SI units on a vehicle is larger; squares and products of such numbers stay finite.
LARGEST = 1e30


class Value:
    """Base of the frozen dataclasses of the model: equality and hash by content, bit for bit."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        if cls not in _declared:
            _check_declared(cls)
        return super().__new__(cls)

    def _content(self) -> tuple[Any, ...]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return (type(self), *(content(getattr(self, field.name)) for field in fields))

    def __repr__(self) -> str:
        """What differs from the defaults, in short: of tables their shape."""
        values = {f: getattr(self, f.name) for f in dataclasses.fields(self) if f.repr}  # type: ignore[arg-type]
        told = [f"{f.name}={shown(x)}" for f, x in values.items() if not _is_default(f, x)]
        return f"{type(self).__name__}({', '.join(told)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())


#: classes whose fields are all known
_declared: set[type] = set()


def _check_declared(cls: type) -> None:
    """Refuse a class with state that is in no field: its values would all seem equal, and share one kernel."""
    for base in cls.__mro__:
        own = base.__dict__
        if "__dataclass_fields__" in own or not issubclass(base, Value):
            continue
        annotations = inspect.get_annotations(base).values()
        if "__init__" in own or not all("ClassVar" in str(annotation) for annotation in annotations):
            expected = "a frozen dataclass: write @dataclass(frozen=True, eq=False, repr=False) above it"
            raise ModelError.single(base.__name__, "class", expected=expected, given="a class that is none")
    _declared.add(cls)


def has_own_code(x: Any) -> bool:
    """Whether the class of x belongs to this package: then the package's source tells its code."""
    return type(x).__module__.partition(".")[0] == __name__.partition(".")[0]


def content(x: Any) -> Any:
    """What two equal values have in common, hashable: the shape and the bits of an array."""
    if isinstance(x, np.ndarray):
        return (x.shape, x.tobytes())
    return x


def in_full(x: Any) -> str:
    """A value with all its fields, defaults too: for records that outlive the defaults."""
    if isinstance(x, Value):
        fields = dataclasses.fields(x)  # type: ignore[arg-type]
        return f"{type(x).__name__}({', '.join(f'{f.name}={in_full(getattr(x, f.name))}' for f in fields)})"
    return repr(x.tolist()) if isinstance(x, np.ndarray | np.generic) else repr(x)


def _is_default(field: dataclasses.Field[Any], x: Any) -> bool:
    """Whether a field holds its default: one number stands for an array of it."""
    default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    if default is dataclasses.MISSING:
        return False
    if not isinstance(x, np.ndarray):
        return type(x) is type(default) and x == default
    if default is None or x.dtype == object or np.shape(default) not in ((), x.shape):
        return False
    return bool(np.all(x == np.asarray(default)))


def frozen_array(x: Any, shape: tuple[int, ...], *, where: str, what: str) -> np.ndarray:
    """A read-only float64 copy of `x`, which must have `shape` and hold finite, sane numbers.

    A `ModelError` names `where` and `what` otherwise.
    """
    if _are_plain(x, shape):  # the usual case by far
        array = np.array(x, dtype=float) + 0.0
        array.setflags(write=False)
        return array
    try:
        array = plain_numbers(x)
    except (TypeError, ValueError):
        raise ModelError.single(where, what, expected=_numbers(shape), given=repr(x)) from None
    if array.shape != shape:
        raise ModelError.single(where, what, expected=_numbers(shape), given=f"shape {array.shape}: {x!r}")
    if not np.all(np.abs(array) <= LARGEST):
        raise ModelError.single(where, what, expected=_numbers(shape), given=repr(array.tolist()))
    array = array + 0.0  # -0.0 becomes 0.0, so that equal values have equal bits
    array.setflags(write=False)
    return array


def checked_numbers(x: Any, *, where: str, what: str) -> np.ndarray:
    """The numbers of x as a new float64 array of any shape; a `ModelError` names `where` and `what` otherwise."""
    try:
        return plain_numbers(x)
    except (TypeError, ValueError):
        raise ModelError.single(where, what, expected="numbers", given=repr(x)) from None


def _are_plain(x: Any, shape: tuple[int, ...]) -> bool:
    """Whether x is a list or tuple of just the right numbers."""
    return (
        len(shape) == 1
        and (x.__class__ is list or x.__class__ is tuple)
        and len(x) == shape[0]
        and all((entry.__class__ is float or entry.__class__ is int) and abs(entry) <= LARGEST for entry in x)
    )


def replace_arrays(instance: Any, **values: Any) -> None:
    """Set fields of a frozen dataclass from within its `__post_init__`."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _numbers(shape: tuple[int, ...]) -> str:
    count = "×".join(map(str, shape)) or "one"
    return f"{count} number{'s' if shape else ''} of magnitude ≤ {LARGEST:g}"


def shape_of(x: Any, *, where: str, what: str) -> tuple[int, ...]:
    """The shape of nested lists of numbers; a `ModelError` if they are not all of the same length."""
    try:
        return np.shape(x)
    except ValueError:
        raise ModelError.single(where, what, expected="lists of the same length", given=repr(x)) from None
