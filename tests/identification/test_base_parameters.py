"""Base parameters: as many as theory says, and forces that depend on nothing else (docs/identification.md)."""

import numpy as np
import pytest
from tests.support.random_trees import random_tree

import unmoored as um
from unmoored.identification.base_parameters import pivoted_qr

GRAVITY = (0.3, -0.2, -9.7)


@pytest.mark.parametrize(
    ("kinds", "rank"), [(["Revolute"] * 2, 24), (["Prismatic"] * 2, 18), (["Spherical", "Revolute"], 26)]
)
def test_as_many_as_theory_says_and_nothing_else_matters(kinds, rank):
    """10 of a free vehicle, 7 of a revolute, 4 of a prismatic, 9 of a spherical joint; inertias moved along the null
    space of the combinations change no force."""
    system = um.System(random_tree(5, ["Free", *kinds], branching=False))
    found = um.base_parameters(system, gravity=GRAVITY, samples=60)
    assert found.rank == rank
    assert found.gap[0] > 1e3 * found.gap[1]
    rng = np.random.default_rng(3)
    q, (v, a) = system.random_configuration(rng), rng.normal(size=(2, system.nv))
    Y, ζ = system.regressor(q, v, a, gravity=GRAVITY), system.inertial_parameters()
    null = np.linalg.svd(found.combinations)[2][rank:]
    assert np.abs(Y @ null.T).max() < 1e-9 * np.abs(Y).max()
    alone = np.zeros_like(ζ)
    alone[found.independent] = found.of(ζ)  # the rest is zero: the same forces
    np.testing.assert_allclose(Y @ alone, Y @ ζ, atol=1e-9 * np.abs(Y @ ζ).max())


def test_a_fixed_arm_in_a_plane_shows_what_textbooks_say():
    """Two revolute joints about parallel vertical axes, no gravity along the plane: of 20 numbers the forces show
    J₁ + l² m₂ about the first axis, m₂ c₂ (two entries) and J₂: four."""
    b = um.SystemBuilder("scara")
    turn = um.Revolute((0, 0, 1))
    one = b.vehicle("one", turn, inertia=um.Inertia(2.0, (0.3, 0.1, 0), (0.1, 0.2, 0.25)))
    forearm = um.Inertia(1.0, (0.2, 0.05, 0.1), (0.05, 0.06, 0.07))
    b.link("two", parent=one, joint=turn, inertia=forearm, at=um.Pose(xyz=(0.5, 0, 0)))
    found = um.base_parameters(b.build(), samples=40)
    assert found.rank == 4
    assert "one.Jzz" in found.names
    together = dict(zip([found.names[k] for k in found.independent], found.texts, strict=True))
    assert {"two.mcx", "two.mcy", "two.Jzz"} <= together.keys()
    # one of one.Jzz and two.m is pivot; they appear with two.m : one.Jzz = l² : 1
    row = found.combinations[
        next(k for k, t in enumerate(found.texts) if "two.m " in f"{t} " or "one.Jzz" in t)
    ]
    ratio = row[found.names.index("two.m")] / row[found.names.index("one.Jzz")]
    assert ratio == pytest.approx(0.25)
    assert "one.m" in [found.names[k] for k in found.unseen]


def test_momentum_and_energy_show_the_same_of_a_free_vehicle():
    system = um.System(random_tree(6, ["Free", "Revolute"], branching=False))
    assert um.base_parameters(system, kind="momentum", samples=40).rank == 17
    assert um.base_parameters(system, kind="energy", samples=200).rank == 17


def test_in_water_inertia_and_added_mass_are_one():
    """37 of the 47 numbers of one wet body, as docs/theory.md §24 says; joints' own numbers of a free joint add 18."""
    b = um.SystemBuilder("float")
    fluid = um.Fluid(added_mass=(5, 6, 7, 0.2, 0.3, 0.4), linear_drag=1.0, quadratic_drag=2.0, volume=0.01)
    b.vehicle("hull", um.Free(), inertia=um.Inertia(12.0, (0.1, 0, 0), (0.5, 0.6, 0.7)), fluid=fluid)
    plant = um.Plant(b.build(), um.Ocean())
    names = plant.regressor(0.0, plant.system.neutral(), np.zeros(6), np.zeros(6)).names
    found = um.base_parameters(plant, samples=80)
    kept = [
        k for k, name in enumerate(names) if name.split(".")[-1] not in ("damping", "friction", "armature")
    ]
    assert len(kept) == 47
    assert np.linalg.matrix_rank(found.combinations[:, kept], tol=1e-6) == 37


def test_pivoted_qr_factors():
    rng = np.random.default_rng(4)
    A = rng.normal(size=(30, 5)) @ rng.normal(size=(5, 9))
    R, order, pivots = pivoted_qr(A)
    np.testing.assert_allclose(R.T @ R, A[:, order].T @ A[:, order], atol=1e-10)
    assert np.all(np.diff(pivots) <= 1e-9)
    assert pivots[5] < 1e-12 * pivots[0]


def test_mistakes_are_named():
    system = um.load("papadopoulos_dubowsky")
    with pytest.raises(um.ModelError, match="kind"):
        um.base_parameters(system, kind="torque")
    with pytest.raises(um.ModelError, match="a System or a Plant"):
        um.base_parameters("arm")
