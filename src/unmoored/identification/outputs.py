"""What is compared between a recording and a model's motion: functions of both, in traceable NumPy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics.configuration import local
from ..lie import se3
from ..trace import arctan2, plain_numbers
from ..worlds import Plant
from .recording import Array, Recording, wrong


@dataclass(frozen=True, eq=False)
class Output(ABC):
    """A comparison; noise: standard deviation of what was measured, one number or one per entry.

    Where noise is None it is the recording's own, if that tells it, else it is estimated from the residuals.
    bias: standard deviation of a constant error of a whole window, unknown in the fit and zero in predictions: of an
    instrument's mounting, or of what changed between recordings. None: there is none.
    """

    noise: Any = None
    bias: Any = None

    def __post_init__(self) -> None:
        for what in ("noise", "bias"):
            given = getattr(self, what)
            try:
                numbers = None if given is None else plain_numbers(given)
            except (TypeError, ValueError):
                numbers = np.array(np.nan)
            if numbers is not None and not (np.all(numbers > 0) and np.all(np.isfinite(numbers))):
                raise wrong(type(self).__name__, what, "standard deviations > 0, or None", repr(given))

    @abstractmethod
    def names(self, plant: Plant) -> tuple[str, ...]:
        """A name for every entry."""

    @abstractmethod
    def difference(self, plant: Plant, q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
        """Measured less modelled (k,), of configurations (nq,) and velocities (nv,)."""

    def noise_of(self, plant: Plant, recording: Recording) -> Array | None:
        """Standard deviations (k,) for a recording, None if they are not known."""
        if self.noise is None:
            return self._recorded_noise(plant, recording)
        return self._entries(plant, "noise")

    def bias_of(self, plant: Plant) -> Array:
        """Standard deviations (k,) of the biases, zero where there are none."""
        return np.zeros(len(self.names(plant))) if self.bias is None else self._entries(plant, "bias")

    def _entries(self, plant: Plant, what: str) -> Array:
        count = len(self.names(plant))
        σ = np.asarray(getattr(self, what), dtype=float)
        if σ.shape not in ((), (count,)) or np.any(σ <= 0):
            raise wrong(type(self).__name__, what, f"one number > 0, or {count}", repr(σ.tolist()))
        return np.broadcast_to(σ, (count,)).astype(float)

    def _recorded_noise(self, plant: Plant, recording: Recording) -> Array | None:
        return None


@dataclass(frozen=True, eq=False)
class Positions(Output):
    """Configurations along the tangent, local(q, q_seen), of these joints or DoFs; all that are not driven if None."""

    joints: Sequence[str] | None = None

    def names(self, plant: Plant) -> tuple[str, ...]:
        return tuple(f"d {plant.dof_names[k]}" for k in _dofs(plant, self.joints))

    def difference(self, plant: Plant, q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
        return local(plant.tree, q, q_seen)[_dofs(plant, self.joints)]

    def _recorded_noise(self, plant: Plant, recording: Recording) -> Array | None:
        return _told(recording.noise("q", plant.nv), _dofs(plant, self.joints))


@dataclass(frozen=True, eq=False)
class Velocities(Output):
    """Velocities of these joints or DoFs; all that are not driven if None."""

    joints: Sequence[str] | None = None

    def names(self, plant: Plant) -> tuple[str, ...]:
        return tuple(plant.dof_names[k] for k in _dofs(plant, self.joints))

    def difference(self, plant: Plant, q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
        return (v_seen - v)[_dofs(plant, self.joints)]

    def _recorded_noise(self, plant: Plant, recording: Recording) -> Array | None:
        return _told(recording.noise("v", plant.nv), _dofs(plant, self.joints))


@dataclass(frozen=True, eq=False)
class Tilt(Output):
    """Roll and pitch (rad) of a body against the world's vertical (z up), whatever its heading and place."""

    body: str = ""

    def names(self, plant: Plant) -> tuple[str, ...]:
        return f"{self.body}.roll", f"{self.body}.pitch"

    def difference(self, plant: Plant, q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
        return tilt(plant, self.body, q_seen) - tilt(plant, self.body, q)


@dataclass(frozen=True, eq=False)
class FramePosition(Output):
    """Where a frame or body is in the world (m), along some of its axes."""

    frame: str = ""
    axes: str = "xyz"

    def names(self, plant: Plant) -> tuple[str, ...]:
        return tuple(f"{self.frame}.{axis}" for axis in self.axes)

    def difference(self, plant: Plant, q: Any, v: Any, q_seen: Any, v_seen: Any) -> Any:
        at = [se3.position(plant.system.pose(x, self.frame)) for x in (q_seen, q)]
        return (at[0] - at[1])[["xyz".index(axis) for axis in self.axes]]


def tilt(plant: Plant, body: str, q: Any) -> Any:
    """(roll, pitch) (..., 2) of a body at q (..., nq), R = Rz(yaw) Ry(pitch) Rx(roll)."""
    R = se3.rotation(plant.system.pose(q, body))
    up = R[..., 2, :]
    level = np.sqrt(up[..., 1] * up[..., 1] + up[..., 2] * up[..., 2])
    return np.stack([arctan2(up[..., 1], up[..., 2]), arctan2(-up[..., 0], level)], axis=-1)


def _dofs(plant: Plant, joints: Sequence[str] | None) -> np.ndarray:
    """Indices of DoFs: of joints or DoFs by name, or of all that nothing drives."""
    if joints is None:
        driven = set(plant.velocities.driven.tolist())
        return np.array([k for k in range(plant.nv) if k not in driven], dtype=int)
    if isinstance(joints, str):
        raise wrong("Output", "joints", "a list of names", repr(joints))
    return np.concatenate([np.atleast_1d(plant.tree.dofs(name)) for name in joints]).astype(int)


def _told(σ: Array | None, dofs: np.ndarray) -> Array | None:
    """The standard deviations of some DoFs, None if one of them is not known or zero."""
    return None if σ is None or np.any(σ[dofs] <= 0) else σ[dofs]
