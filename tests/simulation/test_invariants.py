"""Energy balance, momentum and distance from the group, from the rows of a run."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.simulation.arms import damper, small_arm, states
from tests.simulation.test_switching_events import carts

import unmoored as um
from unmoored.simulation.conserved_momentum import _rows, conserved
from unmoored.simulation.invariants import _without_switches, cumulative
from unmoored.trace import greater, where


def test_the_cumulative_integral_is_exact_for_cubics():
    t = np.sort(np.random.default_rng(0).uniform(0, 3, 12))
    y = 1 - 2 * t + 3 * t**2 + 0.5 * t**3
    exact = t - t**2 + t**3 + 0.125 * t**4
    assert np.abs(cumulative(t, y) - (exact - exact[0])).max() < 1e-12


def test_the_cumulative_integral_of_few_rows_is_that_of_straight_lines():
    """One to three rows, of two quantities each; four are enough for a cubic."""
    t = np.array([0.5, 0.7, 1.5, 1.6])
    lines = np.array([[2.0], [-1.0]]) + np.array([[3.0], [0.5]]) * t
    exact = np.array([[2.0], [-1.0]]) * t + np.array([[1.5], [0.25]]) * t**2
    for n in (1, 2, 3, 4):
        found = cumulative(t[:n], lines[:, :n])
        np.testing.assert_allclose(found, exact[:, :n] - exact[:, :1], atol=1e-14)
        np.testing.assert_allclose(cumulative(t[:n], lines[0, :n]), found[0], atol=1e-15)
    np.testing.assert_allclose(cumulative(t, t**3), (t**4 - t[0] ** 4) / 4, atol=1e-14)


def test_a_free_system_keeps_energy_and_momentum():
    system = small_arm()
    q, v = states(system, 3)
    run = um.simulate(system, q, v, duration=1.0, step=1e-3, record_every=10)
    found = run.invariants()
    assert np.all(found["energy_balance"] < 1e-12)
    assert np.all(found["linear_momentum_drift"] < 1e-12)
    assert np.all(found["angular_momentum_drift"] < 1e-12)
    assert np.all(found["on_group_error"] < 1e-15)
    assert run.momentum().shape == (3, 101, 6)


def test_energy_is_what_actuators_drag_and_damping_have_left():
    """In water with a current and a controller: E(t) − E(0) is the work of all of them."""
    system = um.load("bluerov2_heavy")
    plant = um.Plant(system, world=um.Ocean(current=(0.3, 0.1, 0.0)))
    rng = np.random.default_rng(1)
    q, v = system.random_configuration(rng), rng.uniform(-0.5, 0.5, system.nv)
    run = um.simulate(plant, q, v, duration=2.0, step=2e-3, controller=lambda t, q, v: -5.0 * v + np.cos(t))
    E = run.energy().total
    assert np.abs(E - E[0]).max() > 1.0
    assert run.invariants()["energy_balance"] < 1e-8


def test_joints_that_store_no_rotation_are_on_their_groups():
    b = um.SystemBuilder("swing")
    b.vehicle("base", um.Fixed(), inertia=um.Inertia.point(1.0))
    b.link("rod", parent="base", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.rod(1.0, 0.5))
    run = um.simulate(b.build(), np.array([[0.1], [0.2]]), duration=0.01, step=0.005)
    assert np.array_equal(run.invariants()["on_group_error"], np.zeros(2))


def test_what_jumps_where_an_event_switches_is_left_out():
    """Jumps of 5 and 7 in two samples, each between the rows around its own event; what drifts stays."""
    drift, t = np.linspace(0.0, 0.4, 5), np.arange(5.0)
    events = [SimpleNamespace(sample=0, time=1.5), SimpleNamespace(sample=1, time=3.0)]
    run = SimpleNamespace(t=t, events=events, switches={"grip.active": None}, batched=True)
    jumps = np.array([5.0 * (t > 1.5), 7.0 * (t >= 3.0)])
    expected = np.array([[0.0, 0.1, 0.1, 0.2, 0.3], [0.0, 0.1, 0.2, 0.2, 0.3]])
    assert np.allclose(_without_switches(run, drift + jumps), expected, rtol=0, atol=1e-14)
    run.switches = {}
    assert np.array_equal(_without_switches(run, drift + jumps), drift + jumps)


def test_a_wrong_trajectory_is_noticed():
    system = small_arm()
    q, v = states(system, 1)
    run = um.simulate(system, q[0], v[0], duration=1.0, step=1e-2, controller=damper)
    wrong = replace(run, u=-run.u)
    assert run.invariants()["energy_balance"] < 1e-8
    assert wrong.invariants()["energy_balance"] > 1e-3


def kept(run):
    found = run.invariants()
    return {name for name in found if name.endswith("momentum_drift")}


BOTH = {"linear_momentum_drift", "angular_momentum_drift"}


def test_momentum_is_the_plants_wet_with_the_samples_own_parameters():
    """A spheroid in ideal fluid keeps its impulse, and not the momentum of its dry body."""
    builder = um.SystemBuilder("spheroid")
    fluid = um.Fluid(added_mass=[1.0, 8.0, 8.0, 0.1, 0.6, 0.6], volume=10.0 / 1025.0)
    builder.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(1.0, 0.4, 0.4)), fluid=fluid)
    system = builder.build()
    plant = um.Plant(system, world=um.Ocean(density=1025.0, gravity=(0, 0, 0)), free=["hull.mass"])
    v = np.array([1.0, 0.3, -0.2, 0.1, 0.5, -0.3])
    masses = np.array([10.0, 14.0])
    run = um.simulate(
        plant, system.neutral(), v, duration=5.0, step=2e-3, record_every=20, parameters={"hull.mass": masses}
    )
    found = run.invariants()
    assert np.all(found["linear_momentum_drift"] < 1e-10)
    assert np.all(found["angular_momentum_drift"] < 1e-9)  # of fourth order in the step
    P = run.momentum()
    dry = system.momentum(run.q, run.v)
    assert np.abs(dry[0, :, :3] - dry[0, 0, :3]).max() > 0.1
    assert np.allclose(P[:, 0, :3], masses[:, None] * v[:3] + np.array([1.0, 8.0, 8.0]) * v[:3], rtol=1e-12)


def test_only_what_is_conserved_is_reported():
    system = small_arm()
    q, v = states(system, 1)
    go = {"duration": 0.2, "step": 1e-3, "record_every": 5}
    assert kept(um.simulate(system, q[0], v[0], **go)) == BOTH
    falling = um.simulate(um.Plant(system, world=um.Earth()), q[0], v[0], **go)
    assert kept(falling) == BOTH  # along x and y, and about the centre of mass
    assert falling.invariants()["linear_momentum_drift"] < 1e-12
    assert np.abs(np.diff(falling.momentum()[:, 2])).max() > 1.0
    inside = um.simulate(
        system, q[0], v[0], controller=lambda t, q, v: np.array([0.0] * 6 + [1.0, -2.0]) + 0 * v, **go
    )
    assert kept(inside) == BOTH
    assert inside.invariants()["angular_momentum_drift"] < 1e-11
    pushed = um.simulate(system, q[0], v[0], controller=lambda t, q, v: -v, **go)
    assert not kept(pushed)
    assert pushed.invariants()["energy_balance"] < 1e-7
    burst = np.where(np.arange(8) == 2, 1.0, 0.0)
    late = um.simulate(
        system, q[0], v[0], controller=lambda t, q, v: burst * where(greater(t, 0.19), 1.0, 0.0), **go
    )
    assert np.count_nonzero(late.u) == 2  # seen, however short
    assert not kept(late)
    rov = um.load("bluerov2_heavy")
    dragged = um.simulate(um.Plant(rov, world=um.Ocean()), rov.neutral(), np.full(6, 0.3), **go)
    assert not kept(dragged)


def test_a_moment_about_one_axis_takes_angular_momentum_away():
    """All of it is conserved or none is told of: a drift of parts would say nothing about the rest."""
    b = um.SystemBuilder("ball")
    b.vehicle("ball", um.Free(), inertia=um.Inertia.sphere(2.0, 0.3))
    system = b.build()
    for axis in range(3):
        moment = np.where(np.arange(6) == 3 + axis, 1e-3, 0.0)
        run = um.simulate(
            system,
            system.neutral(),
            duration=0.02,
            step=0.01,
            controller=lambda t, q, v, m=moment: m + 0.0 * v,
        )
        assert conserved(run) == ((0, 1, 2), None)
        force = np.where(np.arange(6) == axis, 1e-3, 0.0)
        run = um.simulate(
            system,
            system.neutral(),
            duration=0.02,
            step=0.01,
            controller=lambda t, q, v, f=force: f + 0.0 * v,
        )
        assert conserved(run) == (tuple({0, 1, 2} - {axis}), "com")


def test_no_momentum_is_kept_in_orbit():
    system = small_arm()
    q, v = states(system, 1)
    plant = um.Plant(system, world=um.Space(orbital_rate=1.1e-3))
    run = um.simulate(plant, q[0], v[0], duration=0.2, step=1e-3, record_every=5)
    assert not kept(run)
    assert run.invariants()["energy_balance"] < 1e-9


def test_the_momentum_of_wheels_counts():
    system = small_arm()
    q, v = states(system, 1)
    go = {"duration": 0.2, "step": 1e-3, "record_every": 5}
    wheels = [um.ReactionWheel("bus", axis=(0, 0, 1), inertia=0.05, name="wheel")]
    plant = um.Plant(system, actuators=wheels)
    run = um.simulate(plant, q[0], v[0], controller=lambda t, q, v: np.array([2.0]) + 0.0 * v[:1], **go)
    found = run.invariants()
    assert found["linear_momentum_drift"] < 1e-11
    assert found["angular_momentum_drift"] < 1e-11
    dry = system.momentum(run.q, run.v, about="com")
    assert np.abs(dry[-1, 3:] - dry[0, 3:]).max() > 0.1


def test_a_run_without_its_plant_claims_nothing_about_conservation(tmp_path):
    system = small_arm()
    q, v = states(system, 1)
    run = um.simulate(system, q[0], v[0], duration=0.1, step=1e-2)
    run.save(tmp_path / "run.nc")
    assert set(um.load_run(tmp_path / "run.nc").invariants()) == {"on_group_error"}
    assert kept(um.load_run(tmp_path / "run.nc", run.plant)) == BOTH


def test_a_push_counts_beside_larger_forces_at_another_time():
    """A thousandth of a newton, then a joint that is torn around: x is pushed, whatever the joint's forces are."""
    system = small_arm()

    def law(t, q, v):
        early, late = where(greater(0.005, t), 1e-3, 0.0), where(greater(t, 0.005), 1e6, 0.0)
        return np.array([early, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, late])

    q = system.neutral()
    run = um.simulate(
        system, q, np.zeros(system.nv), duration=0.02, step=0.01, control_step=0.01, controller=law
    )
    assert 0 not in conserved(run).linear


