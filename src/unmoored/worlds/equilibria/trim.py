"""Equilibria of a plant: what is free so that chosen accelerations vanish, within the limits of the inputs.

Unknowns are displacements δ of the configuration along free DoFs, q ← retract(q, Δδ), and free inputs u. The residual r
is the accelerations that must vanish, at rest and with the actuators' states at rest, the gaps of closures, and the
rates of states that cannot rest. Three stages, all by Gauss–Newton on the manifold; J_δ and J_u are the slopes of r.

1. Feasible: min |D(r + J_δ Δδ + J_u Δu)|², lowest ≤ u + Δu ≤ highest, with the bounded active set of `allocate`; D
   makes the rows of J equally long, so that light and heavy bodies count alike. If r does not vanish, again with D = 1.
2. Least effort, where inputs are redundant: min |T(r + J_δ Δδ + J_u Δu)|² + ε²(|Δδ|² + |u + Δu|²), with T such that all
   singular values of T J are 1, and ε falling.
3. Newton steps of least size along DoFs and inputs that are at no limit, until rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.configuration import retract
from ..allocation import allocate
from ..loads import setting
from ..plants.assembly import gaps_at
from .named_unknowns import free_unknowns, one_sample, vanishing_dofs
from .steady_states import steady_states

if TYPE_CHECKING:
    from ..plants.plant import Plant

_EFFORTS = (1e-2, 1e-3, 1e-4)  # ε of the second stage
_TOLERANCE = 1e-10  # of the residual (m/s², rad/s²)
_LARGEST_STEP = 0.5  # of a DoF in one step (m, rad)
_DIFFERENCE = 1e-3
_NOISE = 1e-9  # of singular values by differences, with rows of length 1
_STEPS, _HALVINGS = 60, 20
_CENTRAL = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12
_ONE_SIDED = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12


@dataclass(frozen=True, eq=False)
class Trim:
    """An equilibrium, or the nearest to one that there is.

    q (nq,), u (nu,), x (nx,): configuration, inputs and states of the actuators.
    solved: whether all that must vanish is below 1e-10 (m/s², rad/s²), or below rounding where that is larger.
    residual: {DoF: acceleration left}, {"pin.gap_0": what is open (m, rad)} of closures that do not close, and
    {state of an actuator: rate} for states that do not rest.
    at_limit: names of the free inputs that are at a limit.
    """

    q: np.ndarray
    u: np.ndarray
    x: np.ndarray
    solved: bool
    residual: dict[str, float]
    at_limit: tuple[str, ...]


class _Problem(NamedTuple):
    """dofs: indices of the free DoFs.  inputs: of the free inputs, with bounds.  left: residual (m, k) and x (m, nx) of
    configurations (m, nq) and inputs (m, nu).  placed: configurations (m, nq) with followers at their leaders."""

    plant: Plant
    dofs: np.ndarray
    inputs: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    left: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    placed: Callable[[np.ndarray], np.ndarray]


_Point = tuple[np.ndarray, np.ndarray]


def trim(plant: Plant, q0: Any, free: str | Iterable[str], zero: str | Iterable[str], t: Any, p: Any) -> Trim:
    """See `Plant.trim`: q0 (nq,), names of what is free and of what must vanish, t () [s], p (n,)."""
    q, t, p = one_sample(plant, q0, t, p)
    dofs, inputs = free_unknowns(plant, free, t)
    vanishing = vanishing_dofs(plant, zero, t)
    now = setting(plant, p)
    lowest, highest = input_bounds(plant, now.actuators)

    def left(qs: np.ndarray, us: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        xs, x_dots = steady_states(plant, now, t, qs, us)
        a = plant.forward_dynamics(t, qs, np.zeros((len(qs), plant.nv)), us, x=xs, p=p)
        return np.concatenate([a[:, vanishing], gaps_at(now, qs), x_dots], axis=-1), xs

    problem = _Problem(
        plant, dofs, inputs, lowest[inputs], highest[inputs], left, now.velocities.joints.configuration
    )
    q = np.asarray(plant._velocities(p).configuration(t, q), dtype=float)
    point = q, _awake(problem, q, np.clip(np.zeros(plant.nu), lowest, highest))
    point = _polished(problem, *_feasible(problem, *point, alike=True))
    if _solved(problem, *point):
        for effort in _EFFORTS:
            point = _least_effort(problem, *point, effort)
    else:
        point = _feasible(problem, *point, alike=False)
    point = _polished(problem, *point)
    wanted = [plant.dof_names[i] for i in vanishing]
    return _result(problem, *point, wanted, [*_gap_names(plant), *plant.state_names])


def _gap_names(plant: Plant) -> list[str]:
    """Names of what is open of the closures."""
    return [f"{closure.label}.gap_{k}" for closure in plant.closures for k in range(closure.rows)]


def input_bounds(plant: Plant, actuators: tuple) -> tuple[np.ndarray, np.ndarray]:
    """(lowest, highest) of all inputs (nu,) each."""
    if plant.actuators is None:
        return np.full(plant.nu, -np.inf), np.full(plant.nu, np.inf)
    bounds = [actuator.bounds(plant.system.tree) for actuator in actuators]
    low, high = ([pair[k] for pair in bounds] for k in (0, 1))
    return np.concatenate([np.zeros(0), *low]), np.concatenate([np.zeros(0), *high])


def _awake(problem: _Problem, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """u with free inputs moved off zero where they have no effect at first order there, such as a thrust ~ u|u|."""
    _, J = _linearised(problem, q, u)
    asleep = np.abs(J[:, len(problem.dofs) :]).max(axis=0) == 0.0
    low, high = problem.lowest, problem.highest
    bounded = np.isfinite(low) & np.isfinite(high)
    inside = np.where(bounded, 0.75 * np.where(bounded, low, 0.0) + 0.25 * np.where(bounded, high, 0.0), 1.0)
    symmetric = bounded & (low == -high)
    inside = np.clip(np.where(symmetric, 0.25 * np.where(bounded, high, 0.0), inside), low, high)
    u = u.copy()
    u[problem.inputs[asleep]] = inside[asleep]
    return u


def _linearised(problem: _Problem, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """r (k,) and J (k, unknowns) by differences of order 4: central ones, one-sided near a limit."""
    n, own = len(problem.dofs), u[problem.inputs]
    sizes = np.full(n + len(own), _DIFFERENCE)
    sizes[n:] = np.minimum(sizes[n:] * np.maximum(1.0, np.abs(own)), 0.1 * (problem.highest - problem.lowest))
    offsets, weights = np.tile(_CENTRAL[0], (len(sizes), 1)), np.tile(_CENTRAL[1], (len(sizes), 1))
    high, low = own + 2 * sizes[n:] > problem.highest, own - 2 * sizes[n:] < problem.lowest
    for near, sign in ((low, 1.0), (high, -1.0)):
        offsets[n:][near], weights[n:][near] = sign * _ONE_SIDED[0], sign * _ONE_SIDED[1]
    moved = np.zeros((len(sizes), 5, len(sizes)))
    moved[np.arange(len(sizes)), :, np.arange(len(sizes))] = sizes[:, None] * offsets
    moved = np.concatenate([np.zeros((1, len(sizes))), moved.reshape(-1, len(sizes))])
    r, _ = problem.left(*_moved(problem, q, u, moved))
    columns = np.einsum("jo,jok->kj", weights, r[1:].reshape(len(sizes), 5, -1))
    return r[0], columns / np.where(sizes > 0, sizes, 1.0)


def _moved(
    problem: _Problem, q: np.ndarray, u: np.ndarray, steps: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q (m, nq), u (m, nu)) after steps (m, unknowns)."""
    n, m = len(problem.dofs), len(steps)
    δ, us = np.zeros((m, problem.plant.nv)), np.repeat(u[None], m, axis=0)
    δ[:, problem.dofs] = steps[:, :n]
    us[:, problem.inputs] = np.clip(us[:, problem.inputs] + steps[:, n:], problem.lowest, problem.highest)
    return problem.placed(retract(problem.plant.tree, np.broadcast_to(q, (m, len(q))), δ)), us


