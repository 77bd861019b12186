"""Turning a free-floating vehicle by closed loops of its joints, without momentum or thrusters.

Along a loop a(τ), 0 ≤ τ ≤ 1, the vehicle follows the connection, u = −A(a) ȧ (theory.md §9); after it the vehicle is
displaced by the loop's geometric phase, which does not depend on how fast it was run. Loops are Fourier sums,

    a(τ) = a₀ + Σ_k s_k sin(2πkτ) + c_k (1 − cos(2πkτ)) ,

and of those that turn the vehicle by what is wished the shortest |s|² + |c|² is sought: Gauss–Newton steps to the turn,
and along those that keep it towards zero. Small loops turn by the square of their size, so that nothing can be learnt
at zero: searches begin at random loops, side by side. A loop that is run m times turns m times as far, since nothing
depends on where the vehicle is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import kernels
from ..dynamics.lagrange_poincare.connection import reduction
from ..dynamics.lagrange_poincare.vehicle_split import Split, split
from ..dynamics.mass_matrix import mass_matrix
from ..integrators.runge_kutta import runge_kutta_step
from ..integrators.state import Rate, State
from ..integrators.tableau import RK4
from ..lie import se3, so3
from ..lie.arrays import apply
from ..model import Tree
from ..model.joints import numbers_from_pose, pose_from_numbers
from ..model.value import checked_numbers
from ..system import System
from ..trace import repeat_rows
from .problem_checks import array, count, positive, wrong

_WHERE = "reorient"
_NONE = np.zeros(0)
_DIFFERENCE, _STEPS, _LONGEST = 1e-4, 80, 0.3
#: how often a loop may be run
_LOOPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


@dataclass(frozen=True, eq=False, repr=False)
class Reorientation:
    """A loop of joints that turns a vehicle.

    solved: whether it turns by what was wished, to the tolerance, within the limits.  error (3,): turn left (rad).
    loops: how often the loop is run.  joints: names.  coefficients (2, K, n): s and c (rad).
    q (loops · N + 1, nq): the motion, τ going evenly.
    """

    solved: bool
    error: np.ndarray
    loops: int
    joints: tuple[str, ...]
    coefficients: np.ndarray
    q: np.ndarray
    start: np.ndarray

    def __repr__(self) -> str:
        told = (
            "solved"
            if self.solved
            else f"not solved, off by {np.degrees(np.linalg.norm(self.error)):.3g} deg"
        )
        return f"<Reorientation: {told}; {self.loops} loops of {', '.join(self.joints)}>"

    def joints_at(self, t: npt.ArrayLike, duration: float) -> np.ndarray:
        """Coordinates (..., n) of the joints at times t (...) of a motion of this duration (s), from rest to rest."""
        x = np.clip(np.asarray(t, dtype=float) / duration, 0.0, 1.0)
        return self.start + loop_at(self.coefficients, self.loops * x**3 * (10.0 - 15.0 * x + 6.0 * x * x))


def loop_at(coefficients: np.ndarray, τ: Any) -> np.ndarray:
    """a(τ) − a₀ (..., n) of coefficients (2, K, n)."""
    s, c = coefficients
    angle = 2.0 * np.pi * np.asarray(τ)[..., None] * np.arange(1, s.shape[0] + 1)
    return np.sin(angle) @ s + (1.0 - np.cos(angle)) @ c


def reorient(
    system: System,
    q0: npt.ArrayLike,
    turn: npt.ArrayLike,
    *,
    vehicle: str | None = None,
    harmonics: int = 2,
    loops: int | None = None,
    starts: int = 24,
    steps: int = 48,
    tolerance: float = 1e-6,
    seed: int = 0,
) -> Reorientation:
    """Loops of the joints that turn a free-floating vehicle by `turn`, without momentum, from q0 (nq,).

    turn: rotation vector (3,) [rad] or matrix (3, 3), in the vehicle's axes: R becomes R · turn.
    harmonics: K of the loop.  loops: how often it is run; None finds the least number that keeps the joints' limits.
    starts: random loops that the search begins with, of this seed.  steps: of the integration of a loop.
    tolerance: of the turn (rad).
    """
    if not isinstance(system, System):
        raise wrong(_WHERE, "system", "a System", system)
    vehicle = system.vehicles[0] if vehicle is None else vehicle
    at = split(system.tree, vehicle)
    _check(system.tree, at)
    q = array(_WHERE, "q0", q0, (system.nq,))
    goal = checked_numbers(turn, where=_WHERE, what="turn")
    φ = array(_WHERE, "turn", so3.log(goal) if goal.shape == (3, 3) else goal, (3,))
    reachable = at.joint.group.basis[3:]
    if np.linalg.norm(φ - reachable @ (np.linalg.pinv(reachable) @ φ)) > 1e-9:
        raise wrong(_WHERE, "turn", f"one that {vehicle!r} can make", φ.tolist())
    K, S = count(_WHERE, "harmonics", harmonics), count(_WHERE, "starts", starts)
    N, tolerance = count(_WHERE, "steps", steps, 4), positive(_WHERE, "tolerance", tolerance)
    search = _Search(system.tree, at, q, K, N)
    tried = _LOOPS if loops is None else (count(_WHERE, "loops", loops),)
    found = None
    for m in tried:
        found = search.found(φ / m, m, S, tolerance / m, np.random.default_rng(seed))
        if found.solved:
            break
    assert found is not None
    return found


def _check(tree: Tree, at: Split) -> None:
    for link in tree.links:
        if link.index != at.link.index and link.joint.nv > 1:
            raise wrong(_WHERE, link.name, "joints with one DoF beside the vehicle", str(link.joint.nv))
    if not len(at.shape):
        raise wrong(_WHERE, "joints", "some beside the vehicle", "none")


class _Search:
    """The search for loops from one configuration."""

    def __init__(self, tree: Tree, at: Split, q: np.ndarray, K: int, N: int) -> None:
        self.tree, self.at, self.q, self.K, self.N = tree, at, q, K, N
        links = [link for link in tree.links if link.joint.nv and link.index != at.link.index]
        self.names, self.places = tuple(link.name for link in links), [link.q.start for link in links]
        limits = [
            (-np.inf, np.inf) if link.joint.limits is None else link.joint.limits[:, 0] for link in links
        ]
        self.low, self.high = np.array(limits, dtype=float).T
        self.kernel = _travel(tree, at.link.name, K, N)

    def turns(self, x: np.ndarray) -> np.ndarray:
        """R₀ᵀ R (..., 3, 3) after one loop of coefficients x (..., 2 K n)."""
        end = pose_from_numbers(self.kernel(self.q, x)[0][..., self.at.link.q])
        start = pose_from_numbers(self.q[self.at.link.q])
        return np.swapaxes(start[:3, :3], -1, -2) @ end[..., :3, :3]

    def errors(self, x: np.ndarray, φ: np.ndarray) -> np.ndarray:
        """Turn (..., 3) that is left to φ (3,)."""
        return so3.log(np.swapaxes(self.turns(x), -1, -2) @ so3.exp(φ))

    def found(
        self, φ: np.ndarray, m: int, S: int, tolerance: float, rng: np.random.Generator
    ) -> Reorientation:
        d = 2 * self.K * len(self.names)
        x = rng.normal(size=(S, d)) * min(1.0, 0.4 + np.sqrt(np.linalg.norm(φ))) / np.sqrt(self.K)
        moves = _DIFFERENCE * np.concatenate([np.zeros((1, d)), np.eye(d), -np.eye(d)])
        for k in range(_STEPS):
            e = self.errors(x[:, None] + moves, φ)
            J = np.swapaxes(e[:, 1 + d :] - e[:, 1 : 1 + d], -1, -2) / (2.0 * _DIFFERENCE)
            J_T = np.swapaxes(J, -1, -2)
            back = J_T @ np.linalg.inv(
                J @ J_T + (1e-9 + 1e-3 * (e[:, 0] ** 2).sum(-1))[:, None, None] * np.eye(3)
            )
            shorter = -0.1 * x if k < _STEPS - 6 else 0.0 * x
            step = shorter + apply(back, e[:, 0] - apply(J, shorter))
            length = np.linalg.norm(step, axis=-1, keepdims=True)
            x = x + step * np.minimum(1.0, _LONGEST / np.maximum(length, 1e-300))
        e = self.errors(x, φ)
        left = np.linalg.norm(e, axis=-1)
        good = (left <= tolerance) & np.array([self._within(row) for row in x])
        size = np.where(good, np.linalg.norm(x, axis=-1), 1e6 + left)
        best = int(np.argmin(np.where(np.isfinite(size), size, np.inf)))
        return self._result(x[best], e[best], m, bool(good[best]))

    def _within(self, x: np.ndarray) -> bool:
        a = self.q[self.places] + loop_at(x.reshape(2, self.K, -1), np.linspace(0.0, 1.0, 8 * self.N))
        return bool(np.all(a >= self.low - 1e-12) and np.all(a <= self.high + 1e-12))

    def _result(self, x: np.ndarray, e: np.ndarray, m: int, solved: bool) -> Reorientation:
        c = x.reshape(2, self.K, -1)
        one = np.concatenate([self.q[None], self.kernel(self.q, x)[1]])
        one[:, self.places] = self.q[self.places] + loop_at(c, np.linspace(0.0, 1.0, self.N + 1))
        h = pose_from_numbers(one[:, self.at.link.q])
        gone, by = np.eye(4), se3.inverse(h[0]) @ h[-1]
        rows = [one[:1]]
        for _ in range(m):
            more = one[1:].copy()
            more[:, self.at.link.q] = numbers_from_pose(h[0] @ gone @ se3.inverse(h[0]) @ h[1:])
            rows.append(more)
            gone = gone @ by
        return Reorientation(solved, m * e, m, self.names, c, np.concatenate(rows), self.q[self.places])


@lru_cache(maxsize=16)
def _travel(tree: Tree, vehicle: str, K: int, N: int) -> Any:
    """(q, coefficients (2 K n,)) → (the configuration after a loop (nq,), those after every step (N, nq))."""
    at = split(tree, vehicle)
    n, h = len(at.shape), 1.0 / N
    k = np.arange(1, K + 1)

    def travelled(q: Any, x: Any) -> Any:
        s, c = x[: K * n].reshape(K, n), x[K * n :].reshape(K, n)

        def f(τ: Any, y: State) -> Rate:
            sines, cosines = (np.stack([word(2.0 * np.pi * j * τ) for j in k]) for word in (np.sin, np.cos))
            w = 2.0 * np.pi * ((k * cosines) @ s + (k * sines) @ c)
            A = reduction(mass_matrix(tree, y.q), at).connection
            return Rate(at.joined(-apply(A, w), w), _NONE, _NONE)

        def step(_: Any, q: Any, row: Any) -> tuple[Any, Any]:
            new = runge_kutta_step(RK4, tree, f, row[0], State(q, _NONE, _NONE), h).q
            return new, new

        return repeat_rows(step, q, h * np.arange(N)[:, None] + 0.0 * q[0])

    shapes = [(tree.nq,), (2 * K * n,)]
    return kernels.compile(travelled, shapes, name="reorienting_loop", exact_zeros=False)
