"""Plants whose bodies differ from sample to sample: the equations on the batch against one sample at a time."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored.worlds.plants import plant_equations

SAMPLES = (3, 2)
FIELDS = ("mass", "com", "tensor", "armature")


def numbers_of_bodies(system):
    """Names of parameters of the bodies, and of where all but the vehicle sit."""
    names = [
        f"{body.name}.{field}" for body in system.tree.bodies for field in FIELDS[: 4 if body.joint.nv else 3]
    ]
    return names + [f"{body.name}.xyz" for body in system.tree.bodies[1:]]


def plants():
    orbit = um.load("spart_sc_3dof")
    yield (
        "orbit",
        um.Plant(
            orbit,
            um.Space(orbital_rate=1.1e-3),
            actuators=[um.ReactionWheel(orbit.names[0], 0.02)],
            free=[name for name in numbers_of_bodies(orbit) if name != f"{orbit.names[0]}.armature"],
        ),
    )
    rov = um.load("bluerov2_heavy_alpha5")
    yield (
        "water",
        um.Plant(
            rov,
            um.Ocean(current=(0.3, 0.1, 0.0)),
            free=[*numbers_of_bodies(rov), "ocean.density", "gravity"],
        ),
    )
    rover = um.load("rover_arm6")
    yield "ground", um.Plant(rover, um.Earth(), free=numbers_of_bodies(rover))


PLANTS = dict(plants())


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_batch_of_bodies_is_one_sample_after_the_other(plant):
    rng = np.random.default_rng(1)
    system = plant.system
    q = np.stack([system.random_configuration(rng) for _ in range(6)]).reshape(*SAMPLES, -1)
    v = 0.3 * rng.normal(size=(*SAMPLES, system.nv))
    x = rng.normal(size=(*SAMPLES, plant.nx))
    u = rng.normal(size=(*SAMPLES, plant.nu))
    p = plant.nominal_parameters * rng.uniform(0.9, 1.1, (*SAMPLES, len(plant.nominal_parameters)))
    t = rng.uniform(0, 100, SAMPLES)
    many = plant_equations.forward_dynamics(plant, t, q, v, x, u, p)
    for at in ((0, 0), (2, 1)):
        one = plant_equations.forward_dynamics(plant, t[at], q[at], v[at], x[at], u[at], p[at])
        nominal = plant_equations.forward_dynamics(
            plant, t[at], q[at], v[at], x[at], u[at], plant.nominal_parameters
        )
        assert np.abs(many[at] - one).max() <= 1e-11 * np.abs(one).max()
        assert np.abs(one - nominal).max() > 1e-6 * np.abs(one).max()
    back = plant_equations.inverse_dynamics(plant, t, q, v, many, p)
    alone = plant_equations.inverse_dynamics(plant, t[1, 1], q[1, 1], v[1, 1], many[1, 1], p[1, 1])
    assert np.abs(back[1, 1] - alone).max() <= 1e-10 * np.abs(alone).max()


def test_joints_are_those_that_a_plant_is_built_with():
    """Damping, friction, springs: free numbers that are zero as built are present all the same, in kernels too."""
    system = um.load("rover_arm6")
    name = system.names[3]
    fields = ("damping", "friction", "stiffness", "rest")
    plant = um.Plant(system, um.Earth(), free=[f"{name}.{field}" for field in fields])
    rng = np.random.default_rng(2)
    q, v, u = system.random_configuration(rng), rng.normal(size=system.nv), rng.normal(size=system.nv)
    p = np.array([[0.7, 0.3, 12.0, 0.4], [0.1, 0.0, 3.0, -0.2], [0.0, 0.0, 0.0, 0.0]])
    nominal = plant.nominal_parameters
    assert nominal[[0, 2]].tolist() == [0.0, 0.0]
    expected = []
    for values in p:
        bodies = tuple(
            replace(body, joint=replace(body.joint, **dict(zip(fields, values, strict=True))))
            if body.name == name
            else body
            for body in system.tree.bodies
        )
        built = um.Plant(um.System(replace(system.tree, bodies=bodies)), um.Earth())
        expected.append(built.forward_dynamics(0.0, q, v, u, backend="numpy"))
    assert np.abs(expected[0] - expected[2]).max() > 1e-3
    for backend in ("numpy", "cpu"):
        found = plant.forward_dynamics(0.0, q, v, u, p=p, backend=backend)
        assert np.abs(found - expected).max() <= 1e-11 * np.abs(expected).max()
