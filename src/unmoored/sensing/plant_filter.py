"""The extended Kalman filter of any plant on its group, through the derivatives of its step (filters.md).

The state is the plant's own, (q, v, x); the error is its tangent (δq, δw, δx), q = retract(q̂, δq): an arm is in it as
the vehicle is. w are the independent velocities: all of v, or what wheels and other constraints leave of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..dynamics.configuration import local, retract
from ..dynamics.configuration_derivatives import retract_derivatives
from ..lie.arrays import Array, blocks, diagonal, join, transpose
from ..model.field_types import NumberOrSeries, Series
from ..model.value import replace_arrays
from ..trace import matmul, plain_numbers, where
from ..worlds import Plant
from ..worlds.law import Law, Seen
from ..worlds.loads import setting
from ..worlds.plants.assembly import gaps_at
from ..worlds.plants.plant_step import suitable_method
from . import kalman
from .aiding_models import wrong
from .encoder import Encoder
from .estimated import COVARIANCE, Estimate, filter_memory
from .linearised_readings import linearised, noise_by_differences
from .past_states import Schedule, first_schedule, past_places, schedules_in, states_kept
from .sensor import Sensor

#: how far (m, rad) a first estimate may be off the closures
_CLOSED = 1e-9
#: of directions of noise, each of length one, below which some are the same
_SINGULAR = 1e-5


class PlantState(NamedTuple):
    """q (nq,), v (nv,), x (nx,), and the inputs u (nu,) that had been held until then."""

    q: Array
    v: Array
    x: Array
    u: Array


class PlantFilter(Law):
    """Estimates the whole state of a plant from any sensors, by its model; for `Estimated`, which tells it the inputs.

    plant: what the filter believes of it, without couplings and prescribed joints. With constraints errors are those of
    its independent velocities, `plant.speed_names`. With closures, as they are when it is built, estimates are on them,
    and errors are those that both allow.
    sensors: without biases and increments, each with noise, those with a delay with a rate; their numbers are what the
    filter believes.
    configuration (nq,), velocity (nv,): the first estimate, neutral and at rest if not given; on the closures, and as
    the constraints allow.
    configuration_deviation, velocity_deviation: standard deviations of its errors, one number or one per DoF, of
    velocities one per independent velocity.
    input_deviation: of an error of the inputs, drawn anew in every control period (one number, or one per input).
    disturbance: density of accelerations that the model does not know (m/s²/√Hz, rad/s²/√Hz), one number or one per
    independent velocity.
    steps, method: of the integration over a control period.
    """

    plant: Any
    sensors: Annotated[Any, tuple[str, ...]]
    configuration: Series = None
    velocity: NumberOrSeries = 0.0
    configuration_deviation: NumberOrSeries = 0.1
    velocity_deviation: NumberOrSeries = 0.1
    input_deviation: NumberOrSeries = 0.0
    disturbance: NumberOrSeries = 0.0
    steps: int = 1
    method: str = "rkmk4"

    #: `Estimated` tells the inputs of the last period, `seen.u`
    wants_inputs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        plant = self.plant
        if not isinstance(plant, Plant) or _takes_other_velocities(plant):
            raise wrong("PlantFilter", "plant", "a Plant without couplings and prescribed joints", plant)
        suitable_method("PlantFilter", plant, self.method)
        if isinstance(self.steps, bool) or not isinstance(self.steps, int) or self.steps < 1:
            raise wrong("PlantFilter", "steps", "a whole number ≥ 1", self.steps)
        given = (self.sensors,) if isinstance(self.sensors, Sensor) else tuple(self.sensors)
        for sensor in given:
            _check(sensor, plant)
        first = plant.system.neutral() if self.configuration is None else self.configuration
        first = _numbers("configuration", first, (plant.nq,))
        _check_closed(plant, first)
        _check_allowed(plant, first, self.velocity)
        for sensor in given:
            _check_noisy(sensor, plant, first)
        replace_arrays(self, sensors=given, configuration=first)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        own = {"configuration": (self.plant.nq,), "input_deviation": (self.plant.nu,)}
        own |= dict.fromkeys(("velocity", "configuration_deviation"), (self.plant.nv,))
        return own | dict.fromkeys(("velocity_deviation", "disturbance"), (self.plant.nw,))

    @property
    def error_names(self) -> tuple[str, ...]:
        """Of the entries of the error and its covariance: the plant's tangent."""
        return self.plant.tangent_names

    @property
    def _past(self) -> dict[str, tuple[int, ...]]:
        """For every delayed sensor the numbers of the past states kept for it, the latest first."""
        return past_places("PlantFilter", self.sensors)

    @property
    def memory(self) -> dict[str, Any]:
        """The state, whether there was one before, the covariance, and the NIS of every sensor; and for delayed sensors
        the states that readings under way were taken in, whose errors are part of the covariance."""
        plant, past = self.plant, self._past
        spread = [self.configuration_deviation, self.velocity_deviation, np.zeros(plant.nx)]
        start = {"q": np.asarray(self.configuration), "v": np.asarray(self.velocity), "begun": 0.0}
        start |= {"x": (plant.nx,)} if plant.nx else {}
        start |= {"nis": (max(1, len(self.sensors)),)}
        P = np.diag(np.concatenate(spread) ** 2)
        if not past:
            return start | {COVARIANCE: P}
        count, n = sum(map(len, past.values())), len(P)
        joint = np.zeros(((1 + count) * n,) * 2)
        joint[:n, :n] = P
        start |= {
            "joint_covariance": joint,
            "past_q": np.stack([start["q"]] * count),
            "past_v": (count, plant.nv),
        }
        start |= {"past_x": (count, plant.nx)} if plant.nx else {}
        start |= {"past_u": (count, plant.nu)} if plant.nu else {}
        for name, places in past.items():
            start |= {f"{name}.{part}": x for part, x in first_schedule(len(places)).items()}
        return start

    def __call__(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Estimate, dict[str, Any]]:
        now, P = self._predicted(seen, memory)
        states = [now, *self._remembered(memory)]
        schedules, told = schedules_in(memory, self._past), []
        for sensor in self.sensors:
            y, at, fresh, t = seen.y[sensor.name], 0, seen.y[sensor.name].fresh, seen.t
            if sensor.name in self._past:
                at = 1 + self._past[sensor.name][-1]
                fresh, schedules[sensor.name] = schedules[sensor.name].arrival(y, seen.period)
                t = seen.t - sensor.delay
            q, v, x, u = states[at]
            ν, H, N = linearised(sensor, self.plant, y.value, t, q, v, x, u, seen.period)
            step = kalman.corrected_whole(P, _placed(H, at, len(states)), N, ν, fresh)
            states, P = self._moved(states, step)
            told.append(step.nis)
        states, P = self._taken(*self._closed(states, P, seen.t), schedules, seen)
        q, v, x, _ = states[0]
        new = {"q": q, "v": v, "begun": 1.0, "nis": np.array(told) if told else memory["nis"]}
        new |= {"x": x} if self.plant.nx else {}
        n = len(self.plant.tangent_names)
        return Estimate(q, v, P[:n, :n] if self._past else P), new | self._memory_of(states[1:], P, schedules)

    def _remembered(self, memory: Mapping[str, Any]) -> list[PlantState]:
        """The past states."""
        count, plant = sum(map(len, self._past.values())), self.plant
        none = np.zeros(0)
        return [
            PlantState(
                memory["past_q"][k], memory["past_v"][k], memory["past_x"][k] if plant.nx else none,
                memory["past_u"][k] if plant.nu else none,
            )
            for k in range(count)
        ]  # fmt: skip

    def _memory_of(
        self, past: list[PlantState], P: Array, schedules: Mapping[str, Schedule]
    ) -> dict[str, Any]:
        if not past:
            return {COVARIANCE: P}
        new = {"joint_covariance": P}
        for part in PlantState._fields:
            kept = np.stack([getattr(state, part) for state in past])
            new |= {f"past_{part}": kept} if kept.shape[-1] else {}
        for name, schedule in schedules.items():
            new |= {f"{name}.{part}": x for part, x in schedule._asdict().items()}
        return new

    def _predicted(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[PlantState, Array]:
        """The state a control period on, with the inputs of that period; at the start as it is: a step of no time."""
        plant, begun = self.plant, memory["begun"]
        Δ = begun * seen.period
        x = memory["x"] if plant.nx else np.zeros(0)
        given = (seen.t - Δ, memory["q"], memory["v"], seen.u, Δ / self.steps)
        options = {"x": x if plant.nx else None, "steps": self.steps, "method": self.method}
        after = plant.step(*given, **options)
        J = plant.step_jacobian(*given, **options)
        n = len(plant.tangent_names)
        A, B = J[:, :n], J[:, n : n + plant.nu]
        before = memory["joint_covariance" if self._past else COVARIANCE]
        P = matmul(matmul(A, before[:n, :n]), transpose(A))
        P = P + begun * matmul(B * self.input_deviation**2, transpose(B))
        Q = self._disturbed(after[0], Δ)
        if plant.closures:  # of disturbances what they allow
            Q = _turned(Q, plant.closure_projection(seen.t, after[0], after[1]), 0)
        P = P + Q
        if self._past:  # errors of the past stay, and go along with those of the present
            across = matmul(A, before[:n, n:])
            P = blocks([[P, across], [transpose(across), before[n:, n:]]])
        state = PlantState(
            after[0], after[1], after[2] if plant.nx else x, seen.u if plant.nu else np.zeros(0)
        )
        return state, P

    def _disturbed(self, q: Array, Δ: Any) -> Array:
        """Q (n, n) of the disturbance over a time Δ: (½ΔE, 1) times accelerations, v = E w at q (nq,)."""
        plant, D = self.plant, diagonal(self.disturbance**2)
        E = plant.velocities.embedding(q) if plant.constraints else np.eye(plant.nv)
        across = matmul(E, D)
        rows = [
            [0.25 * Δ**3 * matmul(across, transpose(E)), 0.5 * Δ**2 * across],
            [0.5 * Δ**2 * transpose(across), Δ * D],
        ]
        if not plant.nx:
            return blocks(rows)
        size = plant.nv + plant.nw
        rows = [[blocks(rows), np.zeros((size, plant.nx))], [np.zeros((plant.nx, size + plant.nx))]]
        return blocks(rows)

    def _moved(self, states: list[PlantState], step: kalman.Correction) -> tuple[list[PlantState], Array]:
        """The states after a correction, and the covariance along their own tangents."""
        tree, nv, n = self.plant.tree, self.plant.nv, len(self.plant.tangent_names)
        velocities, speeds = self.plant.velocities, nv + self.plant.nw
        found, P = [], step.P
        for k, (q, v, x, u) in enumerate(states):
            δ = step.δ[k * n : (k + 1) * n]
            moved, w = retract(tree, q, δ[:nv]), velocities.independent(q, v) + δ[nv:speeds]
            found.append(PlantState(moved, velocities.full(np.zeros(()), moved, w), x + δ[speeds:], u))
            P = _turned(P, retract_derivatives(tree, q, δ[:nv]).dq, k * n)
        return found, P

    def _closed(self, states: list[PlantState], P: Array, t: Any) -> tuple[list[PlantState], Array]:
        """The states next to these on the closures, and of the covariance what the closures allow there: a correction
        along the tangent leaves them by its square."""
        plant, n = self.plant, len(self.plant.tangent_names)
        if not plant.closures:
            return states, P
        found = []
        for k, state in enumerate(states):
            q, v = plant.closed_state(t, state.q, state.v)
            found.append(state._replace(q=q, v=v))
            P = _turned(P, plant.closure_projection(t, q, v), k * n)
        return found, P

    def _taken(
        self, states: list[PlantState], P: Array, schedules: dict[str, Schedule], seen: Seen
    ) -> tuple[list[PlantState], Array]:
        """With the present state kept for every delayed sensor whose reading is taken now."""
        n, count = len(self.plant.tangent_names), len(states)
        for sensor in self.sensors:
            if sensor.name not in self._past:
                continue
            places = [1 + k for k in self._past[sensor.name]]
            due, schedules[sensor.name] = schedules[sensor.name].taken(seen.t, seen.period, sensor.rate, 1.0)
            source = {place: (0, *places)[k] for k, place in enumerate(places)}
            order = [source.get(k, k) for k in range(count)]
            states = [
                PlantState(*(where(due, a, b) for a, b in zip(states[order[k]], states[k], strict=True)))
                for k in range(count)
            ]
            entries = [n * k + i for k in order for i in range(n)]
            P = where(due, P[entries][:, entries], P)
        return states, P

    def errors(self, run: Any) -> np.ndarray:
        """The errors ([S,] T, n) of a run's estimates, in the order of `error_names`."""
        kept = filter_memory(run.memory)
        speeds = self.plant.independent_velocity
        parts = [
            local(self.plant.tree, kept["q"], run.q),
            speeds(run.q, run.v) - speeds(kept["q"], kept["v"]),
        ]
        return join([*parts, run.x - kept["x"]] if self.plant.nx else parts)


def _takes_other_velocities(plant: Plant) -> bool:
    """Whether something takes velocities that the filter has no errors for."""
    velocities = plant.velocities
    return bool(velocities.couplings or velocities.prescribed)


def _check_noisy(sensor: Sensor, plant: Plant, q: np.ndarray) -> None:
    """Refuse a sensor that is never wrong along some direction: once that is known, there is nothing to weigh it by."""
    if q.shape[-1:] != (plant.nq,):
        return  # told of with all other shapes
    L = noise_by_differences(sensor, plant, q.reshape(-1, plant.nq)[0], np.zeros(plant.nv))
    sizes = np.linalg.norm(L, axis=1, keepdims=True)
    rank = np.linalg.matrix_rank(L / np.where(sizes > 0.0, sizes, 1.0), tol=_SINGULAR)
    if rank < len(L):
        expected = "above zero along all that it reads: the filter weighs readings by it"
        raise wrong(
            "PlantFilter", f"noise of {sensor.name}", expected, f"along {rank} of {len(L)} directions"
        )


def _numbers(what: str, x: Any, *ends: tuple[int, ...]) -> np.ndarray:
    """Numbers whose last dimension is one of these."""
    try:
        found = plain_numbers(x)
    except (TypeError, ValueError):
        found = None
    if found is None or found.shape[-1:] not in ends:
        expected = " or ".join(f"{end[0]} numbers" if end else "one number" for end in ends)
        raise wrong("PlantFilter", what, expected, x)
    return found


def _check_allowed(plant: Plant, q: np.ndarray, velocity: Any) -> None:
    """Refuse a first velocity that breaks the constraints."""
    v = _numbers("velocity", velocity, (), (plant.nv,))
    v = v if v.ndim else np.full(plant.nv, v)
    if not plant.constraints:
        return
    off = float(np.abs(plant.full_velocity(0.0, q, plant.independent_velocity(q, v)) - v).max())
    if off > _CLOSED:
        expected = (
            f"one that the constraints allow, to {_CLOSED:g}: plant.full_velocity(t, q, w) gives such a one"
        )
        raise wrong("PlantFilter", "velocity", expected, f"off by {off:.3g} (m/s, rad/s)")


def _check_closed(plant: Any, q: np.ndarray) -> None:
    """Refuse a first estimate that is not on the closures."""
    off = (
        float(np.abs(gaps_at(setting(plant, plant.nominal_parameters), q)).max(initial=0.0))
        if q.size == plant.nq
        else 0.0
    )
    if off > _CLOSED:
        expected = f"a configuration on the closures, to {_CLOSED:g}: plant.assemble(q) gives such a one"
        raise wrong("PlantFilter", "configuration", expected, f"off by {off:.3g} (m, rad)")


def _placed(H: Array, at: int, count: int) -> Array:
    """Rows H (m, n) by one of several states, as rows (m, count n) by all of them."""
    if count == 1:
        return H
    m, n = H.shape
    return np.concatenate([H if k == at else np.zeros((m, n)) for k in range(count)], axis=1)


def _turned(P: Array, D: Array, first: int) -> Array:
    """T P Tᵀ for T the identity but for D (k, k) from row and column `first` on."""
    k, n = D.shape[-1], P.shape[-1]
    parts = [P[:first], matmul(D, P[first : first + k]), P[first + k :]]
    half = np.concatenate([part for part in parts if part.shape[0]], axis=0)
    parts = [half[:, :first], matmul(half[:, first : first + k], transpose(D)), half[:, first + k :]]
    found = np.concatenate([part for part in parts if part.shape[1]], axis=1)
    assert found.shape == (n, n)
    return found


def _check(sensor: Any, plant: Any) -> None:
    """Refuse what the filter has no model of."""
    kind = "PlantFilter"
    if not isinstance(sensor, Sensor):
        raise wrong(kind, "sensors", "sensors (um.Sensor)", sensor)
    sensor.check(plant)
    states_kept(kind, sensor)
    if sensor.keeps:
        raise wrong(
            kind,
            f"sampling of {sensor.name}",
            '"instant": increments are not readings of the state',
            "average",
        )
    if np.any(sensor.drift.start) or np.any(sensor.drift.walk):
        raise wrong(kind, f"bias of {sensor.name}", "none: biases are not estimated", sensor)
    if isinstance(sensor, Encoder) and any(sensor.resolution):
        expected = "0, and noise of resolution/√12 in its place: counts have no derivative"
        raise wrong(kind, f"resolution of {sensor.name}", expected, sensor.resolution)
