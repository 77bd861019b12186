"""The invariant extended Kalman filter of a vehicle with an inertial unit (filters.md).

Barrau & Bonnabel 2017; Hartley et al. 2020. The state is the extended pose χ of the unit's frame and its biases; the
error is on the left, in the unit's axes, in the order (p, v, φ, b_a, b_ω); see `extended_pose`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import Array, apply, diagonal, join, transpose
from ..model import Pose
from ..model.field_types import NumberOrSeries, Vector
from ..model.value import replace_arrays
from ..trace import maximum
from ..worlds.law import Law, Seen
from . import aiding_models, kalman
from .dvl import Dvl
from .encoder import Encoder
from .estimated import Estimate, filter_memory
from .extended_pose import ExtendedPose, carried, increment, local, moved, retract, transition
from .imu import Imu
from .joint_readings import joint_memory, read_joints
from .sensor import Sensor
from .vehicle_frames import VehicleFrames, arm_of, checked_vehicle

_AXES = "xyz"
_P, _V, _PHI, _BA, _BW = range(5)


class InvariantFilter(Law):
    """Estimates pose, velocity and the biases of an inertial unit; for `Estimated`.

    plant: with a free vehicle that carries all sensors.  imu: the unit, best with sampling="average": "instant"
    readings stand for the period that they end.  aiding: sensors that correct it (Dvl, DepthGauge, Usbl), no delay.
    Their numbers are what the filter believes; the run's sensors may have others.
    pose: of the vehicle at the start (4, 4), velocity: of its origin, in its axes (3,): the first estimate.
    position_deviation, velocity_deviation, attitude_deviation: standard deviations of its errors in the vehicle's axes
    (m, m/s, rad), one number or three. Those of the biases are the unit's own.
    encoder: reads the joints of an arm, if there is one; their velocities are differences.
    iterations: of an update (Gauss-Newton on the group). One is an ordinary update; two keep the filter consistent
    where attitudes are badly known.
    """

    plant: Any
    imu: Annotated[Any, str]
    aiding: Annotated[Any, tuple[str, ...]]
    pose: Annotated[Any, Pose]
    velocity: Vector = (0.0, 0.0, 0.0)
    position_deviation: NumberOrSeries = 1.0
    velocity_deviation: NumberOrSeries = 0.1
    attitude_deviation: NumberOrSeries = 0.1
    encoder: Annotated[Any, str] = None
    iterations: int = 2

    def __post_init__(self) -> None:
        checked_vehicle(self, self.imu, Imu)
        given = (self.aiding,) if isinstance(self.aiding, Sensor) else tuple(self.aiding)
        for sensor in given:
            aiding_models.check(sensor)
        replace_arrays(
            self, aiding=given, pose=np.array(getattr(self.pose, "matrix", self.pose), dtype=float)
        )
        arm_of(self, self.encoder, Encoder)
        if isinstance(self.iterations, bool) or not isinstance(self.iterations, int) or self.iterations < 1:
            raise aiding_models.wrong("InvariantFilter", "iterations", "a whole number ≥ 1", self.iterations)
        self._frames.check(self.imu, *given)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        three = ("velocity", "position_deviation", "velocity_deviation", "attitude_deviation")
        return {"pose": (4, 4), **dict.fromkeys(three, (3,))}

    @property
    def error_names(self) -> tuple[str, ...]:
        """Of the entries of the error and its covariance: in the axes of the unit's frame."""
        parts = ("position", "velocity", "attitude", "accelerometer_bias", "gyro_bias")
        return tuple(f"{part}.{axis}" for part in parts for axis in _AXES)

    @property
    def _frames(self) -> VehicleFrames:
        return VehicleFrames(self.plant)

    @property
    def memory(self) -> dict[str, Any]:
        """The extended pose of the unit, biases, the last rate, the covariance, and the NIS of every update."""
        on_body = self._frames.place(self.imu.frame)
        g = self.pose @ on_body
        V = se3.Ad_inv_apply(on_body, join([self.velocity, np.zeros(3)]))
        start = {
            "rotation": se3.rotation(g),
            "velocity": apply(se3.rotation(g), V[..., :3]),
            "position": se3.position(g),
            "accelerometer_bias": (3,),
            "gyro_bias": (3,),
            "rate": (3,),
            "begun": 0.0,
            "covariance": self._first_covariance(on_body),
            "nis": (max(1, len(self.aiding)),),
        }
        return start | joint_memory(self.encoder)

    def _first_covariance(self, on_body: Array) -> Array:
        """Of (p, v, φ) in the vehicle's axes, carried to the unit's frame: ξ_i = Ad_{g_bi}⁻¹ ξ_b."""
        R_t, r = transpose(se3.rotation(on_body)), se3.position(on_body)
        none, eye = np.zeros((3, 3)), np.eye(3)
        lever = np.block([[eye, none, -so3.hat(r)], [none, eye, none], [none, none, eye]])
        turn = np.kron(eye, R_t) @ lever
        own = (self.position_deviation, self.velocity_deviation, self.attitude_deviation)
        P = np.zeros((15, 15))
        P[:9, :9] = turn @ np.diag(np.concatenate(own) ** 2) @ turn.T
        P[9:, 9:] = np.diag(np.concatenate([self.imu.accelerometer_bias, self.imu.gyro_bias]) ** 2)
        return P

    def __call__(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Estimate, dict[str, Any]]:
        χ = ExtendedPose(memory["rotation"], memory["velocity"], memory["position"])
        biases = memory["accelerometer_bias"], memory["gyro_bias"]
        χ, P, rate = self._predicted(seen, χ, biases, memory["covariance"], memory["rate"])
        period = self._period(seen)
        begun = maximum(memory["begun"], seen.y[self.imu.name].fresh)
        told = []
        for sensor in self.aiding:
            y = seen.y[sensor.name]
            counts = (
                y.fresh * begun if isinstance(sensor, Dvl) else y.fresh
            )  # a velocity over a lever needs the rate
            about = (self._frames.between(self.imu.frame, sensor.frame), self.imu.gyro_noise, period)
            found = self._updated(sensor, y.value, counts, χ, biases, rate, P, about)
            rate = rate + biases[1] - found[1][1]
            χ, biases, P = found[:3]
            told.append(found[3])
        new = {
            "rotation": χ.R,
            "velocity": χ.v,
            "position": χ.p,
            "accelerometer_bias": biases[0],
            "gyro_bias": biases[1],
            "rate": rate,
            "begun": begun,
            "covariance": P,
            "nis": np.array(told) if told else memory["nis"],
        }
        joints = {} if self.encoder is None else read_joints(self.encoder, seen, memory)
        q, v = self._frames.state(self.imu.frame, χ, rate, self.encoder, joints)
        return Estimate(q, v, P), new | joints

    def _period(self, seen: Seen) -> Any:
        return seen.period if self.imu.rate is None else 1.0 / self.imu.rate

    def _predicted(
        self, seen: Seen, χ: ExtendedPose, biases: tuple[Array, Array], P: Array, rate: Array
    ) -> tuple[ExtendedPose, Array, Array]:
        """χ, P and the unbiased rate after what the unit says about the last period; without a reading as they were."""
        y, Δ = seen.y[self.imu.name], self._period(seen)
        fresh = y.fresh
        period = fresh * Δ  # nothing moves in no time
        ω, s = y.value[:3] - biases[1], y.value[3:] - biases[0]
        by = increment(ω, s, period, self.imu.sampling == "average")
        F, E = transition(by, period), transpose(by.turn)
        rows: dict[int, dict[int, Array]] = {
            _P: {_P: kalman.block(F, 0, 0), _V: kalman.block(F, 0, 1), _PHI: kalman.block(F, 0, 2)},
            _V: {_V: E, _PHI: kalman.block(F, 1, 2)},
            _PHI: {_PHI: E, _BW: -period * so3.dexp(period * ω)},
        }
        rows[_P][_BA], rows[_V][_BA] = -0.5 * period**2 * E, -period * E
        if self.imu.sampling == "instant":  # a wrong rate turns the force within the period
            turned = so3.hat(s)
            rows[_P][_BW], rows[_V][_BW] = period**3 / 6.0 * turned, 0.5 * period**2 * turned
        A = (
            E @ diagonal(self.imu.accelerometer_noise**2) @ transpose(E) * period
        )  # σ²/Δ of a reading, times Δ²
        J = so3.dexp(period * ω)
        noise = {
            (_P, _P): 0.25 * period**2 * A,
            (_P, _V): 0.5 * period * A,
            (_V, _V): A,
            (_PHI, _PHI): period * (J @ diagonal(self.imu.gyro_noise**2) @ transpose(J)),
            (_BA, _BA): period * diagonal(self.imu.accelerometer_walk**2),
            (_BW, _BW): period * diagonal(self.imu.gyro_walk**2),
        }
        new = kalman.propagated(P, rows, noise)
        return moved(χ, by, self.plant.gravity, period), new, rate + fresh * (ω - rate)

    def _updated(
        self,
        sensor: Sensor,
        value: Array,
        fresh: Any,
        χ: ExtendedPose,
        biases: tuple[Array, Array],
        rate: Array,
        P: Array,
        about: Any,
    ) -> tuple[ExtendedPose, tuple[Array, Array], Array, Any]:
        """χ, biases, P and NIS after a reading, by Gauss-Newton on the group."""
        model = aiding_models.model(sensor, value, χ, rate, about)
        step = kalman.corrected(P, model.H, model.N, model.ν, fresh)
        for _ in range(
            self.iterations - 1
        ):  # an error ε at χ̂ is carried(δ) ε at the point of the last iteration
            δ = step.δ
            at = retract(χ, δ[:9])
            model = aiding_models.model(sensor, value, at, rate - δ[12:], about)
            H = _through(model.H, carried(δ[:9]))
            step = kalman.corrected(P, H, model.N, model.ν + kalman.row_times(H, δ[:, None])[:, 0], fresh)
        δ = step.δ
        new = retract(χ, δ[:9])
        P = kalman.reset(step.P, carried(δ[:9]))
        return new._replace(R=so3.renormalise(new.R)), (biases[0] + δ[9:12], biases[1] + δ[12:]), P, step.nis

    def errors(self, run: Any) -> np.ndarray:
        """The errors ([S,] T, 15) of a run's estimates, ξ = log(χ̂⁻¹χ) and biases, in the order of `error_names`."""
        kept, frame = filter_memory(run.memory), self.imu.frame
        g = run.system.pose(run.q, frame)
        v = apply(se3.rotation(g), run.system.velocity(run.q, run.v, frame)[..., :3])
        true = ExtendedPose(se3.rotation(g), v, se3.position(g))
        believed = ExtendedPose(kept["rotation"], kept["velocity"], kept["position"])
        bias = run.y[self.imu.name].bias
        parts = [local(believed, true)]
        parts += [bias[..., 3:] - kept["accelerometer_bias"], bias[..., :3] - kept["gyro_bias"]]
        return join(parts)


def _through(H: Mapping[int, Array], D: Array) -> dict[int, Array]:
    """Rows of blocks times D (9, 9) on their first three blocks."""
    found = {c: part for c, part in H.items() if c > 2}
    for c in range(3):
        terms = [H[k] @ kalman.block(D, k, c) for k in range(3) if k in H and (k == c or c == 2)]
        if terms:
            found[c] = sum(terms[1:], terms[0])
    return found
