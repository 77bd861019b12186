"""Which spring, damper or drive is behind a fast mode: what each of them stores and loses, and which is named."""

from types import SimpleNamespace

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation import stiff_causes, stiff_steps
from unmoored.simulation.blow_up import FastestMode
from unmoored.simulation.time_step import TimeStep
from unmoored.worlds.loads import setting

MASS, RATE = 2.0, 100.0


def carts(joint_options=({}, {}, {}), **options):
    """Three carts on one line, each of 2 kg."""
    b = um.SystemBuilder("carts")
    for name, own in zip(("one", "two", "three"), joint_options, strict=True):
        b.vehicle(name, um.Prismatic((1, 0, 0), **own), inertia=um.Inertia.sphere(MASS, 0.1))
    return um.Plant(b.build(), **options)


def there(plant):
    return setting(plant, plant.nominal_parameters)


def test_what_joints_store_and_lose_in_a_mode():
    """k |d|² + rate (c + f sech²(v/s)/s) |d|²."""
    joints = ({"stiffness": 3.0}, {"damping": 0.5}, {"friction": 0.7})
    d, v = np.array([1.0 + 2.0j, 3.0, -2.0j]), np.array([0.1, 0.2, 0.03])
    plant = carts(joints, joints=um.JointEffects(friction_speed=0.05))
    found = stiff_causes._joints(plant, there(plant), v, d, 10.0)
    slope = 1.0 / np.cosh(0.03 / 0.05) ** 2 / 0.05
    expected = {
        "spring of joint one": 3.0 * 5.0,
        "damping of joint two": 10.0 * 0.5 * 9.0,
        "friction of joint three": 10.0 * 0.7 * slope * 4.0,
    }
    assert len(found) == 9
    for name, energy in found.items():
        assert energy == pytest.approx(expected.get(name, 0.0), rel=1e-12)
    for what in ("springs", "damping", "friction"):
        plant = carts(joints, joints=um.JointEffects(**{what: False}))
        names = stiff_causes._joints(plant, there(plant), v, d, 10.0)
        word = {"springs": "spring"}.get(what, what)
        assert set(names) == {name for name in found if not name.startswith(word)}


def test_what_elements_store_and_lose_in_a_mode():
    """(k + rate c) |d_b − d_a|² of both, in and against phase, and nothing where one is switched off."""
    ties = [
        um.SpringDamper("one", "two", stiffness=3.0, damping=0.5, rest_length=0.0, name="near"),
        um.SpringDamper("one", "three", stiffness=7.0, rest_length=0.0, name="far"),
        um.SpringDamper("one", "three", stiffness=9.0, rest_length=0.0, name="off", active=0.0),
    ]
    plant = carts(elements=ties)
    q, d = np.array([0.0, 1.0, 3.0]), np.array([1.0 + 2.0j, -0.5, 2.0 + 0.5j])
    expected = {
        "spring near": (3.0 + 10.0 * 0.5) * (1.5**2 + 2.0**2),
        "spring far": 7.0 * (1.0**2 + 1.5**2),
        "spring off": 0.0,
    }
    for size in (1.0, 1e-6, 1e6):  # as energies are, with the square of the mode
        found = stiff_causes._elements(there(plant), 0.0, q, size * d, 10.0)
        assert found.keys() == expected.keys()
        for name, energy in expected.items():
            assert found[name] / size**2 == pytest.approx(energy, rel=1e-6)
    assert stiff_causes._elements(there(plant), 0.0, q, np.zeros(3), 10.0) == {}
    one_way = stiff_causes._elements(there(plant), 0.0, q, np.array([1.0, 1.0, 0.0]), 10.0)
    assert one_way["spring far"] == pytest.approx(7.0, rel=1e-6)
    assert one_way.get("spring near", 0.0) == pytest.approx(0.0, abs=1e-9)


def test_a_spring_that_pushes_its_bodies_away_stores_nothing():
    """Across its way a spring that is pressed together is none: −k (1 − l/r) of its energy is not counted."""
    b = um.SystemBuilder("cart")
    b.vehicle(
        "cart", um.Prismatic((0, 1, 0)), at=um.Pose(xyz=(0.5, 0, 0)), inertia=um.Inertia.sphere(2.0, 0.1)
    )
    for length, energy in ((1.0, 0.0), (0.25, 8.0 * 0.5)):
        tie = um.SpringDamper("world", "cart", stiffness=8.0, rest_length=length, name="tie")
        plant = um.Plant(b.build(), elements=[tie])
        found = stiff_causes._elements(there(plant), 0.0, np.zeros(1), np.ones(1), 10.0)
        assert found["spring tie"] == pytest.approx(energy, rel=1e-6)


