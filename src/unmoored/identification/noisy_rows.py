"""Equations that recorded rows must fulfil, with noise in everything recorded (the Gauss–Helmert model).

e(y, p) = μ holds for the true y = (δq, v, a, u) of a row; recorded is y with noise of covariance Σ. Minimised is the
noise that has to be taken away, Σ (y − ŷ)ᵀ Σ⁻¹ (y − ŷ) under the equations: with them linearised about ŷ,

    w = e(ŷ, p) + E (y − ŷ) − μ ,   cost ½ wᵀ (E Σ Eᵀ)⁻¹ w ,   ŷ = y − Σ Eᵀ (E Σ Eᵀ)⁻¹ w ,     E = ∂e/∂y

and ∂e/∂p is taken at ŷ, not at y: that is what ordinary least squares does not do, and why it is biased (total least
squares). μ is unknown but the same in all rows of a recording (a momentum that is conserved), or zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import kernels
from ..dynamics.configuration import local, retract
from ..trace import jacobian
from ..worlds import Plant
from .equations import Equation
from .levenberg_marquardt import Linearised
from .recording import Array, Recording, wrong
from .tall_matrices import triangle


class Rows(NamedTuple):
    """Rows of all recordings: recording (T,) which; t (T,), q (T, nq), and v, a, u, x."""

    recording: np.ndarray
    t: Array
    q: Array
    v: Array
    a: Array
    u: Array
    x: Array


class Hidden(NamedTuple):
    """Readings as they may have been without noise, and the constants μ (R, k) of the recordings."""

    rows: Rows
    constants: Array


class Slopes(NamedTuple):
    """e (T, k), its derivatives by p (T, k, n) and by what is noisy (T, k, m)."""

    e: Array
    by_p: Array
    by_y: Array


@dataclass(frozen=True, eq=False)
class NoisyRows:
    """The problem of a plant's p from rows.

    noisy: which of "q", "v", "a", "u" carry noise.  deviations (R, m): of what is noisy, by recording.
    """

    plant: Plant
    rows: Rows
    equation: Equation
    noisy: tuple[str, ...]
    deviations: Array

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return _sizes(self.plant, self.noisy)

    @property
    def constants(self) -> int:
        """Number of unknown constants."""
        return self.deviations.shape[0] * len(self.equation.names) if self.equation.constant else 0

    def slopes(self, rows: Rows, p: Array) -> Slopes:
        """The equations and their derivatives at rows."""
        m = sum(self._sizes)
        u, x = (y if y.shape[1] else np.zeros((len(y), 1)) for y in (rows.u, rows.x))
        given = rows.t[:, None], rows.q, rows.v, rows.a, u, x, np.broadcast_to(p, (len(u), len(p)))
        e, J = _kernel(self.plant, self.equation, self.noisy)(*(np.ascontiguousarray(y) for y in given))
        return Slopes(e, J[..., m:], J[..., :m])

    def start(self, p: Array) -> Hidden:
        """What was recorded, and constants in the mean of it."""
        e = self.slopes(self.rows, p).e
        R = len(self.deviations)
        μ = np.array([e[self.rows.recording == i].mean(axis=0) for i in range(R)])
        return Hidden(self.rows, μ if self.equation.constant else 0.0 * μ)

    def _noise_taken(self, rows: Rows) -> Array:
        """y − ŷ (T, m)."""
        own, parts = self.rows, []
        for what in self.noisy:
            if what == "q":
                parts.append(-local(self.plant.tree, own.q, rows.q))
            else:
                parts.append(getattr(own, what) - getattr(rows, what))
        return np.concatenate(parts, axis=1)

    def _misclosures(self, p: Array, hidden: Hidden) -> tuple[Slopes, Array, Array]:
        """Slopes at ŷ, w (T, k) and the inverse Cholesky factors (T, k, k) of E Σ Eᵀ."""
        at = self.slopes(hidden.rows, p)
        w = at.e + np.einsum("tkm,tm->tk", at.by_y, self._noise_taken(hidden.rows))
        w = w - hidden.constants[self.rows.recording]
        scaled = at.by_y * self.deviations[self.rows.recording][:, None, :]
        L = np.linalg.cholesky(scaled @ np.swapaxes(scaled, 1, 2))
        return at, w, np.linalg.inv(L)

    def weights(self, p: Array, hidden: Hidden) -> Array:
        """The inverse Cholesky factors (T, k, k) of E Σ Eᵀ."""
        return self._misclosures(p, hidden)[2]

    def misclosures(self, p: Array, hidden: Hidden) -> tuple[Array, Array]:
        """w (T, k), what is left of the equations, and its covariance (T, k, k)."""
        _, w, L_inverse = self._misclosures(p, hidden)
        return w, np.linalg.inv(np.swapaxes(L_inverse, 1, 2) @ L_inverse)

    def cost(self, p: Array, hidden: Hidden) -> float:
        """½ Σ wᵀ (E Σ Eᵀ)⁻¹ w."""
        _, w, L_inverse = self._misclosures(p, hidden)
        z = np.einsum("tij,tj->ti", L_inverse, w)
        total = 0.5 * float((z * z).sum())
        return total if np.isfinite(total) else np.inf

    def linearised(self, p: Array, hidden: Hidden) -> Linearised:
        """The problem about p, the constants of the recordings eliminated one by one."""
        at, w, L_inverse = self._misclosures(p, hidden)
        rows, residuals, constants_step = self.reduced(at.by_p, w, L_inverse)

        def moved(δp: Array, share: float) -> Hidden:
            μ = hidden.constants + share * constants_step(δp)
            left = w + at.by_p @ δp - (μ - hidden.constants)[self.rows.recording]
            return Hidden(self._corrected(at, L_inverse, left), μ)

        return Linearised(rows, residuals, moved)

    def reduced(
        self, by_p: Array, w: Array, L_inverse: Array
    ) -> tuple[Array, Array, Callable[[Array], Array]]:
        """Rows (m, n) and residuals (m,) of w + ∂e/∂p δp − δμ, weighted, with the best δμ: δp ↦ δμ (R, k)."""
        z, J = np.einsum("tij,tj->ti", L_inverse, w), L_inverse @ by_p
        n, k = J.shape[-1], len(self.equation.names)
        R, rows, residuals, tops = len(self.deviations), [], [], []
        for i in range(R):
            own = self.rows.recording == i
            full = np.column_stack([J[own].reshape(-1, n), z[own].reshape(-1)])
            if self.equation.constant:
                full = np.column_stack([-L_inverse[own].reshape(-1, k), full])
            T, first = triangle(full), full.shape[1] - n - 1
            tops.append(T[:first])
            rows.append(T[first:, first:-1])
            residuals.append(T[first:, -1])

        def constants_step(δp: Array) -> Array:
            if not self.equation.constant:
                return np.zeros((R, k))
            return np.array([-np.linalg.solve(T[:, :k], T[:, -1] + T[:, k:-1] @ δp) for T in tops])

        return np.concatenate(rows), np.concatenate(residuals), constants_step

    def _corrected(self, at: Slopes, L_inverse: Array, w: Array) -> Rows:
        """ŷ = y − Σ Eᵀ (E Σ Eᵀ)⁻¹ w."""
        λ = np.einsum("tji,tjk,tk->ti", L_inverse, L_inverse, w)
        σ = self.deviations[self.rows.recording]
        return self._moved(self.rows, -(σ**2) * np.einsum("tkm,tk->tm", at.by_y, λ))

    def _moved(self, rows: Rows, δ: Array) -> Rows:
        """The rows moved by δ (T, m)."""
        changes: dict[str, Array] = {}
        for what, part in zip(self.noisy, np.split(δ, np.cumsum(self._sizes)[:-1], axis=1), strict=True):
            changes[what] = (
                retract(self.plant.tree, rows.q, part) if what == "q" else getattr(rows, what) + part
            )
        return rows._replace(**changes)

    def information(self, p: Array, hidden: Hidden) -> tuple[Array, Array]:
        """(F, G) (n, n): covariance of p is F⁻¹ G F⁻¹; the constants are eliminated.

        G = Σ Jᵀ W J at ŷ is the covariance of the slope of the cost. What is left of the noise in ŷ, of covariance
        Σ − Σ Eᵀ W E Σ and independent of w, makes it larger than at the true y; F is G without that, by points about ŷ
        with this covariance, exact where e is linear in what is noisy.
        """
        at, _, L_inverse = self._misclosures(p, hidden)
        G = self._bordered(at.by_p, L_inverse)
        σ = self.deviations[self.rows.recording]
        scaled = L_inverse @ (at.by_y * σ[:, None, :])
        m = scaled.shape[-1]
        left = np.eye(m) - np.swapaxes(scaled, 1, 2) @ scaled
        λ, V = np.linalg.eigh(left)
        roots = σ[:, :, None] * (V * np.sqrt(np.maximum(λ, 0.0))[:, None, :])
        mean, size = np.zeros_like(G), np.sqrt(m)
        for j in range(m):
            for sign in (size, -size):
                there = self.slopes(self._moved(hidden.rows, sign * roots[:, :, j]), p)
                mean += self._bordered(there.by_p, L_inverse) / (2 * m)
        n = len(p)
        return _eliminated(2.0 * G - mean, n), _eliminated_with(G, 2.0 * G - mean, n)

    def _bordered(self, by_p: Array, L_inverse: Array) -> Array:
        """Σ JᵀW J of (p, μ of every recording)."""
        J = L_inverse @ by_p
        n, k = J.shape[-1], len(self.equation.names)
        R = int(self.rows.recording.max()) + 1 if self.equation.constant else 0
        H = np.zeros((n + k * R, n + k * R))
        flat = J.reshape(-1, n)
        H[:n, :n] = flat.T @ flat
        for i in range(R):
            own, at = self.rows.recording == i, slice(n + k * i, n + k * (i + 1))
            D = -L_inverse[own].reshape(-1, k)
            H[at, at] = D.T @ D
            H[:n, at] = J[own].reshape(-1, n).T @ D
            H[at, :n] = H[:n, at].T
        return H

    def with_deviations(self, deviations: Array) -> NoisyRows:
        """The same problem with other standard deviations."""
        return replace(self, deviations=deviations)


def _sizes(plant: Plant, noisy: Sequence[str]) -> tuple[int, ...]:
    sizes = {"q": plant.nv, "v": plant.nv, "a": plant.nv, "u": plant.nu}
    return tuple(sizes[what] for what in noisy)


@lru_cache(maxsize=32)
def _kernel(plant: Plant, equation: Equation, noisy: tuple[str, ...]) -> Any:
    """(t (1,), q, v, a, u, x, p) ↦ e (k,) and its derivatives (k, m + n) by what is noisy and by p, compiled."""
    n, edges = len(plant.nominal_parameters), np.cumsum(_sizes(plant, noisy))

    def moved(z: Any, t: Any, q: Any, v: Any, a: Any, u: Any, x: Any, p: Any) -> Any:
        δ = dict(zip(noisy, np.split(z, edges), strict=False))
        q = retract(plant.tree, q, δ["q"]) if "q" in δ else q
        v, a, u = (y + δ[what] if what in δ else y for what, y in (("v", v), ("a", a), ("u", u)))
        return equation.function(t[0], q, v, a, u[: plant.nu], x[: plant.nx], p + z[edges[-1] :])

    slopes = jacobian(moved, wrt=0)

    def both(*given: Any) -> Any:
        zero = np.zeros(int(edges[-1]) + n)
        return moved(zero, *given), slopes(zero, *given)

    shapes = [(1,), (plant.nq,), (plant.nv,), (plant.nv,), (max(1, plant.nu),), (max(1, plant.nx),), (n,)]
    return kernels.compile(both, shapes, name="equations of rows", exact_zeros=False)


def _eliminated(H: Array, n: int) -> Array:
    """The Schur complement of what follows the first n."""
    return H[:n, :n] - H[:n, n:] @ np.linalg.solve(H[n:, n:], H[n:, :n]) if len(H) > n else H


def _eliminated_with(G: Array, F: Array, n: int) -> Array:
    """T G Tᵀ (n, n) with T = [1, −F_pμ F_μμ⁻¹], so that the first block of F⁻¹ G F⁻¹ is S⁻¹ T G Tᵀ S⁻¹."""
    if len(G) == n:
        return G
    T = np.concatenate([np.eye(n), -np.linalg.solve(F[n:, n:], F[n:, :n]).T], axis=1)
    return T @ G @ T.T


def rows_of(recordings: Sequence[Recording], starts: Sequence[float], plant: Plant) -> Rows:
    """The measured rows of all recordings; what was not recorded is zero."""
    sizes = {"a": plant.nv, "u": plant.nu, "x": plant.nx}
    which, parts = [], []
    for i, (recording, start) in enumerate(zip(recordings, starts, strict=True)):
        keep = recording.seen
        own = [recording.t[keep] + start, recording.q[keep], recording.v[keep]]
        for what, size in sizes.items():
            y = getattr(recording, what)
            own.append(np.zeros((int(keep.sum()), size)) if y is None else y[keep])
        which.append(np.full(int(keep.sum()), i))
        parts.append(own)
    return Rows(np.concatenate(which), *(np.concatenate(y) for y in zip(*parts, strict=True)))


def deviations_of(
    recordings: Sequence[Recording], plant: Plant, noisy: Sequence[str]
) -> tuple[tuple[str, ...], Array, bool]:
    """(which are noisy, their standard deviations (R, m), whether they were told).

    Where no recording tells its noise it is taken as the same share of the rms of each of the noisiest readings, of a
    size that the residuals tell.
    """
    sizes = {"q": plant.nv, "v": plant.nv, "a": plant.nv, "u": plant.nu}
    told = [what for what in noisy if all(getattr(r, f"{what}_noise") is not None for r in recordings)]
    for what in noisy:
        if what not in told and any(getattr(r, f"{what}_noise") is not None for r in recordings):
            raise wrong("identify", f"{what}_noise", "of all recordings or of none", "of some")
    if told:
        found = [np.concatenate([r.noise(what, sizes[what]) for what in told]) for r in recordings]  # type: ignore[misc]
        return tuple(told), np.array(found), True
    main, found = noisy[0], []
    for recording in recordings:
        rms = np.sqrt((getattr(recording, main) ** 2).mean(axis=0))
        found.append(np.where(rms > 0, rms, max(float(rms.max()), 1e-12)))
    return (main,), np.array(found), False
