"""Hybrid dynamics compiled for one set of passive DoFs: the method's results, without the work that it turns off."""

from functools import cache

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

import unmoored as um
from unmoored.system.bound_method import BoundMethod

TREE = random_tree(21, ("Free", "Universal", "Helical", "Revolute"), armature=True)
SYSTEM = um.System(TREE)
GRAVITY = (0.3, -0.2, -9.8)
#: joints, and single DoFs that split one
PASSIVE = {"vehicle": ["b0"], "split": ["b0.wy", "b0.vx", "b1.ry", "b3"]}


@cache
def at_run_time():
    return um.compile_method(SYSTEM, "hybrid_dynamics", arguments=["passive", "gravity"])


def assert_close(ours, theirs):
    for mine, right in zip(ours, theirs, strict=True):
        assert np.abs(mine - right).max() <= 1e-12 * np.abs(right).max()


@pytest.mark.parametrize("passive", PASSIVE.values(), ids=PASSIVE.keys())
def test_a_fixed_mask_gives_what_the_method_gives_with_fewer_operations(passive):
    q, v, a = random_state(TREE, 1, (3,))
    mask = np.zeros(TREE.nv)
    mask[TREE.dofs(passive)] = 1.0
    given = {
        "tau": np.where(mask, a, np.inf),
        "acceleration": np.where(mask, np.inf, v),
    }  # what must not matter
    kernel = um.compile_method(SYSTEM, "hybrid_dynamics", passive=passive, gravity=GRAVITY)
    assert kernel.arguments == ("q", "v", "tau", "acceleration")
    expected = SYSTEM.hybrid_dynamics(
        q, v, tau=a, acceleration=v, passive=passive, gravity=GRAVITY, backend="numpy"
    )
    assert_close(kernel(q, v, given["tau"], given["acceleration"]), expected)
    assert kernel.operations < 0.8 * at_run_time().operations


def test_masks_fold_beside_other_fixed_and_free_numbers():
    q, v, a = random_state(TREE, 2)
    mask = np.arange(TREE.nv) % 2
    options = {"passive": mask.astype(float), "gravity": GRAVITY}
    expected = SYSTEM.hybrid_dynamics(q, v, tau=a, acceleration=v, **options, backend="numpy")
    assert_close(um.compile_method(SYSTEM, "hybrid_dynamics", **options)(q, v, a, v), expected)
    left = um.compile_method(SYSTEM, "hybrid_dynamics", passive=options["passive"], arguments=["gravity"])
    assert_close(left(q, v, a, v, np.array(GRAVITY)), expected)
    free = um.compile_method(SYSTEM, "hybrid_dynamics", **options, free=["b2.mass"])
    assert_close(free(q, v, a, v, free.nominal), expected)


def test_numbers_that_are_fixed_beside_a_mask_are_those_of_a_call_and_do_not_fold():
    """So results have the bits that they have with the same numbers as arguments."""
    q, v, a = random_state(TREE, 4)
    parts = {}
    for name, arguments, options in (("left", ["gravity"], {}), ("fixed", [], {"gravity": GRAVITY})):
        bound = BoundMethod(SYSTEM, "hybrid_dynamics", (), arguments, {"passive": ["b0"], **options})
        parts[name] = len(bound.traced(name).graph.parts)
    assert parts == {"left": 0, "fixed": 1}
    left = um.compile_method(SYSTEM, "hybrid_dynamics", passive=["b0"], arguments=["gravity"])
    fixed = um.compile_method(SYSTEM, "hybrid_dynamics", passive=["b0"], gravity=GRAVITY)
    for mine, right in zip(fixed(q, v, a, v), left(q, v, a, v, np.array(GRAVITY)), strict=True):
        assert np.array_equal(mine, right)


def test_with_every_dof_passive_it_is_forward_dynamics():
    q, v, tau = random_state(TREE, 3, (2,))
    kernel = um.compile_method(SYSTEM, "hybrid_dynamics", passive=list(TREE.names))
    a, forces = kernel(q, v, tau, np.full(TREE.nv, np.inf))
    assert_close((a, forces), (SYSTEM.forward_dynamics(q, v, tau, backend="numpy"), tau))
    assert np.array_equal(forces, tau)


def test_what_is_fixed_is_the_same_for_all_samples():
    with pytest.raises(um.ModelError, match="the same for all samples"):
        um.compile_method(SYSTEM, "hybrid_dynamics", passive=np.ones((2, TREE.nv)))
    with pytest.raises(um.ModelError, match="the same for all samples"):
        um.compile_method(SYSTEM, "forward_dynamics", gravity=np.ones((2, 3)))
    with pytest.raises(um.ModelError, match="mask of 0 and 1"):
        um.compile_method(SYSTEM, "hybrid_dynamics", passive=np.full(TREE.nv, 0.5))


def test_masks_are_told_by_name():
    q, v, tau = random_state(TREE, 3)
    for bad, said in (
        (np.ones(TREE.nv + 1), rf"^{TREE.name}: passive: expected"),
        (np.full(TREE.nv, np.nan), rf"^{TREE.name}: passive: expected"),
        (np.full(TREE.nv, 2.0), rf"^{TREE.name}: passive: expected names, or a mask of 0 and 1"),
    ):
        with pytest.raises(um.ModelError, match=said):
            SYSTEM.hybrid_dynamics(q, v, tau=tau, acceleration=tau, passive=bad)
