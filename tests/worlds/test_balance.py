"""Energy and power: what every part adds is what the energy gains (all at random states, without a time loop)."""

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.worlds.support import central_rate, random_state, relative_error, wet_system

import unmoored as um
from unmoored.lie import se3
from unmoored.worlds.plants.plant_equations import right_hand_side

KINDS = ("Free", "Revolute", "Spherical", "Prismatic", "Universal", "Planar")


def sprung_system(seed=3):
    """Joints with springs, damping, friction, armature and limits."""
    b = um.SystemBuilder("sprung")
    inertia = um.Inertia(2.0, (0.1, 0.05, 0.2), (0.3, 0.4, 0.5))
    everything = {"stiffness": 5.0, "rest": 0.2, "damping": 0.7, "friction": 0.4, "armature": 0.1}
    bus = b.vehicle("bus", um.Free(stiffness=[1, 2, 3, 4, 5, 6]), inertia=inertia)
    ball = b.link(
        "ball", parent=bus, joint=um.Spherical(**everything), inertia=inertia, at=um.Pose(xyz=(0.3, 0, 0))
    )
    arm = b.link(
        "arm", parent=ball, joint=um.Revolute((0, 1, 0), limits=(-0.2, 0.1), **everything), inertia=inertia
    )
    plate = b.link(
        "plate", parent=arm, joint=um.Planar(**everything), inertia=inertia, at=um.Pose(xyz=(0, 0.3, 0.1))
    )
    b.frame("tool", parent=plate, at=um.Pose(xyz=(0.1, 0.1, 0.1)))
    return b.build()


def energy_rate(plant, t, q, v, x, u):
    """dE/dt along the plant's motion, by differences of the energy."""
    v = plant.full_velocity(t, q, plant.independent_velocity(q, v))
    q = plant.configuration(t, q)
    a = plant.forward_dynamics(t, q, v, u, x=x, backend="numpy")
    x_dot = right_hand_side(plant, t, q, plant.independent_velocity(q, v), x, u, plant.nominal_parameters)[1]

    def energy(s):
        # q moves along v, v along a: the right first derivatives are all that counts
        moved = plant.system.retract(q, s * v)
        return plant.energy(t + s, moved, v + s * a, x=x + s * x_dot, backend="numpy").total

    return central_rate(energy)


PLANTS = {
    "current": lambda: um.Plant(wet_system(1, KINDS), um.Ocean(current=(0.3, 0.2, -0.1))),
    "varying current": lambda: um.Plant(
        wet_system(2, KINDS), um.Ocean(lambda t, x: np.stack([np.cos(t + x[2]), 0.1 * x[0], 0 * t]))
    ),
    "sprung": lambda: um.Plant(sprung_system(), um.Earth()),
    "orbit": lambda: um.Plant(um.System(random_tree(3, KINDS)), um.Space(orbital_rate=0.8)),
    "wheels": lambda: um.Plant(
        sprung_system(),
        um.Space(),
        actuators=[um.ReactionWheel("bus", 0.1, lag=0.2, name="wheel"), um.Thruster("tool", lag=0.1)],
    ),
    "fin": lambda: um.Plant(
        wet_system(5, ("Free", "Revolute")),
        um.Ocean((0.4, 0.1, 0)),
        actuators=[um.Fin("tool", 0.1, drag=0.1)],
    ),
    "prescribed": lambda: um.Plant(
        sprung_system(),
        um.Earth(),
        prescribed={"bus": lambda t: se3.exp(np.stack([0.1 * t, 0 * t, np.sin(t), 0 * t, t, 0 * t]))},
    ),
    "failing": lambda: um.Plant(
        sprung_system(),
        um.Earth(),
        prescribed={"arm": um.UntilFailure(um.Motion(lambda t: np.stack([np.sin(t)])), 0.1)},
    ),
    "constrained": lambda: um.Plant(
        um.load("rover_arm6"),
        um.Ground(),
        constraints=[um.DifferentialDrive(um.load("rover_arm6").vehicles[0])],
    ),
}


@pytest.mark.parametrize("name", PLANTS)
def test_power_is_the_rate_of_energy(name):
    plant = PLANTS[name]()
    q, v = random_state(plant.system, 4)
    rng = np.random.default_rng(1)
    x, u = rng.normal(size=plant.nx), rng.normal(size=plant.nu)
    power = plant.power(0.3, q, v, u, x=x, backend="numpy")
    rate = energy_rate(plant, 0.3, q, v, x, u)
    scale = max(abs(part) for part in power)
    assert abs(power.total - rate) < 1e-9 * max(scale, 1.0)


def test_each_part_has_its_sign():
    q, v = random_state(sprung_system(), 1)
    plant = um.Plant(sprung_system(), um.Earth())
    power = plant.power(0.0, q, v, np.zeros(plant.nu), backend="numpy")
    assert power.joints < 0
    assert power.actuators == power.drag == power.current == power.world == power.prescribed == 0
    u = np.random.default_rng(0).normal(size=plant.nu)
    assert plant.power(0.0, q, v, u, backend="numpy").actuators == pytest.approx(u @ v, rel=1e-13)


def test_energy_in_water_has_the_added_mass_in_it():
    system = wet_system(1)
    q, v = random_state(system, 2)
    plant = um.Plant(system, um.Ocean())
    M = plant.mass_matrix(q, backend="numpy")
    assert plant.energy(0.0, q, v, backend="numpy").kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-13)
    added = sum(
        J.T @ body.fluid.added_mass @ J
        for body in system.tree.bodies
        for J in [system.jacobian(q, body.name, backend="numpy")]
    )
    assert relative_error(M - system.mass_matrix(q, backend="numpy"), added) < 1e-12


def test_springs_stops_and_friction_are_slopes_of_their_energy():
    """−∂U along every direction of the group, for pose joints too."""
    system = sprung_system()
    plant = um.Plant(system, um.Space())
    q, _ = random_state(system, 3)
    q = system.pack(system.unpack(q) | {"arm": 0.4})  # beyond the stop
    rest = np.zeros(system.nv)
    slopes = [
        central_rate(
            lambda s, k=k: (
                plant.energy(
                    0.0, system.retract(q, s * np.eye(system.nv)[k]), rest, backend="numpy"
                ).potential
            )
        )
        for k in range(system.nv)
    ]
    assert (
        relative_error(plant.inverse_dynamics(0.0, q, rest, rest, backend="numpy"), np.array(slopes)) < 1e-10
    )


def test_energy_and_power_as_kernels():
    plant = PLANTS["wheels"]()
    q, v = random_state(plant.system, 1)
    x, u = np.ones(plant.nx), np.ones(plant.nu)
    reference = plant.energy(0.1, q, v, x=x, backend="numpy")
    assert np.allclose(plant.energy(0.1, q, v, x=x), reference, rtol=1e-13)
    assert plant.energy(0.1, q, v, x=x).total == pytest.approx(reference.total, rel=1e-13)
    assert np.allclose(
        plant.power(0.1, q, v, u, x=x),
        plant.power(0.1, q, v, u, x=x, backend="numpy"),
        rtol=1e-12,
        atol=1e-13,
    )