def ball(**options):
    b = um.SystemBuilder("ball")
    b.vehicle("ball", um.Free(), inertia=um.Inertia.sphere(2.0, 0.3))
    return um.Plant(b.build(), **options)


@pytest.mark.parametrize(("speed", "push"), [(0.5, 0.0), (0.0, 1.0), (0.25, 0.5)])
def test_a_push_is_told_from_rounding_by_a_part_in_1e8_of_what_is_at_work(speed, push):
    """Of the forces, 2 kg times the largest acceleration, and the momentum: one newton or newton second in all."""
    plant = ball()
    for size, kept in ((0.8e-8, (0, 2)), (1.25e-8, (2,))):
        force = np.array([size, push, 0.0, 0.0, 0.0, 0.0])
        law = um.Inputs(plant, force)
        v = np.array([0.0, speed, 0.0, 0.0, 0.0, 0.0])
        run = um.simulate(plant, plant.system.neutral(), v, duration=2e-6, step=1e-6, controller=law)
        assert conserved(run).linear == (kept if push else tuple(sorted({*kept, 1})))


@pytest.mark.parametrize("speed", [1.0, 1e-4, 1e-8])
@pytest.mark.parametrize("far", [0.0, 37.0, 1e3, 1e6])
def test_what_is_conserved_depends_neither_on_the_place_nor_on_the_speed(far, speed):
    """In space, and for what falls: of its linear momentum two components, of the angular one that about its centre."""
    system = small_arm()
    q, v = states(system, 1, seed=8)
    q, v = q[0], speed * v[0]
    q[9:12] += far
    for world, kept in ((um.Space(), (0, 1, 2)), (um.Earth(), (0, 1))):
        run = um.simulate(um.Plant(system, world), q, v, duration=0.02, step=0.01)
        assert conserved(run) == (kept, "com")


