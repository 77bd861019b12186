"""An update of the invariant filter with 15 error states, in a batch: against the same equations in batched NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import kernels
from ...lie import so3
from ...sensing import Dvl, Imu
from ...sensing.belief import Belief, updated
from ...sensing.extended_pose import ExtendedPose
from .measure import best_time

SAMPLES = 4096
_SHAPES = {
    "R": (3, 3), "v": (3,), "p": (3,), "b_a": (3,), "b_w": (3,), "rate": (3,), "P": (15, 15), "value": (3,),
}  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """A velocity of three numbers, one and two iterations; the bar is 3 µs, the goal 1 µs."""
    return [_row(iterations) for iterations in (1, 2)]


def _row(iterations: int) -> dict[str, Any]:
    update, arrays = our_update(iterations)
    ours = best_time(lambda: update(*arrays)) / SAMPLES
    theirs = best_time(lambda: _numpy_update(*arrays)) / SAMPLES
    words = "" if iterations == 1 else f", {iterations} iterations"
    return {
        "what": f"InEKF update, 15 states, batch{words}", "system": "BlueROV2", "ours_us": ours * 1e6,
        "peer": "NumPy in batches, one iteration", "peer_us": theirs * 1e6, "ratio": theirs / ours,
        "bar": theirs / 3e-6 if iterations == 1 else None,
    }  # fmt: skip


def our_update(iterations: int) -> tuple[Any, list[np.ndarray]]:
    """The compiled update, and arrays for it."""
    imu, dvl = Imu("imu", "rov", grade="ADIS16488"), Dvl("dvl", "rov", grade="WHN600")
    about = (np.eye(4), imu.gyro_noise, 0.01)

    def update(R: Any, v: Any, p: Any, b_a: Any, b_w: Any, rate: Any, P: Any, value: Any) -> Any:
        before = Belief(ExtendedPose(R, v, p), (b_a, b_w), rate, rate, P)
        after, nis = updated(before, dvl, value, 1.0, about, iterations)
        numbers = [after.χ.R.ravel(), after.χ.v, after.χ.p, *after.biases, after.P.ravel()]
        return np.concatenate([*numbers, np.array([nis])])

    rng = np.random.default_rng(1)
    arrays = [0.1 * rng.standard_normal((SAMPLES, *shape)) for shape in _SHAPES.values()]
    arrays[0] = so3.exp(rng.standard_normal((SAMPLES, 3)))
    arrays[6] = arrays[6] @ np.swapaxes(arrays[6], -1, -2) + 0.01 * np.eye(15)
    return kernels.compile(update, list(_SHAPES.values()), name="invariant_update", exact_zeros=False), arrays


def _numpy_update(R: Any, v: Any, p: Any, b_a: Any, b_w: Any, rate: Any, P: Any, value: Any) -> Any:
    """The covariance and the step of the same update, without the reset."""
    velocity = (np.swapaxes(R, -1, -2) @ v[..., None])[..., 0]
    H = np.zeros((len(R), 3, 15))
    H[:, :, 3:6], H[:, :, 6:9] = np.eye(3), so3.hat(velocity)
    S = H @ P @ np.swapaxes(H, -1, -2) + 1e-4 * np.eye(3)
    K = np.swapaxes(np.linalg.solve(S, H @ P), -1, -2)
    T = np.eye(15) - K @ H
    step = (K @ (value - velocity)[..., None])[..., 0]
    return step, T @ P @ np.swapaxes(T, -1, -2) + 1e-4 * K @ np.swapaxes(K, -1, -2)
