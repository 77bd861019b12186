"""Forces that cannot all be given, given in the wanted proportion: against linear programs."""

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.control.test_sharing_out import WANTED, demands, kernel_of, rov

import unmoored as um


def most(B, τ, low, high, fixed=None):
    """The largest α ≤ 1 with B f = α τ in the box; fixed: (rows of B, values) that are given besides."""
    n = B.shape[1]
    A = np.column_stack([B, -τ])
    b = np.zeros(len(B))
    if fixed is not None:
        A, b = np.vstack([A, np.column_stack([fixed[0], np.zeros(len(fixed[0]))])]), np.r_[b, fixed[1]]
    cost = np.r_[np.zeros(n), -1.0]
    bounds = [*zip(np.broadcast_to(low, n), np.broadcast_to(high, n), strict=True), (0.0, 1.0)]
    return linprog(cost, A_eq=A, b_eq=b, bounds=bounds).x[-1]


@pytest.mark.parametrize("low", [-5.0, 0.0])
def test_as_much_as_can_be_in_the_wanted_proportion(low):
    plant = rov((low, 5.0))
    B = plant.allocation_matrix(plant.system.neutral())
    wanted = demands(60, seed=3)
    f, missing = kernel_of(plant, keep_direction=True, regularization=1e-6)(wanted)
    given = wanted - missing
    assert np.all((f >= low) & (f <= 5.0))
    parts = (given * wanted).sum(1) / (wanted * wanted).sum(1)
    across = given - parts[:, None] * wanted
    assert (np.linalg.norm(across, axis=1) / np.linalg.norm(wanted, axis=1)).max() < 1e-4
    best = np.array([most(B, τ, low, 5.0) for τ in wanted])
    assert (best - parts).max() < 3e-4
    assert (parts - best).max() < 1e-2  # where the proportion is on the rim of all that can be given
    plain = wanted - kernel_of(plant, regularization=1e-6)(wanted)[1]
    turned = np.linalg.norm(np.cross(plain[:, :3], wanted[:, :3]), axis=1)
    assert np.median(turned) > 10 * np.median(np.linalg.norm(np.cross(given[:, :3], wanted[:, :3]), axis=1))


def test_levels_come_one_after_the_other_each_in_proportion():
    plant = rov()
    B = plant.allocation_matrix(plant.system.neutral())
    wanted = demands(25, seed=5)
    law = kernel_of(
        plant, keep_direction=True, priority=[["box.wx", "box.wy", "box.wz"]], regularization=1e-6
    )
    given = wanted - law(wanted)[1]
    for τ, got in zip(wanted, given, strict=True):
        α = most(B[3:], τ[3:], -5.0, 5.0)
        assert np.linalg.norm(got[3:] - α * τ[3:]) < 3e-4 * np.linalg.norm(τ)
        β = most(B[:3], τ[:3], -5.0, 5.0, fixed=(B[3:], (1 - 1e-6) * α * τ[3:]))
        assert np.linalg.norm(got[:3] - β * τ[:3]) < 2e-3 * np.linalg.norm(τ)


def test_what_can_be_given_is_given_and_what_nothing_can_give_is_left_out():
    plant = rov()
    law = kernel_of(plant, keep_direction=True, regularization=1e-6)
    missing = law(WANTED)[1]
    assert np.abs(missing).max() < 5e-5
    assert np.abs(law(np.zeros(6))[0]).max() < 1e-9
    b = um.SystemBuilder("pusher")
    b.vehicle("box", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(0.5, 0.4, 0.3)))
    aft = [
        um.Thruster("box", at=(0, y, 0), direction=(1, 0, 0), name=f"t{y}", limits=(-5.0, 5.0))
        for y in (-0.5, 0.5)
    ]
    plant = um.Plant(b.build(), actuators=aft)
    wanted = np.array([20.0, 3.0, -1.0, 0.2, 0.1, 2.0])  # surge and yaw only can be given
    missing = kernel_of(plant, keep_direction=True, regularization=1e-6)(wanted)[1]
    given = wanted - missing
    assert np.abs(given[[1, 2, 3, 4]]).max() < 1e-9
    assert abs(given[5] / given[0] - 0.1) < 1e-4
    assert given[0] == pytest.approx(20.0 * 5.0 / 12.0, rel=1e-4)  # thrusts 12 α and 8 α
