"""The allocation matrix and bounded least-squares allocation."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from tests.support.random_wrenches import EPSILON, THRUST_MAP, demands, kernel, optimality
from tests.worlds.support import random_state, relative_error

import unmoored as um
from unmoored.worlds.bounded_allocation import bounded_allocation

NUMPY = {"backend": "numpy"}


def rov_plant(**options):
    system = um.load("bluerov2_heavy_alpha5")
    thrusters = [um.Thruster(f"thruster_{k}", **options) for k in range(1, 9)]
    return um.Plant(system, um.Ocean(), actuators=[*thrusters, um.JointMotor("elbow_pitch")])


def test_columns_are_forces_per_unit_thrust():
    plant = rov_plant()
    q, v = random_state(plant.system, 1)
    B = plant.allocation_matrix(q, **NUMPY)
    u = np.random.default_rng(0).normal(size=plant.nu)
    without = um.Plant(plant.system, um.Ocean())
    expected = without.forward_dynamics(0.0, q, v, B @ u, **NUMPY)
    assert relative_error(plant.forward_dynamics(0.0, q, v, u, **NUMPY), expected) < 1e-11
    assert relative_error(plant.allocation_matrix(q), B) < 1e-14
    assert plant.thrust_names == plant.input_names
    assert plant.allocation_matrix(np.stack([q, q]), **NUMPY).shape == (2, plant.nv, 9)


def test_the_published_thrust_map_comes_out():
    """von Benzon et al. 2022, in forward-left-up axes."""
    plant = rov_plant()
    B = plant.allocation_matrix(plant.system.neutral(), **NUMPY)[:6, :8]
    s = 0.7071
    published = np.array(
        [
            [s, s, -s, -s, 0, 0, 0, 0],
            [-s, s, -s, s, 0, 0, 0, 0],
            [0, 0, 0, 0, -1, -1, -1, -1],
            [0, 0, 0, 0, 0.218, 0.218, -0.218, -0.218],
            [0, 0, 0, 0, 0.120, -0.120, 0.120, -0.120],
            [-0.1888, 0.1888, 0.1888, -0.1888, 0, 0, 0, 0],
        ]
    )
    flipped = np.array([1, -1, -1, 1, -1, -1])[:, None] * published
    assert np.abs(B - flipped).max() < 1e-4


def test_azimuth_thrusters_have_two_components():
    b = um.SystemBuilder("tug")
    b.vehicle("tug", um.Free(), inertia=um.Inertia(1.0, (0, 0, 0), (1, 1, 1)))
    plant = um.Plant(
        b.build(),
        actuators=[um.Thruster("tug", at=(1, 0, 0), azimuth=(0, 0, 1)), um.JointMotor("tug", name="all")],
    )
    B = plant.allocation_matrix(plant.system.neutral(), **NUMPY)
    assert plant.thrust_names[:2] == ("tug_thruster.along", "tug_thruster.across")
    assert B[:, :2].T.tolist() == [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1]]
    assert B[:, 2:].tolist() == np.eye(6).tolist()


def assert_optimal(B, b, f, lower, upper, regularization=0.0):
    """Karush, Kuhn and Tucker's conditions of the bounded least-squares problem."""
    slope = B.T @ (B @ f - b) + regularization * f
    scale = np.abs(B).max() * (np.abs(b).max() + 1)
    assert np.all((lower <= f) & (f <= upper))
    inside = (f > lower) & (f < upper)
    assert np.abs(slope[inside]).max(initial=0.0) < 1e-10 * scale
    assert slope[f == lower].min(initial=np.inf) > -1e-10 * scale
    assert slope[f == upper].max(initial=-np.inf) < 1e-10 * scale


@pytest.mark.parametrize("seed", range(30))
def test_allocation_is_optimal(seed):
    rng = np.random.default_rng(seed)
    k, n = rng.integers(2, 7), rng.integers(2, 13)
    B, b = rng.normal(size=(k, n)), 3 * rng.normal(size=k)
    lower, upper = -rng.uniform(0, 1, n), rng.uniform(0, 1, n)
    regularization = float(rng.choice([0.0, 1e-3]))
    f = um.allocate(B, b, np.stack([lower, upper], axis=-1), regularization=regularization)
    assert_optimal(B, b, f, lower, upper, regularization)
    if not regularization and np.all(lower < upper):
        reference = lsq_linear(B, b, (lower, upper), tol=1e-14)
        assert np.sum((B @ f - b) ** 2) <= 2 * reference.cost * (1 + 1e-9) + 1e-12


def test_what_can_be_reached_is_reached_exactly():
    plant = rov_plant()
    q, _ = random_state(plant.system, 2)
    B = plant.allocation_matrix(q, **NUMPY)[:6, :8]
    wanted = np.array([10.0, -5.0, 8.0, 0.5, -0.4, 1.0])
    f = um.allocate(B, wanted, (-40.0, 40.0))
    assert relative_error(B @ f, wanted) < 1e-12
    free = um.allocate(B, wanted)
    assert relative_error(free, np.linalg.pinv(B) @ wanted) < 1e-10
    weighted = um.allocate(B, 100 * wanted, (-10.0, 10.0), weights=[1, 1, 1, 50, 50, 50])
    plain = um.allocate(B, 100 * wanted, (-10.0, 10.0))
    missing = [np.linalg.norm((B @ f - 100 * wanted)[3:]) for f in (weighted, plain)]
    assert missing[0] < missing[1]


