"""What the arguments of a method may be: arrays, which are run-time data, and names, which are part of the code.

Every kind checks what it is given in one place, for `System` and `Plant` alike, and names the argument, what was
expected and what was given.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Protocol

import numpy as np

from ..dynamics.nonholonomic import VelocityConstraint
from ..kernels.cuda import device_array, on_device
from ..model import ModelError, Tree
from ..model.errors import unknown_name
from ..trace import plain_array

NO_GRAVITY = (0.0, 0.0, 0.0)
ALL_ROWS = (0, 1, 2, 3, 4, 5)


class Owner(Protocol):
    """What a method belongs to: a `System` or a `Plant`."""

    @property
    def name(self) -> str:
        """Its name, for messages."""
        ...

    @property
    def tree(self) -> Tree:
        """Its bodies, joints and frames."""
        ...

    def _size_of(self, word: str) -> int:
        """The number behind a size: "nq", "nv", …"""
        ...


@dataclass(frozen=True)
class ArrayOf:
    """Run-time numbers (..., size), or (...) if size is None.

    size: a number, the owner's word for it ("nv"), or a function of the owner and of the method's names.
    optional: None may be given, and means zeros that fold away (or None itself for the function: absent_as_none).
    default: what None stands for otherwise, as run-time data.  folded: the value, as a tuple, that folds away.
    from_names: makes numbers of names, where names may be given instead.
    structural: zeros and ones that say what is computed: where they are fixed, what they turn off is left out.
    """

    size: int | str | Callable[[Any, Mapping[str, Any]], int] | None
    optional: bool = False
    absent_as_none: bool = False
    default: Callable[[Any], np.ndarray] | None = None
    folded: tuple[float, ...] | None = None
    from_names: Callable[[Owner, Any], Any] | None = None
    structural: bool = False

    def shape(self, owner: Owner, names: Mapping[str, Any]) -> tuple[int, ...]:
        """The shape for one sample; names: the method's, as read."""
        if self.size is None:
            return ()
        if isinstance(self.size, str):
            return (owner._size_of(self.size),)
        return (self.size if isinstance(self.size, int) else self.size(owner, names),)

    @property
    def keyed(self) -> bool:
        """Whether a value that is no array chooses between kernels, or is kept with one."""
        return self.optional or self.folded is not None or self.from_names is not None

    def present(self, owner: Owner, names: Mapping[str, Any], x: Any) -> bool:
        """Whether the kernel takes this as an argument: not what is absent, empty, or folds away."""
        if self.optional and x is None:
            return False
        numbers = isinstance(x, tuple | list) and all(isinstance(entry, int | float) for entry in x)
        return not (numbers and tuple(x) == self.folded) and self.shape(owner, names) != (0,)

    def read(self, owner: Owner, names: Mapping[str, Any], name: str, x: Any) -> Any:
        """The array of float32 or float64 (of CuPy if it is on the GPU), or a `ModelError`."""
        if x is None and self.default is not None:
            x = self.default(owner)
        if self.from_names is not None:
            x = self.from_names(owner, x)
        return checked_array(owner.name, name, x, self.shape(owner, names))


class WrenchesOn:
    """{frame: wrench (..., 6) in that frame's axes}, or None for none."""

    keyed = True

    def frames(self, owner: Owner, name: str, x: Any) -> tuple[str, ...]:
        """The frames that wrenches act on, sorted."""
        if x is None:
            return ()
        if not isinstance(x, Mapping):
            raise ModelError.single(owner.name, name, expected="{frame: wrench (..., 6)}", given=repr(x))
        for frame in x:
            owner.tree.locate(frame)
        return tuple(sorted(x))

    def read(self, owner: Owner, names: Mapping[str, Any], name: str, x: Any) -> dict[str, Any]:
        """The arrays by frame, sorted."""
        return {
            frame: checked_array(owner.name, f"wrench on {frame!r}", x[frame], (6,))
            for frame in self.frames(owner, name, x)
        }


@dataclass(frozen=True)
class Named:
    """A name, a choice or anything else that becomes part of the code. read: checks it and makes it hashable.

    has_code: whether it may be, or hold, a function or a class of the user's.
    """

    read: Callable[[Owner, Any], Any]
    has_code: bool = False
    keyed = True


Kind = ArrayOf | WrenchesOn | Named


