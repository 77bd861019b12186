"""Vehicles whose motion is prescribed: the recursion against the blocks of the closed form (docs/theory.md §14)."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics.configuration import local, retract
from unmoored.dynamics.forced_base import forced_base, forced_base_by_blocks, prescribed_motion
from unmoored.dynamics.recursive import inverse_dynamics
from unmoored.lie import se3, so3
from unmoored.model import Body, Inertia, ModelError, Planar, Prismatic, Revolute, Translation, Tree
from unmoored.system import System

ARM = ("Revolute", "Spherical", "Prismatic", "Universal", "Custom", "Helical")
GRAVITY = np.array([0.4, -0.3, -9.81])
BASES = (
    "Free",
    "Spherical",
    "Planar",
    "Schoenflies",
    "Translation3",
    "PlanarHelical",
    "Cylindrical",
    "Revolute",
)


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "options", [{}, {"added_mass": True}, {"armature": True}], ids=["rigid", "water", "drives"]
)
def test_recursion_and_blocks_agree(base, options):
    tree = random_tree(3, [base, *ARM], **options)
    q, v, tau = random_state(tree, 1, (3,))
    acceleration = np.random.default_rng(2).normal(size=(3, tree.nv))
    wrenches = {"tool": np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.6])}
    m = tree.links[0].joint.nv
    by_recursion = forced_base(tree, q, v, tau, acceleration, GRAVITY, wrenches, "b0")
    by_blocks = forced_base_by_blocks(tree, q, v, tau, acceleration, GRAVITY, wrenches, "b0")
    assert relative(by_recursion.acceleration, by_blocks.acceleration) < 1e-11
    assert relative(by_recursion.reaction, by_blocks.reaction) < 1e-11
    assert np.abs(by_recursion.acceleration[..., :m] - acceleration[..., :m]).max() < 1e-14
    forces = inverse_dynamics(tree, q, v, by_recursion.acceleration, GRAVITY, wrenches)
    expected = np.concatenate([by_recursion.reaction, tau[..., m:]], axis=-1)
    assert relative(forces, expected) < 1e-11


def test_a_pendulum_on_a_shaken_cart():
    """θ̈ = −(g sin θ + ẍ cos θ)/l: the textbook result, gravity along −z and the cart along x."""
    l, m = 0.7, 2.0
    bodies = (
        Body(name="cart", parent="world", joint=Prismatic((1, 0, 0)), inertia=Inertia.point(5.0)),
        Body(name="bob", parent="cart", joint=Revolute((0, -1, 0)), inertia=Inertia.point(m, (0, 0, -l))),
    )
    system = System(Tree(name="pendulum", bodies=bodies))
    θ, θ_dot, x_ddot = 0.8, 1.3, -2.1
    motion = system.forced_base(
        [0.4, θ], [0.9, θ_dot], tau=np.zeros(2), acceleration=[x_ddot, 0.0], gravity=(0, 0, -9.81)
    )
    expected = -(9.81 * np.sin(θ) + x_ddot * np.cos(θ)) / l
    assert abs(motion.acceleration[1] - expected) < 1e-13
    push = 5.0 * x_ddot + m * (x_ddot + l * (np.cos(θ) * expected - np.sin(θ) * θ_dot**2))
    assert abs(motion.reaction[0] - push) < 1e-12


def ship(t):
    """Surge, heave, roll, pitch and yaw of a ship, s ↦ (4, 4)."""
    angles = np.stack([0.2 * np.sin(0.3 * t), 0.1 * np.cos(0.7 * t), 0.3 * np.sin(0.5 * t + 1)])
    return se3.pose(so3.from_euler_zyx(angles), np.stack([1.5 * t, 0.2 * np.sin(t), 0.4 * np.cos(0.8 * t)]))


def test_velocity_and_acceleration_of_a_prescribed_pose():
    """Against central differences along the group, of the poses and of the velocities."""
    tree = random_tree(4, ["Free", "Revolute"])
    motion = prescribed_motion(tree, "b0", ship)
    times = np.array([0.3, 2.0, 7.5])
    now = motion(times)
    joint = tree.links[0].joint
    h = 1e-5
    ahead, behind = motion(times + h), motion(times - h)
    u = (
        joint.local(now.configuration, ahead.configuration)
        - joint.local(now.configuration, behind.configuration)
    ) / (2 * h)
    assert np.abs(now.velocity - u).max() < 1e-9
    assert np.abs(now.acceleration - (ahead.velocity - behind.velocity) / (2 * h)).max() < 1e-9
    one = motion(2.0)
    assert np.abs(one.acceleration - now.acceleration[1]).max() < 1e-15


@pytest.mark.parametrize(
    ("joint", "pose"),
    [
        (Planar((1, 2, 3)), lambda group: lambda t: group.exp(np.stack([np.sin(t), t * t, 0.4 * t]))),
        (Translation(3), lambda group: lambda t: group.exp(np.stack([np.sin(t), t * t, 0.4 * t]))),
        (Revolute((0, 1, 1)), lambda group: lambda t: group.exp(np.stack([np.sin(3 * t)]))),
    ],
    ids=["planar", "gantry", "turntable"],
)
def test_prescribed_motion_in_other_groups(joint, pose):
    body = Body(name="base", parent="world", joint=joint, inertia=Inertia.sphere(1.0, 0.5))
    tree = Tree(name="base", bodies=(body,))
    motion = prescribed_motion(tree, "base", pose(joint.group))
    h = 1e-5
    now, ahead, behind = (motion(0.3 + s) for s in (0.0, h, -h))
    difference = local(tree, behind.configuration, ahead.configuration) / (2 * h)
    assert np.abs(now.velocity - difference).max() < 1e-8
    assert np.abs(now.acceleration - (ahead.velocity - behind.velocity) / (2 * h)).max() < 1e-8
    assert np.abs(retract(tree, now.configuration, 0 * now.velocity) - now.configuration).max() < 1e-14


def test_misfits_are_refused():
    tree = random_tree(5, ["Planar", "Revolute"])
    with pytest.raises(ModelError, match="prescribed pose: expected poses in"):
        prescribed_motion(tree, "b0", ship)(1.0)
    with pytest.raises(ModelError, match=r"b0: prescribed pose: expected a pose \(4, 4\)"):
        prescribed_motion(tree, "b0", lambda t: np.stack([t, t]))
    with pytest.raises(ModelError, match="expected one of b0"):
        prescribed_motion(tree, "b1", ship)


def test_methods_run_compiled_and_in_batches():
    tree = random_tree(6, ["Free", "Revolute", "Spherical"])
    system = System(tree)
    q, v, tau = random_state(tree, 7, (4,))
    times = np.linspace(0, 3, 4)
    motion = system.prescribed_motion(ship)(times)
    q[:, :12], v[:, :6] = motion.configuration, motion.velocity
    acceleration = np.concatenate([motion.acceleration, 0 * v[:, 6:]], axis=-1)
    given = {"tau": tau, "acceleration": acceleration, "gravity": GRAVITY, "wrenches": {"tool": np.ones(6)}}
    for compiled, plain in zip(
        system.forced_base(q, v, **given), system.forced_base(q, v, **given, backend="numpy"), strict=True
    ):
        assert relative(compiled, plain) < 1e-12
