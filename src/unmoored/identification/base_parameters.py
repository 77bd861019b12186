"""Which combinations of a system's numbers its motions show: base parameters, by a pivoted QR factorisation.

Of a regressor Y over many states, columns scaled to length one, Y Π = Q [R₁₁ R₁₂; 0 0]: the first r parameters of the
pivoted order and what the rest adds to them, ζ_b = ζ₁ + R₁₁⁻¹ R₁₂ ζ₂, are all that Y ζ depends on (Gautier 1991).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.value import checked_numbers
from ..system import System
from ..worlds import Plant
from .recording import Array, Recording, as_recordings, wrong
from .singular_directions import combination
from .tall_matrices import triangle

_KINDS = ("forces", "momentum", "energy")
#: pivots below this share of the first are none
NEGLIGIBLE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters:
    """What motions show of parameters ζ (n,): ζ_b = combinations @ ζ, r of them.

    names (n): of ζ.  independent (r,), dependent, unseen: indices; unseen ones are in nothing that was looked at.
    combinations (r, n).  gap: the last pivot that counts and the first that does not, against the first.
    """

    names: tuple[str, ...]
    independent: np.ndarray
    dependent: np.ndarray
    unseen: np.ndarray
    combinations: Array
    gap: tuple[float, float]

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self.independent)

    @property
    def texts(self) -> tuple[str, ...]:
        """Each base parameter as a sum of named ones."""
        return tuple(combination(self.names, row) for row in self.combinations)

    def of(self, parameters: Any) -> Array:
        """ζ_b (..., r) of ζ (..., n)."""
        ζ = checked_numbers(parameters, where="BaseParameters", what="parameters")
        if ζ.shape[-1:] != (len(self.names),):
            raise wrong("BaseParameters", "parameters", f"(..., {len(self.names)})", f"shape {ζ.shape}")
        return ζ @ self.combinations.T

    def __repr__(self) -> str:
        return f"BaseParameters({self.rank} of {len(self.names)}, {len(self.unseen)} unseen)"

    def __str__(self) -> str:
        lines = [f"{self.rank} of {len(self.names)} numbers are told, pivots down to {self.gap[0]:.1e}"]
        lines += list(self.texts)
        if len(self.unseen):
            lines.append("unseen: " + ", ".join(self.names[k] for k in self.unseen))
        return "\n".join(lines)


def base_parameters(
    of: System | Plant,
    *,
    kind: str = "forces",
    gravity: Any = (0.0, 0.0, -9.81),
    recordings: Any = None,
    samples: int = 200,
    seed: int = 0,
) -> BaseParameters:
    """The base parameters of a system, or of a plant with its water and joints, in random states or in recordings.

    kind: what is looked at: "forces", "momentum" (of a system: no accelerations) or "energy". gravity: of a system.
    """
    if kind not in _KINDS or (isinstance(of, Plant) and kind != "forces"):
        raise wrong("base_parameters", "kind", f"one of {', '.join(_KINDS)}; forces of a plant", repr(kind))
    if not isinstance(of, System | Plant):
        raise wrong("base_parameters", "of", "a System or a Plant", repr(of))
    system = of.system if isinstance(of, Plant) else of
    q, v, a = _states(of, recordings, samples, seed, kind == "forces")
    if isinstance(of, Plant):
        found = of.regressor(0.0, q, v, a)
        Y, names = found.matrix, found.names
    else:
        names = system.inertial_parameter_names
        Y = {
            "forces": lambda: system.regressor(q, v, a, gravity=gravity),
            "momentum": lambda: system.momentum_regressor(q, v),
            "energy": lambda: system.energy_regressor(q, v, gravity=gravity)[:, None, :],
        }[kind]()
    return of_regressor(np.asarray(Y).reshape(-1, len(names)), names)


def of_regressor(Y: Array, names: Sequence[str]) -> BaseParameters:
    """The base parameters that a regressor Y (m, n) over many states shows."""
    Y, names = np.asarray(Y, dtype=float), tuple(names)
    if Y.ndim != 2 or Y.shape[1] != len(names):
        raise wrong("base_parameters", "regressor", f"(m, {len(names)})", f"shape {Y.shape}")
    norms = np.linalg.norm(Y, axis=0)
    seen = norms > 1e-12 * max(float(norms.max(initial=0.0)), 1e-300)
    columns = np.flatnonzero(seen)
    scale = norms[columns]
    R, order, pivots = pivoted_qr(Y[:, columns] / scale)
    r = int((pivots > NEGLIGIBLE * pivots[0]).sum()) if len(pivots) else 0
    K = np.linalg.solve(R[:r, :r], R[:r, r:]) if r else np.zeros((0, 0))
    independent, dependent = columns[order[:r]], columns[order[r:]]
    combinations = np.zeros((r, len(names)))
    combinations[np.arange(r), independent] = 1.0
    combinations[:, dependent] = K * scale[order[r:]] / scale[order[:r], None]
    combinations[np.abs(combinations) < 1e-9] = 0.0
    last = pivots[r] / pivots[0] if r < len(pivots) else 0.0
    gap = (float(pivots[r - 1] / pivots[0]) if r else 0.0, float(last))
    sort = np.argsort(independent)
    return BaseParameters(
        names, independent[sort], np.sort(dependent), np.flatnonzero(~seen), combinations[sort], gap
    )


def pivoted_qr(A: Array) -> tuple[Array, np.ndarray, Array]:
    """(R (k, n), order (n,), pivots (k,)) with A[:, order] = Q R: always the column that has most left comes next."""
    R = triangle(A)
    k, n = R.shape
    order = np.arange(n)
    for j in range(min(k, n)):
        left = np.linalg.norm(R[j:, j:], axis=0)
        best = j + int(left.argmax())
        R[:, [j, best]], order[[j, best]] = R[:, [best, j]], order[[best, j]]
        x = R[j:, j].copy()
        x[0] += np.copysign(np.linalg.norm(x), x[0])
        size = x @ x
        if size > 0:
            R[j:, j:] -= np.outer(2.0 * x / size, x @ R[j:, j:])
            R[j + 1 :, j] = 0.0
    return R, order, np.abs(np.diag(R))


def _states(
    of: System | Plant, recordings: Any, samples: int, seed: int, accelerated: bool
) -> tuple[Array, Array, Array]:
    """(q, v, a) rows: random ones of unit speed and acceleration, or recorded ones."""
    if recordings is None:
        rng = np.random.default_rng(seed)
        system = of.system if isinstance(of, Plant) else of
        q = np.stack([system.random_configuration(rng) for _ in range(samples)])
        v, a = rng.normal(size=(2, samples, system.nv))
        return q, v, a
    plant = of if isinstance(of, Plant) else Plant(of)
    found: list[Recording] = as_recordings(recordings, plant, "base_parameters")
    for recording in found:
        if recording.a is None and accelerated:
            raise wrong(recording.name, "a", "accelerations (record() differentiates)", "none")
    rows = [(r.q, r.v, np.zeros_like(r.v) if r.a is None else r.a) for r in found]
    q, v, a = (np.concatenate(part) for part in zip(*rows, strict=True))
    return q, v, a
