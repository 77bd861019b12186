"""Derivatives of large trees are loops in kernels: the same numbers as the dynamics' own slopes with fifty digits."""

import numpy as np
import pytest
from tests.support.exact_slopes import worst
from tests.support.random_trees import ALL_KINDS, random_state, random_tree
from tests.trace import high_precision

from unmoored import trace as T
from unmoored.dynamics import configuration
from unmoored.dynamics.derivatives import forward_dynamics_derivatives
from unmoored.dynamics.derivatives.force_derivatives import LOOPS_FROM

KINDS = (*ALL_KINDS, *(kind for kind in ALL_KINDS if kind != "Fixed"))


@pytest.mark.long
def test_a_tree_with_all_joints_twice():
    """Forward dynamics, which contain the derivatives of inverse dynamics; tests/long has both, in every size."""
    tree = random_tree(7, KINDS, added_mass=True, armature=True)
    assert worst(tree, "forward", 1) < 1e-9


def test_the_code_does_not_grow_with_the_tree():
    def nodes(bodies):
        tree = random_tree(8, ["Free", *["Revolute"] * bodies], branching=True)
        shapes = (tree.nq,), (tree.nv,), (tree.nv,)
        graph = T.trace(
            lambda q, v, x: tuple(forward_dynamics_derivatives(tree, q, v, x, np.zeros(3))), *shapes, loops_beyond=40
        )  # fmt: skip
        live = T.live_nodes(graph.graph, graph.flat_outputs)
        return sum(graph.graph.nodes[k][0] not in ("result", "input", "const") for k in live)

    assert nodes(2 * LOOPS_FROM) - nodes(LOOPS_FROM) < 20 * LOOPS_FROM


ANGLES = [0.0, 1e-12, 1e-8, 1e-5, 1e-3, *np.linspace(0.05, 0.6, 9), 1.5, np.pi - 1e-6]


@pytest.mark.parametrize("kind", ["Free", "Spherical", "Planar", "Schoenflies", "PlanarHelical"])
def test_retract_and_local_at_all_angles(kind):
    """Series near zero and closed forms elsewhere join in `select`: slopes of both, on both sides of every border."""
    tree = random_tree(3, [kind, "Revolute"], branching=False)
    q, _, _ = random_state(tree, 0)
    rng = np.random.default_rng(1)
    axis, d = rng.normal(size=(2, tree.nv))
    axis /= np.linalg.norm(axis)
    for function in (configuration.retract, lambda tree, q, x: there_and_back(tree, q, x)):
        graph = T.trace(lambda x, function=function: function(tree, q, x), (tree.nv,))
        along = T.jvp(graph)
        for angle in ANGLES:
            x = angle * axis
            exact = np.array(high_precision.directions(T.inlined(graph), x.tolist(), d.tolist()))
            np.testing.assert_allclose(
                T.evaluate(along, x, d), exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max()
            )


def there_and_back(tree, q, x):
    """The tangent x again, by the group's logarithm."""
    return configuration.local(tree, q, configuration.retract(tree, q, x))
