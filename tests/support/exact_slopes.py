"""Derivatives of the dynamics of random trees, from kernels, against differences with fifty digits."""

import numpy as np
from tests.support.random_trees import random_state
from tests.trace import high_precision

from unmoored import trace as T
from unmoored.dynamics import configuration
from unmoored.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from unmoored.dynamics.recursive import forward_dynamics, inverse_dynamics
from unmoored.kernels import compile

GRAVITY = np.array([0.7, -1.1, -9.3])
BOTH = {
    "inverse": (inverse_dynamics, inverse_dynamics_derivatives),
    "forward": (forward_dynamics, forward_dynamics_derivatives),
}


def worst(tree, which, seed):
    """Largest error of dq, dv and the third, along random directions, of the largest entry of the exact slope."""
    function, derivatives = BOTH[which]
    (q, v, x), rng = random_state(tree, seed), np.random.default_rng(seed)
    shapes = (tree.nq,), (tree.nv,), (tree.nv,)
    found = compile(
        lambda q, v, x: tuple(derivatives(tree, q, v, x, GRAVITY)), shapes, name=which, exact_zeros=False
    )(q, v, x)

    def moved(d, v, x, q):
        return function(tree, configuration.retract(tree, q, d), v, x, GRAVITY)

    graph = T.inlined(T.trace(moved, *((tree.nv,),) * 3, (tree.nq,)))
    inputs, errors = [*np.zeros(tree.nv), *v, *x, *q], []
    for k, matrix in enumerate(found):
        d = rng.normal(size=tree.nv)
        along = np.zeros(len(inputs))
        along[k * tree.nv : (k + 1) * tree.nv] = d
        exact = np.array(high_precision.directions(graph, inputs, along.tolist()))
        errors.append(np.abs(matrix @ d - exact).max() / np.abs(exact).max())
    return max(errors)
