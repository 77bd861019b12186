"""Oracles at 50 digits: the defining power series of exp and dexp, summed by mpmath; no closed forms."""

from __future__ import annotations

import mpmath as mp
import numpy as np

mp.mp.dps = 60
SMALLEST = mp.mpf(10) ** -60


def hat(w: list) -> mp.matrix:
    x, y, z = w
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def to_matrix(array: np.ndarray) -> mp.matrix:
    """The same doubles as an mpmath matrix, empty ones included."""
    return mp.matrix(array.tolist()) if array.size else mp.zeros(*array.shape)


def power_series(X: mp.matrix, coefficient) -> mp.matrix:
    """Σ_k coefficient(k) X^k / k!, until the terms no longer count against any entry."""
    n = X.rows
    power, total, k = mp.eye(n), mp.zeros(n), 0
    while True:
        total += coefficient(k) * power
        k += 1
        power = power * X / k
        if k > 8 and mp.mnorm(power, 1) <= SMALLEST * (1 + mp.mnorm(X, 1)):
            return total


def exp(V: np.ndarray) -> mp.matrix:
    v, ω = _split(V)
    return exp_of(mp.matrix([*v, *ω]))


def exp_of(twist: mp.matrix) -> mp.matrix:
    """4×4 exponential of a twist (v, ω) already in high precision."""
    X = mp.zeros(4)
    X[:3, :3] = hat(list(twist[3:, 0]))
    X[:3, 3] = twist[:3, 0]
    return power_series(X, lambda k: 1)


def dexp(V: np.ndarray) -> mp.matrix:
    """Left-trivialised: Σ_k (−1)^k/(k+1)! ad^k."""
    v, ω = _split(V)
    ad = mp.zeros(6)
    ad[:3, :3] = ad[3:, 3:] = hat(ω)
    ad[:3, 3:] = hat(v)
    return power_series(ad, lambda k: mp.mpf(-1) ** k / (k + 1))


def dexp_inv(V: np.ndarray) -> mp.matrix:
    return mp.inverse(dexp(V))


def log(g: np.ndarray) -> list:
    """(v, ω) of the motion whose rotation is nearest to the given doubles; 0 < angle < π."""
    R, p = mp.matrix(g[:3, :3].tolist()), mp.matrix(g[:3, 3].tolist())
    for _ in range(4):
        R = R * (3 * mp.eye(3) - R.T * R) / 2
    s = [(R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2]
    sine = mp.sqrt(sum(x * x for x in s))
    θ = mp.atan2(sine, (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2)
    ω = [x * θ / sine for x in s]
    V = power_series(hat(ω), lambda k: mp.mpf(1) / (k + 1))
    return [*(mp.inverse(V) * p), *ω]


def relative_error(computed: np.ndarray, exact) -> float:
    """|computed − exact| / |exact| in the Euclidean (Frobenius) norm; 0 where both are zero or empty."""
    exact_entries = [mp.mpf(entry) for entry in exact]
    entries = np.asarray(computed).ravel().tolist()
    assert len(entries) == len(exact_entries)
    difference = mp.sqrt(sum((mp.mpf(a) - b) ** 2 for a, b in zip(entries, exact_entries, strict=True)))
    length = mp.sqrt(sum(b * b for b in exact_entries))
    return float(difference / length) if difference else 0.0


def _split(V: np.ndarray) -> tuple[list, list]:
    V = [mp.mpf(x) for x in np.asarray(V).tolist()]
    return V[:3], V[3:]
