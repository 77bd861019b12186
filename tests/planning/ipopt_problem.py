"""The problems of `optimize` handed to IPOPT, through CasADi Functions of one node: an independent solver of them."""

import casadi as ca
import numpy as np

import unmoored as um
from unmoored.planning.costs import as_terms
from unmoored.planning.problem_checks import limits_of_inputs
from unmoored.planning.shooting import Shooting
from unmoored.planning.trajectory_optimization import _gains


def solved_by_ipopt(
    plant, nodes, inputs, period, running, final, *, method="rkmk4", warm=True, most=300, tolerance=1e-6
):
    """(cost, inputs (N, nu), iterations, whether solved) from nodes (N + 1, ny) and inputs (N, nu).

    Nodes are y_k exp(z_k) with tangents z_k that IPOPT changes; gaps between them are its constraints.
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
    if warm:
        options |= {"mu_init": 1e-9, "bound_push": 1e-12, "bound_frac": 1e-12, "nlp_scaling_method": "none"}
    solver = ca.nlpsol(
        "ipopt", "ipopt", {"x": ca.veccat(z, u), "f": total, "g": ca.vertcat(*gaps)},
        {"ipopt": options, "print_time": False},
    )  # fmt: skip
    start = np.concatenate([np.zeros(n * (N + 1)), np.ravel(inputs)])
    found = solver(x0=start, lbx=lowest, ubx=highest, lbg=0.0, ubg=0.0)
    stats = solver.stats()
    u = np.array(found["x"]).ravel()[n * (N + 1) :].reshape(N, m)
    return float(found["f"]), u, stats["iter_count"], bool(stats["success"])
