"""The C of every method of larger systems has the bits of Python; the compiler takes minutes (`make long`)."""

import pytest
from tests.support.random_trees import random_tree
from tests.system.test_c_bits import PLANT, compare

import unmoored as um

KINDS = [
    ("Free", "Revolute", "Prismatic"),
    ("Planar", "Spherical", "Helical"),
    ("Free", "Universal", "Cylindrical"),
]


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: "-".join(kinds))
def test_every_method_has_the_bits_of_python(tmp_path, kinds):
    tree = random_tree(33, kinds, branching=False, added_mass=kinds[0] == "Planar")
    compare(um.System(tree), tmp_path)


def test_every_method_of_a_plant_has_the_bits_of_python(tmp_path):
    compare(PLANT, tmp_path)
