"""A motion at another speed: t ↦ σ(t) before it (docs/laws/references.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..model import Joint, ModelError
from ..model.field_types import Series
from ..model.value import frozen_array, replace_arrays
from ..worlds import Trajectory
from .references import Piecewise


@dataclass(frozen=True, eq=False, repr=False)
class Timing(Piecewise):
    """σ(t) with constant σ̈ between the times, from rest to rest.

    times: (K,) increasing (s).  values: σ (K,).  speeds: σ̇ (K,), such that (σ̇_k + σ̇_{k+1})/2 · Δt = Δσ.
    """

    speeds: Series

    def __post_init__(self) -> None:
        if np.ndim(self.values) != 1:
            expected = "one number per time"
            raise ModelError.single(
                "Timing", "values", expected=expected, given=f"{np.ndim(self.values)} dimensions"
            )
        speeds = frozen_array(self.speeds, (len(self.times),), where="Timing", what="speeds")
        replace_arrays(self, speeds=speeds)
        super().__post_init__()
        gone = 0.5 * (speeds[1:] + speeds[:-1]) * np.diff(self.times) - np.diff(self.values[:, 0])
        if np.abs(gone).max() > 1e-9 * np.abs(np.diff(self.values[:, 0])).max():
            expected = "means times Δt that are the steps of the values"
            raise ModelError.single(
                "Timing", "speeds", expected=expected, given=f"off by {np.abs(gone).max():g}"
            )

    def _between(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        rate = np.diff(self.speeds) / np.diff(times)
        return np.stack([values[:-1], self.speeds[:-1, None], 0.5 * rate[:, None]], axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class Retimed(Trajectory):
    """A trajectory at σ(t) in place of t: u = σ̇ u_path, u̇ = σ̈ u_path + σ̇² u̇_path.

    path: a trajectory; σ is its time.  timing: σ(t); before and after it σ is held.
    """

    path: Trajectory
    timing: Timing

    def __post_init__(self) -> None:
        for name, kind, expected in (("path", Trajectory, "a trajectory"), ("timing", Timing, "a Timing")):
            if not isinstance(getattr(self, name), kind):
                given = repr(getattr(self, name))
                raise ModelError.single("Retimed", name, expected=expected, given=given)

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        σ, rate, rate_dot = self.timing.at(t)
        configuration, u, u_dot = self.path.motion(np.asarray(σ[..., 0]), joint)
        return PrescribedMotion(configuration, rate * u, rate_dot * u + rate * rate * u_dot)

    def check(self, name: str, joint: Joint) -> None:
        """As for the path itself."""
        self.path.check(name, joint)
