"""Independent velocities: what constraints, couplings between joints and trajectories leave of v."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ..lie.arrays import apply, join, transpose
from ..model import Mimic, ModelError, Tree
from ..trace.span_table import SpanTable, tables_at
from .coupled_joints import CoupledJoints
from .prescribed_motion import UntilFailure


@dataclass(frozen=True, eq=False)
class Velocities:
    """v = P(q) w + v_prescribed(t), with w the independent velocities.

    Joints prescribed until they fail keep their velocity in w: it has to go on freely from there.
    couplings: of joints that follow others; their numbers may be symbols or have a batch.
    given: tables of the trajectories, and their addresses, where a kernel has them as operands.
    """

    tree: Tree
    constraints: tuple[VelocityConstraint, ...]
    prescribed: tuple[tuple[str, Any], ...]
    couplings: tuple[Mimic, ...] = ()
    given: tuple[tuple[SpanTable, ...], Any] | None = None

    def __post_init__(self) -> None:
        self._check_couplings()
        tied = {int(i) for c in self.constraints for i in c.dofs(self.tree)}
        for name, trajectory in self.prescribed:
            link = self.tree.link(name)
            trajectory.check(name, link.joint)
            if tied & set(range(link.v.start, link.v.stop)):
                expected = "a joint that no constraint ties"
                raise ModelError.single(name, "prescribed", expected=expected, given="a tied one")
            if self.is_projected and isinstance(trajectory, UntilFailure):
                expected = "no constraints or couplings beside a prescribed joint that fails"
                raise ModelError.single(name, "prescribed", expected=expected, given="both")

    def _check_couplings(self) -> None:
        """A follower is moved by its leader alone."""
        tied = {int(i) for c in self.constraints for i in c.dofs(self.tree)}
        moved = {self.tree.link(name).v.start for name, _ in self.prescribed if self.tree.link(name).joint.nv}
        for dof, leader in self.joints.dofs.items():
            for what, taken in (("constraint", tied), ("prescribed motion", moved)):
                if dof in taken:
                    name = self.tree.dof_names[dof]
                    expected = (
                        f"none for a joint that follows another; {self.tree.dof_names[leader]} leads it"
                    )
                    raise ModelError.single(name, what, expected=expected, given="one")

    @cached_property
    def joints(self) -> CoupledJoints:
        """The joints that follow others."""
        return CoupledJoints(self.tree, self.couplings)

    @property
    def is_projected(self) -> bool:
        """Whether the equations are projected on fewer velocities, by constraints or couplings."""
        return bool(self.constraints or self.couplings)

    @property
    def is_plain(self) -> bool:
        """Whether all of v is independent."""
        return not self.is_projected and not self.prescribed

    def with_couplings(self, couplings: tuple[Mimic, ...]) -> Velocities:
        """The same with other numbers of the couplings."""
        return self if couplings is self.couplings else replace(self, couplings=couplings)

    def with_motions(self, moved: Mapping[str, Any]) -> Velocities:
        """The same with other trajectories of some joints."""
        return replace(
            self, prescribed=tuple((name, moved.get(name, path)) for name, path in self.prescribed)
        )

    def with_tables(self, tables: tuple[SpanTable, ...], addresses: np.ndarray) -> Velocities:
        """The same with tables that are read at these addresses (5 times tables,)."""
        return replace(self, given=(tables, addresses))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the independent velocities."""
        names = speed_names(self.tree, self.constraints)
        return tuple(names[k] for k in self._kept)

    @cached_property
    def driven(self) -> np.ndarray:
        """Indices of the DoFs whose motion is prescribed for good, by a trajectory or through a leader."""
        own = self._dofs([name for name, path in self.prescribed if not isinstance(path, UntilFailure)])
        led = [dof for dof, leader in self.joints.dofs.items() if leader in own]
        return np.array(sorted({*own.tolist(), *led}), dtype=int)

    def refuse_passive(self, passive: Sequence[int]) -> None:
        """Refuse DoFs for which a force cannot be given, because constraints tie them or their motion is prescribed."""
        tied = {int(i) for c in self.constraints for i in c.dofs(self.tree)}
        for what, taken in (("prescribed", set(self.driven.tolist())), ("tied by a constraint", tied)):
            for dof in sorted(taken & set(passive)):
                expected = f"active DoFs where motion is {what}: other forces than the given ones act there"
                raise ModelError.single(
                    self.tree.dof_names[dof], "passive", expected=expected, given="passive"
                )

    @cached_property
    def _kept(self) -> list[int]:
        """The columns of the constraints' embedding that stay."""
        taken = {*self.driven.tolist(), *self.joints.dofs}
        names, gone = speed_names(self.tree, self.constraints), {self.tree.dof_names[i] for i in taken}
        tied = sum(len(c.speeds) for c in self.constraints)
        return [k for k, name in enumerate(names) if k < tied or name not in gone]

    def _dofs(self, names: list[str]) -> np.ndarray:
        return self.tree.dofs(names) if names else np.zeros(0, dtype=int)

    def embedding(self, q: np.ndarray) -> np.ndarray:
        """P (..., nv, nw) at q (..., nq)."""
        return self.joints.rows(embedding(self.tree, q, self.constraints)[..., self._kept])

    def embedding_rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Ṗ (..., nv, nw) at q (..., nq), v (..., nv)."""
        return self.joints.rows(embedding_rate(self.tree, q, v, self.constraints)[..., self._kept])

    def full(self, t: np.ndarray, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        """v (..., nv) at time t (...), q (..., nq), independent velocities w (..., nw)."""
        if self.is_plain:
            return w
        return self.along(q, w) + self._given(t, "velocity")

    def along(self, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        """P w (..., nv) at q (..., nq)."""
        if self.constraints or not self.couplings:
            return apply(self.embedding(q), w)
        place = {dof: k for k, dof in enumerate(self._kept)}
        none = np.zeros((*w.shape[:-1], 1))
        return self.joints.velocity(
            join([w[..., place[i], None] if i in place else none for i in range(self.tree.nv)])
        )

    def projected(self, q: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Pᵀ forces (..., nw) of forces (..., nv) at q (..., nq)."""
        if self.constraints or not self.couplings:
            return apply(transpose(self.embedding(q)), forces)
        return self.joints.forces(forces)[..., self._kept]

    def projected_matrix(self, q: np.ndarray, M: np.ndarray) -> np.ndarray:
        """PᵀMP (..., nw, nw) of M (..., nv, nv) at q (..., nq)."""
        if self.constraints or not self.couplings:
            P = self.embedding(q)
            return transpose(P) @ M @ P
        return self.joints.square(M)[..., self._kept, :][..., self._kept]

    def projected_rows(self, q: np.ndarray, J: np.ndarray) -> np.ndarray:
        """J P (..., c, nw) of rows J (..., c, nv) at q (..., nq)."""
        if self.is_plain:
            return J
        if self.constraints or not self.couplings:
            return J @ self.embedding(q)
        return transpose(self.joints.columns(transpose(J)))[..., self._kept]

    def independent(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """w (..., nw) of a velocity v (..., nv) at q (..., nq)."""
        if self.is_plain:
            return v
        if not self.constraints:
            return v[..., self._kept]
        return independent_speeds(self.tree, q, v, self.constraints)[..., self._kept]

    def configuration(self, t: np.ndarray, q: np.ndarray) -> np.ndarray:
        """q (..., nq) with joints prescribed for good where they are at time t (...), followers at their leaders."""
        driven = dict(self.prescribed)
        driven = {name: path for name, path in driven.items() if not isinstance(path, UntilFailure)}
        if driven:
            placed = {
                name: self._motion(self.tree.link(name), path, t).configuration
                for name, path in driven.items()
            }
            q = join([placed.get(link.name, q[..., link.q]) for link in self.tree.links])
        return self.joints.configuration(q)

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
        return self.joints.velocity(join(parts))

    def _motion(self, link: Any, trajectory: Any, t: np.ndarray) -> PrescribedMotion:
        if self.given is None:
            return trajectory.motion(t, link.joint)
        with tables_at(*self.given):
            return trajectory.motion(t, link.joint)
