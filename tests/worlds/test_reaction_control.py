"""On/off thrusters: exact impulses, a least one, propellant by the rocket equation, jet damping, energy in the
balance.
"""

import numpy as np
import pytest

import unmoored as um

M0, FORCE, SPEED = 50.0, 8.0, 2000.0


def craft(frames, at_tank=(0, 0, 0), inertia=(4.0, 5.0, 6.0), world=None, **options):
    b = um.SystemBuilder("craft")
    b.vehicle("bus", um.Free(), inertia=um.Inertia(M0, (0.01, 0.02, 0.03), inertia))
    for name, pose in frames.items():
        b.frame(name, parent="bus", at=pose)
    b.frame("tank", parent="bus", at=um.Pose(xyz=at_tank))
    jets = um.ReactionControl(list(frames), FORCE, 0.1, name="rcs", **({"tick": 0.01} | options))
    return um.Plant(b.build(), world=world or um.Space(), actuators=[jets])


THROUGH_COM = {"aft": um.Pose(xyz=(-1, 0.02, 0.03))}


def run_of(plant, duty, duration=1.0, step=0.01, **options):
    q, v = plant.system.neutral(), np.zeros(plant.nv)
    return um.simulate(
        plant,
        q,
        v,
        duration=duration,
        step=step,
        control_step=0.1,
        controller=lambda t, q, v: np.asarray(duty),
        **options,
    )


def test_impulses_are_exact_in_ticks_and_have_a_least_one():
    plant = craft(THROUGH_COM, tick=0.01, least_pulse=0.03)
    for duty, opened in (
        (0.0, 0.0),
        (0.24, 0.02),
        (0.26, 0.03),
        (0.5, 0.05),
        (0.77, 0.08),
        (1.0, 0.1),
        (1.7, 0.1),
    ):
        given = opened if opened >= 0.03 - 1e-12 else 0.0
        v = run_of(plant, [duty]).v[-1]
        assert v[0] == pytest.approx(10 * FORCE * given / M0, rel=1e-12, abs=1e-14), duty
    run = run_of(plant, [0.5], step=0.0025)
    assert run.v[-1, 0] == pytest.approx(10 * FORCE * 0.05 / M0, rel=1e-12)


def test_propellant_leaves_as_the_rocket_equation_says():
    # the tank at the centre of mass: nothing turns
    plant = craft(THROUGH_COM, at_tank=(0.01, 0.02, 0.03), exhaust_speed=SPEED, tank="tank", propellant=0.03)
    assert plant.state_names == ("rcs.used",)
    run = run_of(plant, [1.0], duration=5.0)
    assert run.x[-1, 0] == pytest.approx(5 * FORCE / SPEED, rel=1e-12)
    assert run.v[-1, 0] == pytest.approx(SPEED * np.log(M0 / (M0 - 5 * FORCE / SPEED)), rel=1e-11)
    emptied = run_of(plant, [1.0], duration=9.0)
    assert emptied.x[-1, 0] == pytest.approx(0.03, abs=FORCE / SPEED * 0.01)
    assert np.ptp(emptied.v[emptied.t > 7.7, 0]) < 1e-12


def test_a_turning_body_is_damped_by_its_jets():
    """Two nozzles at ±L push along the spin axis: I ω̇ = −ṁ L² ω, the tank in the middle."""
    L = 1.2
    turned = um.Pose(rpy=(0, -np.pi / 2, 0)).rotation  # x of the frames is z of the body
    frames = {
        "a": um.Pose(xyz=(L + 0.01, 0.02, 0), rotation=turned),
        "b": um.Pose(xyz=(-L + 0.01, 0.02, 0), rotation=turned),
    }
    plant = craft(frames, at_tank=(0.01, 0.02, 0.03), exhaust_speed=20.0, tank="tank", propellant=20.0)
    q, v = plant.system.neutral(), np.array([0, 0, 0, 0, 0, 1.5])
    v[:3] = -np.cross(v[3:], [0.01, 0.02, 0.03])  # about the centre of mass
    run = um.simulate(
        plant, q, v, duration=5.0, step=0.01, control_step=0.1, controller=lambda t, q, v: np.ones(2)
    )
    flow = 2 * FORCE / 20.0
    assert run.v[-1, 5] == pytest.approx(1.5 * np.exp(-flow * L**2 / 6.0 * 5.0), rel=1e-9)


def test_energy_is_in_the_balance_and_kernels_agree():
    frames = {"a": um.Pose(xyz=(1, 0.3, 0), rpy=(0, 0.4, 2)), "b": um.Pose(xyz=(-1, 0, 0.5), rpy=(1, 0, 0))}
    plant = craft(
        frames, at_tank=(0.2, -0.3, 0.1), exhaust_speed=40.0, tank="tank", propellant=20.0, world=um.Earth()
    )
    q, v = plant.system.random_configuration(3), np.array([0.3, -0.2, 0.1, 0.4, 0.5, -0.3])
    run = um.simulate(
        plant, q, v, duration=1.0, step=1e-3, control_step=0.1, controller=lambda t, q, v: np.ones(2)
    )
    energy = plant.energy(run.t, run.q, run.v, x=run.x).total
    power = plant.power(run.t, run.q, run.v, run.u, x=run.x).total
    from_power = np.cumsum(0.5 * (power[1:] + power[:-1]) * 1e-3)
    assert np.abs(energy[1:] - energy[0] - from_power).max() < 1e-5 * np.abs(energy).max()
    x = np.array([3.0])
    a = plant.forward_dynamics(0.0, q, v, np.ones(2), x=x)
    assert np.allclose(a, plant.forward_dynamics(0.0, q, v, np.ones(2), x=x, backend="numpy"), rtol=1e-12)
    slopes, e = plant.forward_dynamics_derivatives(0.0, q, v, np.ones(2), x=x).dx[:, 0], 1e-5
    up, down = (plant.forward_dynamics(0.0, q, v, np.ones(2), x=x + s) for s in (e, -e))
    assert np.allclose(slopes, (up - down) / (2 * e), atol=1e-8)
    # the same as a lighter body, and the jets' own wrench
    lighter = um.SystemBuilder.of(plant.system)
    dry, r = plant.system.tree.bodies[0].inertia, np.array([0.2, -0.3, 0.1])
    com = (M0 * dry.com - 3.0 * r) / (M0 - 3.0)
    about = lambda c, m: m * (c @ c * np.eye(3) - np.outer(c, c))  # noqa: E731
    tensor = dry.tensor + about(dry.com, M0) - about(r, 3.0) - about(com, M0 - 3.0)
    lighter.change("bus", inertia=um.Inertia(M0 - 3.0, com, tensor))
    other = um.Plant(lighter.build(), world=um.Earth())
    forces = plant.delivered_forces(0.0, q, v, np.ones(2), x=x)
    assert np.allclose(a, other.forward_dynamics(0.0, q, v, forces), rtol=0, atol=1e-12)


