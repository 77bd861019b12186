"""The papers' local coordinates: S(φ), and the Coriolis matrix of From et al. 2010, eq. (9), at every φ."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics import configuration
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.local_coordinates import (
    local_bracket,
    local_coriolis_matrix,
    local_velocity_map,
    local_velocity_map_inverse,
)
from unmoored.lie import CATALOGUE
from unmoored.trace import evaluate, jacobian, jvp, trace

GROUPS = pytest.mark.parametrize("group", [g for g in CATALOGUE if g.dim], ids=lambda g: g.name)
TREE = random_tree(
    1, ["Free", "Spherical", "Universal", "Planar", "PlanarHelical", "Custom", "Schoenflies", "Cylindrical"],
    added_mass=True, armature=True,
)  # fmt: skip


@GROUPS
def test_bracket_equals_the_structure_constants_at_every_point(group):
    rng = np.random.default_rng(0)
    φ, p = rng.uniform(-1.5, 1.5, (20, group.dim)), rng.normal(size=(20, group.dim))
    φ[0] = 0
    assert np.allclose(local_bracket(group, φ, p), group.momentum_bracket(p), atol=5e-15, rtol=0)


@pytest.mark.parametrize("group", [g for g in CATALOGUE if g.name in ("SE(3)", "SE(2)", "X(z)", "Y_h")])
def test_bracket_with_the_indices_as_printed_fails(group):
    """F1 of the errata: at φ = 0 the printed form is (∂S_ij/∂φ_k − ∂S_ik/∂φ_j) p_k.

    On SO(3) alone it happens to be right there: its structure constants may be turned round.
    """
    p = np.random.default_rng(1).normal(size=group.dim)
    dS = evaluate(jacobian(trace(group.dexp, (group.dim,))), np.zeros(group.dim))
    printed = np.einsum("ijk,k->ij", dS, p) - np.einsum("ikj,k->ij", dS, p)
    right = np.einsum("kij,k->ij", dS, p) - np.einsum("kji,k->ij", dS, p)
    assert np.allclose(right, group.momentum_bracket(p), atol=1e-15, rtol=0)
    assert np.abs(printed - group.momentum_bracket(p)).max() > 0.1


def test_velocity_map():
    """v = S φ̇, where v is read off the derivative of retract by the tracer; S⁻¹ is its inverse."""
    q, v, φ = random_state(TREE, 2)
    φ = 0.7 * φ
    S, S_inv = local_velocity_map(TREE, φ), local_velocity_map_inverse(TREE, φ)
    assert np.allclose(S @ S_inv, np.eye(TREE.nv), atol=1e-14, rtol=0)
    assert np.array_equal(local_velocity_map(TREE, 0 * φ), np.eye(TREE.nv))
    moved = trace(lambda q, φ: configuration.retract(TREE, q, φ), (TREE.nq,), (TREE.nv,))
    along_φ = evaluate(jvp(moved), q, φ, 0 * q, S_inv @ v)
    along_v = evaluate(jvp(moved), configuration.retract(TREE, q, φ), 0 * φ, 0 * q, v)
    assert np.allclose(along_φ, along_v, atol=1e-13, rtol=0)


@pytest.mark.parametrize("size", [0.0, 0.7])
def test_coriolis_matrix_in_local_coordinates_is_the_papers_form(size):
    q, v, φ = random_state(TREE, 3, (3,))
    ours = local_coriolis_matrix(TREE, q, size * φ, v)
    expected = coriolis_matrix(TREE, configuration.retract(TREE, q, size * φ), v, "papers")
    assert np.abs(ours - expected).max() <= 1e-13 * np.abs(expected).max()


def test_on_symbols():
    tree = random_tree(4, ["Free", "Universal", "Spherical"])
    q, v, φ = random_state(tree, 4, (2,))
    n = tree.nv
    traced = trace(lambda q, φ, v: local_coriolis_matrix(tree, q, φ, v), (tree.nq,), (n,), (n,))
    expected = local_coriolis_matrix(tree, q, φ, v)
    assert np.abs(evaluate(traced, q, φ, v) - expected).max() <= 1e-13 * np.abs(expected).max()
    S = trace(lambda φ: local_velocity_map(tree, φ), (n,))
    assert np.allclose(evaluate(S, φ), local_velocity_map(tree, φ), atol=1e-14, rtol=0)
