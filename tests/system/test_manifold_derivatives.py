"""retract, local and gradients on the manifold, at |x| ≈ 1, where a wrong side of dexp shows."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_tree

import unmoored as um
from unmoored.dynamics.configuration_derivatives import push_weights, tangent_of_numbers
from unmoored.trace import evaluate, gradient, trace

NUMPY = {"backend": "numpy"}
ε = 2e-3


def slopes(function, n):
    """Derivatives (m, n) by differences of sixth order."""
    moves = [function(k * ε * np.eye(n)) for k in (1, -1, 2, -2, 3, -3)]
    total = 45 * (moves[0] - moves[1]) - 9 * (moves[2] - moves[3]) + (moves[4] - moves[5])
    return total.T / (60 * ε)


@pytest.mark.parametrize("kind", [kind for kind in ALL_KINDS if kind != "Fixed"])
def test_retract_and_local_on_every_joint(kind):
    system = um.System(random_tree(4, (kind, "Revolute")))
    rng = np.random.default_rng(2)
    q = system.random_configuration(rng)
    x = rng.normal(size=system.nv)
    x *= 1.1 / np.linalg.norm(x)
    end = system.retract(q, x, **NUMPY)
    d = system.retract_derivatives(q, x, **NUMPY)
    by_q = slopes(
        lambda e: system.local(end, system.retract(system.retract(q, e, **NUMPY), x, **NUMPY), **NUMPY),
        system.nv,
    )
    by_x = slopes(lambda e: system.local(end, system.retract(q, x + e, **NUMPY), **NUMPY), system.nv)
    assert np.abs(d.q - by_q).max() < 1e-11
    assert np.abs(d.dq - by_x).max() < 1e-11
    d = system.local_derivatives(q, end, **NUMPY)
    by_q0 = slopes(lambda e: system.local(system.retract(q, e, **NUMPY), end, **NUMPY), system.nv)
    by_q1 = slopes(lambda e: system.local(q, system.retract(end, e, **NUMPY), **NUMPY), system.nv)
    assert np.abs(d.q0 - by_q0).max() < 1e-11
    assert np.abs(d.q1 - by_q1).max() < 1e-11


def test_a_gradient_by_stored_numbers_is_pulled_back_to_the_tangent():
    system = um.load("free_flyer_arm7")
    q = system.random_configuration(3)
    height = trace(lambda q: system.energy(q, np.ones(system.nv)).kinetic, (system.nq,))
    g = evaluate(gradient(height), q)
    along = slopes(
        lambda e: system.energy(system.retract(q, e), np.ones(system.nv)).kinetic[..., None], system.nv
    )
    assert np.abs(system.pull_back(q, g) - along[0]).max() < 1e-9 * np.abs(along).max()


def test_weights_on_tangents_and_tangents_of_numbers_belong_together():
    tree = random_tree(5, ("Free", "Spherical", "Planar", "Cylindrical", "Universal"))
    system = um.System(tree)
    rng = np.random.default_rng(1)
    q, w, x = system.random_configuration(rng), rng.normal(size=system.nv), rng.normal(size=system.nv)
    h = 1e-6
    change = (system.retract(q, h * x) - system.retract(q, -h * x)) / (2 * h)
    assert np.abs(tangent_of_numbers(tree, q, change) - x).max() < 1e-8
    assert push_weights(tree, q, w) @ change == pytest.approx(w @ x, abs=1e-8)
    assert np.abs(system.pull_back(q, push_weights(tree, q, w)) - w).max() < 1e-14