def _bounded_step(
    problem: _Problem, u: np.ndarray, r: np.ndarray, J: np.ndarray, effort: float = 0.0
) -> np.ndarray:
    """(Δδ, Δu) that minimises |r + J(Δδ, Δu)|² + effort² (|Δδ|² + |u + Δu|²) within the limits of the inputs."""
    n, own = len(problem.dofs), u[problem.inputs]
    far = np.full(n, np.inf)
    limits = np.stack([np.r_[-far, problem.lowest], np.r_[far, problem.highest]], axis=-1)
    y = allocate(J, J[:, n:] @ own - r, limits, regularization=effort**2)
    return np.concatenate([y[:n], y[n:] - own])


def _factored(J: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(D, U, S, V): D J = U diag(S) V with rows of D J of length 1, and without singular values that are noise."""
    lengths = np.linalg.norm(J, axis=1)
    D = 1.0 / np.where(lengths > 0, lengths, 1.0)
    U, S, V = np.linalg.svd(D[:, None] * J, full_matrices=False)
    kept = S > _NOISE
    return D, U[:, kept], S[kept], V[kept]


def _feasible(problem: _Problem, q: np.ndarray, u: np.ndarray, alike: bool) -> _Point:
    """The first stage: the least |D r|², with rows of J made equally long if alike, else with D = 1."""
    for _ in range(_STEPS):
        r, J = _linearised(problem, q, u)
        D, U, S, V = _factored(J)
        W = D if alike else np.ones(len(r))
        step = _bounded_step(problem, u, W * r, ((W / D)[:, None] * U * S) @ V)
        moved = _descended(problem, q, u, step, lambda r, u, W=W: float(W * r @ (W * r)))
        if moved is None:
            break
        q, u = moved
        if np.abs(W * r).max() < _TOLERANCE:
            break
    return q, u


def _least_effort(problem: _Problem, q: np.ndarray, u: np.ndarray, effort: float) -> _Point:
    """The second stage for one ε = effort; where nothing is redundant, the point itself."""
    i = problem.inputs
    for _ in range(_STEPS):
        r, J = _linearised(problem, q, u)
        D, U, S, V = _factored(J)
        if len(S) == J.shape[1]:
            break
        T = (U / S).T * D
        step = _bounded_step(problem, u, T @ r, V, effort)

        def merit(r: np.ndarray, u: np.ndarray, T: np.ndarray = T) -> float:
            return float(T @ r @ (T @ r) + effort**2 * (u[i] @ u[i]))

        moved = _descended(problem, q, u, step, merit)
        if moved is None:
            break
        q, u = moved
        if np.abs(step).max() < 1e-9 * (1.0 + np.abs(u).max(initial=0.0)):
            break
    return q, u


def _polished(problem: _Problem, q: np.ndarray, u: np.ndarray) -> _Point:
    """The third stage."""
    n = len(problem.dofs)
    for _ in range(_STEPS):
        r, J = _linearised(problem, q, u)
        own = u[problem.inputs]
        open_ = np.concatenate([np.ones(n, dtype=bool), (own > problem.lowest) & (own < problem.highest)])
        step = np.zeros(J.shape[1])
        D, U, S, V = _factored(J[:, open_])
        step[open_] = -V.T @ (U.T @ (D * r) / S)
        moved = _descended(problem, q, u, step, lambda r, u: float(r @ r))
        if moved is None or np.abs(r).max() < 1e-3 * _TOLERANCE:
            break
        q, u = moved
    return q, u


def _descended(
    problem: _Problem,
    q: np.ndarray,
    u: np.ndarray,
    step: np.ndarray,
    merit: Callable[[np.ndarray, np.ndarray], float],
) -> _Point | None:
    """(q, u) after the longest of the halved steps that lowers the merit, None if none does."""
    largest = float(np.abs(step[: len(problem.dofs)]).max(initial=0.0))
    length = min(1.0, _LARGEST_STEP / largest) if largest > 0 else 1.0
    lengths = np.concatenate([[0.0], length * 0.5 ** np.arange(_HALVINGS)])
    qs, us = _moved(problem, q, u, lengths[:, None] * step)
    residuals, _ = problem.left(qs, us)
    before = merit(residuals[0], us[0])
    better = (k for k in range(1, len(lengths)) if merit(residuals[k], us[k]) < before)
    k = next(better, None)
    return None if k is None else (qs[k], us[k])


def _solved(problem: _Problem, q: np.ndarray, u: np.ndarray) -> bool:
    """Whether the residual is below the tolerance, or below rounding where that is larger."""
    r, J = _linearised(problem, q, u)
    terms = float(np.abs(J[:, len(problem.dofs) :]).max(initial=0.0) * np.abs(u).max(initial=0.0))
    return bool(np.abs(r).max() <= max(_TOLERANCE, 64 * np.finfo(float).eps * terms))


def _result(problem: _Problem, q: np.ndarray, u: np.ndarray, names: list[str], others: list[str]) -> Trim:
    """names: of the accelerations that must vanish; others: of what is told only where it does not."""
    plant = problem.plant
    r, x = (y[0] for y in problem.left(q[None], u[None]))
    own = u[problem.inputs]
    residual = {
        name: float(y)
        for k, (name, y) in enumerate(zip([*names, *others], r, strict=True))
        if k < len(names) or abs(y) > _TOLERANCE
    }
    near = 1e-9 * np.maximum(1.0, np.abs(own))
    limited = (own <= problem.lowest + near) | (own >= problem.highest - near)
    return Trim(
        q=q,
        u=u,
        x=x,
        solved=_solved(problem, q, u),
        residual=residual,
        at_limit=tuple(plant.input_names[i] for i in problem.inputs[limited]),
    )
