"""Inertia that no joint feels is given to parents: the same dynamics, and the base parameters are what is left."""

import numpy as np
import pytest
from tests.dynamics.test_cheap_frames import CASES, GRAVITY, assert_close
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics.economy.cheap_frames import with_cheap_frames
from unmoored.dynamics.economy.light_bodies import _lightened
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import forward_dynamics, hybrid_dynamics, inverse_dynamics, inverse_mass
from unmoored.trace import evaluate, trace


@CASES
def test_traced_dynamics_are_those_of_the_bodies_as_drawn(tree):
    q, v, a = random_state(tree, 3)
    γ = GRAVITY
    passive = np.arange(tree.nv) % 2.0
    n, nq = (tree.nv,), (tree.nq,)
    for function, shapes, given in (
        (lambda q: mass_matrix(tree, q), (nq,), (q,)),
        (lambda q, v, a, γ: inverse_dynamics(tree, q, v, a, γ), (nq, n, n, (3,)), (q, v, a, γ)),
        (lambda q, v, a, γ: forward_dynamics(tree, q, v, a, γ), (nq, n, n, (3,)), (q, v, a, γ)),
        (lambda q, v, a: np.stack(hybrid_dynamics(tree, q, v, a, a, passive, γ)), (nq, n, n), (q, v, a)),
        (lambda q, v: inverse_mass(tree, q)(v), (nq, n), (q, v)),
    ):
        assert_close(evaluate(trace(function, *shapes), *given), function(*given), 1e-11)


def test_a_body_on_a_revolute_joint_keeps_seven_numbers_and_one_on_a_slide_four():
    tree = random_tree(6, ["Free", "Revolute", "Prismatic", "Fixed", "Revolute"], branching=False)
    light = _lightened(with_cheap_frames(tree))
    for body, link in zip(tree.bodies, light.links, strict=True):
        I, kind = link.inertia, type(link.joint).__name__
        if kind == "Revolute":
            assert not I[:3, :3].any()  # no mass,
            assert I[4, 0] == I[0, 4] == 0.0  # no moment of it along the axis,
            assert I[3, 3] == pytest.approx(
                I[5, 5], abs=1e-14 * np.abs(I).max()
            )  # and one number less of inertia
        elif kind == "Prismatic":
            assert not I[3:, 3:].any()
        elif kind == "Fixed":
            assert not I.any()
        assert body.inertia.mass > 0.0
    M = light.links[0].inertia[:3, :3]
    np.testing.assert_array_equal(M, M[0, 0] * np.eye(3))  # a rigid body's, to the last bit


def test_the_world_takes_what_nobody_feels():
    """The first joint of an arm on the world: whatever mass lies on its axis."""
    tree = random_tree(7, ["Revolute"], branching=False)
    (link,) = _lightened(with_cheap_frames(tree)).links
    q, _, _ = random_state(tree, 4, (5,))
    D = link.inertia[5, 5] + link.armature[0]
    np.testing.assert_allclose(mass_matrix(tree, q)[..., 0, 0], D, rtol=1e-13)


def test_operations_are_fewer():
    tree = random_tree(8, ["Free"] + ["Revolute"] * 4, branching=False)
    shapes = (tree.nq,), (tree.nv,), (tree.nv,)

    def count(own):
        def forces(q, v, a):
            return inverse_dynamics(own, q, v, a, np.zeros(3))

        return trace(forces, *shapes, exact_zeros=False).operations

    moved = with_cheap_frames(tree)
    as_drawn = moved.with_links(moved.links)
    assert count(tree) < 0.93 * count(as_drawn)
