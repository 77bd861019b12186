"""Capture and release: momentum through the jump, impulsive constraints, round trips (docs/theory.md §23)."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

import unmoored as um
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix
from unmoored.dynamics.energy import kinetic_energy
from unmoored.dynamics.jacobians import jacobian
from unmoored.dynamics.joined_trees import at_places
from unmoored.dynamics.kinematics import body_poses, body_velocities, pose, velocity
from unmoored.dynamics.momentum import momentum
from unmoored.lie import se3
from unmoored.model import Fixed, Free, ModelError, Planar, Pose, Prismatic, Revolute, Spherical, Universal
from unmoored.system import System

JOINTS = {
    "rigid": None,
    "hinge": Revolute((0.3, -0.2, 0.9)),
    "slide": Prismatic((1, 1, 0)),
    "ball": Spherical(),
    "universal": Universal(),
    "plane": Planar(),
    "loose": Free(),
}
every_joint = pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


def at_origin(tree, name):
    """The tree with its vehicle's joint at the world origin and without armature, under a name."""
    vehicle = replace(tree.bodies[0], at=Pose(), joint=Free())
    return System(replace(tree, name=name, bodies=(vehicle, *tree.bodies[1:])))


@pytest.fixture(scope="module")
def case():
    """A servicer with an arm and a tumbling target that has an arm and a panel of its own."""
    servicer = at_origin(
        random_tree(3, ["Free", "Revolute", "Spherical", "Prismatic"], armature=True), "servicer"
    )
    target = at_origin(random_tree(4, ["Free", "Revolute", "Helical", "Universal"]), "target")
    return servicer, random_state(servicer.tree, 5)[:2], target, random_state(target.tree, 6)[:2]


@every_joint
def test_capture_conserves_spatial_momentum(case, joint):
    servicer, state, target, tumbling = case
    joined = servicer.join(*state, target, *tumbling, frame="tool", joint=joint)
    before = momentum(servicer.tree, *state) + momentum(target.tree, *tumbling)
    assert relative(momentum(joined.system.tree, joined.q, joined.v), before) < 1e-12


@every_joint
def test_capture_keeps_all_poses(case, joint):
    servicer, (q, v), target, (q_t, v_t) = case
    joined = servicer.join(q, v, target, q_t, v_t, frame="tool", joint=joint)
    for name in (*servicer.names, *servicer.frames):
        assert np.abs(pose(joined.system.tree, joined.q, name) - pose(servicer.tree, q, name)).max() < 1e-14
    for name in (*target.names, *target.frames):
        joined_pose = pose(joined.system.tree, joined.q, f"target/{name}")
        assert np.abs(joined_pose - pose(target.tree, q_t, name)).max() < 1e-13


@every_joint
def test_jump_is_that_of_an_impulsive_constraint(case, joint):
    """The same velocities from multipliers: M(ν⁺ − ν⁻) = Aᵀλ, A ν⁺ = 0, A the relative twist that the joint forbids."""
    servicer, (q, v), target, (q_t, v_t) = case
    joined = servicer.join(q, v, target, q_t, v_t, frame="tool", joint=joint)
    S = (joint or Fixed()).basis((joint or Fixed()).neutral())
    forbidden = np.linalg.svd(np.eye(6) - S @ np.linalg.pinv(S))[0][:, : 6 - S.shape[1]].T
    g = se3.inverse(pose(servicer.tree, q, "tool")) @ pose(target.tree, q_t, "b0")
    relative_twist = np.hstack(
        [-jacobian(servicer.tree, q, "tool"), se3.Ad(g) @ jacobian(target.tree, q_t, "b0")]
    )
    A = forbidden @ relative_twist
    n = servicer.nv
    M = np.zeros((n + target.nv, n + target.nv))
    M[:n, :n], M[n:, n:] = mass_matrix(servicer.tree, q), mass_matrix(target.tree, q_t)
    before = np.concatenate([v, v_t])
    k = len(A)
    matrix = np.block([[M, -A.T], [A, np.zeros((k, k))]])
    after = np.linalg.solve(matrix, np.concatenate([M @ before, np.zeros(k)]))
    tree = joined.system.tree
    assert relative(joined.v[:n], after[:n]) < 1e-11
    assert relative(velocity(tree, joined.q, joined.v, "target/b0"), after[n : n + 6]) < 1e-11
    assert relative(joined.v[n + S.shape[1] :], after[n + 6 : n + target.nv]) < 1e-11
    # impulse on the target's vehicle, and the energy that goes into the jump
    impulse = M[n:, n:] @ (after[n : n + target.nv] - v_t)
    assert np.abs(joined.impulse - impulse[:6]).max() < 1e-10 * np.abs(impulse[:6]).max() + 1e-12
    lost = kinetic_energy(servicer.tree, q, v) + kinetic_energy(target.tree, q_t, v_t)
    lost = lost - kinetic_energy(tree, joined.q, joined.v)
    assert abs(joined.energy_lost - lost) < 1e-11 * max(1.0, abs(lost))
    assert joined.energy_lost > (-1e-11 if joint is not None and joint.nv == 6 else 0.1)


