"""Force elements between two frames: potentials, reactions, closed forms, MuJoCo's tendons, free numbers, files."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.dynamics.recursive.bias_wrenches import accelerations, motions, start_acceleration
from unmoored.dynamics.relative_motion import (
    acceleration_between,
    acceleration_by_ends,
    jacobian_between,
    twist_between,
    walk,
)
from unmoored.lie import se3
from unmoored.worlds.element_loads import way_of

RNG = np.random.default_rng(5)
K6 = RNG.normal(size=(6, 6))
K6 = K6 @ K6.T * 40.0 + 10.0 * np.eye(6)
D6 = np.diag([3.0, 2.0, 4.0, 0.5, 0.6, 0.7])

ELEMENTS = {
    "spring": um.SpringDamper("hook", "eye", stiffness=120.0, damping=7.0, rest_length=0.4, name="spring"),
    "line": um.Line("hook", "eye", stiffness=300.0, rest_length=0.5, damping=0.4, name="line"),
    "smooth": um.Line("hook", "eye", stiffness=300.0, rest_length=1.6, damping=0.4, smoothing=0.3, name="smooth"),
    "bushing": um.Bushing(
        "hook", "eye", stiffness=K6, damping=D6, name="bushing",
        rest=um.Pose(xyz=(0.3, -0.2, 0.5), rpy=(0.3, 0.2, -0.4)),
    ),
}  # fmt: skip


@cache
def two_bodies() -> um.System:
    """Two free bodies, each with an arm of one joint; frames off the origins with turned axes."""
    b = um.SystemBuilder("two")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=4.0, size=(0.4, 0.3, 0.2)))
    arm = b.link(
        "arm", parent=bus, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.2, 0, 0.1)),
        inertia=um.Inertia(mass=1.0, com=(0.1, 0, 0), tensor=np.diag([0.02, 0.03, 0.025])),
    )  # fmt: skip
    load = b.vehicle("load", um.Free(), inertia=um.Inertia.box(mass=2.0, size=(0.2, 0.3, 0.4)))
    b.frame("hook", parent=arm, at=um.Pose(xyz=(0.3, 0.02, 0.0), rpy=(0.4, -0.2, 0.9)))
    b.frame("eye", parent=load, at=um.Pose(xyz=(0.0, 0.1, 0.2), rpy=(-0.5, 0.3, 0.2)))
    b.frame("post", parent="world", at=um.Pose(xyz=(1.0, 0.0, 2.0), rpy=(0.1, 0.2, 0.3)))
    return b.build()


@cache
def plant_of(name: str) -> um.Plant:
    return um.Plant(two_bodies(), elements=[ELEMENTS[name]])


def state(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng, system = np.random.default_rng(seed), two_bodies()
    q = system.retract(system.neutral(), rng.normal(size=system.nv) * 0.5)
    return q, rng.normal(size=system.nv)


@pytest.mark.parametrize("name", ELEMENTS)
def test_forces_are_the_gradient_of_the_energy_less_damping(name: str) -> None:
    """restoring_forces = ∂U by differences, and M a + C v + D v + n = inverse dynamics."""
    plant, system = plant_of(name), two_bodies()
    q, v = state()
    ε, n = 1e-5, plant.restoring_forces(0.0, q)
    for k in range(system.nv):
        δ = np.eye(system.nv)[k] * ε
        U = [plant.energy(0.0, system.retract(q, s * δ), 0.0 * v).potential for s in (1, -1)]
        assert abs((U[0] - U[1]) / (2 * ε) - n[k]) < 2e-7 * max(1.0, np.abs(n).max())
    a = RNG.normal(size=system.nv)
    D = plant.damping_matrix(0.0, q, v)
    total = plant.mass_matrix(q) @ a + plant.coriolis_matrix(q, v) @ v + D @ v + n
    assert np.abs(total - plant.inverse_dynamics(0.0, q, v, a)).max() < 1e-11 * np.abs(total).max()
    assert np.abs(D - D.T).max() < 1e-12
    assert np.linalg.eigvalsh(D)[0] > -1e-11
    assert abs(plant.power(0.0, q, v).elements + v @ D @ v) < 1e-11 * (1 + abs(v @ D @ v))


@pytest.mark.parametrize("name", ELEMENTS)
def test_action_and_reaction(name: str) -> None:
    """An element between two bodies changes neither linear nor angular momentum: dμ/dt = 0 along the motion."""
    plant, system = plant_of(name), two_bodies()
    q, v = state(1)
    a, ε = plant.forward_dynamics(0.0, q, v), 1e-6
    μ = [plant.momentum(0.0, system.retract(q, s * ε * v), v + s * ε * a) for s in (1, -1)]
    assert np.abs(μ[0] - μ[1]).max() / (2 * ε) < 1e-7
    dry = um.Plant(system)
    assert np.abs(a - dry.forward_dynamics(0.0, q, v)).max() > 0.5  # it does something


def test_relative_motion_is_that_of_the_world() -> None:
    """g_ab, V_ab and J over the joints between two frames against world poses and body Jacobians."""
    system = two_bodies()
    tree, (q, v) = system.tree, state(2)
    from unmoored.dynamics.joint_crossing import crossings
    from unmoored.dynamics.tree_scans import split_configuration, split_velocity

    for a, b in (("hook", "eye"), ("bus", "hook"), ("hook", "bus"), ("world", "eye"), ("post", "hook")):
        walked = walk(way_of(tree, um.SpringDamper(a, b)), crossings(tree, q))
        g = walked.pose
        wanted = np.linalg.inv(system.pose(q, a)) @ system.pose(q, b)
        assert np.abs(g - wanted).max() < 1e-14
        J = system.jacobian(q, b) - se3.Ad(se3.inverse(wanted)) @ system.jacobian(q, a)
        assert np.abs(jacobian_between(tree, walked) - J).max() < 1e-14
        assert np.abs(twist_between(walked, split_velocity(tree, v)) - J @ v).max() < 1e-14
        rate = RNG.normal(size=system.nv)
        parts = split_configuration(tree, q), split_velocity(tree, v), split_velocity(tree, rate)
        ε, V = 1e-5, []
        for s in (1, -1):
            moved, speed = system.retract(q, s * ε * v + 0.5 * ε**2 * rate), v + s * ε * rate
            at = walk(way_of(tree, um.SpringDamper(a, b)), crossings(tree, moved))
            V.append(twist_between(at, split_velocity(tree, speed)))
        along = acceleration_between(tree, walked, *parts)
        assert np.abs(along - (V[0] - V[1]) / (2 * ε)).max() < 1e-8
        xs, γ = crossings(tree, q), np.array([0.3, -0.4, -9.81])
        moving = motions(tree, xs, q, v)
        ends = [motion.twist for motion in moving], accelerations(tree, xs, moving, rate, γ)
        assert np.abs(acceleration_by_ends(walked, *ends, start_acceleration(γ)) - along).max() < 1e-13


def hanging(element: um.Element, **options) -> um.Plant:
    b = um.SystemBuilder("hanging")
    b.vehicle("ball", um.Prismatic((0, 0, 1)), inertia=um.Inertia.sphere(mass=2.0, radius=0.1))
    return um.Plant(b.build(), um.Earth(), elements=[element], **options)


def test_damped_oscillation_in_closed_form() -> None:
    """A mass on a spring and damper from the world: z(t) of the linear oscillator, and the balance of energy."""
    k, c, m, L = 80.0, 3.0, 2.0, 1.0
    b = um.SystemBuilder("hanging")
    b.vehicle("ball", um.Prismatic((0, 0, 1)), inertia=um.Inertia.sphere(mass=m, radius=0.1))
    b.frame("top", parent="world", at=um.Pose(xyz=(0, 0, 3.0)))
    spring = um.SpringDamper("top", "ball", stiffness=k, damping=c, rest_length=L, name="spring")
    plant = um.Plant(b.build(), um.Earth(), elements=[spring])
    run = um.simulate(plant, [2.2], [0.0], duration=2.0, step=2e-3)
    rest = 3.0 - L - m * 9.81 / k
    δ, ω = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    x0 = 2.2 - rest
    z = rest + np.exp(-δ * run.t) * x0 * (np.cos(ω * run.t) + δ / ω * np.sin(ω * run.t))
    assert np.abs(run.q[:, 0] - z).max() < 1e-9
    assert run.invariants()["energy_balance"] < 1e-8
    tension = k * (3.0 - run.q[:, 0] - L) - c * run.v[:, 0]
    assert np.abs(run.element_loads["spring"][:, 2] - tension).max() < 1e-12
    assert np.abs(run.element_loads["spring"][:, [0, 1, 3, 4, 5]]).max() == 0.0


def test_a_line_is_slack_until_it_is_taut() -> None:
    """Free fall to the length of the line, then √-formula of the largest stretch; never a push."""
    line = um.Line("world", "ball", stiffness=400.0, rest_length=1.0, name="line")
    run = um.simulate(hanging(line), [-0.2], [0.0], duration=0.75, step=5e-4)
    k, m, g = 400.0, 2.0, 9.81
    slack = run.q[:, 0] > -1.0
    free = slack & (run.t < 0.41)
    fallen = -0.2 - 0.5 * g * run.t**2
    assert np.abs(run.q[free, 0] - fallen[free]).max() < 1e-12
    deepest = m * g / k + np.sqrt((m * g / k) ** 2 + 2 * m * g * 0.8 / k)
    assert abs(-1.0 - run.q[:, 0].min() - deepest) < 1e-5
    T = run.element_loads["line"][:, 2]
    assert T.min() == 0.0
    assert np.all(T[slack] == 0.0)
    assert abs(T.max() - k * deepest) < 1e-2
    assert run.invariants()["energy_balance"] < 1e-5  # rows across the kink


def test_against_the_tendons_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    xml = """
    <mujoco><option gravity="0 0 -9.81"/><worldbody>
      <body name="a" pos="0.1 0 1"><joint name="j1" type="hinge" axis="0 1 0"/>
        <inertial pos="0.2 0 0" mass="1.5" diaginertia="0.02 0.03 0.04"/>
        <site name="tip" pos="0.4 0.05 0"/></body>
      <body name="b" pos="1.2 0.1 1.3"><joint name="j2" type="hinge" axis="1 0 1"/>
        <inertial pos="0 0.2 0.1" mass="0.8" diaginertia="0.01 0.02 0.02"/>
        <site name="end" pos="0 0.3 0.2"/></body>
    </worldbody><tendon><spatial name="t" stiffness="50" damping="3" springlength="0.6">
      <site site="tip"/><site site="end"/></spatial></tendon></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    b = um.SystemBuilder("two arms")
    one = b.link(
        "a", parent="world", joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.1, 0, 1)),
        inertia=um.Inertia(mass=1.5, com=(0.2, 0, 0), tensor=np.diag([0.02, 0.03, 0.04])),
    )  # fmt: skip
    two = b.link(
        "b", parent="world", joint=um.Revolute((1, 0, 1)), at=um.Pose(xyz=(1.2, 0.1, 1.3)),
        inertia=um.Inertia(mass=0.8, com=(0, 0.2, 0.1), tensor=np.diag([0.01, 0.02, 0.02])),
    )  # fmt: skip
    b.frame("tip", parent=one, at=um.Pose(xyz=(0.4, 0.05, 0)))
    b.frame("end", parent=two, at=um.Pose(xyz=(0, 0.3, 0.2)))
    spring = um.SpringDamper("tip", "end", stiffness=50.0, damping=3.0, rest_length=0.6)
    plant = um.Plant(b.build(), um.Earth(), elements=[spring])
    for _ in range(5):
        data.qpos[:], data.qvel[:] = RNG.normal(size=2), RNG.normal(size=2)
        mujoco.mj_forward(model, data)
        found = plant.forward_dynamics(0.0, data.qpos.copy(), data.qvel.copy())
        assert np.abs(found - data.qacc).max() < 1e-9 * max(1.0, np.abs(data.qacc).max())


