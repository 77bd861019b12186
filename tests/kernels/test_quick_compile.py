"""Kernels that are compiled quickly have the bits of those that are not, and another place in the cache."""

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.support.thinning import one_in

import unmoored as um
from unmoored.kernels import cache_key, machine_code
from unmoored.kernels.number_formats import FORMATS


@pytest.mark.parametrize("method", one_in(2, ["forward_dynamics", "coriolis_matrix"]))
def test_the_same_bits(method, monkeypatch, tmp_path):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path))
    tree, found = random_tree(4, ["Free", "Helical", "Spherical", "Revolute"], branching=True), []
    rng = np.random.default_rng(0)
    q = np.stack([um.System(tree).random_configuration(rng) for _ in range(37)])
    given = [q, *rng.normal(size=(2 if method == "forward_dynamics" else 1, 37, tree.nv))]
    for quick in ("0", "1"):
        monkeypatch.setenv("UNMOORED_QUICK_COMPILE", quick)
        kernel = um.compile_method(um.System(tree), method)
        found.append(kernel(*given))
    assert np.array_equal(*found)


def test_the_cache_tells_them_apart(monkeypatch):
    places = []
    for quick, level in (("0", 1), ("1", 0)):
        monkeypatch.setenv("UNMOORED_QUICK_COMPILE", quick)
        assert machine_code.optimisation() == level
        places.append(cache_key.place("kernel", "key", "name", FORMATS["float64"], 8))
    assert places[0] != places[1]