@every_joint
def test_release_gives_both_back(case, joint):
    servicer, (q, v), target, (q_t, v_t) = case
    joined = servicer.join(q, v, target, q_t, v_t, frame="tool", joint=joint)
    back = joined.system.release(joined.q, joined.v, "target/b0", prefix="target")
    assert back.system == servicer
    assert back.released == target
    assert np.abs(back.q - q).max() < 1e-15
    assert np.abs(back.q_released - q_t).max() < 1e-13
    # velocities stay those after the capture, body by body
    tree = joined.system.tree
    all_after = dict(zip(tree.names, body_velocities(tree, joined.q, joined.v), strict=True))
    for system, x, u, prefix in (
        (back.system, back.q, back.v, ""),
        (back.released, back.q_released, back.v_released, "target/"),
    ):
        for name, V in zip(system.names, body_velocities(system.tree, x, u), strict=True):
            assert np.abs(V - all_after[prefix + name]).max() < 1e-12
    total = momentum(back.system.tree, back.q, back.v) + momentum(
        back.released.tree, back.q_released, back.v_released
    )
    assert relative(total, momentum(tree, joined.q, joined.v)) < 1e-12
    # joined again where nothing has moved: no jump
    again = back.system.join(
        back.q, back.v, back.released, back.q_released, back.v_released, frame="tool", joint=joint
    )
    assert again.system.names == joined.system.names
    assert np.abs(again.q - joined.q).max() < 1e-13
    assert relative(again.v, joined.v) < 1e-11
    assert abs(again.energy_lost) < 1e-10


def test_releasing_a_payload_from_the_middle_of_a_tree():
    tree = random_tree(7, ["Free", "Revolute", "Spherical", "Planar", "Prismatic", "Revolute"])
    system = System(tree)
    q, v, _ = random_state(tree, 8)
    parts = system.release(q, v, "b2")
    assert set(parts.system.names) | set(parts.released.names) == set(system.names)
    before = dict(
        zip(tree.names, zip(body_poses(tree, q), body_velocities(tree, q, v), strict=True), strict=True)
    )
    for part, x, u in (
        (parts.system, parts.q, parts.v),
        (parts.released, parts.q_released, parts.v_released),
    ):
        for name, g, V in zip(
            part.names, body_poses(part.tree, x), body_velocities(part.tree, x, u), strict=True
        ):
            assert np.abs(g - before[name][0]).max() < 1e-13
            assert np.abs(V - before[name][1]).max() < 1e-12


