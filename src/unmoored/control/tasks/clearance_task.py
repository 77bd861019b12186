"""Shapes kept apart."""

from __future__ import annotations

import copy
from dataclasses import field
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from ...dynamics.configuration import retract
from ...model import Tree
from ...model.errors import unknown_name
from ...model.field_types import Number
from ...model.value import replace_arrays
from ...trace import Traced, call_traced, evaluate, is_symbolic, jacobian, trace
from ...worlds.distances import Distance
from ...worlds.distances.shapes import Shape
from ..law_parts import gain
from .task_interface import Bounded, Task


class ClearanceTask(Task):
    """Keeps a shape on a frame at least `least` (m) away from a shape on another frame, or on "world".

    shape: at `frame`; other_shape: at `other`. Which pairs there are `um.Distance` tells: an obstacle (HalfSpace,
    Sphere, Capsule, Box, Cylinder) on `other`, a Sphere, Points or a Capsule on `frame`. One row for each point or end.
    """

    frame: str
    other: str
    shape: Annotated[Any, Shape]
    other_shape: Annotated[Any, Shape]
    least: Number = 0.0
    #: rows, once the plant is known
    count: int = field(init=False, default=0)

    keeps: ClassVar[bool] = True
    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        replace_arrays(self, least=gain("ClearanceTask", "least", self.least, ()))
        _ = self.distance  # refuses pairs of shapes that have none
        super().__post_init__()

    @property
    def distance(self) -> Distance:
        """Between the shapes."""
        return Distance(self.other, self.frame, self.other_shape, self.shape)

    @property
    def size(self) -> int:
        return self.count

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"least": ()}

    def on(self, plant: Any) -> Self:
        known = ["world", *plant.system.names, *plant.system.frames]
        for name in (self.frame, self.other):
            if name not in known:
                raise unknown_name("ClearanceTask", "frame", name, known)
        n = int(self.distance.each(plant, plant.system.neutral()).shape[-1])
        ready = copy.copy(self)
        replace_arrays(ready, count=n, rate=gain("ClearanceTask", "rate", self.rate, (n,)))
        return ready

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Bounded:
        bend = _bend(plant.system.tree, self.distance)
        arguments = (np.zeros(1), q, v)
        bias = (call_traced if is_symbolic(*arguments) else evaluate)(bend, *arguments)[..., 0, 0]
        low = np.asarray(self.least)[..., None] + np.zeros(self.count)
        return Bounded(
            self.distance.jacobian(plant, q),
            self.distance.each(plant, q),
            bias,
            low,
            np.full(self.count, 1e30),
        )


class _Owner(NamedTuple):
    """Something with a tree, as `Distance` takes it."""

    tree: Tree


@lru_cache(maxsize=64)
def _bend(tree: Tree, distance: Distance) -> Traced:
    """Second derivatives (n, 1, 1) of the distances by s (1,) along q exp(s v)."""

    def along(s: np.ndarray, q: np.ndarray, v: np.ndarray) -> Any:
        return distance.each(_Owner(tree), retract(tree, q, s[0] * v))

    traced = trace(along, (1,), (tree.nq,), (tree.nv,))
    return jacobian(jacobian(traced, wrt=0), wrt=0)  # type: ignore[return-value]
