"""Regressors of plants: Y ζ against their inverse dynamics, in water, in orbit, on earth (docs/theory.md §24)."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.random_trees import random_tree

import unmoored as um
from unmoored.trace import evaluate, trace
from unmoored.worlds.plants import plant_equations
from unmoored.worlds.plants.plant_regressor import parameter_names, parameters, regressor

#: Springs and stops are not linear in the parameters.
RUBBING = um.JointEffects(springs=False, stops=False, friction_speed=0.3)
KINDS = ("Free", "Revolute", "Spherical", "Prismatic", "Fixed", "Universal")


def wet_tree(seed, diagonal):
    """A random tree with added mass, drag, volume and buoyancy off every origin, and joints that rub."""
    rng = np.random.default_rng(seed)
    bodies = []
    for body in random_tree(seed, KINDS, armature=True).bodies:
        A, D = rng.normal(size=(2, 6, 6))
        skew = 0.1 * (D - D.T)
        linear, quadratic = D @ D.T + np.eye(6) + skew, np.diag(rng.uniform(1, 2, 6)) + skew
        fluid = um.Fluid(
            added_mass=A @ A.T,
            linear_drag=np.diag(linear) if diagonal else linear,
            quadratic_drag=np.diag(quadratic) if diagonal else quadratic,
            volume=rng.uniform(0.001, 0.01),
            centre_of_buoyancy=rng.uniform(-0.2, 0.2, 3),
        )
        rubbing = (
            {"damping": rng.uniform(0.1, 1.0), "friction": rng.uniform(0.1, 1.0)} if body.joint.nv else {}
        )
        bodies.append(
            replace(body, fluid=fluid if len(bodies) != 2 else None, joint=replace(body.joint, **rubbing))
        )
    return um.System(um.Tree(name="wet", bodies=tuple(bodies)))


def turning_water(t):
    """A current that turns and swells."""
    return np.stack([0.3 * np.cos(0.5 * t), 0.4 * np.sin(0.7 * t), 0.1 * t])


def cases():
    yield "still water", um.Plant(wet_tree(1, True), um.Ocean(), joints=RUBBING), False
    yield "current", um.Plant(wet_tree(2, True), um.Ocean((0.4, -0.3, 0.2)), joints=RUBBING), False
    yield "unsteady current", um.Plant(wet_tree(3, True), um.Ocean(turning_water), joints=RUBBING), False
    yield "full drag", um.Plant(wet_tree(4, False), um.Ocean((0.4, -0.3, 0.2)), joints=RUBBING), True
    yield "orbit", um.Plant(wet_tree(5, True), um.Space(orbital_rate=0.3), joints=RUBBING), False
    yield "earth", um.Plant(wet_tree(6, True), um.Earth(), joints=RUBBING), False


CASES = {name: rest for name, *rest in cases()}
every_case = pytest.mark.parametrize(("plant", "full"), CASES.values(), ids=CASES)
NOTHING = np.zeros(0)


def motion(plant, batch=()):
    rng = np.random.default_rng(7)
    count = int(np.prod(batch))
    q = np.stack([plant.system.random_configuration(rng) for _ in range(count)]).reshape(*batch, plant.nq)
    return rng.uniform(0, 5, batch), q, *rng.normal(size=(2, *batch, plant.nv))


@every_case
def test_forces_are_linear_in_the_parameters(plant, full):
    t, q, v, a = motion(plant, (4,))
    tau = plant_equations.inverse_dynamics(plant, t, q, v, a, NOTHING)
    Y, ζ = regressor(plant, t, q, v, a, NOTHING, full), parameters(plant, full)
    assert Y.shape == (4, plant.nv, len(ζ)) == (4, plant.nv, len(parameter_names(plant, full)))
    assert np.abs(Y @ ζ - tau).max() < 1e-12 * np.abs(tau).max()


@every_case
def test_every_parameter_is_the_number_that_it_is_called(plant, full):
    """A plant built with another number: its forces change by that column times the change."""
    t, q, v, a = motion(plant)
    names, Y = parameter_names(plant, full), regressor(plant, t, q, v, a, NOTHING, full)
    body = plant.system.tree.bodies[1]
    fluid, joint = body.fluid, body.joint
    changes = {
        "b1.added_mass.y_wz": {"fluid": replace(fluid, added_mass=_with(fluid.added_mass, (1, 5), (5, 1)))},
        "b1.linear_drag.wx": {"fluid": replace(fluid, linear_drag=_with(fluid.linear_drag, (3, 3)))},
        "b1.quadratic_drag.z": {"fluid": replace(fluid, quadratic_drag=_with(fluid.quadratic_drag, (2, 2)))},
        "b1.damping": {"joint": replace(joint, damping=joint.damping + 0.01)},
        "b1.friction": {"joint": replace(joint, friction=joint.friction + 0.01)},
        "b1.armature": {"joint": replace(joint, armature=joint.armature + 0.01)},
    }
    before = plant_equations.inverse_dynamics(plant, t, q, v, a, NOTHING)
    for name, change in changes.items():
        if name not in names:
            assert not any(".added_mass" in known for known in names)
            continue
        bodies = list(plant.system.tree.bodies)
        bodies[1] = replace(body, **change)
        other = um.Plant(
            um.System(replace(plant.system.tree, bodies=tuple(bodies))), plant.world, joints=RUBBING
        )
        moved = plant_equations.inverse_dynamics(other, t, q, v, a, NOTHING) - before
        column = 0.01 * Y[:, names.index(name)]
        assert np.abs(moved - column).max() < 1e-11 * np.abs(before).max()
        assert np.abs(column).max() > 1e-6


def _with(matrix, *entries):
    changed = matrix.copy()
    for entry in entries:
        changed[entry] += 0.01
    return changed


def test_traced_as_on_numbers():
    plant, full = CASES["current"]
    t, q, v, a = motion(plant)
    traced = trace(
        lambda t, q, v, a: regressor(plant, t, q, v, a, NOTHING, full),
        (),
        (plant.nq,),
        (plant.nv,),
        (plant.nv,),
    )
    theirs = regressor(plant, t, q, v, a, NOTHING, full)
    assert np.abs(evaluate(traced, t, q, v, a) - theirs).max() < 1e-12 * np.abs(theirs).max()


def test_what_can_be_told_apart_in_water():
    """A wet body alone shows 21 of inertia and added mass together, 4 of weight and buoyancy, 12 of drag: 37 of 47."""
    rov = um.System(replace(wet_tree(8, True).tree, bodies=wet_tree(8, True).tree.bodies[:1], frames=()))
    plant = um.Plant(rov, um.Ocean((0.3, 0.2, 0.1)), joints=RUBBING)
    t, q, v, a = motion(plant, (200,))
    Y = regressor(plant, t, q, v, a, NOTHING)[..., : 10 + 21 + 4 + 12].reshape(200 * 6, -1)
    σ = np.linalg.svd(Y / np.linalg.norm(Y, axis=0), compute_uv=False)
    assert σ[36] > 1e-5 * σ[0]
    assert σ[37] < 1e-12 * σ[0]


def test_drag_off_the_diagonal_is_refused_unless_all_of_it_counts():
    plant, _ = CASES["full drag"]
    with pytest.raises(um.ModelError, match="full_drag=True"):
        parameters(plant)