def test_numbers_are_free_and_switch() -> None:
    """Values at run time give what building with them gives; each sample its own; off is as if it were not there."""
    q, v = state(3)
    names = ["spring.stiffness", "spring.rest_length", "spring.active"]
    plant = um.Plant(two_bodies(), elements=[ELEMENTS["spring"]], free=names)
    p = np.array([[120.0, 0.4, 1.0], [55.0, 0.1, 1.0], [120.0, 0.4, 0.0]])
    found = plant.forward_dynamics(0.0, q, v, p=p)
    built = um.SpringDamper("hook", "eye", stiffness=55.0, damping=7.0, rest_length=0.1)
    wanted = [
        plant_of("spring").forward_dynamics(0.0, q, v),
        um.Plant(two_bodies(), elements=[built]).forward_dynamics(0.0, q, v),
        um.Plant(two_bodies()).forward_dynamics(0.0, q, v),
    ]
    assert np.abs(found - wanted).max() < 1e-12
    energy = plant.energy(0.0, q, v, p=p).potential
    assert energy[2] == 0.0
    assert energy[0] > 0.0
    run = um.simulate(plant, q, v, duration=0.02, step=1e-3, parameters={"spring.active": [1.0, 0.0]})
    assert np.all(run.element_loads["spring"][1] == 0.0)
    assert np.all(run.element_loads["spring"][0, :, :3] != 0)
    bushing = um.Plant(two_bodies(), elements=[ELEMENTS["bushing"]], free=["bushing.stiffness"])
    same = bushing.forward_dynamics(0.0, q, v, p=K6.ravel())
    assert np.abs(same - plant_of("bushing").forward_dynamics(0.0, q, v)).max() < 1e-10
    with pytest.raises(um.ModelError, match="1 \\(on\\) or 0"):
        um.simulate(plant, q, v, duration=0.01, parameters={"spring.active": 0.5})


