"""Noise from counter-based random numbers: a number depends on (seed, sample, period, channel) and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..model import ModelError
from ..model.field_types import NumberOrSeries
from ..model.value import Value, replace_arrays
from ..trace import plain_numbers

_BLOCK = 4  # Philox makes four 64-bit numbers per count


@dataclass(frozen=True, eq=False, repr=False)
class Noise(Value):
    """Gaussian noise, drawn anew for every control period (every step without `control_step`) and held over it.

    configuration: standard deviation of the measured configuration along each DoF (m, rad): the controller sees
    retract(q, noise).  velocity: of the measured velocity (m/s, rad/s).  input: of what is added to the inputs u.
    Each one number, or one per DoF or input.
    """

    configuration: NumberOrSeries = 0.0
    velocity: NumberOrSeries = 0.0
    input: NumberOrSeries = 0.0

    def __post_init__(self) -> None:
        for name in ("configuration", "velocity", "input"):
            try:
                given = plain_numbers(getattr(self, name))
            except (TypeError, ValueError):
                given = np.array(np.nan)
            if given.ndim > 1 or not np.all(np.isfinite(given)) or np.any(given < 0):
                raise ModelError.single(
                    "Noise", name, expected="standard deviations ≥ 0", given=repr(getattr(self, name))
                )
            replace_arrays(self, **{name: given})

    def scales(self, nv: int, nu: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standard deviations of the channels: of q (nv or 0), of v (nv or 0), of u (nu or 0)."""
        sizes = {"configuration": nv, "velocity": nv, "input": nu}
        return tuple(self._scale(name, size) for name, size in sizes.items())  # type: ignore[return-value]

    def _scale(self, name: str, size: int) -> np.ndarray:
        σ = getattr(self, name)
        if not σ.any():
            return np.zeros(0)
        if σ.shape not in ((), (size,)):
            raise ModelError.single("Noise", name, expected=f"one number or {size}", given=f"shape {σ.shape}")
        return np.broadcast_to(σ, (size,))


def standard_normals(
    seed: npt.ArrayLike, samples: np.ndarray, first_period: npt.ArrayLike, periods: int, channels: int, stream: int = 0
) -> np.ndarray:  # fmt: skip
    """Standard normal numbers (samples, periods, channels), by Box and Muller from Philox 4×64 counters.

    Each sample has its own key (seed, sample), each stream and period its own range of counters. seed, first_period:
    one for all samples, or one each.
    """
    width = -(-channels // _BLOCK) * _BLOCK
    seeds, firsts = (np.broadcast_to(np.asarray(x, np.uint64), len(samples)) for x in (seed, first_period))
    raw = np.stack(
        [
            _raw(int(seeds[i]), int(samples[i]), int(firsts[i]) * width, periods * width, stream)
            for i in range(len(samples))
        ]
    )
    uniform = ((raw >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    uniform = uniform.reshape(len(samples), periods, width // 2, 2)
    radius, angle = np.sqrt(-2.0 * np.log(uniform[..., 0])), 2.0 * np.pi * uniform[..., 1]
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return pairs.reshape(len(samples), periods, width)[..., :channels]


def _raw(seed: int, sample: int, first: int, count: int, stream: int) -> np.ndarray:
    counter = np.array([first // _BLOCK, 0, stream, 0], dtype=np.uint64)
    generator = np.random.Philox(key=np.array([seed, sample], dtype=np.uint64), counter=counter)
    return generator.random_raw(count)


@dataclass(frozen=True, eq=False)
class Draws:
    """The noise of a run: seed (one for all samples, or one each), the numbers of the samples, channels of `Noise`, and
    (stream, channels) of every sensor, whose numbers do not depend on what else there is."""

    seed: int | np.ndarray
    samples: np.ndarray
    noise: int
    streams: tuple[tuple[int, int], ...] = ()

    @property
    def channels(self) -> int:
        """All of them."""
        return self.noise + sum(count for _, count in self.streams)

    def of(self, i: int) -> Draws:
        """Those of one sample."""
        seed = self.seed[[i]] if isinstance(self.seed, np.ndarray) else self.seed
        return replace(self, seed=seed, samples=self.samples[[i]])

    def periods(self, first: int | np.ndarray, count: int) -> np.ndarray:
        """Standard normals (S, count, channels) of the control periods from `first` on: one number, or one each."""
        parts = [
            standard_normals(self.seed, self.samples, first, count, channels, stream)
            for stream, channels in ((0, self.noise), *self.streams)
            if channels
        ]
        return np.concatenate([np.zeros((len(self.samples), count, 0)), *parts], axis=2)
