"""Forces shared out among actuators, within what each of them can do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..lie.arrays import apply, solved, transpose
from ..model import ModelError
from ..model.renamed import renamed_fields
from ..model.value import replace_arrays
from ..trace import maximum, minimum
from ..worlds.actuators.actuator import working
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
    From the time `fails_at` on nothing is asked of an actuator: its column of B is zero.

    plant: with actuators that take thrusts or forces as they are: no azimuth, no curve.
    law: gives forces (..., nv).  regularization: ε, in the units of B's entries.
    limits: lowest and highest inputs (nu, 2), or (samples, nu, 2) where samples differ; the plant's own if None, joint
    efforts included. Wider ones than the plant's are refused, unless those are free parameters.
    recorded: whether the law remembers what it could not give, as `simulate` asks of it.
    rates: most that inputs may change by (1/s), one number or nu; the last inputs are then part of the memory, zero at
    first (or the limit next to it), and there must be a `control_step`.
    """

    plant: Any
    law: Law
    regularization: float = 1e-3
    limits: Any = None
    recorded: bool = False
    rates: Any = None

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
        for parameter in self.plant._declared:
            if parameter.field == "fails_at":
                expected = "a time that is known when the law is made: not a free parameter"
                raise ModelError.single(parameter.name, "fails_at", expected=expected, given="a free one")
        rates = (
            None if self.rates is None else np.broadcast_to(np.asarray(self.rates, float), (self.plant.nu,))
        )
        if rates is not None and not (np.all(rates > 0) and np.all(np.isfinite(rates))):
            raise ModelError.single(
                "Allocated", "rates", expected="numbers > 0 (1/s)", given=repr(self.rates)
            )
        replace_arrays(self, limits=limits, rates=rates)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        given = {"limits": (self.plant.nu, 2)} if self.limits is not None else {}
        return given | ({"rates": (self.plant.nu,)} if self.rates is not None else {})

    @property
    def has_memory(self) -> bool:
        """Whether the law inside is in the full form, or inputs or what it could not give are remembered."""
        return self.recorded or self.rates is not None or self.law.has_memory

    @property
    def memory(self) -> dict[str, Any]:
        """That of the law inside, the forces that could not be given, and the last inputs where rates are limited."""
        inner = dict(self.law.memory) if self.law.has_memory else {}  # type: ignore[attr-defined]
        return inner | self._own

    @property
    def _own(self) -> dict[str, Any]:
        """What is remembered beside the memory of the law inside."""
        own: dict[str, Any] = {"unallocated": self.plant.nv} if self.recorded else {}
        keeps = self.law.wants_delivered or self.rates is not None
        return own | ({"given": self._first} if keeps else {})

    @property
    def _first(self) -> np.ndarray:
        nothing = np.zeros(self.plant.nu)
        if self.limits is None or self.rates is None:
            return nothing
        return np.clip(nothing, self.limits[..., 0], self.limits[..., 1])

    def _when_held(self) -> Law:
        return replace(self, law=self.law._when_held(), recorded=True)

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            t, q, v = seen
            return self.shared_out(q, self.law(t, q, v), t).thrusts
        now, memory = seen
        inner = {name: x for name, x in memory.items() if name not in self._own}
        if self.law.wants_delivered:
            delivered = self.plant.delivered_forces(now.t, now.q, now.v, memory["given"], x=now.x)
            now = replace(now, delivered=delivered)
        forces, kept = respond(self.law, now, inner)
        last = memory["given"] if self.rates is not None else None
        f, missing = self.shared_out(now.q, forces, now.t, last, now.period)
        new = {"unallocated": missing, "given": f}
        return f, {**kept, **{name: new[name] for name in self._own}}

    def shared_out(
        self, q: np.ndarray, forces: np.ndarray, t: Any = None, last: Any = None, period: Any = None
    ) -> Allocation:
        """Inputs (..., nu) for forces (..., nv) at q (..., nq), and the forces (..., nv) that they do not give.

        Forces of joints that follow others are asked of their leaders. t (...): the time (s), for actuators that fail;
        None: all of them work.  last (..., nu): inputs one `period` (s) before, for `rates`.
        """
        B = self.plant.allocation_matrix(q)
        if t is not None and any(actuator.fails_at is not None for actuator in self.plant.actuators):
            B = B * self._working(t)[..., None, :]
        forces = self.plant.velocities.joints.forces(forces)
        lowest, highest = (None, None) if self.limits is None else (self.limits[..., 0], self.limits[..., 1])
        if last is not None:
            reach = self.rates * period
            lowest = last - reach if lowest is None else maximum(lowest, last - reach)
            highest = last + reach if highest is None else minimum(highest, last + reach)
        if lowest is not None and highest is not None:
            return bounded_allocation(B, forces, lowest, highest, self.regularization)
        square = B @ transpose(B) + self.regularization**2 * np.eye(self.plant.nv)
        f = apply(transpose(B), solved(square, forces))
        return Allocation(f, forces - apply(B, f))

    def _working(self, t: Any) -> np.ndarray:
        """1 (..., nu) where an input's actuator works at time t (...), 0 where it has failed."""
        always = np.ones(np.shape(t))
        return np.stack(
            [
                always if actuator.fails_at is None else working(t, actuator.fails_at)
                for actuator in self.plant.actuators
                for _ in actuator.inputs(self.plant.tree)
            ],
            axis=-1,
        )


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
