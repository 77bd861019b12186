"""Joints kept within their coordinates, speeds and efforts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ...model import Link, ModelError
from ...model.field_types import Number, NumberOrSeries
from ...model.units import dof_units
from ...model.value import replace_arrays
from ...worlds.goal import Goal
from ..law_parts import gain
from .task_interface import Bounded, Task


class JointTask(Task):
    """Bounds along the DoFs of some joints: all that have such a limit if `joints` is None."""

    joints: Annotated[Any, list[str]] = None
    #: places of the DoFs in v, once the plant is known
    dofs: tuple[int, ...] = field(init=False, default=())

    static: ClassVar[tuple[str, ...]] = ("joints",)
    keeps: ClassVar[bool] = True

    @property
    def size(self) -> int:
        return len(self.dofs)

    def goals(self, plant: Any, level: int) -> tuple[Goal, ...]:
        """By how much the bounds are passed, along each DoF."""
        units = dof_units(plant.tree)
        rows = tuple(plant.dof_names[k] for k in self.dofs)
        (goal,) = super().goals(plant, level)
        return (replace(goal, rows=rows, units=tuple(self._unit_of(units[k]) for k in self.dofs)),)

    def _unit_of(self, unit: str) -> str:
        """The unit of what is bounded along a DoF whose own is "m" or "rad"."""
        return unit

    def _links(self, plant: Any, option: str) -> list[Link]:
        """The joints, by name or because they have the option."""
        kind = type(self).__name__
        if self.joints is None:
            found = [link for link in plant.tree.links if getattr(link.joint, option) is not None]
        elif isinstance(self.joints, str) or not isinstance(self.joints, Sequence):
            raise ModelError.single(kind, "joints", expected="a list of names", given=repr(self.joints))
        else:
            found = sorted((plant.tree.link(name) for name in self.joints), key=lambda link: link.index)
        if not found:
            raise ModelError.single(
                kind, "joints", expected=f"joints with `{option}`, or joints=", given="none"
            )
        return found

    def _ready(self, links: list[Link], **bounds: Any) -> Self:
        kind, n = type(self).__name__, sum(link.joint.nv for link in links)
        ready = copy.copy(self)
        replace_arrays(
            ready,
            dofs=tuple(i for link in links for i in range(link.v.start, link.v.stop)),
            rate=gain(kind, "rate", self.rate, (n,)),
            **{name: gain(kind, name, x, (n,)) for name, x in bounds.items()},
        )
        return ready

    def _own(self, links: list[Link], option: str) -> np.ndarray:
        """The joints' own limits (..., n), one after the other."""
        for link in links:
            if getattr(link.joint, option) is None:
                expected = f"a joint with `{option}`, or numbers for all of them"
                raise ModelError.single(type(self).__name__, "joints", expected=expected, given=link.name)
        return np.concatenate([np.asarray(getattr(link.joint, option)) for link in links], axis=-1)


class JointLimitTask(JointTask):
    """Keeps joints with true coordinates within their limits, or within `lower` and `upper` (rad, m), less a margin.

    A joint may approach its limit at `rate` times the way that is left.
    """

    lower: NumberOrSeries = None
    upper: NumberOrSeries = None
    margin: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        replace_arrays(self, margin=gain("JointLimitTask", "margin", self.margin, ()))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        own = dict.fromkeys(("lower", "upper"), (self.size,)) if self.size else {}
        return super().shapes | own | {"margin": ()}

    def on(self, plant: Any) -> Self:
        if self.dofs:
            return self
        links = self._links(plant, "limits")
        for link in links:
            if link.joint.nq != link.joint.nv:
                expected = "joints with true coordinates"
                raise ModelError.single("JointLimitTask", "joints", expected=expected, given=link.name)
        lower, upper = self.lower, self.upper
        if lower is None or upper is None:
            low, high = self._own(links, "limits")
            lower, upper = (low if lower is None else lower), (high if upper is None else upper)
        ready = self._ready(links, lower=lower, upper=upper)
        if np.any(np.asarray(ready.upper) - ready.lower < 2.0 * np.asarray(self.margin)[..., None]):
            expected = "lower + margin ≤ upper − margin"
            raise ModelError.single(
                "JointLimitTask", "lower, upper", expected=expected, given=f"{lower}, {upper}"
            )
        return ready

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Bounded:
        places = [link.q.start + i - link.v.start for i in self.dofs for link in _links_of(plant, i)]
        J, still = np.eye(plant.nv)[list(self.dofs)], np.zeros(len(self.dofs))
        margin = np.asarray(self.margin)[..., None]
        return Bounded(J, q[..., places], still, self.lower + margin, self.upper - margin)


def _links_of(plant: Any, dof: int) -> list[Link]:
    return [link for link in plant.tree.links if link.v.start <= dof < link.v.stop]


class _HighestTask(JointTask):
    """Keeps something along the DoFs of joints within ± `highest`; within the joints' own option if None."""

    highest: NumberOrSeries = None

    #: of joints, which says how much is allowed
    option: ClassVar[str]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | ({"highest": (self.size,)} if self.size else {})

    def on(self, plant: Any) -> Self:
        if self.dofs:
            return self
        links = self._links(plant, self.option)
        highest = self._own(links, self.option) if self.highest is None else self.highest
        return self._ready(links, highest=highest)


class SpeedLimitTask(_HighestTask):
    """Keeps speeds along the DoFs of joints within ± `highest` (m/s, rad/s); the joints' own `velocity` if None."""

    option: ClassVar[str] = "velocity"

    def _unit_of(self, unit: str) -> str:
        return f"{unit}/s"

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Bounded:
        places = list(self.dofs)
        still = np.zeros(len(places))
        return Bounded(np.eye(plant.nv)[places], v[..., places], still, -self.highest, self.highest, order=1)


class EffortLimitTask(_HighestTask):
    """Keeps the forces along the DoFs of joints within ± `highest` (N, N m); the joints' own `effort` if None.

    The forces are those of the plant's inverse dynamics, M a + h.
    """

    option: ClassVar[str] = "effort"

    def goals(self, plant: Any, level: int) -> tuple[Goal, ...]:
        """None: forces depend on accelerations, which records do not tell."""
        return ()

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Bounded:
        places = list(self.dofs)
        M = plant.mass_matrix(q)[..., places, :]
        h = plant.inverse_dynamics(t, q, v, np.zeros(plant.nv))[..., places]
        return Bounded(M, h, h, -self.highest, self.highest, order=2)
