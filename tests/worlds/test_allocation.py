"""The allocation matrix and bounded least-squares allocation."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from tests.worlds.support import random_state, relative_error

import unmoored as um

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
    f = um.allocate(B, b, (lower, upper), regularization=regularization)
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