def test_kernels_numpy_steps_and_pickles_agree() -> None:
    q, v = state(4)
    plant = um.Plant(two_bodies(), elements=list(ELEMENTS.values()))
    rows = plant.element_loads(0.0, q, v)
    assert rows.shape == (4, 6)
    assert np.abs(rows - plant.element_loads(0.0, q, v, backend="numpy")).max() < 1e-11
    again = pickle.loads(pickle.dumps(plant))
    assert again == plant
    assert again.digest == plant.digest != plant_of("spring").digest
    step = plant.step(0.0, q, v, None, 1e-3)
    run = um.simulate(plant, q, v, duration=1e-3, step=1e-3)
    assert np.abs(step.v - run.v[-1]).max() < 1e-13
    A = plant.linearize(0.0, q, v, None).A
    ε = 1e-6
    moved = [plant.forward_dynamics(0.0, two_bodies().retract(q, s * ε * np.eye(13)[7]), v) for s in (1, -1)]
    assert np.abs(A[13:, 7] - (moved[0] - moved[1]) / (2 * ε)).max() < 1e-5


def test_what_is_wrong_is_told() -> None:
    system = two_bodies()
    wrong = [
        (lambda: um.SpringDamper("hook", "eye", stiffness=-1.0), "stiffness"),
        (lambda: um.Line("hook", "eye", stiffness=0.0, rest_length=1.0), "stiffness"),
        (lambda: um.Bushing("hook", "eye", stiffness=[1, 2, 3]), "stiffness"),
        (lambda: um.Bushing("hook", "eye", stiffness=-np.eye(6)), "semidefinite"),
        (lambda: um.SpringDamper("hook", "eye", active=0.5), "on"),
        (lambda: um.Plant(system, elements=[um.SpringDamper("hook", "arm")]), "different bodies"),
        (lambda: um.Plant(system, elements=[um.SpringDamper("hook", "nothing")]), "nothing"),
        (lambda: um.Plant(system, elements=[um.SpringDamper("hook", "eye", name="bus")]), "bus"),
        (lambda: um.Plant(system, elements=[ELEMENTS["spring"]] * 2), "twice"),
        (lambda: um.Plant(system, elements=["spring"]), "Element"),
    ]
    for make, word in wrong:
        with pytest.raises(um.ModelError, match=word):
            make()