def test_rows_that_are_looked_at_are_spread_over_a_run_and_hold_its_largest_inputs():
    """Sixty of each of the first four samples, from the first to the last; and where each input is largest."""
    plant = ball()
    q = np.tile(plant.system.neutral(), (5, 1))
    quiet = um.simulate(plant, q, duration=1.2, step=0.01)
    t = quiet.t
    u = 0.0 * quiet.v
    u[:, 37, 4], u[:, 38, 4], u[:, 71, 2] = -2.0, 1.0, 0.5
    shown = _rows(replace(quiet, u=u), 2)
    rows = np.unique([*np.linspace(0, 120, 60).astype(int), 0, 37, 71])
    assert np.array_equal(shown["t"], t[rows])
    assert np.array_equal(shown["u"], u[2, rows])
    assert np.array_equal(_rows(quiet.sample(0), 0)["t"], t[np.linspace(0, 120, 60).astype(int)])
    few = um.simulate(plant, q[0], duration=0.05, step=0.01)
    assert np.array_equal(_rows(few, 0)["t"], few.t)
    for sample, kept in ((0, (1, 2)), (3, (1, 2)), (4, (0, 1, 2))):
        pushed = 0.0 * quiet.v
        pushed[sample, :, 0] = 1.0
        assert conserved(replace(quiet, u=pushed)).linear == kept


