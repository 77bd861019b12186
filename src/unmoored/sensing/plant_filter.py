"""The extended Kalman filter of any plant on its group, through the derivatives of its step (filters.md).

The state is the plant's own, (q, v, x); the error is its tangent (δq, δw, δx), q = retract(q̂, δq): an arm is in it as
the vehicle is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from ..dynamics.configuration import local, retract
from ..dynamics.configuration_derivatives import retract_derivatives
from ..lie.arrays import Array, blocks, diagonal, join, transpose
from ..model.field_types import NumberOrSeries, Series
from ..model.value import replace_arrays
from ..trace import matmul
from ..worlds import Plant
from ..worlds.law import Law, Seen
from ..worlds.plant_derivatives import is_tied
from ..worlds.plant_step import suitable_method
from . import kalman
from .aiding_models import wrong
from .encoder import Encoder
from .estimated import Estimate, filter_memory
from .linearised_readings import linearised
from .sensor import Sensor


class PlantFilter(Law):
    """Estimates the whole state of a plant from any sensors, by its model; for `Estimated`, which tells it the inputs.

    plant: what the filter believes of it, without constraints, couplings and prescribed joints.
    sensors: without delay, biases and increments, each with noise; their numbers are what the filter believes.
    configuration (nq,), velocity (nv,): the first estimate, neutral and at rest if not given.
    configuration_deviation, velocity_deviation: standard deviations of its errors, one number or one per DoF.
    input_deviation: of an error of the inputs, drawn anew in every control period (one number, or one per input).
    disturbance: density of accelerations that the model does not know (m/s²/√Hz, rad/s²/√Hz), in the same form.
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
        if not isinstance(plant, Plant) or is_tied(plant):
            raise wrong(
                "PlantFilter", "plant", "a Plant without constraints, couplings, prescribed joints", plant
            )
        suitable_method("PlantFilter", plant, self.method)
        if isinstance(self.steps, bool) or not isinstance(self.steps, int) or self.steps < 1:
            raise wrong("PlantFilter", "steps", "a whole number ≥ 1", self.steps)
        given = (self.sensors,) if isinstance(self.sensors, Sensor) else tuple(self.sensors)
        for sensor in given:
            _check(sensor, plant)
        first = plant.system.neutral() if self.configuration is None else self.configuration
        replace_arrays(self, sensors=given, configuration=np.array(first, dtype=float))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        dofs = ("velocity", "configuration_deviation", "velocity_deviation", "disturbance")
        own = {"configuration": (self.plant.nq,), "input_deviation": (self.plant.nu,)}
        return own | dict.fromkeys(dofs, (self.plant.nv,))

    @property
    def error_names(self) -> tuple[str, ...]:
        """Of the entries of the error and its covariance: the plant's tangent."""
        return self.plant.tangent_names

    @property
    def memory(self) -> dict[str, Any]:
        """The state, whether there was one before, the covariance, and the NIS of every sensor."""
        plant = self.plant
        spread = [self.configuration_deviation, self.velocity_deviation, np.zeros(plant.nx)]
        start = {"q": np.asarray(self.configuration), "v": np.asarray(self.velocity), "begun": 0.0}
        start |= {"x": (plant.nx,)} if plant.nx else {}
        P = np.diag(np.concatenate(spread) ** 2)
        return start | {"covariance": P, "nis": (max(1, len(self.sensors)),)}

    def __call__(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Estimate, dict[str, Any]]:
        q, v, x, P = self._predicted(seen, memory)
        told = []
        for sensor in self.sensors:
            y = seen.y[sensor.name]
            ν, H, N = linearised(sensor, self.plant, y.value, seen.t, q, v, x, seen.u, seen.period)
            step = kalman.corrected_whole(P, H, N, ν, y.fresh)
            q, v, x, P = self._moved(q, v, x, step)
            told.append(step.nis)
        new = {
            "q": q,
            "v": v,
            "begun": 1.0,
            "covariance": P,
            "nis": np.array(told) if told else memory["nis"],
        }
        return Estimate(q, v, P), new | ({"x": x} if self.plant.nx else {})

    def _predicted(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
        """The state a control period on, with the inputs of that period; at the start as it is: a step of no time."""
        plant, begun, nv = self.plant, memory["begun"], self.plant.nv
        Δ = begun * seen.period
        x = memory["x"] if plant.nx else np.zeros(0)
        given = (seen.t - Δ, memory["q"], memory["v"], seen.u, Δ / self.steps)
        options = {"x": x if plant.nx else None, "steps": self.steps, "method": self.method}
        after = plant.step(*given, **options)
        J = plant.step_jacobian(*given, **options)
        n = len(plant.tangent_names)
        A, B = J[:, :n], J[:, n : n + plant.nu]
        P = matmul(matmul(A, memory["covariance"]), transpose(A))
        P = P + begun * matmul(B * self.input_deviation**2, transpose(B))
        D = diagonal(self.disturbance**2)
        known = np.zeros((nv, n - 2 * nv))
        rest = np.zeros((n - 2 * nv, n))
        Q = [[0.25 * Δ**3 * D, 0.5 * Δ**2 * D, known], [0.5 * Δ**2 * D, Δ * D, known]]
        Q = blocks(Q if plant.nx else [row[:2] for row in Q])
        P = P + (np.concatenate([Q, rest], axis=0) if plant.nx else Q)
        return after[0], after[1], after[2] if plant.nx else x, P

    def _moved(
        self, q: Array, v: Array, x: Array, step: kalman.Correction
    ) -> tuple[Array, Array, Array, Array]:
        """The state after a correction, and the covariance along its own tangent."""
        tree, nv, δ = self.plant.tree, self.plant.nv, step.δ
        D = retract_derivatives(tree, q, δ[:nv]).dq
        n = len(δ)
        top = np.concatenate([D, np.zeros((nv, n - nv))], axis=1)
        full = np.concatenate([top, np.eye(n)[nv:]], axis=0)
        P = matmul(matmul(full, step.P), transpose(full))
        return retract(tree, q, δ[:nv]), v + δ[nv : 2 * nv], x + δ[2 * nv :], P

    def errors(self, run: Any) -> np.ndarray:
        """The errors ([S,] T, n) of a run's estimates, in the order of `error_names`."""
        kept = filter_memory(run.memory)
        parts = [local(self.plant.tree, kept["q"], run.q), run.v - kept["v"]]
        return join([*parts, run.x - kept["x"]] if self.plant.nx else parts)


def _check(sensor: Any, plant: Any) -> None:
    """Refuse what the filter has no model of."""
    kind = "PlantFilter"
    if not isinstance(sensor, Sensor):
        raise wrong(kind, "sensors", "sensors (um.Sensor)", sensor)
    sensor.check(plant)
    if sensor.delay:
        raise wrong(
            kind, f"delay of {sensor.name}", "none: readings are taken when they are made", sensor.delay
        )
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
