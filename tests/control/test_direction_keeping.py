"""Forces that cannot all be given, given in the wanted proportion: against linear programs."""

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.control.test_sharing_out import WANTED, demands, kernel_of, rov

import unmoored as um
from unmoored.control.allocation.direction_keeping import in_proportion
from unmoored.control.allocation.least_squares import Weighting, best_thrusts, normal_equations


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


def test_of_two_thrusters_the_weak_one_says_how_much_of_both_there_is():
    """α = (L₁τ₁ + κ|τ|²)/(τ₁² + κ|τ|²), κ = 1e-8, of weighted forces; of samples at once, one of which can have all.

    That has all but the price of its thrusts: 1/α − 1 = 1e-13 |A|²/2 |A⁻¹τ|²/(κ|τ|²).
    """
    B, weights = np.array([[2.0, 0.0], [0.0, 3.0]]), np.array([1.0, 2.0])
    by = Weighting(weights, np.ones(2), 1e-3, ((0, 1),))
    wanted = np.array([[9.0, 5.0], [1.0, -0.5], [0.0, 0.0]])
    low, high = np.array([-0.5, -4.0]), np.array([1.5, 4.0])
    found = in_proportion(B, wanted, low, high, by)
    τ = weights * wanted[0]
    κ = 1e-8 * (τ @ τ)
    α = (3.0 * τ[0] + κ) / (τ[0] ** 2 + κ)
    np.testing.assert_allclose(found[0], α * wanted[0], rtol=2e-12)
    price = 1e-13 * 20.0 * (0.5**2 + (1 / 6) ** 2) / (1e-8 * 2.0)
    np.testing.assert_allclose(found[1:], wanted[1:] / (1.0 + price), rtol=1e-7)
    back = (1.0 * τ[0] + κ) / (τ[0] ** 2 + κ)  # of its 0.5 N the other way
    np.testing.assert_allclose(in_proportion(B, -wanted[0], low, high, by), -back * wanted[0], rtol=2e-12)
    np.testing.assert_allclose(in_proportion(B, wanted[0], low, high, by), found[0], rtol=1e-13)
    limits = np.stack([low, 2.0 * low, low]), np.stack([high, 2.0 * high, high])
    np.testing.assert_allclose(in_proportion(B, wanted, *limits, by), found, rtol=1e-12)


def test_a_level_takes_its_part_of_what_the_one_above_leaves():
    """The first thruster gives both: α₁ of the first force, and of the second what is left of its 6 N."""
    B = np.array([[1.0, 0.0], [1.0, 1.0]])  # forces f₁ and f₁ + f₂
    by = Weighting(np.ones(2), np.ones(2), 1e-3, ((0,), (1,)))
    found = in_proportion(B, np.array([8.0, 20.0]), np.array([0.0, 0.0]), np.array([6.0, 4.0]), by)
    np.testing.assert_allclose(found, [6.0, 10.0], rtol=1e-6)
    found = in_proportion(B, np.array([4.0, 20.0]), np.array([0.0, 0.0]), np.array([6.0, 4.0]), by)
    np.testing.assert_allclose(found, [4.0, 8.0], rtol=2e-5)


def test_thrusters_that_cannot_move_do_not_count():
    """One whose limits are the same gives what it gives: no direction is looked for along it."""
    by = Weighting(np.ones(2), np.ones(2), 1e-3, ((0, 1),))
    found = in_proportion(np.eye(2), np.array([3.0, 2.0]), np.array([-1.0, 0.0]), np.array([1.0, 0.0]), by)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-7)


def test_how_far_thrusts_are_from_the_optimum_is_told_in_parts_of_the_largest_slope():
    """Against slopes at given thrusts: what pushes outward at a limit is none, what is free counts whole."""
    B, by = np.eye(3), Weighting(np.ones(3), np.ones(3), 1e-6, ((0, 1, 2),))
    low, high = np.full((2, 3), -1.0), np.full((2, 3), 1.0)
    best = best_thrusts(B, np.array([[5.0, -4.0, 0.3], [0.1, 0.2, 0.3]]), low, high, by)
    np.testing.assert_allclose(best.thrusts, [[1.0, -1.0, 0.3], [0.1, 0.2, 0.3]], atol=1e-9)
    assert np.shape(best.residual) == (2,)
    assert np.max(best.residual) < 1e-12
    low[:, 2] = high[:, 2] = -0.5  # one that cannot move has no slope, whatever pulls at it
    assert (
        np.max(best_thrusts(B, np.array([[5.0, -4.0, 0.3], [0.1, 0.2, -0.7]]), low, high, by).residual)
        < 1e-12
    )
    H, g = normal_equations(2.0 * B, np.array([1.0, 2.0, 3.0]), by._replace(inputs=np.array([1.0, 2.0, 4.0]),
                            regularization=0.5), np.array([1.0, 2.0, 3.0]))  # fmt: skip
    np.testing.assert_allclose(H, np.diag([4.25, 16.5, 37.0]), rtol=1e-14)
    np.testing.assert_allclose(g, [2.0, 16.0, 54.0], rtol=1e-14)
    floor = normal_equations(2.0 * B, np.ones(3), by._replace(regularization=0.0), np.ones(3))[0]
    np.testing.assert_allclose(np.diag(floor) - 4.0, 4e-12, rtol=1e-3)
