"""Omni, mecanum and castor wheels: what touches the floor stays where it may (docs/theory.md §39)."""

import numpy as np
import pytest
from tests.support.rolling_vehicles import arm

import unmoored as um
from unmoored.dynamics import kinematics
from unmoored.dynamics.nonholonomic import embedding, embedding_rate
from unmoored.model import Body, Frame, Inertia, Pose, Revolute, Tree

RADIUS, SMALL = 0.2, 0.08
UP = (0, 0, 1)


def platform(joint=None, seed=0, arm_kinds=("Revolute",), mass=1.0):
    """A vehicle with three omni wheels, two castors (one axis reversed, one with its wheel beside the fork), an arm."""
    rng = np.random.default_rng(seed)
    frame = Pose((0.1, -0.05, 0.0), rpy=(0, 0, 0.3))
    rigid = Inertia(30.0, (0.02, 0.01, 0.3), np.diag([2.0, 2.5, 3.0]))
    bodies = [Body(name="base", parent="world", joint=joint or um.Planar(), inertia=rigid)]
    wheel = Inertia(0.5 * mass, (0, 0, 0), np.diag([0.01, 0.02, 0.01]) * mass)
    for k in range(3):
        turn = 2 * np.pi * k / 3
        at = frame @ Pose((0.4 * np.cos(turn), 0.4 * np.sin(turn), RADIUS), rpy=(0, 0, turn))
        bodies.append(Body(name=f"omni{k}", parent="base", joint=Revolute((1, 0, 0)), inertia=wheel, at=at))
    for name, xy, sense, hub in (("a", (0.3, 0.2), 1, (-0.06, 0.0)), ("b", (-0.2, 0.25), -1, (-0.05, 0.03))):
        at = frame @ Pose((*xy, 0.2), rpy=(0, 0, 0.7))
        fork = Inertia(0.3 * mass, (-0.02, 0, 0), np.diag([0.002, 0.002, 0.001]) * mass)
        bodies.append(
            Body(name=f"fork_{name}", parent="base", joint=Revolute((0, 0, sense)), inertia=fork, at=at)
        )
        place = Pose((*hub, SMALL - 0.2))
        bodies.append(
            Body(
                name=f"castor_{name}",
                parent=f"fork_{name}",
                joint=Revolute((0, sense, 0)),
                inertia=wheel,
                at=place,
            )
        )
    links, tool = arm(rng, "base", arm_kinds)
    return Tree(
        name="platform",
        bodies=(*bodies, *links),
        frames=(Frame(name="middle", parent="base", at=frame), tool),
    )


def drive(**options):
    given = {
        "wheels": ("omni0", "omni1", "omni2"), "radius": RADIUS, "rollers": (0.0, np.pi / 4, -0.3), "frame": "middle",
        "castors": ("castor_a", "castor_b"), "castor_radius": SMALL,
    }  # fmt: skip
    return um.OmniDrive("base", **given | options)


def floor_velocity(tree, q, v, wheel, radius):
    """Velocity (3,) in world axes of the wheel's lowest point, as a point of the wheel."""
    g, V = kinematics.pose(tree, q, wheel), kinematics.velocity(tree, q, v, wheel)
    R = g[:3, :3]
    return R @ V[:3] + np.cross(R @ V[3:], [0, 0, -radius]), R


def random_q(tree, seed):
    return um.System(tree).random_configuration(seed)


@pytest.mark.parametrize("seed", range(3))
def test_wheels_touch_the_floor_without_slipping(seed):
    tree, c = platform(), drive()
    q = random_q(tree, seed)
    s = np.random.default_rng(seed).normal(size=4)
    v = embedding(tree, q, [c]) @ s
    for name in c.castors:
        assert np.abs(floor_velocity(tree, q, v, name, SMALL)[0]).max() < 1e-13
    for name, γ in zip(c.wheels, (0.0, np.pi / 4, -0.3), strict=True):
        slip, R = floor_velocity(tree, q, v, name, RADIUS)
        a = R @ [1, 0, 0]
        rollers = np.cos(γ) * np.cross(a, UP) + np.sin(γ) * a
        assert abs(rollers @ slip) < 1e-13
        assert np.abs(slip).max() > 1e-3  # the rollers do turn


