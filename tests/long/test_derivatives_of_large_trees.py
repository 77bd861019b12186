"""Derivatives of trees of up to a hundred bodies with all joints, against differences with fifty digits."""

import numpy as np
import pytest
from tests.support.exact_slopes import worst
from tests.support.random_trees import ALL_KINDS, random_tree


@pytest.mark.parametrize("which", ["inverse", "forward"])
@pytest.mark.parametrize("bodies", [3, 12, 24, 25, 40, 41, 70, 100])
@pytest.mark.parametrize("branching", [False, True])
def test_every_size(which, bodies, branching):
    rng = np.random.default_rng(bodies)
    kinds = [str(kind) for kind in rng.choice(ALL_KINDS, size=bodies)]
    tree = random_tree(bodies, kinds, branching=branching, added_mass=True, armature=True)
    assert worst(tree, which, bodies) < 1e-9
