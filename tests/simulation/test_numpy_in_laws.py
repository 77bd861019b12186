"""NumPy's own functions in laws, motions, currents and potentials: part of the kernel, on whatever arrays there are."""

import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored import trace


def cart_pole():
    b = um.SystemBuilder("cart_pole")
    cart = b.vehicle(
        "cart", um.Prismatic(axis=(1, 0, 0)), inertia=um.Inertia.box(mass=2.0, size=(0.2, 0.2, 0.2))
    )
    inertia = um.Inertia.box(mass=0.5, size=(0.05, 0.05, 0.6), com=(0, 0, 0.3))
    pole = b.link(
        "pole", parent=cart, joint=um.Revolute(axis=(0, 1, 0)), at=um.Pose(xyz=(0, 0, 0.1)), inertia=inertia
    )
    b.frame("tip", parent=pole, at=um.Pose(xyz=(0, 0, 0.6)))
    return b.build()


SYSTEM = cart_pole()
PLANT = um.Plant(SYSTEM, um.Earth())
START = np.array([0.1, 0.2]), np.array([0.0, -0.3])


def clipped(t, q, v):
    return np.clip(-3.0 * q - v, -0.1, 0.1)


def of_a_method(t, q, v):
    return np.where(PLANT.restoring_forces(t, q) > 0.0, -1.0, 1.0) * np.maximum(q, 0.0)


def repeated(t, q, v):
    return trace.repeat(lambda i, c: np.minimum(np.abs(c) + 0.01 * i, 0.3), q, 3)


def by_name(t, q, v):
    joints = SYSTEM.unpack(q)
    return SYSTEM.pack_velocity({"pole": -2.0 * np.maximum(joints["pole"], 0.0)}) - 0.1 * SYSTEM.pack(
        {"cart": v[0]}
    )


def kept(t, q, v):
    """Writes into what it is given, which is its own."""
    v *= 0.5
    return -q - v


@pytest.mark.parametrize("law", [clipped, of_a_method, repeated, by_name, kept])
def test_a_law_of_numpy_functions_is_part_of_the_kernel(law):
    q0, v0 = START
    options = {"duration": 0.05, "step": 0.01}
    with warnings.catch_warnings():
        warnings.simplefilter("error", um.UnmooredWarning)
        run = um.simulate(PLANT, q0, v0, controller=law, controller_in="kernel", **options)
    same = um.simulate(PLANT, q0, v0, controller=law, controller_in="python", **options)
    assert np.abs(run.q - same.q).max() <= 1e-14
    assert np.abs(run.u - same.u).max() <= 1e-13


@pytest.mark.parametrize("place", ["kernel", "python"])
def test_complex_inputs_are_refused(place):
    with pytest.raises((um.ModelError, um.TracingError), match=r"real number"):
        um.simulate(
            PLANT, *START, duration=0.02, step=0.01, controller=lambda t, q, v: q * 1j, controller_in=place
        )


def test_a_method_that_a_law_calls_wrongly_names_the_line_of_the_law():
    def law(t, q, v):
        return SYSTEM.gravity_forces(q, (0, 0, -9.81), backend="numpy")

    with pytest.raises(um.TracingError, match=r"test_numpy_in_laws\.py:\d+: return SYSTEM\.gravity_forces"):
        um.simulate(PLANT, *START, duration=0.02, step=0.01, controller=law, controller_in="kernel")


def test_motions_and_potentials_take_numpy_functions():
    plant = um.Plant(SYSTEM, um.Earth(), prescribed={"cart": lambda t: np.maximum(t - 0.02, 0.0) ** 3})
    assert plant.full_velocity(0.05, START[0], np.zeros(1))[0] == pytest.approx(3 * 0.03**2, rel=1e-12)
    forces = SYSTEM.potential_forces(START[0], lambda q: np.sum(np.clip(q, 0.15, 1.0) ** 2), backend="numpy")
    np.testing.assert_allclose(forces, [0.0, 0.4], rtol=1e-14)


GAIN = {"speed": 1.0}


def test_a_current_follows_the_data_of_its_function():
    def current(t, x):
        return GAIN["speed"] * np.where(x < 100.0, 1.0, 0.0)

    system = um.load("bluerov2_heavy")
    plant = um.Plant(system, um.Ocean(current=current))
    q, v = system.neutral(), np.zeros(system.nv)
    for speed in (1.0, 2.0):
        GAIN["speed"] = speed
        expected = um.Plant(system, um.Ocean(current=(speed,) * 3)).current_forces(0.0, q, v, backend="numpy")
        for backend in ("numpy", "cpu"):
            np.testing.assert_allclose(plant.current_forces(0.0, q, v, backend=backend), expected, rtol=1e-12)