def test_duties_are_shared_out_and_what_has_no_x_is_refused():
    frames = {f"j{k}": um.Pose(rpy=rpy) for k, rpy in enumerate([(0, 0, 0), (0, 0, np.pi)])}
    plant = craft(frames, exhaust_speed=SPEED, tank="tank", propellant=1.0)

    class Push(um.Law):
        memory = {}

        def __call__(self, seen, memory):
            return np.array([-3.0, 0, 0, 0, 0, 0]) + 0.0 * seen.v, {}

    law = um.Allocated(plant, Push(), weights=[1, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6])
    run = um.simulate(
        plant, plant.system.neutral(), np.zeros(6), duration=0.2, step=0.01, control_step=0.1, controller=law
    )
    assert np.allclose(run.u[0], [0.0, 3.0 / FORCE], atol=1e-3)
    with pytest.raises(um.ModelError, match="propellant"):
        plant.mass_matrix(plant.system.neutral())
    with pytest.raises(um.ModelError, match="propellant"):
        um.simulate(plant, plant.system.neutral(), np.zeros(6), duration=0.1, step=0.01, method="variational")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tick": 0.0}, "tick"),
        ({"exhaust_speed": 2000.0}, "exhaust_speed, tank and propellant"),
        ({"exhaust_speed": 2000.0, "tank": "tank", "propellant": 60.0}, "less than the mass"),
        ({"limits": (-1, 1)}, "within 0 … 1"),
        ({"lag": 0.1}, "no lag"),
    ],
)
def test_mistakes_are_told(options, words):
    with pytest.raises(um.ModelError, match=words):
        craft(THROUGH_COM, **options)


def test_derivatives_know_that_propellant_is_mass():
    """Forward dynamics by the used mass, which changes the inertia, against differences."""
    plant = craft(
        THROUGH_COM,
        at_tank=(0.3, -0.2, 0.1),
        world=um.Earth(),
        exhaust_speed=SPEED,
        tank="tank",
        propellant=5.0,
    )
    rng = np.random.default_rng(0)
    q, v = plant.system.random_configuration(1), rng.normal(size=plant.nv)
    x, u = np.full(plant.nx, 2.0), np.array([1.0])

    def acceleration(x):
        return plant.forward_dynamics(0.01, q, v, u, x=x)

    slopes = plant.forward_dynamics_derivatives(0.01, q, v, u, x=x).dx
    h = 1e-3
    for k, e in enumerate(np.eye(plant.nx)):
        far, near = (
            (acceleration(x + s * h * e) - acceleration(x - s * h * e)) / (2 * s * h) for s in (2, 1)
        )
        difference = (4 * near - far) / 3
        assert np.abs(slopes[:, k] - difference).max() <= 1e-9 * (1 + np.abs(difference).max())
    assert np.abs(slopes).max() > 1e-3


def test_steps_that_do_not_divide_the_tick_are_told_of():
    """With steps of 0.1 s a third of the impulse of pulses of 0.05 s was lost in silence."""
    plant = craft(THROUGH_COM)
    for step, t0 in ((0.1, 0.0), (0.004, 0.0), (0.01, 0.005)):
        with pytest.warns(um.ModelWarning, match=r"rcs: ticks of 0\.01 s .* are not whole steps") as told:
            run_of(plant, [0.5], step=step, t0=t0)
        assert "may be off by" in str(told[0].message)
    with pytest.warns(
        um.ModelWarning, match=r"rcs: ticks of 0\.0001 s"
    ):  # a thousandth of the period, if not given
        run_of(craft(THROUGH_COM, tick=None), [0.5])
    with pytest.warns(um.ModelWarning, match=r"rcs: ticks") as told:
        um.Stepper(plant, step=0.1)
    assert told[0].filename == __file__
    run_of(plant, [0.5], method="dopri5")
    run_of(plant, [0.5], step=0.005, t0=0.3)


def test_more_propellant_than_there_is_cannot_have_been_used():
    plant = craft(THROUGH_COM, exhaust_speed=SPEED, tank="tank", propellant=0.03)
    for used in (-0.01, 0.04):
        with pytest.raises(um.ModelError, match=r"rcs: used: expected from 0 to the propellant, 0\.03 kg"):
            run_of(plant, [1.0], x0=[used])
        with pytest.raises(um.ModelError, match="rcs: used"):
            um.Stepper(plant, step=0.01).reset(x=[used])
    run_of(plant, [1.0], x0=run_of(plant, [1.0], duration=20.0).x[-1])