def test_states_of_actuators_move_on_without_inputs_and_with_each_rows_own():
    """A motor that lags turns a flywheel: what it still gives is a force inside, which momentum does not see."""
    b = um.SystemBuilder("craft")
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)))
    b.link(
        "boom",
        parent="bus",
        joint=um.Revolute((0, 0, 1)),
        inertia=um.Inertia(2.0, (0.5, 0, 0), np.eye(3) * 0.6),
    )
    system = b.build()
    plant = um.Plant(system, actuators=[um.JointMotor("boom", lag=0.1)], free=["boom.mass"])
    wheel = um.Plant(system, actuators=[um.ReactionWheel("bus", axis=(0, 0, 1), inertia=0.05, name="wheel")])
    go = {"duration": 0.05, "step": 0.01}
    start = system.neutral(), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    for given, more in (
        (plant, {"x0": [2.0]}),
        (plant, {"x0": [2.0], "parameters": {"boom.mass": 3.0}}),
        (plant, {"x0": [2.0], "controller": um.Inputs(plant, [1.0])}),
        (wheel, {"x0": [2.0], "controller": lambda t, q, v: np.stack([1.0 + 20.0 * t])}),
        (wheel, {"x0": [2.0]}),
    ):
        assert conserved(um.simulate(given, *start, **go, **more)) == ((0, 1, 2), "com")


def test_nothing_is_off_where_nothing_moves():
    system = small_arm()
    run = um.simulate(system, system.neutral(), duration=0.02, step=0.01)
    names = ("energy_balance", "linear_momentum_drift", "angular_momentum_drift")
    assert [run.invariants()[name] for name in names] == [0.0, 0.0, 0.0]