def cause(plant, shape, q=0.0, v=0.0, rate=RATE, p=None, who=(0.0, 0.0, 1.0), t=0.0):
    e = TimeStep(plant, "rkmk4", None, (), None, False)
    state = np.zeros(e.layout.size)
    state[: plant.nq], state[plant.nq : plant.nq + plant.nw] = q, v
    params = np.array(plant.nominal_parameters if p is None else p)
    return stiff_causes.cause_of(e, t, state, params, np.array(shape), FastestMode(rate, np.array(who)))


def test_a_tenth_of_the_energy_is_a_cause():
    """Of rate² m |d|²; else it is something else that moves the joint that takes most part."""
    moving = [0.0, 0.6 + 0.8j, 0.0, 0.0, RATE, 0.0]
    for part, name in ((0.101, "spring of joint two"), (0.099, "joint three")):
        plant = carts(({}, {"stiffness": part * MASS * RATE**2}, {}))
        assert cause(plant, moving) == name
    # the mass that counts is that of the sample
    plant = carts(({}, {"stiffness": 0.101 * MASS * RATE**2}, {}), free=["two.mass"])
    assert cause(plant, moving, p=[0.9 * MASS]) == "spring of joint two"
    assert cause(plant, moving, p=[1.1 * MASS]) == "joint three"
    # and of several causes the one with most
    plant = carts(({}, {"stiffness": 3e3, "damping": 40.0}, {}))
    assert cause(plant, moving) == "damping of joint two"
    assert cause(plant, moving, rate=70.0) == "spring of joint two"
    assert cause(carts(), moving) == "joint three"
    assert cause(carts(), moving, who=(0.0, 1.0, 0.5)) == "joint two"


def test_friction_is_steep_at_rest_alone():
    plant = carts(({}, {}, {"friction": 10.0}))
    moving = [0.0, 0.0, 1.0, 0.0, 0.0, RATE]
    assert cause(plant, moving, who=(1.0, 0.0, 0.0)) == "friction of joint three"
    assert cause(plant, moving, v=[0.0, 0.0, 0.1], who=(1.0, 0.0, 0.0)) == "joint one"


def test_joints_that_are_moved_are_where_they_are_at_the_start_of_the_run():
    """Across its way a spring stores k (1 − l/r) |d|²: r is 0.5 t."""
    b = um.SystemBuilder("carts")
    b.vehicle("led", um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(MASS, 0.1))
    b.vehicle("cart", um.Prismatic((0, 1, 0)), inertia=um.Inertia.sphere(MASS, 0.1))
    k = 0.12 * MASS * RATE**2
    tie = um.SpringDamper("led", "cart", stiffness=k, rest_length=0.125, name="tie")
    path = um.Quintic([0.0, 10.0], [[0.0], [5.0]])
    plant = um.Plant(b.build(), elements=[tie], prescribed={"led": path})
    times = np.linspace(0.5, 9.5, 19)
    places = path(times)[:, 0]
    named = [cause(plant, [0.0, 1.0, 0.0], q=[9.0, 0.0], t=t, who=(1.0, 0.0)) for t in times]
    enough = 0.12 * (1.0 - 0.125 / places) > 0.1
    assert 3 < enough.sum() < 16
    assert named == ["spring tie" if there else "joint led" for there in enough]


def test_an_actuator_whose_state_moves_most_is_named():
    b = um.SystemBuilder("carts")
    for name in ("one", "two"):
        b.vehicle(name, um.Prismatic((1, 0, 0)), inertia=um.Inertia.sphere(MASS, 0.1))
    motors = [um.JointMotor("one", lag=0.1, name="left"), um.ElasticMotor("two", inertia=0.5, stiffness=9.0)]
    plant = um.Plant(b.build(), actuators=motors)
    assert plant.nx >= 3
    for k, name in enumerate(plant.state_names):
        x = np.zeros(plant.nx)
        x[k] = -1.01
        found = cause(plant, [1.0, 0.0, 50.0, 0.0, *x], who=(0.0, 1.0))
        assert found == ("actuator left" if name == "left" else f"actuator {motors[1].label}")
        x[k] = 1.0  # no more than the joint
        assert cause(plant, [1.0, 0.0, 50.0, 0.0, *x], who=(0.0, 1.0)) == "joint two"


def test_growth_is_that_of_the_largest_eigenvalue():
    assert stiff_steps._log_growth(np.eye(3)) == 0.0
    assert stiff_steps._log_growth(np.diag([0.5, -3.0, 2.0])) == pytest.approx(np.log(3.0), rel=1e-14)
    assert stiff_steps._log_growth(np.array([[0.0, -4.0], [1.0, 0.0]])) == pytest.approx(
        np.log(2.0), rel=1e-14
    )
    assert stiff_steps._log_growth(np.zeros((2, 2))) == -np.inf
    assert stiff_steps._log_growth(np.full((2, 2), np.nan)) == -np.inf