def test_the_embedding_moves_as_its_rate_says():
    tree, c, ε = platform(), drive(), 1e-6
    system, q = um.System(tree), random_q(tree, 4)
    v = embedding(tree, q, [c]) @ np.random.default_rng(5).normal(size=4)
    before, after = (embedding(tree, system.retract(q, h * v), [c]) for h in (-ε, ε))
    assert np.abs((after - before) / (2 * ε) - embedding_rate(tree, q, v, [c])).max() < 1e-6  # of 380


def test_mecanum_wheels_turn_as_usual():
    """rΩ = v_x + s v_y + (s p_x − p_y) ω_z, s = −, +, +, − for FL, FR, RL, RR (x forward, y left)."""
    places, signs = [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)], np.array([-1, 1, 1, -1])
    inertia = Inertia(1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    bodies = [Body(name="base", parent="world", joint=um.Planar(), inertia=inertia)]
    for k, xy in enumerate(places):
        bodies.append(
            Body(name=f"w{k}", parent="base", joint=Revolute((0, 1, 0)), inertia=inertia, at=Pose((*xy, 0.1)))
        )
    tree = Tree(name="cart", bodies=tuple(bodies))
    c = um.OmniDrive("base", tuple(f"w{k}" for k in range(4)), 0.1, signs * np.pi / 4)
    s = np.array([0.7, -0.4, 0.9])
    Ω = (embedding(tree, um.System(tree).neutral(), [c]) @ s)[3:]
    expected = [s[0] + k * s[1] + (k * x - y) * s[2] for k, (x, y) in zip(signs, places, strict=True)]
    np.testing.assert_allclose(0.1 * Ω, expected, atol=1e-15)


@pytest.fixture(scope="module")
def driven():
    """A heavy vehicle that goes straight, with light castors."""
    b = um.SystemBuilder("cart")
    b.vehicle("base", um.Planar(), inertia=um.Inertia.box(1e6, (1, 1, 1)))
    light = um.Inertia.sphere(0.1, 0.05)
    b.link("fork", parent="base", joint=um.Revolute(UP), at=um.Pose(xyz=(0.3, 0.1, 0.2)), inertia=light)
    b.link(
        "wheel", parent="fork", joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(-0.1, 0, -0.12)), inertia=light
    )
    c = um.DifferentialDrive("base", castors=("wheel",), castor_radius=SMALL)
    plant = um.Plant(b.build(), constraints=[c])
    q = plant.system.neutral()
    q[12] = 2.5  # nearly the wrong way round
    v = plant.full_velocity(0.0, q, [0.8, 0.0])
    return um.simulate(plant, q, v, duration=0.8, step=0.005)


def test_a_castor_falls_into_line(driven):
    """Straight on: tan(ψ/2) falls as e^(−s/b), s the way; energy is kept."""
    ψ = driven.q[:, 12]
    line = np.tan(ψ / 2) * np.exp(0.8 * driven.t / 0.1)
    np.testing.assert_allclose(line, np.tan(1.25), rtol=1e-4)
    energy = driven.energy().total
    assert np.ptp(energy) < 1e-9 * energy[0]


