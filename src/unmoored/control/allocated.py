"""Forces shared out among actuators, within what each of them can do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..lie.arrays import apply, solved, transpose
from ..model import ModelError
from ..model.renamed import renamed_fields
from ..model.value import replace_arrays
from ..worlds.bounded_allocation import Allocation, bounded_allocation
from ..worlds.law import Law, respond
from .law_parts import check_plant, gain

#: stands for no limit
_FAR = 1e30


@renamed_fields(regularisation="regularization")
class Allocated(Law):
    """A law that gives forces along the DoFs, shared out among the actuators of a plant, within their limits.

    The inputs f are the least |B f − τ|² + ε²|f|² between the limits: exact, by an active set (theory.md §27); without
    limits Bᵀ(B Bᵀ + ε² 1)⁻¹τ. With a `control_step`, `run.unallocated` tells the forces τ − B f that were not given.

    plant: with actuators that take thrusts or forces as they are: no azimuth, no curve.
    law: gives forces (..., nv).  regularization: ε, in the units of B's entries.
    limits: lowest and highest inputs (nu, 2), or (samples, nu, 2) where samples differ; the plant's own if None, joint
    efforts included. Wider ones than the plant's are refused, unless those are free parameters.
    recorded: whether the law remembers what it could not give, as `simulate` asks of it.
    """

    plant: Any
    law: Law
    regularization: float = 1e-3
    limits: Any = None
    recorded: bool = False

    def __post_init__(self) -> None:
        check_plant("Allocated", self.plant)
        if self.plant.actuators is None or self.plant.thrust_names != self.plant.input_names:
            given = ", ".join(self.plant.thrust_names) if self.plant.actuators else "no actuators"
            raise ModelError.single(
                "Allocated", "actuators", expected="inputs that are thrusts or forces", given=given
            )
        for actuator in self.plant.actuators:
            if getattr(actuator, "curve", None) is not None:
                raise ModelError.single(actuator.label, "curve", expected="none, for Allocated", given="one")
        own = _limits_of(self.plant)
        if self.limits is None:
            limits = own if np.abs(own).min() < _FAR else None
        else:
            limits = _checked(self.plant, self.limits, own)
        replace_arrays(self, limits=limits)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return {} if self.limits is None else {"limits": (self.plant.nu, 2)}

    @property
    def has_memory(self) -> bool:
        """Whether the law inside is in the full form, or what it could not give is remembered."""
        return self.recorded or self.law.has_memory

    @property
    def memory(self) -> dict[str, Any]:
        """That of the law inside, and the forces that could not be given."""
        inner = dict(self.law.memory) if self.law.has_memory else {}  # type: ignore[attr-defined]
        return inner | self._own

    @property
    def _own(self) -> dict[str, int]:
        """What is remembered beside the memory of the law inside."""
        own = {"unallocated": self.plant.nv} if self.recorded else {}
        return own | ({"given": self.plant.nu} if self.law.wants_delivered else {})

    def _when_held(self) -> Law:
        return replace(self, law=self.law._when_held(), recorded=True)

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            t, q, v = seen
            return self.shared_out(q, self.law(t, q, v)).thrusts
        now, memory = seen
        inner = {name: x for name, x in memory.items() if name not in self._own}
        if self.law.wants_delivered:
            delivered = self.plant.delivered_forces(now.t, now.q, now.v, memory["given"], x=now.x)
            now = replace(now, delivered=delivered)
        forces, kept = respond(self.law, now, inner)
        f, missing = self.shared_out(now.q, forces)
        new = {"unallocated": missing, "given": f}
        return f, {**kept, **{name: new[name] for name in self._own}}

    def shared_out(self, q: np.ndarray, forces: np.ndarray) -> Allocation:
        """Inputs (..., nu) for forces (..., nv) at q (..., nq), and the forces (..., nv) that they do not give.

        Forces of joints that follow others are asked of their leaders.
        """
        B = self.plant.allocation_matrix(q)
        forces = self.plant.velocities.joints.forces(forces)
        if self.limits is not None:
            return bounded_allocation(
                B, forces, self.limits[..., 0], self.limits[..., 1], self.regularization
            )
        square = B @ transpose(B) + self.regularization**2 * np.eye(self.plant.nv)
        f = apply(transpose(B), solved(square, forces))
        return Allocation(f, forces - apply(B, f))


def _limits_of(plant: Any) -> np.ndarray:
    """Lowest and highest inputs (nu, 2) as the plant was built."""
    bounds = [actuator.bounds(plant.system.tree) for actuator in plant.actuators]
    low, high = (np.concatenate([np.zeros(0), *(pair[k] for pair in bounds)]) for k in (0, 1))
    return np.clip(np.stack([low, high], axis=-1), -_FAR, _FAR)


def _checked(plant: Any, given: Any, own: np.ndarray) -> np.ndarray:
    """Limits (..., nu, 2) that are limits, and that the plant's actuators have."""
    try:
        cut = np.clip(np.array(given, dtype=float), -_FAR, _FAR)
    except (TypeError, ValueError):
        cut = given
    limits = gain("Allocated", "limits", cut, (plant.nu, 2))
    if not np.all(limits[..., 0] <= limits[..., 1]):
        raise ModelError.single("Allocated", "limits", expected="lowest ≤ highest", given=repr(given))
    free = {parameter.owner for parameter in plant._declared if parameter.field in ("limits", "gear")}
    labels = [actuator.label for actuator in plant.actuators for _ in actuator.inputs(plant.tree)]
    wide = (limits[..., 0] < own[:, 0]) | (limits[..., 1] > own[:, 1])
    for i in np.flatnonzero(wide.reshape(-1, plant.nu).any(axis=0)):
        if labels[i] not in free:
            expected = f"within those of the plant, {own[i].tolist()}"
            found = limits.reshape(-1, plant.nu, 2)[:, i]
            raise ModelError.single(
                plant.input_names[i],
                "limits of Allocated",
                expected=expected,
                given=str([found[:, 0].min(), found[:, 1].max()]),
            )
    return limits