def test_growth_to_ten_times_in_a_run_is_told_of():
    """And no growth that differences do not show."""
    for per_step, steps, told in (
        (np.log(10.0) / 64, 64, True),
        (np.log(10.0) / 64, 63, False),
        (1e-5, 10**6, True),
        (0.99e-5, 10**9, False),
        (-1.0, 10**9, False),
    ):
        assert stiff_steps._told(per_step, steps) == told


def task_of(steps, h=0.1, nv=2, nw=2, nx=0, S=1, size=8):
    """As much of a task as is asked where nothing is stepped."""
    plant = SimpleNamespace(nv=nv, closures=())
    return SimpleNamespace(
        time_step=SimpleNamespace(plant=plant, layout=SimpleNamespace(nw=nw, nx=nx)),
        schedule=SimpleNamespace(span=np.array([0.0, h]), steps=steps),
        state=np.zeros((S, size)),
    )


def test_samples_that_are_looked_at_are_spread_over_the_batch():
    """A hundredth of the work, but one at least and 64 at most; a map of n tangents takes 2 n + 1 steps."""
    for steps, S, expected in (
        (200, 400, range(0, 400, 7)),
        (110, 10, range(0, 10, 5)),
        (1, 5, range(0, 5, 5)),
        (10**6, 3, range(3)),
        (10**6, 64, range(64)),
        (10**6, 65, range(0, 65, 2)),
    ):
        assert stiff_steps._samples(task_of(steps, nv=1, nw=1, S=S)) == expected
    # of two DoFs and a state 11 steps for each of 12 maps: a hundredth of 13 200
    assert stiff_steps._samples(task_of(132, S=100, nx=1)) == range(0, 100, 9)


def unstable(growth, own, steps=100, h=0.1, rougher=None, slopes=None):
    """What is made of a map that grows so much in a step, on a plant that by itself grows at the rate `own` (1/s)."""
    Φ = np.diag([1.0, 1.0, 1.0, growth])
    slopes = np.diag([-1.0, -30.0, -2.0, own]) if slopes is None else slopes
    return stiff_steps._unstable(task_of(steps, h), Φ, slopes, Φ if rougher is None else rougher)


def test_what_the_plant_lets_grow_is_not_the_steps():
    found = unstable(2.0, 0.0)
    assert found.growth == pytest.approx(2.0, rel=1e-12)
    np.testing.assert_allclose(np.abs(found.shape), [0, 0, 0, 1], atol=1e-12)
    assert found.fastest.rate == pytest.approx(30.0, rel=1e-12)
    np.testing.assert_allclose(found.fastest.participation, [0.0, 1.0], atol=1e-12)
    # log 2 = 0.69 in a step: by itself 2.99/s, and at least half of it must be the step's
    assert unstable(2.0, 0.5 * np.log(2.0) / 0.1 - 1e-6) is not None
    assert unstable(2.0, 0.5 * np.log(2.0) / 0.1 + 1e-6) is None
    # ten times in all, without what the plant does: 0.03 − 0.1·own in each of a hundred steps
    assert unstable(np.exp(0.03), (0.03 - np.log(10) / 100) / 0.1 - 1e-6) is not None
    assert unstable(np.exp(0.03), (0.03 - np.log(10) / 100) / 0.1 + 1e-6) is None
    assert unstable(np.exp(0.0235), -5.0) is not None  # a plant that decays allows no more than one at rest
    assert unstable(np.exp(0.0229), -5.0) is None


def test_what_no_slope_can_tell_is_not_told():
    """Two differences of the map must agree to a fifth of its growth, either way, and be numbers."""
    for size, told in ((1.19, True), (0.81, True), (1.21, False), (0.79, False)):
        rougher = np.diag([1.0, 1.0, 1.0, np.exp(size * np.log(2.0))])
        assert (unstable(2.0, 0.0, rougher=rougher) is not None) == told
    assert unstable(2.0, 0.0, rougher=np.full((4, 4), np.nan)) is None
    assert unstable(2.0, 0.0, slopes=np.full((4, 4), np.inf)) is None


def test_of_modes_that_are_the_same_the_one_that_grows_tells_the_joint():
    """Two equal double integrators have no basis of modes: the shape of what grows stands for them."""
    slopes = np.zeros((6, 6))
    slopes[:3, 3:] = np.eye(3)
    Φ = np.eye(6)
    Φ[1, 1], Φ[4, 1] = 2.0, 30.0
    slopes[3, 3] = -7.0
    task = task_of(100, nv=3, nw=3)
    found = stiff_steps._unstable(task, Φ, slopes, Φ)
    assert found.fastest.rate == pytest.approx(7.0, rel=1e-12)
    assert found.fastest.participation.shape == (3,)
    assert int(found.fastest.participation.argmax()) == 1
