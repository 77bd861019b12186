"""Forces shared out among actuators, within what each of them can do."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ...lie.arrays import apply, blocks, solved, transpose
from ...model import ModelError
from ...model.errors import unknown_name
from ...model.field_types import Number, NumberOrSeries
from ...model.renamed import renamed_fields
from ...model.value import replace_arrays
from ...planning.quadratic_program import solve_qp
from ...trace import clip, greater, maximum, where
from ...worlds.bounded_allocation import Allocation
from ...worlds.law import Law, respond
from ...worlds.plants.closed_plant import working_part
from ..law_parts import are_numbers, check_plant, gain
from .azimuths import SIDES, polygon, turned_angle
from .channels import (
    FAR,
    Channel,
    channels_of,
    check_channels,
    commands_of,
    stacked,
    thrust_limits,
    working_now,
)
from .direction_keeping import in_proportion
from .input_limits import checked_limits, limits_of
from .least_squares import Best, Weighting, all_levels, best_thrusts, normal_equations
from .pulses import Pulses, pulsed

#: residual of optimality above which a control period is counted in `run.unsolved`
_SOLVED = 1e-8


class _Kept(NamedTuple):
    """What the allocation remembers of the last period; None where it needs nothing."""

    thrusts: Any = None
    angles: Any = None
    pulses: Pulses | None = None


@renamed_fields(regularisation="regularization")
class Allocated(Law):
    """A law that gives forces along the DoFs, shared out among the actuators of a plant, within what they can do.

    The thrusts f are the least |W(B f − τ)|² + ε²|f|² between the limits: exact, by an active set (theory.md §27);
    without limits Bᵀ(B Bᵀ + ε² 1)⁻¹τ. Curves of thrusters are inverted. With a `control_step`, `run.unallocated` tells
    the forces τ − B f that were not given, `run.wanted_forces` τ, and `run.unsolved` counts periods without an optimum.

    plant: with actuators.  law: gives forces (..., nv).  regularization: ε, in the units of B's entries.
    limits: lowest and highest inputs (nu, 2), one pair for all, or (samples, nu, 2) where samples differ; the plant's
    own if None, joint efforts included. Wider ones than the plant's are refused, unless those are free parameters.
    weights: of the DoFs (nv), W.  input_weights: of the thrusts (n), in |f|²; one thrust for each input but angles.
    priority: names of DoFs or joints by level; what comes first is given first, the rest last.
    keep_direction: give the forces of each level in the proportion that is wanted, as much as can be; else those whose
    error is least, whatever their direction.
    rates: how fast thrusts may change (N/s), one number or n; of no meaning for those that are on or off.
    turn_rate: how fast azimuth thrusters may turn (rad/s). One that can push back does so before it turns by more
    than a quarter.
    on_off: actuators that are fully on or off, by pulses in cycles of `pulse_periods` control periods; pulses shorter
    than `least_pulse` (s) are not made, and what is owed comes later.
    In loops of closures (those that are on when the plant is built) only forces that do work count: two arms share a
    load out between them, whichever of them the tree gives it to, and do not strain it.
    detected_after: how long (s) after an actuator's `fails_at` it is no longer used, and the others do its work; None
    where failures stay unknown.
    """

    plant: Any
    law: Any
    regularization: float = 1e-3
    limits: Any = None
    weights: NumberOrSeries = 1.0
    input_weights: NumberOrSeries = 1.0
    priority: Annotated[Any, list[list[str]]] = ()
    keep_direction: bool = False
    rates: NumberOrSeries = None
    turn_rate: NumberOrSeries = 1.0
    on_off: Annotated[Any, list[str]] = ()
    pulse_periods: int = 10
    least_pulse: Number = 0.0
    detected_after: Number = 0.0
    #: whether the law remembers what it could not give, as `simulate` asks of it
    recorded: bool = field(init=False, default=False)
    #: the thrusts, levels of DoFs, and which thrusts are on or off
    channels: Any = field(init=False, default=())
    levels: Any = field(init=False, default=())
    static: ClassVar[tuple[str, ...]] = ("priority", "on_off", "pulse_periods", "channels", "levels")

    def __post_init__(self) -> None:
        check_plant("Allocated", self.plant)
        if not isinstance(self.law, Law):
            raise ModelError.single("Allocated", "law", expected="a law (um.Law)", given=repr(self.law))
        channels = channels_of(self.plant)
        n, own = len(channels), limits_of(self.plant)
        limits = own if self.limits is None else checked_limits(self.plant, self.limits, own)
        check_channels(channels, limits)
        turning = sum(channel.turns for channel in channels)
        late = self.detected_after
        if late is not None and not (are_numbers(late) and np.all(np.asarray(late) >= 0)):
            raise ModelError.single(
                "Allocated", "detected_after", expected="≥ 0 (s), or None", given=repr(self.detected_after)
            )
        if all(channel.fails_at is None for channel in channels):
            replace_arrays(self, detected_after=None)
        simple = self.rates is None and self.detected_after is None and not turning and not len(self.on_off)
        free = np.abs(own).min() >= FAR and self.limits is None and simple and not len(self.priority)
        given: dict[str, Any] = {
            "limits": None if free else limits,
            "channels": channels,
            "weights": gain("Allocated", "weights", self.weights, (self.plant.nv,)),
            "input_weights": gain("Allocated", "input_weights", self.input_weights, (n,)),
            "levels": all_levels(self.plant.dof_names, self.plant.tree, _lists("priority", self.priority)),
            "on_off": _pulsed_channels(channels, self.on_off, limits),
            "turn_rate": gain("Allocated", "turn_rate", self.turn_rate, (turning,) if turning else ()),
            "least_pulse": gain("Allocated", "least_pulse", self.least_pulse, ()),
        }
        if self.rates is not None:
            given["rates"] = gain("Allocated", "rates", self.rates, (n,))
        if self.detected_after is not None:
            _check_times_are_known(self.plant)
            given["detected_after"] = gain("Allocated", "detected_after", self.detected_after, ())
        replace_arrays(self, **given)
        for name in ("weights", "input_weights", "rates", "turn_rate"):
            x = getattr(self, name)
            if x is not None and np.any(np.asarray(x) <= 0):
                raise ModelError.single("Allocated", name, expected="> 0", given=repr(x))
        if (
            isinstance(self.pulse_periods, bool)
            or not isinstance(self.pulse_periods, int)
            or self.pulse_periods < 1
        ):
            raise ModelError.single(
                "Allocated", "pulse_periods", expected="≥ 1", given=repr(self.pulse_periods)
            )

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        n, nv, nu = len(self.channels), self.plant.nv, self.plant.nu
        known: dict[str, tuple[int, ...]] = {"weights": (nv,), "input_weights": (n,), "least_pulse": ()}
        known["turn_rate"] = (len(self._turning),) if self._turning else ()
        if self.limits is not None:
            known["limits"] = (nu, 2)
        if self.rates is not None:
            known["rates"] = (n,)
        return known | ({} if self.detected_after is None else {"detected_after": ()})

    @property
    def has_memory(self) -> bool:
        """Whether the law inside is in the full form, or something is remembered: rates, angles, pulses, reports."""
        return self.recorded or self.law.has_memory or self._remembers

    @property
    def _remembers(self) -> bool:
        return self.rates is not None or bool(self._turning) or bool(self.on_off)

    @property
    def _turning(self) -> list[int]:
        return [i for i, channel in enumerate(self.channels) if channel.turns]

    @property
    def memory(self) -> dict[str, Any]:
        """That of the law inside, what the allocation needs of the last period, and what is reported."""
        own: dict[str, Any] = {}
        if self.rates is not None:
            own["allocation.thrusts"] = len(self.channels)
        if self._turning:
            own["allocation.angles"] = len(self._turning)
        if self.on_off:
            own |= {"allocation.cycle": 0.0} | {f"allocation.{x}": len(self.on_off) for x in ("on", "owed")}
        if self.law.wants_delivered:
            own["allocation.inputs"] = self.plant.nu
        if self.recorded:
            nv = self.plant.nv
            own |= {"unallocated": nv, "allocation.wanted": nv, "allocation.unsolved": 0.0}
        return (dict(self.law.memory) if self.law.has_memory else {}) | own  # type: ignore[attr-defined]

    def _when_held(self) -> Law:
        held = copy.copy(self)
        replace_arrays(held, law=self.law._when_held(), recorded=True)
        return held

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            t, q, v = seen
            return self.shared_out(q, self.law(t, q, v), t).thrusts
        now, memory = seen
        names = set(self.memory) - set(self.law.memory if self.law.has_memory else ())  # type: ignore[attr-defined]
        if self.law.wants_delivered:
            inputs = memory["allocation.inputs"]
            now = replace(now, delivered=self.plant.delivered_forces(now.t, now.q, now.v, inputs, x=now.x))
        forces, inner = respond(self.law, now, {name: x for name, x in memory.items() if name not in names})
        found, kept, unsolved = self._shared(now.q, forces, now.t, now.period, _kept(memory))
        new = {"allocation.thrusts": kept.thrusts, "allocation.angles": kept.angles}
        new["allocation.inputs"] = found.thrusts
        if kept.pulses is not None:
            new |= {
                f"allocation.{name}": x for name, x in zip(("cycle", "on", "owed"), kept.pulses, strict=True)
            }
        if self.recorded:
            new |= {
                "unallocated": found.missing,
                "allocation.wanted": self.plant.velocities.joints.forces(forces),
                "allocation.unsolved": memory["allocation.unsolved"] + unsolved,
            }
        return found.thrusts, {**inner, **{name: x for name, x in new.items() if name in names}}

    def shared_out(self, q: np.ndarray, forces: np.ndarray, t: Any = 0.0) -> Allocation:
        """Inputs (..., nu) for forces (..., nv) at q (..., nq), and the forces (..., nv) that they do not give.

        Forces of joints that follow others are asked of their leaders. Of an allocation that remembers nothing.
        """
        if self._remembers:
            expected = "a control_step: rates, azimuths and pulses need what was given before"
            raise ModelError.single("Allocated", "shared_out", expected=expected, given="no memory")
        return self._shared(q, forces, t, None, _Kept())[0]

    def _shared(
        self, q: np.ndarray, forces: np.ndarray, t: Any, period: Any, before: _Kept
    ) -> tuple[Allocation, _Kept, Any]:
        """(inputs and what is missing, what is remembered, 1 if there was no optimum else 0)."""
        B = self.plant.allocation_matrix(q)
        forces = self.plant.velocities.joints.forces(forces)
        if any(closure.active for closure in self.plant.closures):
            both = working_part(self.plant, q, blocks([[B, np.asarray(forces)[..., None]]]))
            B, forces = both[..., :-1], both[..., -1]
        by = Weighting(self.weights, self.input_weights, self.regularization, self.levels)
        if self.limits is None:
            return self._without_limits(B, forces), before, 0.0
        low, high = thrust_limits(self.channels, self.limits)
        if self.detected_after is not None:
            working = working_now(self.channels, t, self.detected_after)
            low, high = working * low, working * high
        angles: Any = np.zeros(0)
        if self._turning:
            angles = self._angles(B, forces, low, high, by, before.angles, period)
        B = self._columns(B, angles)
        if self.rates is not None:
            near = [clip(before.thrusts + s * self.rates * period, low, high) for s in (-1.0, 1.0)]
            low, high = (self._but_pulsed(x, ends) for x, ends in zip(near, (low, high), strict=True))
        pulses = before.pulses
        if self.on_off and pulses is not None:
            low, high, pulses = self._fired(B, forces, low, high, by, pulses, period)
        best = self._best(B, forces, low, high, by)
        u = commands_of(self.channels, best.thrusts, angles, self.limits, self.plant.nu)
        unsolved = where(greater(best.residual, _SOLVED), 1.0, 0.0)
        return Allocation(u, forces - apply(B, best.thrusts)), _Kept(best.thrusts, angles, pulses), unsolved

    def _best(self, B: np.ndarray, forces: np.ndarray, low: Any, high: Any, by: Weighting) -> Best:
        if self.keep_direction:
            forces = in_proportion(B, forces, low, high, by)
        return best_thrusts(B, forces, low, high, by)

    def _but_pulsed(self, x: Any, others: Any) -> Any:
        """x (..., n), but for thrusters that are on or off `others`: valves have no rates."""
        if not self.on_off:
            return x
        return stacked([(others if i in self.on_off else x)[..., i] for i in range(len(self.channels))])

    def _without_limits(self, B: np.ndarray, forces: np.ndarray) -> Allocation:
        """W⁻¹Aᵀ(A W⁻¹Aᵀ + ε² 1)⁻¹ of A = rows of B, both weighted."""
        A, τ = self.weights[..., None] * B, self.weights * forces
        back = transpose(A) / self.input_weights[..., None]
        square = A @ back + self.regularization**2 * np.eye(self.plant.nv)
        f = apply(back, solved(square, τ))
        return Allocation(f, forces - apply(B, f))

    def _columns(self, B: np.ndarray, angles: Any) -> np.ndarray:
        """B (..., nv, n) of one thrust a channel, those that turn at their angles."""
        if not self._turning:
            return B
        columns, k = [], 0
        for channel in self.channels:
            column = B[..., channel.column]
            if channel.turns:
                c, s = (np.asarray(x)[..., None] for x in (np.cos(angles[..., k]), np.sin(angles[..., k])))
                column, k = c * column + s * B[..., channel.column + 1], k + 1
            columns.append(column)
        return np.stack(columns, axis=-1)

    def _angles(
        self, B: np.ndarray, forces: np.ndarray, low: Any, high: Any, by: Weighting, before: Any, period: Any
    ) -> np.ndarray:
        """Angles of the thrusters that turn: towards the best thrusts of any direction, in polygons."""
        wide, places, sides = [], [], []
        for i, channel in enumerate(self.channels):
            first = len(wide)
            wide += [(-high[..., i], high[..., i])] * 2 if channel.turns else [(low[..., i], high[..., i])]
            if channel.turns:
                places.append(first)
        rows = np.zeros((len(places) * (SIDES // 2), len(wide)))
        for k, first in enumerate(places):
            rows[k * (SIDES // 2) : (k + 1) * (SIDES // 2), first : first + 2] = polygon()
            sides += [np.cos(np.pi / SIDES) * high[..., self._turning[k]]] * (SIDES // 2)
        spread = [self.input_weights[..., i] for i, c in enumerate(self.channels) for _ in range(1 + c.turns)]
        order = {i: 10.0 ** (len(self.levels) - 1 - k) for k, level in enumerate(self.levels) for i in level}
        ranked = by.weights * np.array([order[i] for i in range(self.plant.nv)])
        H, g = normal_equations(B, forces, by._replace(inputs=stacked(spread)), ranked)
        most = stacked(sides)
        lowest, highest = (stacked([pair[k] for pair in wide]) for k in (0, 1))
        f = solve_qp(H, -g, rows, -most, most, lowest=lowest, highest=highest).x
        return stacked(
            [
                turned_angle(
                    f[..., first],
                    f[..., first + 1],
                    before[..., k],
                    low[..., i],
                    high[..., i],
                    self.turn_rate[..., k] * period,
                )
                for k, (first, i) in enumerate(zip(places, self._turning, strict=True))
            ]
        )

    def _fired(
        self,
        B: np.ndarray,
        forces: np.ndarray,
        low: Any,
        high: Any,
        by: Weighting,
        pulses: Pulses,
        period: Any,
    ) -> tuple[Any, Any, Pulses]:
        """Limits with thrusters on or off where they are, and the pulses after this period."""
        places = list(self.on_off)
        wanted = self._best(B, forces, low, high, by).thrusts
        full = maximum(high, 1e-300)
        duty = stacked([wanted[..., i] / full[..., i] for i in places])
        firing, pulses = pulsed(pulses, duty, self.pulse_periods, self.least_pulse / period)
        state = {i: firing[..., k] * high[..., i] for k, i in enumerate(places)}
        ends = [stacked([state.get(i, x[..., i]) for i in range(len(self.channels))]) for x in (low, high)]
        return ends[0], ends[1], pulses


def _kept(memory: Any) -> _Kept:
    pulses = [memory.get(f"allocation.{name}") for name in ("cycle", "on", "owed")]
    return _Kept(
        memory.get("allocation.thrusts"),
        memory.get("allocation.angles"),
        None if pulses[0] is None else Pulses(*pulses),
    )


def _lists(name: str, given: Any) -> Sequence[Sequence[str]]:
    wrong = isinstance(given, str) or not isinstance(given, Sequence)
    if wrong or any(isinstance(x, str) or not isinstance(x, Sequence) for x in given):
        raise ModelError.single("Allocated", name, expected="lists of names", given=repr(given))
    return given


def _pulsed_channels(channels: Sequence[Channel], names: Any, limits: np.ndarray) -> tuple[int, ...]:
    """Places of the thrusts of actuators that are on or off; places already are taken as they are."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ModelError.single("Allocated", "on_off", expected="a list of actuators", given=repr(names))
    known, found = [channel.label for channel in channels], []
    for name in names:
        if name not in known and not isinstance(name, int):
            raise unknown_name("Allocated", "actuator", name, known)
        i = name if isinstance(name, int) else known.index(name)
        low, high = limits[..., channels[i].input, 0], limits[..., channels[i].input, 1]
        if np.any(low != 0.0) or np.any(high >= FAR) or channels[i].turns:
            given = f"{np.min(low):g} to {np.max(high):g}"
            raise ModelError.single(known[i], "limits of on_off", expected="0 to full thrust", given=given)
        found.append(i)
    return tuple(found)


def _check_times_are_known(plant: Any) -> None:
    for parameter in plant._declared:
        if parameter.field == "fails_at":
            expected = (
                "a time that is known when the law is made: not a free parameter, or detected_after=None"
            )
            raise ModelError.single("Allocated", parameter.name, expected=expected, given="a free parameter")