def test_motion_is_that_with_multipliers():
    """Accelerations against M a + h = τ + Aᵀλ, A a = −Ȧv, with A made of the floor's velocities by differences."""
    tree, c = platform(arm_kinds=("Revolute",)), drive()
    system, q = um.System(tree), random_q(tree, 7)
    rng = np.random.default_rng(8)
    v = embedding(tree, q, [c]) @ rng.normal(size=4)
    tau = rng.normal(size=tree.nv)

    def rows(q):
        found = []
        for k in range(tree.nv):
            own, e = [], np.eye(tree.nv)[k]
            for name in c.castors:
                own += list(floor_velocity(tree, q, e, name, SMALL)[0][:2])
            for name, γ in zip(c.wheels, (0.0, np.pi / 4, -0.3), strict=True):
                slip, R = floor_velocity(tree, q, e, name, RADIUS)
                a = R @ [1, 0, 0]
                own.append((np.cos(γ) * np.cross(a, UP) + np.sin(γ) * a) @ slip)
            found.append(own)
        return np.array(found).T

    A, ε = rows(q), 1e-6
    A_dot = (rows(system.retract(q, ε * v)) - rows(system.retract(q, -ε * v))) / (2 * ε)
    M = system.mass_matrix(q, backend="numpy")
    h = system.inverse_dynamics(q, v, np.zeros(tree.nv), backend="numpy")
    n = len(A)
    full = np.block([[M, -A.T], [A, np.zeros((n, n))]])
    a = np.linalg.lstsq(full, np.r_[tau - h, -A_dot @ v], rcond=None)[0][: tree.nv]
    plant = um.Plant(system, constraints=[c])
    assert np.abs(plant.forward_dynamics(0.0, q, v, tau, backend="numpy") - a).max() < 1e-7 * np.abs(a).max()


SCENARIO = """
unmoored_scenario: 1
name: cart
system: cart.yaml
duration: 0.02
integrator: {step: 0.01}
constraints:
  - {type: OmniDrive, vehicle: base, wheels: [front], radius: 0.1, rollers: 0.785}
"""
CART = """
unmoored: 1
name: cart
bodies:
  - {name: base, parent: world, joint: {type: Planar}, inertia: {box: {mass: 5, size: [1, 1, 1]}}}
  - {name: front, parent: base, joint: {type: Revolute, axis: [0, 1, 0]}, inertia: {sphere: {mass: 1, radius: 0.1}}}
"""


def test_scenario_files_have_them(tmp_path):
    (tmp_path / "cart.yaml").write_text(CART)
    (tmp_path / "s.yaml").write_text(SCENARIO)
    scenario = um.load_scenario(tmp_path / "s.yaml")
    assert scenario.plant.nw == 3
    assert isinstance(scenario.plant.constraints[0], um.OmniDrive)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"rollers": np.pi / 2}, "less than a quarter turn"),
        ({"radius": None}, "the radius > 0"),
        ({"castor_radius": 0.0}, "castor_radius"),
        ({"castors": ("omni0",)}, "on a fork"),
        ({"wheels": ("castor_a",), "rollers": 0.0}, "a Revolute joint on base"),
        ({"wheels": ("omni0", "omni0"), "rollers": 0.0}, "omni0 twice"),
    ],
)
def test_what_does_not_fit_is_told(options, match):
    system = um.System(platform())
    with pytest.raises(um.ModelError, match=match):
        um.Plant(system, constraints=[drive(**options)])
    with pytest.raises(um.ModelError, match="x and y axes"):
        um.Plant(um.System(platform(um.Revolute(UP))), constraints=[drive()])


@pytest.mark.parametrize(
    ("method", "matrix"), [("embedding", np.eye(3)[:, :1]), ("coordinates", 2 * np.eye(3))]
)
def test_a_constraint_of_ones_own_is_checked_when_the_plant_is_built(method, matrix):
    wrong = type("Wrong", (um.OmniDrive,), {method: lambda self, tree, q: matrix})
    builder = um.SystemBuilder("sled")
    builder.vehicle("sled", um.Planar(), inertia=um.Inertia.sphere(1.0, 0.1))
    with pytest.raises(um.ModelError, match=f"sled: {method}: expected"):
        um.Plant(builder.build(), constraints=[wrong("sled")])