def test_loads_energy_and_power_are_those_of_each_samples_own_numbers():
    """Two carts on a spring whose stiffness differs, one of them pulled at by a motor."""
    spring = um.SpringDamper("one", "two", stiffness=10.0, rest_length=0.5, name="spring")
    motor = um.JointMotor("one", name="pull")
    plant = um.Plant(carts(), actuators=[motor], elements=[spring], free=["spring.stiffness", "one.mass"])
    k, m = np.array([10.0, 30.0, 90.0]), np.array([2.0, 1.0, 4.0])
    go = {"duration": 0.4, "step": 0.01, "controller": um.Inputs(plant, [3.0])}
    q0, v0 = np.tile([0.0, 0.8], (3, 1)), np.tile([0.3, -0.2], (3, 1))
    run = um.simulate(plant, q0, v0, parameters={"spring.stiffness": k, "one.mass": m}, **go)
    long = run.q[..., 1] - run.q[..., 0] - 0.5
    pull = k[:, None] * long
    np.testing.assert_allclose(
        np.abs(run.element_loads["spring"][..., 0]), np.abs(pull), rtol=1e-9, atol=1e-12
    )
    E = run.energy()
    np.testing.assert_allclose(E.potential, 0.5 * k[:, None] * long**2, rtol=1e-9)
    np.testing.assert_allclose(
        E.kinetic, 0.5 * (m[:, None] * run.v[..., 0] ** 2 + 3.0 * run.v[..., 1] ** 2), rtol=1e-12
    )
    assert np.all(run.invariants()["energy_balance"] < 1e-7)
    np.testing.assert_allclose(
        run.momentum()[..., 0], m[:, None] * run.v[..., 0] + 3.0 * run.v[..., 1], rtol=1e-12
    )
    one = run.sample(1)
    np.testing.assert_array_equal(one.element_loads["spring"], run.element_loads["spring"][1])
    np.testing.assert_array_equal(one.momentum(), run.momentum()[1])


def test_a_closure_that_holds_alone_has_loads_that_are_unique():
    b = um.SystemBuilder("bob")
    b.vehicle("bob", um.Free(), inertia=um.Inertia(1.0, (1, 0, 0), np.eye(3)))
    plant = um.Plant(
        b.build(), um.Earth(gravity=(0, 0, -10.0)), closures=[um.Closure("world", "bob", name="weld")],
        free=["bob.mass"],
    )  # fmt: skip
    run = um.simulate(
        plant, plant.system.neutral(), duration=0.02, step=0.01, parameters={"bob.mass": np.array([1.0, 3.0])}
    )
    assert run.closure_loads_unique["weld"].all()
    np.testing.assert_allclose(
        np.abs(run.closure_loads["weld"][:, :, 2]), [[10.0] * 3, [30.0] * 3], rtol=1e-9
    )


@pytest.mark.parametrize("speed", [0.5, 0.05])
def test_what_is_off_is_relative_to_what_there_is(speed):
    """Drifts to the momentum or, where parts move against each other, to that of the kinetic energy, at their reach."""
    system = small_arm()
    q, v = states(system, 2, seed=5, speed=speed)
    q[:, 9:12] += [30.0, -20.0, 10.0]
    M = system.mass_matrix(q[1])
    v[1, :6] = -np.linalg.solve(M[:6, :6], M[:6, 6:] @ v[1, 6:])  # no momentum at all
    run = um.simulate(system, q, v, duration=0.02, step=0.01)
    wrong = replace(run, v=run.v + 0.04 * speed * np.arange(3)[:, None])
    P, E = wrong.momentum("com"), wrong.energy()
    found, K = wrong.invariants(), E.kinetic.max(axis=-1)
    change = np.abs(E.total - E.total[:, :1]).max(axis=-1)
    assert np.allclose(found["energy_balance"], change / np.maximum(K, change), rtol=1e-12)
    com = system.centre_of_mass(q)
    reach = np.max(
        [np.linalg.norm(system.pose(q, name)[..., :3, 3] - com, axis=-1) for name in system.names], axis=0
    )
    typical = np.sqrt(2 * system.mass * K)
    for name, part, least in (("linear", P[..., :3], typical), ("angular", P[..., 3:], typical * reach)):
        drift = np.linalg.norm(part - part[:, :1], axis=-1).max(axis=-1)
        scale = np.maximum(np.linalg.norm(part, axis=-1).max(axis=-1), least)
        assert np.allclose(found[f"{name}_momentum_drift"], drift / scale, rtol=1e-9), name
