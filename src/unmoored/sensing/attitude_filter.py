"""The multiplicative extended Kalman filter of an attitude: gyroscope and star tracker (filters.md).

The state is the rotation of the gyroscope's frame and its biases; the error is (φ, b), R = R̂ exp φ in the frame's axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import Array, apply, diagonal, join, transpose
from ..model import Pose
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..trace import maximum, where
from ..worlds.law import Law, Seen
from . import kalman
from .aiding_models import wrong
from .encoder import Encoder
from .estimated import COVARIANCE, Estimate, filter_memory
from .extended_pose import ExtendedPose
from .gyro import Gyro
from .joint_readings import joint_memory, read_joints
from .past_states import Schedule, first_schedule, states_kept
from .star_tracker import StarTracker
from .vehicle_frames import VehicleFrames, arm_of, checked_vehicle, first_pose


class AttitudeFilter(Law):
    """Estimates a vehicle's attitude and the biases of its gyroscope; for `Estimated`.

    plant: with a free vehicle that carries both sensors.  gyro: best with sampling="average".
    stars: with a delay it needs a rate. Their numbers are what the filter believes; the run's sensors may have others.
    A misalignment of the star tracker is not estimated: put it into the noise that the filter believes.
    pose: of the vehicle at the start (4, 4), the first estimate. Position and velocity are not estimated: the position
    stays what it is here, the velocity zero.
    attitude_deviation: standard deviation of its attitude in the vehicle's axes (rad), one number or three. Those of
    the biases are the gyroscope's own.
    encoder: reads the joints of an arm, if there is one; their velocities are differences.
    """

    plant: Any
    gyro: Annotated[Any, str]
    stars: Annotated[Any, str]
    pose: Annotated[Any, Pose]
    attitude_deviation: NumberOrSeries = 0.1
    encoder: Annotated[Any, str] = None

    def __post_init__(self) -> None:
        checked_vehicle(self, self.gyro, Gyro)
        if not isinstance(self.stars, StarTracker):
            raise wrong("AttitudeFilter", "stars", "a StarTracker", self.stars)
        states_kept("AttitudeFilter", self.stars)
        if np.any(self.stars.bias):
            raise wrong("AttitudeFilter", "bias of stars", "zero: it is not estimated", self.stars.bias)
        arm_of(self, self.encoder, Encoder)
        self._frames.check(self.gyro, self.stars)
        replace_arrays(self, pose=first_pose(self))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return {"pose": (4, 4), "attitude_deviation": (3,)}

    @property
    def error_names(self) -> tuple[str, ...]:
        """Of the entries of the error and its covariance: in the axes of the gyroscope's frame."""
        return tuple(f"{part}.{axis}" for part in ("attitude", "gyro_bias") for axis in "xyz")

    @property
    def _frames(self) -> VehicleFrames:
        return VehicleFrames(self.plant)

    @property
    def _past(self) -> int:
        """How many rotations of the past are kept for readings under way."""
        return states_kept("AttitudeFilter", self.stars)

    @property
    def memory(self) -> dict[str, Any]:
        """The rotation of the gyroscope, its biases, the last rate, the covariance and the NIS; where stars come late,
        the rotations that readings under way were taken in, whose errors are part of the covariance."""
        turn = se3.rotation(self._frames.place(self.gyro.frame))
        R, n = se3.rotation(self.pose) @ turn, self._past
        P = np.zeros((6 + 3 * n,) * 2)
        P[:3, :3] = turn.T @ np.diag(np.square(self.attitude_deviation)) @ turn
        P[3:6, 3:6] = np.diag(np.square(self.gyro.bias))
        start = {"rotation": R, "gyro_bias": (3,), "rate": (3,), "nis": (1,)} | joint_memory(self.encoder)
        if self.gyro.sampling == "instant":
            start["begun"] = 0.0  # 1.0 once there is a rate at the start of a period
        if not n:
            return start | {COVARIANCE: P}
        return start | {"joint_covariance": P, "past_rotation": np.stack([R] * n)} | first_schedule(n)

    def __call__(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Estimate, dict[str, Any]]:
        R, bias, rate, P = self._predicted(seen, memory)
        stars, n = seen.y[self.stars.name], self._past
        past = [memory["past_rotation"][k] for k in range(n)]
        fresh, schedule = stars.fresh, None
        if n:
            schedule = Schedule(*(memory[part] for part in Schedule._fields))
            fresh, schedule = schedule.arrival(stars, seen.period)
        S = se3.rotation(self._frames.between(self.gyro.frame, self.stars.frame))
        expected = (past[-1] if n else R) @ S
        given = so3.log(transpose(expected) @ _rotation(stars.value, expected, fresh))
        row = {1 + n if n else 0: transpose(S)}
        step = kalman.corrected(P, row, diagonal(self.stars.noise**2), given, fresh)
        turns = [step.δ[3 * k : 3 * k + 3] for k in (0, *range(2, 2 + n))]
        R, *past = (so3.renormalise(A @ so3.exp(φ)) for A, φ in zip([R, *past], turns, strict=True))
        bias, rate = bias + step.δ[3:6], rate - step.δ[3:6]
        places = (0, *range(2, 2 + n))
        P = kalman.propagated(step.P, {k: {k: so3.dexp(φ)} for k, φ in zip(places, turns, strict=True)}, {})
        new = {"rotation": R, "gyro_bias": bias, "rate": rate, "nis": np.array([step.nis])}
        if self.gyro.sampling == "instant":
            new["begun"] = maximum(memory["begun"], seen.y[self.gyro.name].fresh)
        if schedule is None:
            new[COVARIANCE] = P
        else:
            due, schedule = schedule.taken(seen.t, seen.period, self.stars.rate, 1.0)
            rows = {2 + k: {1 + k if k else 0: np.eye(3)} for k in range(n)}
            P = where(due, kalman.propagated(P, rows, {}), P)
            kept = [where(due, a, b) for a, b in zip([R, *past[:-1]], past, strict=True)]
            new |= {"joint_covariance": P, "past_rotation": np.stack(kept), **schedule._asdict()}
        joints = {} if self.encoder is None else read_joints(self.encoder, seen, memory)
        q, v = self._frames.state(self.gyro.frame, self._placed(R), rate, self.encoder, joints)
        still = join([np.zeros(3), v[3:]])
        return Estimate(q, still, P[:6, :6] if n else P), new | joints

    def _predicted(self, seen: Seen, memory: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
        """(rotation, biases, rate, P) after what the gyroscope says about the last period.

        Of rates at instants the mean of the two at its ends is taken; the first ends no period.
        """
        y, bias, n = seen.y[self.gyro.name], memory["gyro_bias"], self._past
        Δ = y.fresh * (seen.period if self.gyro.rate is None else 1.0 / self.gyro.rate)
        ω = y.value - bias
        rate = memory["rate"] + y.fresh * (ω - memory["rate"])
        if self.gyro.sampling == "instant":
            Δ, ω = Δ * memory["begun"], 0.5 * (memory["rate"] + ω)
        turn, J = so3.exp(Δ * ω), so3.dexp(Δ * ω)
        noise = {
            (0, 0): Δ * (J @ diagonal(self.gyro.noise**2) @ transpose(J)),
            (1, 1): Δ * diagonal(self.gyro.walk**2),
        }
        before = memory["joint_covariance" if n else COVARIANCE]
        P = kalman.propagated(before, {0: {0: transpose(turn), 1: -Δ * J}}, noise)
        return memory["rotation"] @ turn, bias, rate, P

    def _placed(self, R: Array) -> ExtendedPose:
        """The extended pose of the gyroscope that leaves the vehicle where it was believed to be, at rest."""
        place = self._frames.place(self.gyro.frame)
        body = R @ transpose(se3.rotation(place))
        return ExtendedPose(R, np.zeros(3), se3.position(self.pose) + apply(body, se3.position(place)))

    def errors(self, run: Any) -> np.ndarray:
        """The errors ([S,] T, 6) of a run's estimates, in the order of `error_names`."""
        kept = filter_memory(run.memory)
        R = se3.rotation(run.system.pose(run.q, self.gyro.frame))
        φ = so3.log(transpose(kept["rotation"]) @ R)
        return join([φ, run.y[self.gyro.name].bias - kept["gyro_bias"]])


def _rotation(value: Array, otherwise: Array, fresh: Any) -> Array:
    """A reading (3, 3) where there is one; before the first there is none, and its zeros are no rotation."""
    return otherwise + fresh * (value - otherwise)