def test_bad_input_is_refused():
    with pytest.raises(um.ModelError, match="shapes"):
        um.allocate(np.eye(3), np.zeros(2))
    with pytest.raises(um.ModelError, match="lowest"):
        um.allocate(np.eye(3), np.zeros(3), (1.0, -1.0))
    for wrong in ([(-1.0, 1.0)] * 2, "wide", [1.0], [(1.0, -1.0), (0.0, 1.0), (0.0, 1.0)], (np.nan, 1.0)):
        with pytest.raises(um.ModelError, match="limits: expected"):
            um.allocate(np.eye(3), np.zeros(3), wrong)
    with pytest.raises(um.ModelError, match="finite"):
        um.allocate(np.eye(3), np.array([1.0, np.nan, 0.0]))
    good = {"matrix": np.eye(3), "forces": np.zeros(3), "limits": (-1.0, 1.0), "weights": np.ones(3)}
    wrong = {"matrix": 1j * np.eye(3), "forces": ["0"] * 3, "weights": [True] * 3, "limits": ("0", "1")}
    for name, bad in wrong.items():
        with pytest.raises(um.ModelError, match=f"allocate: {name}: expected"):
            um.allocate(**(good | {name: bad}))


def test_the_kernel_is_exact_and_never_beyond_a_limit():
    """A slice of tests/long/test_allocation.py: all 3,000 demands, to rounding."""
    wrenches, low, high = demands(3000, 1)
    found = kernel()(wrenches, low, high)
    f, missing = found[:, :8], found[:, 8:]
    assert np.all((low <= f) & (f <= high))
    assert optimality(wrenches, low, high, f).max() < 1e-10
    assert np.abs(missing - (wrenches - f @ THRUST_MAP.T)).max() < 1e-10
    # the same in NumPy; directions that no force depends on are weighed by ε² = 1e-6 alone
    numbers = bounded_allocation(THRUST_MAP, wrenches[:200], low[:200], high[:200], EPSILON)
    assert np.abs(numbers.thrusts - f[:200]).max() < 1e-6
    assert np.abs(numbers.missing - missing[:200]).max() < 1e-9
    # an oracle, and the clipped pseudo-inverse, which must lose
    stacked = np.concatenate([THRUST_MAP, EPSILON * np.eye(8)])
    lost = 0
    for k in range(0, 120):
        if np.all(low[k] < high[k]):
            target = np.concatenate([wrenches[k], np.zeros(8)])
            best = lsq_linear(stacked, target, (low[k], high[k]), method="bvls", tol=1e-14)
            assert np.sum((stacked @ f[k] - target) ** 2) <= 2 * best.cost * (1 + 1e-9) + 1e-9
            clipped = np.clip(np.linalg.lstsq(stacked, target, rcond=None)[0], low[k], high[k])
            lost += np.sum((stacked @ clipped - target) ** 2) > 2 * best.cost * (1 + 1e-6) + 1e-6
    assert lost > 30


@pytest.mark.parametrize("seed", range(12))
def test_any_matrix_and_any_limits(seed):
    rng = np.random.default_rng(seed)
    k, n = rng.integers(2, 7), rng.integers(2, 13)
    B, τ = rng.normal(size=(k, n)), 3 * rng.normal(size=(40, k))
    low, high = -rng.uniform(0, 1, (40, n)), rng.uniform(0, 1, (40, n))
    f = bounded_allocation(B, τ, low, high, 0.03).thrusts
    for row in range(40):
        assert_optimal(B, τ[row], f[row], low[row], high[row], 0.03**2)


def test_tiny_regularization_is_kept_above_rounding():
    f, missing = bounded_allocation(THRUST_MAP, np.full(6, 3.0), np.full(8, -40.0), np.full(8, 40.0), 0.0)
    assert np.isfinite(f).all()
    assert np.abs(missing).max() < 1e-9


def test_no_step_of_the_active_set_raises_the_cost():
    wrenches, low, high = demands(300, 5)
    before = np.full(300, np.inf)
    for steps in range(17):
        f, missing = bounded_allocation(THRUST_MAP, wrenches, low, high, EPSILON, steps)
        cost = (missing**2).sum(axis=1) + EPSILON**2 * (f**2).sum(axis=1)
        assert np.all(cost <= before * (1 + 1e-12))
        before = cost


def test_limits_are_rows_as_everywhere_and_the_old_spelling_is_refused():
    """With two thrusts, whole vectors (lowest, highest) would be read as rows: they are refused, whatever they hold."""
    rows = [(-1.0, 2.0), (0.0, 0.5)]
    assert np.array_equal(um.allocate(np.eye(2), [9.0, 9.0], rows), [2.0, 0.5])
    assert np.array_equal(um.allocate(np.eye(2), [9.0, -9.0], (-1.0, 3.0)), [3.0, -1.0])
    lower, upper = np.array(rows).T
    for old in ((lower, upper), ((-1, 0), (2, 0.5)), (-1.0, upper), (lower, 3.0)):
        with pytest.raises(um.ModelError, match=r"\(2, 2\), a row .* no more: np.stack it with axis=-1"):
            um.allocate(np.eye(2), [9.0, 9.0], old)
