"""The problems of `optimize` handed to IPOPT, through CasADi Functions of one node: an independent solver of them."""

from typing import NamedTuple

import casadi as ca
import numpy as np

import unmoored as um
from unmoored.planning.costs import as_terms
from unmoored.planning.problem_checks import limits_of_inputs
from unmoored.planning.shooting import Shooting
from unmoored.planning.trajectory_optimization import _gains


class Found(NamedTuple):
    """What IPOPT found: cost, inputs (N, nu), iterations, whether solved; how far nodes (on their tangents) and inputs
    are from where it began; and there the largest entry of the Lagrangian's gradient by inputs that are free to move,
    as a part of the largest entry of the cost's gradient."""

    cost: float
    u: np.ndarray
    iterations: int
    solved: bool
    nodes_moved: float
    inputs_moved: float
    kkt: float


def solved_by_ipopt(
    plant, nodes, inputs, period, running, final, *, method="rkmk4", warm=True, most=300, tolerance=1e-6
):
    """What IPOPT makes of nodes (N + 1, ny) and inputs (N, nu).

    Nodes are y_k exp(z_k) with tangents z_k that IPOPT changes; gaps between them are its constraints. warm: it is
    given the multipliers of that point, too, which are found from CasADi's derivatives alone.
    """
    N, shooting = len(inputs), Shooting(plant, method, 1, as_terms("ipopt", running, final, ()), False)
    params = np.concatenate([[period, 1.0, 0.0], plant.nominal_parameters, _gains(shooting.terms)])
    n, m, ny = shooting.n, shooting.m, shooting.ny

    def gap(t, y, z, u, after, z_after):
        reached = shooting.advanced(t[0], shooting.moved(y, z), u, params)
        return shooting.difference(shooting.moved(after, z_after), reached)

    def cost(t, y, z, u):
        return shooting.cost(t[0], shooting.moved(y, z), u, np.zeros(0), params)[:1]

    def end(t, y, z):
        return shooting.cost(t[0], shooting.moved(y, z), None, np.zeros(0), params)[:1]

    hand = um.bridges.casadi.traceable
    gap = hand(gap, [(1,), (ny,), (n,), (m,), (ny,), (n,)], name="gap")
    cost, end = hand(cost, [(1,), (ny,), (n,), (m,)], name="cost"), hand(end, [(1,), (ny,), (n,)], name="end")
    low, high = limits_of_inputs("ipopt", plant, None)
    z, u = ca.MX.sym("z", n, N + 1), ca.MX.sym("u", m, N)
    total, gaps = 0.0, []
    for k in range(N):
        gaps.append(gap(k * period, nodes[k], z[:, k], u[:, k], nodes[k + 1], z[:, k + 1]))
        total += cost(k * period, nodes[k], z[:, k], u[:, k])
    total += end(N * period, nodes[N], z[:, N])
    lowest = np.concatenate([np.zeros(n), np.full(n * N, -1e20), np.tile(low, N)])
    highest = np.concatenate([np.zeros(n), np.full(n * N, 1e20), np.tile(high, N)])
    options = {
        "print_level": 0, "sb": "yes", "max_iter": most, "tol": tolerance, "hessian_approximation": "limited-memory",
    }  # fmt: skip
    start = np.concatenate([np.zeros(n * (N + 1)), np.ravel(inputs)])
    x, g = ca.veccat(z, u), ca.vertcat(*gaps)
    begin, kkt = {"x0": start}, np.nan
    if warm:
        slopes = ca.Function("slopes", [x], [ca.gradient(total, x), ca.jacobian(g, x)])
        slope, J = (np.array(ca.DM(part)) for part in slopes(start))
        λ = np.linalg.solve(J[:, n : n * (N + 1)].T, -slope[n : n * (N + 1), 0])  # by all nodes but the first
        left = slope[:, 0] + J.T @ λ
        by_input = left[n * (N + 1) :]
        at_low, at_high = (np.abs(start[n * (N + 1) :] - np.tile(x, N)) < 1e-12 for x in (low, high))
        free = ~((at_low & (by_input > 0)) | (at_high & (by_input < 0)))
        kkt = np.abs(by_input[free]).max() / np.abs(slope).max()
        begin |= {"lam_x0": -left, "lam_g0": λ}
        options |= {
            "mu_init": 1e-11, "bound_push": 1e-14, "bound_frac": 1e-14, "nlp_scaling_method": "none",
            "warm_start_init_point": "yes", "warm_start_bound_push": 1e-14, "warm_start_bound_frac": 1e-14,
            "warm_start_mult_bound_push": 1e-14, "bound_relax_factor": 0.0,
        }  # fmt: skip
    solver = ca.nlpsol(
        "ipopt", "ipopt", {"x": x, "f": total, "g": g}, {"ipopt": options, "print_time": False}
    )
    found = solver(lbx=lowest, ubx=highest, lbg=0.0, ubg=0.0, **begin)
    stats, end = solver.stats(), np.array(found["x"]).ravel()
    moved = np.abs(end - start)
    return Found(
        float(found["f"]), end[n * (N + 1) :].reshape(N, m), stats["iter_count"], bool(stats["success"]),
        moved[: n * (N + 1)].max(), moved[n * (N + 1) :].max(), kkt,
    )  # fmt: skip
