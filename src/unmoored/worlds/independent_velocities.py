"""Independent velocities: what is left of v when constraints tie some and trajectories prescribe others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..dynamics.nonholonomic import (
    VelocityConstraint,
    embedding,
    embedding_rate,
    independent_speeds,
    speed_names,
)
from ..lie.arrays import apply, join
from ..model import ModelError, Tree
from .prescribed_motion import UntilFailure


@dataclass(frozen=True, eq=False)
class Velocities:
    """v = P(q) w + v_prescribed(t), with w the independent velocities.

    Joints prescribed until they fail keep their velocity in w: it has to go on freely from there.
    """

    tree: Tree
    constraints: tuple[VelocityConstraint, ...]
    prescribed: tuple[tuple[str, Any], ...]

    def __post_init__(self) -> None:
        tied = {int(i) for c in self.constraints for i in c.dofs(self.tree)}
        for name, trajectory in self.prescribed:
            link = self.tree.link(name)
            trajectory.check(name, link.joint)
            if tied & set(range(link.v.start, link.v.stop)):
                expected = "a joint that no constraint ties"
                raise ModelError.single(name, "prescribed", expected=expected, given="a tied one")
            if self.constraints and isinstance(trajectory, UntilFailure):
                expected = "no constraints beside a prescribed joint that fails"
                raise ModelError.single(name, "prescribed", expected=expected, given="both")

    def with_motions(self, moved: Mapping[str, Any]) -> Velocities:
        """The same with other trajectories of some joints."""
        return replace(
            self, prescribed=tuple((name, moved.get(name, path)) for name, path in self.prescribed)
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the independent velocities."""
        names = speed_names(self.tree, self.constraints)
        return tuple(names[k] for k in self._kept)

    @cached_property
    def driven(self) -> np.ndarray:
        """Indices of the DoFs whose motion is prescribed for good."""
        return self._dofs([name for name, path in self.prescribed if not isinstance(path, UntilFailure)])

    @cached_property
    def _kept(self) -> list[int]:
        """The columns of the constraints' embedding that stay."""
        names, gone = speed_names(self.tree, self.constraints), {self.tree.dof_names[i] for i in self.driven}
        tied = sum(len(c.speeds) for c in self.constraints)
        return [k for k, name in enumerate(names) if k < tied or name not in gone]

    def _dofs(self, names: list[str]) -> np.ndarray:
        return self.tree.dofs(names) if names else np.zeros(0, dtype=int)

    def embedding(self, q: np.ndarray) -> np.ndarray:
        """P (..., nv, nw) at q (..., nq)."""
        return embedding(self.tree, q, self.constraints)[..., self._kept]

    def embedding_rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Ṗ (..., nv, nw) at q (..., nq), v (..., nv)."""
        return embedding_rate(self.tree, q, v, self.constraints)[..., self._kept]

    def full(self, t: np.ndarray, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        """v (..., nv) at time t (...), q (..., nq), independent velocities w (..., nw)."""
        if not self.constraints and not self.prescribed:
            return w
        return apply(self.embedding(q), w) + self._given(t, "velocity")

    def independent(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """w (..., nw) of a velocity v (..., nv) at q (..., nq)."""
        if not self.constraints and not self.prescribed:
            return v
        return independent_speeds(self.tree, q, v, self.constraints)[..., self._kept]

    def configuration(self, t: np.ndarray, q: np.ndarray) -> np.ndarray:
        """q (..., nq) with the joints that are prescribed for good where they are at time t (...)."""
        driven = dict(self.prescribed)
        driven = {name: path for name, path in driven.items() if not isinstance(path, UntilFailure)}
        if not driven:
            return q
        placed = {
            name: self._motion(self.tree.link(name), path, t).configuration for name, path in driven.items()
        }
        return join([placed.get(link.name, q[..., link.q]) for link in self.tree.links])

    def accelerations(self, t: np.ndarray) -> np.ndarray:
        """Prescribed accelerations (..., nv) at time t (...), zero elsewhere; those of joints that fail later too."""
        return self._given(t, "acceleration", failing=True)

    def _given(self, t: np.ndarray, what: str, failing: bool = False) -> np.ndarray:
        given = {
            name: path for name, path in self.prescribed if failing or not isinstance(path, UntilFailure)
        }
        if not given:
            return np.zeros(self.tree.nv)
        parts = [
            getattr(self._motion(link, given[link.name], t), what)
            if link.name in given
            else np.zeros(link.joint.nv)
            for link in self.tree.links
        ]
        return join(parts)

    def _motion(self, link: Any, trajectory: Any, t: np.ndarray) -> PrescribedMotion:
        return trajectory.motion(t, link.joint)
