"""`optimize`: the motion of least cost of a plant, on the manifold."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..model.value import checked_numbers
from ..worlds import Plant
from ..worlds.gains import gains_of
from ..worlds.plants.plant_step import suitable_method
from . import problem_checks as checks
from .costs import Terms, as_terms
from .optimum import CONVERGED, REASONS, NotConvergedWarning, Optimum
from .problem_checks import FAR, wrong
from .shooting import FIRST, Shooting
from .solver import NO_LIMIT, Batch, Solver
from .solver_kernels import SolverKernels, solver_kernels

#: derivatives of problems that are worked on at the same time take at most this many bytes
_MOST = 1 << 28
_WHERE = "optimize"


def optimize(
    plant: Plant,
    q0: Any,
    v0: Any = None,
    *,
    duration: float,
    control_step: float,
    step: float | None = None,
    running: Sequence[Any] | Any = (),
    final: Sequence[Any] | Any = (),
    limits: Sequence[Any] | Any = (),
    input_limits: Any = None,
    u: Any = None,
    q: Any = None,
    v: Any = None,
    x0: Any = None,
    p: Any = None,
    t0: Any = 0.0,
    method: str = "rkmk4",
    iterations: int = 200,
    tolerance: float = 1e-9,
    gap_tolerance: float = 1e-8,
    limit_tolerance: float = 1e-6,
    penalty: float = 10.0,
) -> Optimum:
    """The inputs over `duration` (s), held over periods of `control_step` (s), and the motion that they give, of least

        Σ_k control_step ½|r(t_k, y_k, u_k)|² + ½|r(t_N, y_N)|²

    from q0 (nq,), v0 (nv,) (at rest if None), x0 (nx,). Leading dimensions of arguments, and of the numbers of the
    terms, are problems that are solved side by side.

    step: of the integrator `method` (s), one per period if None.  running, final: terms of the cost, `um.Cost` objects
    (`um.planning`), or functions (t, q, v, u) and (t, q, v) that give residuals.  limits: on states, `um.Limit` objects
    or functions (t, q, v) that give c ≤ 0.  input_limits: (lowest, highest), each (nu,), within those of the
    actuators, which count anyway.
    u (N, nu) or (nu,), q (N + 1, nq), v (N + 1, nv): where it begins; zero inputs within the limits, and the state at
    the start for all of the time. They need not fit each other: gaps close on the way.
    p (np,): free parameters.  t0: time at the start (s).
    tolerance: of the slope of the cost along a step, as a part of the cost.  gap_tolerance: largest gap left.
    limit_tolerance: most that limits may be broken by.  penalty: of broken limits at first.

    A problem that is not solved is told by a `NotConvergedWarning`, and by `.converged` and `.status` of the result.
    """
    shooting, batch, many = _problem(
        plant, q0, v0, duration, control_step, step, as_terms(_WHERE, running, final, limits), input_limits,
        u, q, v, x0, p, t0, method, penalty,
    )  # fmt: skip
    most = checks.count(_WHERE, "iterations", iterations, 0)
    tolerances = [
        checks.positive(_WHERE, name, value)
        for name, value in (
            ("tolerance", tolerance), ("gap_tolerance", gap_tolerance), ("limit_tolerance", limit_tolerance),
        )
    ]  # fmt: skip
    kernels = solver_kernels(shooting)
    solver = Solver(kernels, *tolerances)
    z = shooting.n + shooting.m
    rows = max(1, _MOST // (8 * batch.nodes.shape[1] * z * (shooting.n + z)))
    done = [solver.solve(part, most) for part in _parts(batch, rows)]
    found = _result(kernels, done, many)
    _tell(found)
    return found


def _problem(
    plant: Any, q0: Any, v0: Any, duration: Any, control_step: Any, step: Any, terms: Terms, input_limits: Any,
    u: Any, q: Any, v: Any, x0: Any, p: Any, t0: Any, method: str, penalty: Any,
) -> tuple[Shooting, Batch, bool]:  # fmt: skip
    """The problem's structure, its numbers as a batch, and whether leading dimensions were given."""
    plant = checks.check_plant(_WHERE, plant)
    period = checks.positive(_WHERE, "control_step", control_step)
    N = checks.multiple(_WHERE, "duration", checks.positive(_WHERE, "duration", duration), period)
    h = period if step is None else checks.positive(_WHERE, "step", step)
    steps = checks.multiple(_WHERE, "control_step", period, h)
    low, high = checks.limits_of_inputs(_WHERE, plant, input_limits)
    bounded = bool(np.any(low > -FAR) or np.any(high < FAR))
    shooting = Shooting(plant, suitable_method(_WHERE, plant, method), steps, terms, bounded)
    p = checks.array(
        _WHERE, "p", plant.nominal_parameters if p is None else p, (len(plant.nominal_parameters),)
    )
    start = checks.array(_WHERE, "t0", t0, ())
    start_q = checks.configuration(_WHERE, "q0", plant, q0)
    start_v = checks.array(_WHERE, "v0", np.zeros(plant.nv) if v0 is None else v0, (plant.nv,))
    start_x = checks.array(_WHERE, "x0", np.zeros(plant.nx) if x0 is None else x0, (plant.nx,))
    inputs = np.clip(0.0, low, high) if u is None else checked_numbers(u, where=_WHERE, what="u")
    if (inputs.shape[-1:] == (plant.nu,) and inputs.ndim == 1) or u is None:
        inputs = np.repeat(inputs[..., None, :], N, axis=-2)
    inputs = checks.array(_WHERE, "u", inputs, (N, plant.nu))
    guess_q = None if q is None else checks.configuration(_WHERE, "q", plant, q, N + 1)
    guess_v = None if v is None else checks.array(_WHERE, "v", v, (N + 1, plant.nv))
    gains = _gains(terms)
    pieces = [
        (start_q, 1),
        (start_v, 1),
        (start_x, 1),
        (inputs, 2),
        (p, 1),
        (start, 0),
        (low, 1),
        (high, 1),
        (gains, 1),
    ]
    pieces += [(x, 2) for x in (guess_q, guess_v) if x is not None]
    counts = {x.shape[0] for x, core in pieces if x.ndim > core}
    if len(counts - {1}) > 1:
        raise wrong(
            _WHERE, "problems", "the same number in all arguments", " and ".join(map(str, sorted(counts)))
        )
    P = max(counts, default=1)

    def spread(x: np.ndarray, core: int) -> np.ndarray:
        return np.array(np.broadcast_to(x, (P, *x.shape[x.ndim - core :])))

    q_all = np.repeat(spread(start_q, 1)[:, None], N + 1, 1) if guess_q is None else spread(guess_q, 2)
    v_all = np.repeat(spread(start_v, 1)[:, None], N + 1, 1) if guess_v is None else spread(guess_v, 2)
    q_all[:, 0], v_all[:, 0] = spread(start_q, 1), spread(start_v, 1)
    times = spread(start, 0)[:, None] + period * np.arange(N + 1)
    q_all, w_all = checks.placed(_WHERE, plant, times, q_all, v_all, spread(p, 1)[:, None])
    q_all, w_all = checks.on_closures(
        plant, times, q_all, w_all, spread(p, 1), guess_q is None and guess_v is None
    )
    Y = np.concatenate([q_all, w_all, np.repeat(spread(start_x, 1)[:, None], N + 1, 1)], axis=-1)
    lead = np.tile([period, checks.positive(_WHERE, "penalty", penalty), 0.0], (P, 1))
    lead[:, 2] = spread(start, 0)
    params = np.concatenate([lead, spread(p, 1), spread(gains, 1)], axis=-1)
    nodes = np.zeros((P, N + 1, shooting.ny + shooting.m))
    nodes[..., : shooting.ny] = Y
    nodes[:, :-1, shooting.ny :] = np.clip(
        spread(inputs, 2), spread(low, 1)[:, None], spread(high, 1)[:, None]
    )
    λ = np.zeros((P, N + 1, shooting.limited))
    λ[:, 0] = NO_LIMIT
    return shooting, Batch(nodes, λ, params, spread(low, 1), spread(high, 1)), bool(counts)