def test_docking_to_the_world_stops_a_body():
    """A rigid grasp by a frame of the world: nothing is left to move."""
    station = at_origin(random_tree(9, ["Free", "Revolute"]), "station")
    body = at_origin(random_tree(10, ["Free"]), "brick")
    q, v, _ = random_state(station.tree, 11)
    q_t, v_t, _ = random_state(body.tree, 12)
    joined = station.join(q, v, body, q_t, v_t, frame="world")
    assert np.abs(joined.v - v).max() < 1e-13
    assert np.abs(velocity(joined.system.tree, joined.q, joined.v, "brick/b0")).max() == 0.0
    assert abs(joined.energy_lost - kinetic_energy(body.tree, q_t, v_t)) < 1e-12


def test_misfits_are_refused(case):
    servicer, state, target, tumbling = case
    planar = System(random_tree(13, ["Planar"]))
    q, v, _ = random_state(planar.tree, 14)
    with pytest.raises(
        ModelError, match="guest: expected one vehicle with a Free joint without armature, given Planar b0"
    ):
        servicer.join(*state, planar, q, v, frame="tool")
    with pytest.raises(ModelError, match="unknown frame or body: expected one of tool"):
        servicer.join(*state, target, *tumbling, frame="hand")
    with pytest.raises(ModelError, match="expected a System"):
        servicer.join(*state, target.tree, *tumbling, frame="tool")
    with pytest.raises(ModelError, match="expected a body that leaves others behind"):
        servicer.release(*state, "b0")
    with pytest.raises(ModelError, match="unknown body or joint"):
        servicer.release(*state, "b9")


@every_joint
def test_a_batch_is_one_capture_after_the_other(case, joint):
    """Every sample holds the target at its own place: `places` tell it, and a plant takes them as free numbers."""
    servicer, _, target, _ = case
    q, v, _ = random_state(servicer.tree, 21, (4,))
    q_t, v_t, _ = random_state(target.tree, 22, (4,))
    many = servicer.join(q, v, target, q_t, v_t, frame="tool", joint=joint)
    held = at_places(many.system.tree, many.places)
    for i in range(4):
        one = servicer.join(q[i], v[i], target, q_t[i], v_t[i], frame="tool", joint=joint)
        assert np.array_equal(many.q[i], one.q)
        assert relative(many.v[i], one.v) < 1e-10
        assert np.abs(many.impulse[i] - one.impulse).max() < 1e-10 * np.abs(many.impulse).max() + 1e-12
        assert abs(many.energy_lost[i] - one.energy_lost) < 1e-10 * max(1.0, np.abs(many.energy_lost).max())
        assert all(relative(many.places[name][i], one.places[name]) < 1e-12 for name in one.places)
        assert np.abs(pose(held, many.q, "target/b0")[i] - pose(target.tree, q_t[i], "b0")).max() < 1e-13
    back = many.system.release(many.q, many.v, "target/b0", prefix="target", places=many.places)
    assert np.abs(back.q_released - q_t).max() < 1e-13
    assert np.abs(back.q - q).max() < 1e-15
    total = momentum(back.system.tree, back.q, back.v) + momentum(
        back.released.tree, back.q_released, back.v_released
    )
    before = momentum(servicer.tree, q, v) + momentum(target.tree, q_t, v_t)
    assert relative(total, before) < 1e-11


def test_a_plant_of_captured_targets_takes_their_places_at_run_time(case):
    servicer, _, target, _ = case
    q, v, _ = random_state(servicer.tree, 23, (3,))
    q_t, v_t, _ = random_state(target.tree, 24, (3,))
    joined = servicer.join(q, v, target, q_t, v_t, frame="tool")
    plant = um.Plant(joined.system, um.Space(), free=[*joined.places])
    p = np.concatenate([joined.places[name] for name in joined.places], axis=-1)
    u = np.ones(plant.nu)
    found = plant.forward_dynamics(0.0, joined.q, joined.v, u, p=p)
    for i in range(3):
        alone = servicer.join(q[i], v[i], target, q_t[i], v_t[i], frame="tool")
        expected = um.Plant(alone.system, um.Space()).forward_dynamics(
            0.0, alone.q, alone.v, u, backend="numpy"
        )
        assert relative(found[i], expected) < 1e-9
