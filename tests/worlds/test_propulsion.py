"""Thrusters with curves, dead bands and reverse; propellers in a flow; the T200's measured curve."""

import numpy as np
import pytest

import unmoored as um

RHO = 1000.0


def drone(*actuators, world=None):
    b = um.SystemBuilder("sub")
    b.vehicle("sub", um.Free(), inertia=um.Inertia.sphere(5.0, 0.2))
    b.frame("stern", parent="sub", at=um.Pose(xyz=(-0.5, 0.1, 0), rpy=(0, 0, 0.3)))
    return um.Plant(
        b.build(), world=world or um.Ocean(density=RHO, gravity=(0, 0, 0)), actuators=list(actuators)
    )


class Push(um.Law):
    """Ten newtons along the stern's axis."""

    memory = {}

    def __call__(self, seen, memory):
        return np.array([10 * np.cos(0.3), 10 * np.sin(0.3), 0, 0, 0, 0]) + 0.0 * seen.v, {}


def test_the_t200_gives_what_its_maker_measured():
    curve = um.ThrustCurve.t200()
    kgf = 9.80665
    for pulse, thrust in (
        (1100, -4.07),
        (1300, -1.44),
        (1472, 0.0),
        (1500, 0.0),
        (1528, 0.0),
        (1700, 1.82),
        (1900, 5.25),
    ):
        assert curve((pulse - 1500) / 400) == pytest.approx(kgf * thrust, abs=1e-12)
    assert curve(2.0) == curve(1.0)
    plant = drone(um.Thruster("stern", curve=curve, limits=(-1, 1)))
    u = np.linspace(-1.2, 1.2, 9)[:, None]
    q, v = plant.system.neutral(), np.zeros(6)
    forces = plant.delivered_forces(0.0, np.tile(q, (9, 1)), np.tile(v, (9, 1)), u)
    given = np.hypot(forces[:, 0], forces[:, 1]) * np.sign(forces[:, 0])
    assert np.allclose(given, curve(u[:, 0]), atol=1e-12)
    # shared out: the allocated command gives the wanted thrust, in the kernel
    law = um.Allocated(plant, Push())
    run = um.simulate(plant, q, v, duration=0.02, step=0.01, control_step=0.01, controller=law)
    lever = -0.5 * np.sin(0.3) - 0.1 * np.cos(0.3)
    assert np.allclose(curve(run.u[:, 0]), 10.0 / (1 + lever**2), rtol=1e-4)


def test_dead_band_and_reverse():
    thruster = um.Thruster("stern", dead_band=0.5, reverse=0.7)
    curve = thruster.thrust_curve
    assert [curve(u) for u in (-2.0, -0.5, 0.2, 0.5, 3.0)] == pytest.approx([-1.05, 0, 0, 0, 2.5], abs=1e-15)
    assert um.Thruster("stern").thrust_curve is None
    plant = drone(thruster)
    a = plant.forward_dynamics(0.0, plant.system.neutral(), np.zeros(6), np.array([-2.0]))
    assert np.linalg.norm(a[:3]) == pytest.approx(1.05 / 5.0, rel=1e-12)


def test_a_propeller_in_its_flow():
    prop = um.Propeller(
        "stern",
        diameter=0.2,
        thrust=0.4,
        thrust_slope=0.35,
        torque=0.05,
        torque_slope=0.04,
        wake=0.1,
        deduction=0.2,
        spin=-1,
    )
    current = np.array([0.2, -0.1, 0.0])
    plant = drone(prop, world=um.Ocean(density=RHO, gravity=(0, 0, 0), current=current))
    v = np.array([1.0, 0.3, 0, 0, 0, 0.5])
    n = 12.0
    forces = plant.delivered_forces(0.0, plant.system.neutral(), v, np.array([n]))
    direction = np.array([np.cos(0.3), np.sin(0.3), 0])
    point = np.array([-0.5, 0.1, 0])
    u = (v[:3] + np.cross(v[3:], point) - current) @ direction
    J = 0.9 * u / (n * 0.2)  # advance number
    T = 0.8 * RHO * 0.2**4 * (0.4 - 0.35 * J) * n * n
    Q = -RHO * 0.2**5 * (0.05 - 0.04 * J) * n * n
    expected = [*(T * direction), *(np.cross(point, T * direction) + Q * direction)]
    assert np.allclose(forces, expected, rtol=1e-12, atol=1e-12)
    numpy = plant.delivered_forces(0.0, plant.system.neutral(), v, np.array([n]), backend="numpy")
    assert np.allclose(forces, numpy, rtol=1e-13)
    power = plant.power(0.0, plant.system.neutral(), v, np.array([n])).actuators
    assert power == pytest.approx(forces @ v, rel=1e-12)
    with pytest.raises(um.ModelError, match="inputs that are thrusts or forces"):
        um.Allocated(plant, Push())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: um.ThrustCurve([0, 0], [1, 2]), "increasing"),
        (lambda: um.ThrustCurve([0, 1], [1, 2, 3]), "thrusts"),
        (lambda: um.Thruster("stern", curve=3.0), "a ThrustCurve, a function"),
        (lambda: um.Thruster("stern", dead_band=-1), "dead_band"),
        (lambda: um.Propeller("stern", thrust=0.4), "diameter"),
        (lambda: um.Propeller("stern", thrust=0.4, diameter=0.1, wake=1.0), "wake"),
        (lambda: um.Propeller("stern", thrust=0.4, diameter=0.1, azimuth=(0, 0, 1)), "no azimuth"),
        (lambda: drone(um.Propeller("stern", thrust=0.4, diameter=0.1), world=um.Space()), "an Ocean"),
    ],
)
def test_mistakes_are_told(make, words):
    with pytest.raises(um.ModelError, match=words):
        make()


SCENARIO = """
unmoored_scenario: 1
name: t
system: bluerov2_heavy
duration: 0.02
world: {type: Ocean, surface: 0.0}
actuators:
  - {type: Thruster, frame: thruster_1, curve: {commands: [-1, 0, 1], thrusts: [-30, 0, 40]}, limits: [-1, 1]}
  - {type: Propeller, frame: thruster_2, diameter: 0.1, thrust: 0.4, dead_band: 0.2}
integrator: {step: 0.01, method: rkmk4}
"""


def test_files_say_the_same():
    from unmoored.simulation.scenario import parse_scenario

    scenario = parse_scenario(SCENARIO)
    first, second = scenario.plant.actuators
    assert first.curve == um.ThrustCurve([-1, 0, 1], [-30, 0, 40])
    assert second.dead_band == 0.2
    assert scenario.plant.world.surface == 0.0