def _gains(terms: Terms) -> np.ndarray:
    """The terms' numbers (G,) or (problems, G)."""
    found = gains_of(terms)
    parts = [
        g.values.reshape(*g.values.shape[: g.values.ndim - len(g.shape)], math.prod(g.shape)) for g in found
    ]
    counts = {x.shape[0] for x in parts if x.ndim > 1 and x.shape[0] != 1}
    if len(counts) > 1:
        given = " and ".join(map(str, sorted(counts)))
        raise wrong(_WHERE, "numbers of the terms", "the same number of problems in all", given)
    batch = np.broadcast_shapes((), *(x.shape[:-1] for x in parts))
    return np.concatenate(
        [np.zeros((*batch, 0)), *(np.broadcast_to(x, (*batch, x.shape[-1])) for x in parts)], -1
    )


def _parts(batch: Batch, rows: int) -> list[Batch]:
    """The problems in batches of at most so many."""
    arrays = (batch.nodes, batch.multipliers, batch.params, batch.lowest, batch.highest)
    P = len(batch.nodes)
    return [Batch(*(x[i : i + rows] for x in arrays)) for i in range(0, P, rows)] if rows < P else [batch]


def _result(kernels: SolverKernels, done: list[Batch], many: bool) -> Optimum:
    s = kernels.shooting
    nodes, λ, policies, facts, code, rounds, low, high = (
        np.concatenate([getattr(part, name) for part in done])
        for name in ("nodes", "multipliers", "policies", "facts", "code", "iterations", "lowest", "highest")
    )
    Y, U, gradient = nodes[..., : s.ny], nodes[:, :-1, s.ny :], policies[..., -s.m :]
    K = policies[..., : s.m * s.n].reshape(*U.shape, s.n)
    t = np.concatenate([part.times for part in done])
    q, w, x = s.state(Y)
    p = np.concatenate([part.params for part in done])[
        :, None, FIRST : FIRST + len(s.plant.nominal_parameters)
    ]
    v = w if s.plant.velocities.is_plain else s.plant.full_velocity(t, q, w, p)
    λ = λ.copy()
    λ[:, 0] = 0.0
    status = np.array([REASONS[k] for k in code], dtype=object)
    arrays = [
        t, q, v, x, U, K, facts[:, 0], facts[:, 1], facts[:, 2], λ, _kkt(gradient, U, low, high), rounds,
        code == CONVERGED, status, gradient,
    ]  # fmt: skip
    if many:
        return Optimum(*arrays)
    return Optimum(*(x[0] for x in arrays), history=tuple(done[0].history))


def _kkt(gradient: np.ndarray, U: np.ndarray, lowest: np.ndarray, highest: np.ndarray) -> np.ndarray:
    """The largest entry (P,) of gradients (P, N, m) by inputs, those at a limit left out where they push outwards."""
    held = (lowest[:, None] >= U) & (gradient > 0) | (highest[:, None] <= U) & (gradient < 0)
    return np.abs(np.where(held, 0.0, gradient)).max((1, 2))


def _tell(found: Optimum) -> None:
    """Warn of what is not solved."""
    if np.all(found.converged):
        return
    codes = np.atleast_1d(found.status)
    bad = {reason: int(np.sum(codes == reason)) for reason in REASONS[1:] if np.any(codes == reason)}
    if bad:
        told = "; ".join(f"{number} of {len(codes)} {reason}" for reason, number in bad.items())
        worst = f"largest gap {np.max(found.gap):.3g}, broken limits {np.max(found.violation):.3g}"
        warnings.warn(f"optimize: {told} ({worst})", NotConvergedWarning, stacklevel=3)
