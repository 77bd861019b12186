"""Derivatives of the dynamics as methods of `System`: compiled, in batches, into given arrays."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

from unmoored import System
from unmoored.model import ModelError

SYSTEM = System(random_tree(11, ["Free", "Universal", "Revolute"], added_mass=True, armature=True))
GRAVITY = (0.7, -1.1, -9.3)
METHODS = pytest.mark.parametrize("method", ["forward_dynamics_derivatives", "inverse_dynamics_derivatives"])


def assert_close(ours, theirs, relative=1e-12):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


@METHODS
def test_kernels_agree_with_numpy(method):
    q, v, x = random_state(SYSTEM.tree, 0, (5,))
    wrenches = {"tool": np.random.default_rng(0).normal(size=(5, 6))}
    for options in ({}, {"gravity": GRAVITY, "wrenches": wrenches}):
        ours = getattr(SYSTEM, method)(q, v, x, **options)
        theirs = getattr(SYSTEM, method)(q, v, x, **options, backend="numpy")
        assert type(ours) is type(theirs)
        for mine, expected in zip(ours, theirs, strict=True):
            assert_close(mine, expected)


@METHODS
def test_a_sample_has_the_same_bits_alone_and_into_given_arrays(method):
    q, v, x = random_state(SYSTEM.tree, 1, (5,))
    batch = getattr(SYSTEM, method)(q, v, x)
    alone = getattr(SYSTEM, method)(q[3], v[3], x[3])
    out = tuple(np.empty((5, SYSTEM.nv, SYSTEM.nv)) for _ in range(3))
    getattr(SYSTEM, method)(q, v, x, out=out)
    for together, single, given in zip(batch, alone, out, strict=True):
        assert np.array_equal(together[3], single)
        assert np.array_equal(together, given)


def test_names_of_the_results():
    q, v, x = random_state(SYSTEM.tree, 2)
    forward, inverse = (
        SYSTEM.forward_dynamics_derivatives(q, v, x),
        SYSTEM.inverse_dynamics_derivatives(q, v, x),
    )
    assert (forward._fields, inverse._fields) == (("dq", "dv", "dtau"), ("dq", "dv", "da"))
    assert_close(inverse.da, SYSTEM.mass_matrix(q))
    assert_close(inverse.da @ forward.dtau, np.eye(SYSTEM.nv), 1e-11)


@METHODS
def test_bad_arguments_are_named(method):
    q, v, x = random_state(SYSTEM.tree, 3)
    with pytest.raises(ModelError, match="shape"):
        getattr(SYSTEM, method)(q, v[:-1], x)
    with pytest.raises(ModelError, match="unknown frame or body"):
        getattr(SYSTEM, method)(q, v, x, wrenches={"hand": np.zeros(6)})
