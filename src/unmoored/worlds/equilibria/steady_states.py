"""States of actuators at which they rest under constant inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..loads import Setting, scene_at, state_rates

if TYPE_CHECKING:
    from ..plants.plant import Plant

_STEPS = 30
_SETTLED = 1e-14


def steady_states(
    plant: Plant, now: Setting, t: Any, q: np.ndarray, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(x, ẋ), each (m, nx), with ẋ(q, x, u) = 0 at rest for q (m, nq) and u (m, nu): Newton steps of least size from 0.

    A state that nothing brings to rest, such as the momentum of a wheel under torque, stays zero, and has its rate.
    """
    m, n = len(q), plant.nx
    x, left = np.zeros((m, n)), np.zeros((m, n))
    if not n:
        return x, left
    v = np.asarray(now.velocities.full(t, q, np.zeros((m, plant.nw))), dtype=float)
    many = [np.repeat(np.broadcast_to(y, (m, y.shape[-1])), n + 1, axis=0) for y in (q, v, u)]
    scene = scene_at(now, t, many[0], many[1])
    for _ in range(_STEPS):
        h = 1e-3 * np.maximum(1.0, np.abs(x).max(axis=-1))
        offsets = h[:, None, None] * np.concatenate([np.zeros((1, n)), np.eye(n)])
        tried = (x[:, None] + offsets).reshape(-1, n)
        rate = np.broadcast_to(state_rates(plant, now, scene, tried, many[2]), tried.shape).reshape(
            m, n + 1, n
        )
        left = rate[:, 0]
        J = np.swapaxes(rate[:, 1:] - rate[:, :1], -1, -2) / h[:, None, None]
        step = -(np.linalg.pinv(J) @ left[..., None])[..., 0]
        if np.abs(step).max() <= _SETTLED * (1.0 + np.abs(x).max()):
            break
        x = x + step
    return x, left
