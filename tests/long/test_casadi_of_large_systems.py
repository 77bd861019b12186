"""Every method of whole vehicles with arms as a CasADi Function, at random states and at rest in the neutral one."""

import numpy as np
import pytest
from tests.support.casadi_functions import along, arrays, compare, error, leaves, values
from tests.system.test_c_bits import DRIVE, ROVER, words
from tests.worlds.coupled_systems import coupled_tree

import unmoored as um
from unmoored.system.method import methods_of
from unmoored.trace import evaluate, jvp

OWNERS = {
    "spacecraft": lambda: um.load("free_flyer_arm7"),
    "underwater": lambda: um.Plant(um.load("bluerov2_heavy_alpha5"), um.Ocean(), free=["ocean.current"]),
    "rover": lambda: ROVER,
    "rolling": lambda: um.Plant(ROVER, constraints=[DRIVE]),
    "coupled": lambda: um.System(coupled_tree(2)),
    "coupled plant": lambda: um.Plant(um.System(coupled_tree(2))),
}
#: of the methods, those that these systems have no form for, see their messages
MOST_REFUSED = {"spacecraft": 5, "underwater": 0, "rover": 2, "rolling": 4, "coupled": 5, "coupled plant": 2}


@pytest.mark.parametrize("which", OWNERS)
def test_every_method(which):
    owner, rng, refused = OWNERS[which](), np.random.default_rng(1), []
    for name, method in methods_of(type(owner)).items():
        if method.numpy_only:
            continue
        try:
            value, slope, (function, bound, traced) = compare(owner, method, words(owner), rng)
        except um.ModelError:
            refused.append(name)
            continue
        assert value < 1e-13, name
        assert slope < 1e-10, name
        given, direction = arrays(owner, bound, rng, at_neutral=True)
        assert error(values(function, given), leaves(evaluate(traced, *given))) < 1e-13, name
        ours = leaves(evaluate(jvp(traced), *given, *direction))
        assert error(along(function, given, direction), ours) < 1e-10, name
    assert len(refused) <= MOST_REFUSED[which], refused