def checked_array(where: str, name: str, x: Any, shape: tuple[int, ...]) -> Any:
    """`x` as numbers of float32 or float64 whose last dimensions are `shape`."""
    wanted = f"(..., {shape[0]})" if shape else "(...)"
    try:
        array = device_array(x) if not isinstance(x, np.ndarray) and on_device(x) else plain_array(x)
        if array.dtype.kind not in "biuf":  # a text is no number, and a complex one would lose its half
            raise TypeError
        array = array if array.dtype == np.float32 else array.astype(float, copy=False)
    except (TypeError, ValueError):
        raise ModelError.single(where, name, expected=f"numbers of shape {wanted}", given=repr(x)) from None
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
        raise ModelError.single(where, name, expected=f"shape {wanted}", given=f"shape {array.shape}")
    return array


def not_a_number(where: str, name: str, place: tuple[int, ...]) -> ModelError:
    """The error for a NaN at this place of an argument."""
    entry = f"{name}[{', '.join(map(str, place))}]" if place else name
    return ModelError.single(where, entry, expected="a number", given="nan")


def as_kind(given: int | str | Kind) -> Kind:
    """The kind of an argument; a size alone means an array that is required."""
    return ArrayOf(given) if isinstance(given, int | str) else given


def _vehicle(owner: Owner, name: Any) -> str:
    vehicles = owner.tree.vehicles
    if name is None and len(vehicles) == 1:
        return vehicles[0]
    if not isinstance(name, str) or name not in vehicles:
        raise unknown_name(owner.name, "vehicle (say which: vehicle=…)", name, vehicles)
    return name


def _frame(owner: Owner, name: Any) -> str:
    owner.tree.locate(name)
    return name


def _dofs(owner: Owner, names: str | Iterable[str]) -> tuple[int, ...]:
    return tuple(int(dof) for dof in owner.tree.dofs(names))


def _rows(owner: Owner, rows: Any) -> tuple[int, ...]:
    try:
        found = tuple(map(index, rows))
    except TypeError:
        found = ()
    if not found or len(set(found)) < len(found) or not set(found) <= set(ALL_ROWS):
        raise ModelError.single(
            owner.name, "rows", expected="different numbers from 0 to 5", given=repr(rows)
        )
    return found


def _mask(owner: Owner, passive: Any) -> Any:
    """1 for the passive DoFs, 0 for the others: (nv,) from names, (..., nv) from a mask."""
    if on_device(passive):
        return passive  # looking at its numbers would wait for the GPU
    if not isinstance(passive, np.ndarray):
        mask = np.zeros(owner.tree.nv)
        mask[owner.tree.dofs(passive)] = 1.0
        return mask.tolist()  # of no precision of its own
    mask = checked_array(owner.name, "passive", passive, (owner.tree.nv,))
    if not np.all((mask == 0.0) | (mask == 1.0)):
        expected = "names, or a mask of 0 and 1"
        raise ModelError.single(owner.name, "passive", expected=expected, given=repr(passive))
    return mask


def _flag(owner: Owner, x: Any) -> bool:
    if not isinstance(x, bool | np.bool_):
        raise ModelError.single(owner.name, "flag", expected="True or False", given=repr(x))
    return bool(x)


def _constraints(owner: Owner, x: Any) -> tuple[VelocityConstraint, ...]:
    found: tuple[Any, ...] = (None,)
    with contextlib.suppress(TypeError):
        found = tuple(x)
    if not all(isinstance(constraint, VelocityConstraint) for constraint in found):
        expected = "a list of velocity constraints (DifferentialDrive, Car, …)"
        raise ModelError.single(owner.name, "constraints", expected=expected, given=repr(x))
    return found


def _function(owner: Owner, x: Any) -> Callable[..., Any]:
    if not callable(x):
        raise ModelError.single(owner.name, "function", expected="a function", given=repr(x))
    return x


def one_of(what: str, *known: str) -> Named:
    """A choice between words; `what` says of what."""

    def read(owner: Owner, word: Any) -> str:
        if not isinstance(word, str) or word not in known:
            raise unknown_name(owner.name, what, word, known)
        return word

    return Named(read)


def optional(size: int | str) -> ArrayOf:
    """An array that may be left out: zeros, which fold away."""
    return ArrayOf(size, optional=True)


NUMBER = ArrayOf(None)
GRAVITY = ArrayOf(3, folded=NO_GRAVITY)
WRENCHES = WrenchesOn()
PASSIVE_MASK = ArrayOf("nv", from_names=_mask, structural=True)
FRAME = Named(_frame)
VEHICLE = Named(_vehicle)
DOFS = Named(_dofs)
ROWS = Named(_rows)
FLAG = Named(_flag)
CONSTRAINTS = Named(_constraints, has_code=True)
FUNCTION = Named(_function, has_code=True)