def test_in_a_file(tmp_path) -> None:
    """A scenario with an element runs as the same plant does; mistakes are told with their place."""
    text = """
unmoored_scenario: 1
name: hanging
system: planar_free_flyer
duration: 0.02
integrator: {step: 0.001}
elements:
  - {type: SpringDamper, frame_a: world, frame_b: tool, stiffness: 20, damping: 1, name: spring}
  - {type: Bushing, frame_a: world, frame_b: base, stiffness: [1, 1, 1, 2, 2, 2], rest: {xyz: [0, 0, 0.1]}}
parameters: {spring.stiffness: 30}
"""
    system = um.load("papadopoulos_dubowsky")
    frame, body = system.names[-1], system.names[0]
    text = text.replace("planar_free_flyer", "papadopoulos_dubowsky")
    text = text.replace("frame_b: tool", f"frame_b: {frame}").replace("frame_b: base", f"frame_b: {body}")
    path = tmp_path / "hanging.yaml"
    path.write_text(text)
    run = um.load_scenario(path).run()
    elements = [
        um.SpringDamper("world", frame, stiffness=30.0, damping=1.0),
        um.Bushing("world", body, stiffness=[1, 1, 1, 2, 2, 2], rest=um.Pose(xyz=(0, 0, 0.1))),
    ]
    again = um.simulate(um.Plant(system, elements=elements), system.neutral(), duration=0.02, step=1e-3)
    assert np.abs(run.q - again.q).max() < 1e-14
    assert "spring" in run.element_loads
    path.write_text(text.replace(f"frame_b: {frame}", "frame_b: nowhere"))
    with pytest.raises(um.ModelError, match="elements"):
        um.load_scenario(path)
