"""The invariant extended Kalman filter of a vehicle with an inertial unit (filters.md).

Barrau & Bonnabel 2017; Hartley et al. 2020. The state is the extended pose χ of the unit's frame and its biases; the
error is on the left, in the unit's axes, in the order (p, v, φ, b_a, b_ω); see `extended_pose` and `belief`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import Array, apply, join, transpose
from ..model import Pose
from ..model.field_types import NumberOrSeries, Vector
from ..model.value import replace_arrays
from ..trace import maximum, where
from ..worlds.law import Law, Seen
from . import aiding_models
from .aiding_models import CURRENT, POSITION, VELOCITY
from .belief import EXTRAPOLATED, Belief, PastKind, PastState, kept, predicted, updated
from .dvl import Dvl
from .encoder import Encoder
from .estimated import COVARIANCE, Estimate, filter_memory
from .extended_pose import ExtendedPose, local
from .imu import Imu
from .instant import water_velocity
from .joint_readings import joint_memory, read_joints
from .past_states import Schedule, first_schedule, past_places, schedules_in, states_kept
from .sensor import Sensor
from .vehicle_frames import VehicleFrames, arm_of, checked_vehicle, first_pose

_AXES = "xyz"
_KIND = "InvariantFilter"


class InvariantFilter(Law):
    """Estimates pose, velocity, the biases of an inertial unit, and the current if a sensor tells; for `Estimated`.

    plant: with a free vehicle that carries all sensors.  imu: the unit, without delay, best with sampling="average":
    of "instant" readings a period has the mean rate of both its ends and the force at its end.
    aiding: sensors that correct it (Dvl, DepthGauge, Usbl); with a delay they need a rate. Their numbers are
    what the filter believes; the run's sensors may have others.
    pose: of the vehicle at the start (4, 4), velocity: of its origin, in its axes (3,): the first estimate.
    position_deviation, velocity_deviation, attitude_deviation: standard deviations of its errors in the vehicle's axes
    (m, m/s, rad), one number or three. Those of the biases are the unit's own.
    encoder: reads the joints of an arm, if there is one; their velocities are differences.
    iterations: of an update (Gauss-Newton on the group). One is an ordinary update; two keep the filter consistent
    where attitudes are badly known.
    current: the first estimate of the water's velocity (m/s, world axes), current_deviation: of its errors, one number
    or three, current_walk: how it wanders (m/s/√s). Estimated with a Dvl that has lock="water", and only then.
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
    current: Vector = (0.0, 0.0, 0.0)
    current_deviation: NumberOrSeries = None
    current_walk: NumberOrSeries = 0.0

    def __post_init__(self) -> None:
        checked_vehicle(self, self.imu, Imu)
        given = (self.aiding,) if isinstance(self.aiding, Sensor) else tuple(self.aiding)
        for sensor in given:
            aiding_models.check(sensor)
            states_kept(_KIND, sensor)
        replace_arrays(self, aiding=given, pose=first_pose(self))
        arm_of(self, self.encoder, Encoder)
        if isinstance(self.iterations, bool) or not isinstance(self.iterations, int) or self.iterations < 1:
            raise aiding_models.wrong(_KIND, "iterations", "a whole number ≥ 1", self.iterations)
        self._frames.check(self.imu, *given)
        told = any(map(aiding_models.tells_current, given))
        if told != (self.current_deviation is not None):
            expected = 'given (m/s) where a Dvl has lock="water", which tells the current, and only there'
            raise aiding_models.wrong(_KIND, "current_deviation", expected, self.current_deviation)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        three = ["velocity", "position_deviation", "velocity_deviation", "attitude_deviation"]
        three += ["current", "current_walk"]
        three += ["current_deviation"] if self.current_deviation is not None else []
        return {"pose": (4, 4), **dict.fromkeys(three, (3,))}

    @property
    def _with_current(self) -> bool:
        return self.current_deviation is not None

    @property
    def error_names(self) -> tuple[str, ...]:
        """Of the entries of the error and its covariance: in the unit's axes; the current in world axes."""
        parts = ["position", "velocity", "attitude", "accelerometer_bias", "gyro_bias"]
        parts += ["current"] if self._with_current else []
        return tuple(f"{part}.{axis}" for part in parts for axis in _AXES)

    @property
    def _frames(self) -> VehicleFrames:
        return VehicleFrames(self.plant)

    @property
    def _past(self) -> dict[str, tuple[int, ...]]:
        """For every delayed sensor the numbers of the past states kept for it, the latest first."""
        return past_places(_KIND, self.aiding)

    @property
    def _kinds(self) -> tuple[PastKind, ...]:
        """Of all past states."""
        found, block = [], CURRENT + (1 if self._with_current else 0)
        for sensor in self.aiding:
            for _ in self._past.get(sensor.name, ()):
                found.append(PastKind(VELOCITY if isinstance(sensor, Dvl) else POSITION, block))
                block += 2
        return tuple(found)

    @property
    def memory(self) -> dict[str, Any]:
        """The extended pose of the unit, biases, the last rate, the covariance, and the NIS of every update; the
        current; and for delayed sensors the states that readings under way were taken in."""
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
            "turning": (3,),
            "begun": 0.0,
            "nis": (max(1, len(self.aiding)),),
        }
        start |= {"current": self.current} if self._with_current else {}
        return start | self._past_memory(se3.rotation(g)) | joint_memory(self.encoder)

    def _past_memory(self, R: Array) -> dict[str, Any]:
        """The covariance, which past states are part of, and what is kept of them."""
        count, P = len(self._kinds), self._first_covariance(self._frames.place(self.imu.frame))
        if not count:
            return {COVARIANCE: P}
        kept = {
            "joint_covariance": P,
            "past_rotation": np.stack([R] * count),
            "past_velocity": (count, 3),
            "past_position": (count, 3),
            "past_reading": (count, 3),
        }
        for name, places in self._past.items():
            kept |= {f"{name}.{part}": x for part, x in first_schedule(len(places)).items()}
        return kept

    def _first_covariance(self, on_body: Array) -> Array:
        """Of (p, v, φ) in the vehicle's axes, carried to the unit's frame: ξ_i = Ad_{g_bi}⁻¹ ξ_b."""
        R_t, r = transpose(se3.rotation(on_body)), se3.position(on_body)
        none, eye = np.zeros((3, 3)), np.eye(3)
        lever = np.block([[eye, none, -so3.hat(r)], [none, eye, none], [none, none, eye]])
        turn = np.kron(eye, R_t) @ lever
        own = (self.position_deviation, self.velocity_deviation, self.attitude_deviation)
        n = len(self.error_names)
        P = np.zeros((n + 6 * len(self._kinds),) * 2)
        P[:9, :9] = turn @ np.diag(np.concatenate(own) ** 2) @ turn.T
        P[9:15, 9:15] = np.diag(np.concatenate([self.imu.accelerometer_bias, self.imu.gyro_bias]) ** 2)
        if self._with_current:
            P[15:18, 15:18] = np.diag(np.square(self.current_deviation))
        return P

    def __call__(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Estimate, dict[str, Any]]:
        belief, period = self._remembered(memory), self._period(seen)
        unit = seen.y[self.imu.name]
        about_unit = (self.imu, self.plant.gravity, period, self.current_walk, seen.period, memory["begun"])
        belief = predicted(belief, unit, *about_unit)
        begun = maximum(memory["begun"], unit.fresh)
        told, schedules = [], schedules_in(memory, self._past)
        rate_noise = self.imu.gyro_noise * (EXTRAPOLATED if self.imu.sampling == "average" else 1.0)
        for sensor in self.aiding:
            y, late = seen.y[sensor.name], None
            counts = y.fresh * begun if isinstance(sensor, Dvl) else y.fresh  # over a lever it needs the rate
            if sensor.name in self._past:
                late = self._past[sensor.name][-1]
                counts, schedules[sensor.name] = schedules[sensor.name].arrival(y, seen.period)
            about = (self._frames.between(self.imu.frame, sensor.frame), rate_noise, period)
            belief, nis = updated(belief, sensor, y.value, counts, about, self.iterations, self._kinds, late)
            told.append(nis)
        belief, schedules = self._taken(belief, schedules, seen, begun)
        new = self._memory_of(belief, schedules)
        new |= {"begun": begun, "nis": np.array(told) if told else memory["nis"]}
        joints = {} if self.encoder is None else read_joints(self.encoder, seen, memory)
        q, v = self._frames.state(self.imu.frame, belief.χ, belief.rate, self.encoder, joints)
        n = len(self.error_names)
        return Estimate(q, v, belief.P[:n, :n] if self._past else belief.P), new | joints

    def _period(self, seen: Seen) -> Any:
        return seen.period if self.imu.rate is None else 1.0 / self.imu.rate

    def _remembered(self, memory: Mapping[str, Any]) -> Belief:
        χ = ExtendedPose(memory["rotation"], memory["velocity"], memory["position"])
        past = [
            PastState(
                ExtendedPose(*(memory[f"past_{part}"][k] for part in ("rotation", "velocity", "position"))),
                memory["past_reading"][k],
            )
            for k in range(len(self._kinds))
        ]
        biases = memory["accelerometer_bias"], memory["gyro_bias"]
        P = memory["joint_covariance" if past else COVARIANCE]
        current = memory["current"] if self._with_current else None
        return Belief(χ, biases, memory["rate"], memory["turning"], P, current, tuple(past))

    def _memory_of(self, belief: Belief, schedules: Mapping[str, Schedule]) -> dict[str, Any]:
        χ, past = belief.χ, belief.past
        new = {
            "rotation": χ.R,
            "velocity": χ.v,
            "position": χ.p,
            "rate": belief.rate,
            "turning": belief.turning,
        }
        new |= {"accelerometer_bias": belief.biases[0], "gyro_bias": belief.biases[1]}
        new |= {} if belief.current is None else {"current": belief.current}
        if not past:
            return new | {COVARIANCE: belief.P}
        new |= {
            "joint_covariance": belief.P,
            "past_rotation": np.stack([state.χ.R for state in past]),
            "past_velocity": np.stack([state.χ.v for state in past]),
            "past_position": np.stack([state.χ.p for state in past]),
            "past_reading": np.stack([state.reading for state in past]),
        }
        for name, schedule in schedules.items():
            new |= {f"{name}.{part}": x for part, x in schedule._asdict().items()}
        return new

    def _taken(
        self, belief: Belief, schedules: dict[str, Schedule], seen: Seen, begun: Any
    ) -> tuple[Belief, dict[str, Schedule]]:
        """With the present state kept for every delayed sensor whose reading is taken now."""
        for sensor in self.aiding:
            if sensor.name not in self._past:
                continue
            places, past = self._past[sensor.name], list(belief.past)
            counts = begun if isinstance(sensor, Dvl) else 1.0  # over a lever it needs the rate
            due, schedules[sensor.name] = schedules[sensor.name].taken(
                seen.t, seen.period, sensor.rate, counts
            )
            latest = PastState(belief.χ, belief.turning + belief.biases[1])
            for k, state in zip(places, [latest, *(belief.past[k] for k in places[:-1])], strict=True):
                past[k] = _chosen(due, state, past[k])
            P = where(due, kept(belief.P, tuple(self._kinds[k] for k in places)), belief.P)
            belief = belief._replace(past=tuple(past), P=P)
        return belief, schedules

    def errors(self, run: Any) -> np.ndarray:
        """The errors ([S,] T, n) of a run's estimates, ξ = log(χ̂⁻¹χ), biases, current, as in `error_names`.

        The true current is that of the filter's plant at the unit's place.
        """
        remembered, frame = filter_memory(run.memory), self.imu.frame
        g = run.system.pose(run.q, frame)
        v = apply(se3.rotation(g), run.system.velocity(run.q, run.v, frame)[..., :3])
        true = ExtendedPose(se3.rotation(g), v, se3.position(g))
        believed = ExtendedPose(*(remembered[part] for part in ("rotation", "velocity", "position")))
        bias = run.y[self.imu.name].bias
        parts = [local(believed, true)]
        parts += [bias[..., 3:] - remembered["accelerometer_bias"], bias[..., :3] - remembered["gyro_bias"]]
        if self._with_current:
            parts.append(water_velocity(self.plant.worlds, run.t, se3.position(g)) - remembered["current"])
        return join(parts)


def _chosen(due: Any, new: PastState, old: PastState) -> PastState:
    pairs = zip(new.χ, old.χ, strict=True)
    χ = ExtendedPose(*(where(due, a, b) for a, b in pairs))
    return PastState(χ, where(due, new.reading, old.reading))
