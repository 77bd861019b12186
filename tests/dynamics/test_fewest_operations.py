"""Several algorithms for one result: they agree, and the cheapest is traced."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics import mass_matrix as composite
from unmoored.dynamics.economy.fewest_operations import OTHERS, cheapest
from unmoored.dynamics.vehicle_frame import mass_matrix_in_vehicle_frame as in_common_frame
from unmoored.system.definiteness import check_definite
from unmoored.trace import evaluate, operations_of, trace

TREES = {
    "all joints": random_tree(2, ALL_KINDS, armature=True),
    "added mass, two vehicles": random_tree(3, ALL_KINDS[::-1], added_mass=True, armature=True, vehicles=2),
}
MANY_DOFS = random_tree(1, ("Free", "Cylindrical", "Planar"))
ARM = random_tree(1, ("Free", *["Revolute"] * 7), branching=False)


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
def test_the_mass_matrix_in_the_common_frame_is_the_composite_one(tree):
    q, _, _ = random_state(tree, 0, (4,))
    M = composite.mass_matrix(tree, q)
    assert np.abs(in_common_frame.mass_matrix(tree, q) - M).max() <= 1e-13 * np.abs(M).max()


def traced(tree, function):
    arrays = {composite.mass_matrix: [(tree.nq,)]}.get(function, [(tree.nq,), (tree.nv,), (tree.nv,), (3,)])
    return trace(lambda *x: cheapest(function, tree, *x), *arrays), arrays


@pytest.mark.parametrize("function", OTHERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("tree", [MANY_DOFS, ARM], ids=["many DoFs", "arm"])
def test_the_cheapest_is_traced_and_right(tree, function):
    def count(other):
        return trace(lambda *x: operations.append(operations_of(other(tree, *x))) or x[0], *arrays)

    chosen, arrays = traced(tree, function)
    operations: list[int] = []
    for other in (function, *OTHERS[function]):
        count(other)
    first, *rest = operations
    expects_other = min(rest) <= 0.9 * first
    assert expects_other == (tree is MANY_DOFS)
    taken: list[int] = []
    trace(lambda *x: taken.append(operations_of(cheapest(function, tree, *x))) or x[0], *arrays)
    assert taken == [min(rest) if expects_other else first]
    q, v, a = random_state(tree, 4)
    values = (q, v, a, np.array([0.1, 0.2, -9.8]))[: len(arrays)]
    expected = function(tree, *values)
    assert np.abs(evaluate(chosen, *values) - expected).max() <= 1e-12 * np.abs(expected).max()


def test_large_trees_keep_to_the_recursion():
    tree = random_tree(5, ("Free", *["Revolute"] * 20), branching=False)
    seen: list[int] = []
    trace(lambda q: seen.append(operations_of(cheapest(composite.mass_matrix, tree, q))) or q, (tree.nq,))
    trace(lambda q: seen.append(operations_of(composite.mass_matrix(tree, q))) or q, (tree.nq,))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
def test_every_tree_with_inertia_is_definite(tree):
    check_definite(tree)
    assert np.linalg.eigvalsh(composite.mass_matrix(tree, random_state(tree, 1)[0]))[0] > 0.0


def test_numbers_take_no_operations():
    assert operations_of(np.zeros(3)) == 0
