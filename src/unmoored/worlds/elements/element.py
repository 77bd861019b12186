"""What every force element between two frames offers (theory.md §28)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from ...lie.arrays import apply
from ...model import WORLD, ModelError, Tree
from ...model.names import check_plain_name
from ...model.value import Value, frozen_array, replace_arrays


@dataclass(frozen=True, eq=False, repr=False)
class Tie(Value):
    """Something between two frames or bodies of a system, or one of them and the "world", on or off. Frozen.

    name: by which it is called; "kind_a_b" if None.
    active: 1.0 if it acts, 0.0 if not; can be free, and events switch it (`Close`, `Open`).
    """

    frame_a: str
    frame_b: str
    name: str | None = field(default=None, kw_only=True)
    active: float = field(default=1.0, kw_only=True)

    kind: ClassVar[str] = "tie"
    #: fields whose absence means zero, with their shapes: they can be free though they were not given
    zero_if_absent: ClassVar[Mapping[str, tuple[int, ...]]] = {}
    #: fields that are numbers but choose the code: they cannot be free
    structure: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for what in ("frame_a", "frame_b"):
            if not isinstance(getattr(self, what), str):
                given = repr(getattr(self, what))
                raise ModelError.single(
                    type(self).__name__, what, expected="name of a frame or body", given=given
                )
        if self.name is None:
            replace_arrays(self, name=f"{self.kind}_{self.frame_a}_{self.frame_b}".replace("/", "_"))
        else:
            check_plain_name(type(self).__name__, self.name)
        on_or_off = float(self.active) if isinstance(self.active, bool) else self.active
        active = float(frozen_array(on_or_off, (), where=self.label, what="active"))
        if active not in (0.0, 1.0):
            raise ModelError.single(self.label, "active", expected="1 (on) or 0 (off)", given=repr(active))
        replace_arrays(self, active=active)

    @property
    def label(self) -> str:
        """The name."""
        assert self.name is not None
        return self.name

    def check(self, tree: Tree) -> None:
        """Refuse a tree that has not both frames, on different bodies."""
        if tree.locate(self.frame_a)[0] == tree.locate(self.frame_b)[0]:
            expected = "frames on two different bodies (or one and the world)"
            given = f"{self.frame_a!r} and {self.frame_b!r} on the same one"
            raise ModelError.single(self.label, "frames", expected=expected, given=given)

    def carried(self, prefix: str) -> Self:
        """The same, called "prefix_name", of a system whose bodies, joints and frames become "prefix/name"."""
        places = {
            what: name if name == WORLD else f"{prefix}/{name}"
            for what, name in (("frame_a", self.frame_a), ("frame_b", self.frame_b))
        }
        return replace(self, **places, name=f"{prefix}_{self.label}".replace("/", "_"))


@dataclass(frozen=True, eq=False, repr=False)
class Element(Tie, ABC):
    """A spring, damper or line between two frames: what it does depends on g_ab and V_ab alone.

    Wrenches are on frame b, at its origin in its axes; frame a feels the opposite.
    """

    @abstractmethod
    def elastic(self, g_ab: np.ndarray) -> np.ndarray:
        """Wrench (..., 6) on b that comes from the potential, at g_ab (..., 4, 4)."""

    @abstractmethod
    def damping_matrix(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        """D (..., 6, 6), positive semidefinite: −D V_ab is the rest of the wrench on b."""

    def dissipative(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        """That rest, −D V_ab (..., 6)."""
        return -apply(self.damping_matrix(g_ab, V_ab), V_ab)

    @abstractmethod
    def potential(self, g_ab: np.ndarray) -> Any:
        """Energy (...) [J]."""


def positive(where: str, what: str, x: Any, unit: str, zero: bool = True) -> float:
    """One number ≥ 0, or > 0 if zero is not allowed."""
    number = float(frozen_array(x, (), where=where, what=what))
    if number < 0 or (number == 0 and not zero):
        expected = f"≥ 0 ({unit})" if zero else f"> 0 ({unit})"
        raise ModelError.single(where, what, expected=expected, given=repr(x))
    return number
