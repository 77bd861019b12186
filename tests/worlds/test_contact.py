"""Distances between shapes, and contact: gradients, restitution, sliding, creep, energy, steps that are too long."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored import kernels
from unmoored.trace import jacobian
from unmoored.worlds.distances.along_segment import nearest_on_segment
from unmoored.worlds.distances.signed_distance import signed_distance

RNG = np.random.default_rng(4)
SHAPES = {
    "half-space": um.HalfSpace(),
    "sphere": um.Sphere(0.4),
    "capsule": um.Capsule(0.2, 0.7),
    "box": um.Box((0.5, 0.8, 0.6)),
    "cylinder": um.Cylinder(0.3, 0.9),
}


def surface(name: str, n: int = 60_000) -> np.ndarray:
    """Points (n, 3) on a shape, by itself: directions on round parts, faces on flat ones."""
    rng, x = np.random.default_rng(1), None
    unit = rng.normal(size=(n, 3))
    unit /= np.linalg.norm(unit, axis=1)[:, None]
    if name == "sphere":
        return 0.4 * unit
    if name == "capsule":
        x = 0.2 * unit
        z = rng.uniform(-0.35, 0.35, n)
        round_ = np.stack([0.2 * unit[:, 0], 0.2 * unit[:, 1], z], axis=-1)
        size = np.linalg.norm(unit[:, :2], axis=1)[:, None]
        round_[:, :2] /= size
        return np.concatenate([x + np.sign(x[:, 2:]) * [0, 0, 0.35], round_])
    if name == "box":
        x = rng.uniform(-1, 1, (n, 3))
        x[np.arange(n), rng.integers(3, size=n)] = rng.choice([-1.0, 1.0], n)
        return 0.5 * x * np.array([0.5, 0.8, 0.6])
    φ, z = rng.uniform(0, 2 * np.pi, n), rng.uniform(-0.45, 0.45, n)
    side = np.stack([0.3 * np.cos(φ), 0.3 * np.sin(φ), z], axis=-1)
    r = 0.3 * np.sqrt(rng.uniform(0, 1, n))
    return np.concatenate([side, np.stack([r * np.cos(φ), r * np.sin(φ), np.sign(z) * 0.45], axis=-1)])


@pytest.mark.parametrize("name", SHAPES)
def test_signed_distances(name: str) -> None:
    """Against the nearest of many points of the surface; the gradient is that of differences, and of length one."""
    shape, x = SHAPES[name], RNG.uniform(-1.0, 1.0, (60, 3))
    found = signed_distance(shape, x)
    if name != "half-space":
        far = np.linalg.norm(x[:, None] - surface(name)[None, ::4], axis=-1).min(axis=1)
        assert np.abs(np.abs(found.distance) - far).max() < 0.02
    assert np.abs(np.linalg.norm(found.gradient, axis=-1) - 1).max() < 1e-12
    ε = 1e-6
    for k in range(3):
        δ = np.eye(3)[k] * ε
        slope = (signed_distance(shape, x + δ).distance - signed_distance(shape, x - δ).distance) / (2 * ε)
        assert np.abs(slope - found.gradient[:, k]).max() < 1e-8
    compiled = kernels.compile(lambda x: signed_distance(shape, x).distance, [(3,)], name="distance")
    assert np.abs(compiled(x) - found.distance).max() < 1e-15
    inside = signed_distance(shape, np.array([[0.01, 0.02, -0.03]])).distance
    assert inside < 0


@cache
def two() -> um.System:
    b = um.SystemBuilder("two")
    arm = b.link(
        "arm", parent="world", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.sphere(mass=1.0, radius=0.1)
    )
    b.vehicle("body", um.Free(), inertia=um.Inertia.sphere(mass=2.0, radius=0.1))
    b.frame("tip", parent=arm, at=um.Pose(xyz=(0.5, 0, 0.1), rpy=(0.3, 0.1, 0)))
    return b.build()


PAIRS = [
    (
        um.HalfSpace(at=um.Pose(xyz=(0, 0, -0.3), rpy=(0.2, 0.1, 0))),
        um.Sphere(0.1, at=um.Pose(xyz=(0.1, 0, 0))),
    ),
    (um.HalfSpace(), um.Box((0.2, 0.3, 0.4))),
    (um.HalfSpace(), um.Capsule(0.1, 0.4, at=um.Pose(rpy=(0.5, 0, 0)))),
    (um.Sphere(0.2), um.Capsule(0.1, 0.5)),
    (um.Capsule(0.15, 0.6), um.Capsule(0.1, 0.5, at=um.Pose(rpy=(0.4, 0.2, 0)))),
    (um.Box((0.3, 0.4, 0.5)), um.Points([[0.1, 0, 0], [0, 0.2, 0]], 0.05)),
    (um.Cylinder(0.2, 0.5), um.Sphere(0.1)),
    (um.Box((0.3, 0.4, 0.5)), um.Capsule(0.1, 0.5, at=um.Pose(rpy=(0.4, 0.2, 0)))),
    (um.Cylinder(0.2, 0.5), um.Capsule(0.1, 0.5)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"{type(p[0]).__name__}-{type(p[1]).__name__}")
def test_distances_of_a_system_and_their_rates(pair) -> None:
    """The Jacobian is that of differences along retract; capsules against a search over both axes."""
    system, distance = two(), um.Distance("tip", "body", *pair)
    q = system.retract(system.neutral(), RNG.normal(size=7) * 0.4)
    J, ε = distance.jacobian(system, q), 1e-6
    for k in range(7):
        δ = np.eye(7)[k] * ε
        sides = [distance.each(system, system.retract(q, s * δ)) for s in (1, -1)]
        assert np.abs((sides[0] - sides[1]) / (2 * ε) - J[:, k]).max() < 1e-8
    assert distance(system, q) == distance.each(system, q).min()
    if isinstance(pair[0], um.Capsule) and isinstance(pair[1], um.Capsule):
        for seed in range(20):
            q = system.retract(system.neutral(), np.random.default_rng(seed).normal(size=7))
            g = [
                system.pose(q, name) @ shape.at.matrix
                for name, shape in zip(("tip", "body"), pair, strict=True)
            ]
            s, t = np.meshgrid(np.linspace(-0.3, 0.3, 601), np.linspace(-0.25, 0.25, 501), indexing="ij")
            a = g[0][:3, 3] + s[..., None] * g[0][:3, 2]
            b = g[1][:3, 3] + t[..., None] * g[1][:3, 2]
            assert abs(np.linalg.norm(a - b, axis=-1).min() - 0.25 - distance(system, q)) < 2e-3


@pytest.mark.parametrize("name", ["box", "cylinder"])
def test_segments_against_edges(name: str) -> None:
    """The least signed distance of many points of each segment, outside and deep inside; where it is and the gradient
    against differences."""
    shape, half, rng = SHAPES[name], 0.3, np.random.default_rng(7)
    p, u = rng.uniform(-0.8, 0.8, (300, 3)), rng.normal(size=(300, 3))
    p[200:] *= 0.3
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    t, signed = nearest_on_segment(shape, p, u, half)
    many = np.linspace(-half, half, 4001)[:, None, None]
    least = signed_distance(shape, p + many * u).distance.min(axis=0)
    assert np.all(signed.distance < least + 1e-12)
    assert np.abs(signed.distance - least).max() < 1.6e-4
    assert np.abs(signed.distance - signed_distance(shape, p + t[:, None] * u).distance).max() < 1e-12
    assert (signed.distance < -0.01).sum() > 60
    assert ((np.abs(t) < half) & (signed.distance > 0.01)).sum() > 60
    ε = 1e-6
    for k in range(3):
        δ = np.eye(3)[k] * ε
        sides = [nearest_on_segment(shape, p + s * δ, u, half).signed.distance for s in (1, -1)]
        assert np.median(np.abs((sides[0] - sides[1]) / (2 * ε) - signed.gradient[:, k])) < 1e-9
        assert np.abs((sides[0] - sides[1]) / (2 * ε) - signed.gradient[:, k]).max() < 1e-6
    slope = jacobian(lambda p, u: np.atleast_1d(nearest_on_segment(shape, p, u, half).t), wrt=0)
    slopes = kernels.compile(slope, [(3,), (3,)], name="slopes")(p, u)[:, 0]
    for k in range(3):
        δ = np.eye(3)[k] * ε
        sides = [nearest_on_segment(shape, p + s * δ, u, half).t for s in (1, -1)]
        off = np.abs((sides[0] - sides[1]) / (2 * ε) - slopes[..., k])
        assert np.quantile(off, 0.98) < 1e-6  # but where a difference goes across an edge


def ball(contact: um.Contact, world=None, **options) -> um.Plant:
    b = um.SystemBuilder("ball")
    b.vehicle("ball", um.Free(), inertia=um.Inertia.sphere(mass=2.0, radius=0.1))
    return um.Plant(b.build(), world or um.Space(), elements=[contact], **options)


def restitution(x: float) -> float:
    """e of μv (1 + e) = ln((1 + μv)/(1 − μv e))."""
    low, high = 0.0, 1.0
    for _ in range(200):
        e = 0.5 * (low + high)
        low, high = (e, high) if x * (1 + e) > np.log((1 + x) / (1 - x * e)) else (low, e)
    return e


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
def test_restitution_as_its_formula(exponent: float) -> None:
    """A sphere thrown at a plane in free fall: e v after it, for three speeds in one batch; energy never rises."""
    floor = um.Contact(
        "world",
        "ball",
        um.HalfSpace(),
        um.Sphere(0.1),
        stiffness=2e5,
        exponent=exponent,
        damping=0.5,
        name="floor",
    )
    plant = ball(floor)
    speeds = np.array([0.2, 0.6, 1.2])
    q = plant.system.pack({"ball": um.Pose(xyz=(0, 0, 0.1)).matrix})
    v = np.zeros((3, 6))
    v[:, 2] = -speeds
    lasts = max(floor.duration(2.0, s) for s in speeds)
    steps = 400
    run = um.simulate(plant, np.tile(q, (3, 1)), v, duration=2 * lasts, step=2 * lasts / steps)
    wanted = [restitution(0.5 * s) for s in speeds]
    assert np.abs(run.v[:, -1, 2] / speeds - wanted).max() < 1e-4
    E = run.energy().total
    assert np.all(np.diff(E, axis=-1) < 1e-4 * E[:, :1])  # the step over the kink at the end
    assert plant.power(0.0, run.q, run.v).elements.max() <= 0.0
    assert np.all(run.invariants()["energy_balance"] < 1e-4)
    depth = ((exponent + 1) * 2.0 * speeds**2 / (2 * 2e5)) ** (1 / (exponent + 1))
    assert np.all(-(run.q[..., 11] - 0.1).min(axis=-1) < depth)  # damping takes some of it


def test_a_block_slides_and_comes_to_rest() -> None:
    """u² = u₀² − 2 μ_f g x on a floor while it slides; on a slope below the friction angle it creeps as stated."""
    μ, g, u0 = 0.3, 9.81, 1.5
    corners = um.Box((0.2, 0.2, 0.1))
    floor = um.Contact(
        "world", "block", um.HalfSpace(), corners, stiffness=5e4, exponent=1.0, damping=2.0, friction=μ,
        slip_speed=1e-3, name="floor",
    )  # fmt: skip
    b = um.SystemBuilder("block")
    b.vehicle("block", um.Free(), inertia=um.Inertia.box(mass=4.0, size=(0.2, 0.2, 0.1)))
    system = b.build()
    plant = um.Plant(system, um.Earth(), elements=[floor])
    sunk = 4.0 * g / (4 * 5e4)
    q = system.pack({"block": um.Pose(xyz=(0, 0, 0.05 - sunk)).matrix})
    run = um.simulate(plant, q, [u0, 0, 0, 0, 0, 0], duration=0.8, step=2e-4, record_every=20)
    x = run.q[:, 9]
    sliding = run.t < 0.45
    wanted = u0 * run.t - 0.5 * μ * g * run.t**2
    assert np.abs(x - wanted)[sliding].max() < 2e-3
    assert abs(x[-1] - u0**2 / (2 * μ * g)) < 4e-3
    assert np.abs(run.v[-1, :3]).max() < 1e-4
    assert np.all(np.diff(run.energy().total) < 1e-6)
    slope = 0.2  # rad: tan 0.2 / 0.3 of what friction holds
    t = np.tan(slope) / μ
    tilted = um.Plant(system, um.Earth(gravity=(g * np.sin(slope), 0, -g * np.cos(slope))), elements=[floor])
    run = um.simulate(tilted, q, duration=1.0, step=2e-4, record_every=500)
    creep = 1e-3 * t / np.sqrt(1 - t * t)
    assert abs(run.v[-1, 0] - creep) < 0.02 * creep


def test_contacts_are_elements() -> None:
    """Loads, free numbers, the mask, matrices and NumPy: as every element; a step too long is named."""
    floor = um.Contact(
        "world",
        "ball",
        um.HalfSpace(),
        um.Sphere(0.1),
        stiffness=1e6,
        damping=0.2,
        friction=0.4,
        name="floor",
    )
    plant = ball(floor, um.Earth(), free=["floor.stiffness", "floor.friction", "floor.active"])
    system = plant.system
    q = system.pack({"ball": um.Pose(xyz=(0, 0, 0.0995), rpy=(0.2, 0.3, 0)).matrix})
    v = np.array([0.3, -0.2, 0.1, 1.0, -2.0, 0.5])
    F = plant.element_loads(0.0, q, v)
    n, D = plant.restoring_forces(0.0, q), plant.damping_matrix(0.0, q, v)
    a = RNG.normal(size=6)
    total = plant.mass_matrix(q) @ a + plant.coriolis_matrix(q, v) @ v + D @ v + n
    assert np.abs(total - plant.inverse_dynamics(0.0, q, v, a)).max() < 1e-11 * np.abs(total).max()
    assert np.abs(D - D.T).max() < 1e-10
    assert np.linalg.eigvalsh(D)[0] > -1e-9
    assert np.abs(F - plant.element_loads(0.0, q, v, backend="numpy")).max() < 1e-10 * np.abs(F).max()
    p = np.array([[1e6, 0.4, 1.0], [2e6, 0.0, 1.0], [1e6, 0.4, 0.0]])
    loads = plant.element_loads(0.0, q, v, p=p)
    assert np.all(loads[2] == 0)
    assert np.abs(loads[0] - F).max() == 0
    R = system.pose(q, "ball")[:3, :3]
    frictionless = R @ loads[1, 0, :3]
    assert np.abs(frictionless[:2]).max() < 1e-12 * frictionless[2]
    with pytest.warns(um.ModelWarning, match="contact floor.*step of at most"):
        um.simulate(plant, q, v, duration=0.02, step=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        um.simulate(plant, q, duration=0.01, step=1e-4)
    for a_, b_ in ((um.Box((1, 1, 1)), um.Box((1, 1, 1))), (um.Points([[0, 0, 0]]), um.Sphere(0.1))):
        with pytest.raises(um.ModelError, match="shapes"):
            um.Contact("world", "ball", a_, b_, stiffness=1.0)
    with pytest.raises(um.ModelError, match="stiffness"):
        um.Contact("world", "ball", um.HalfSpace(), um.Sphere(0.1), stiffness=0.0)


def test_in_a_file_and_in_a_law(tmp_path) -> None:
    text = """
unmoored_scenario: 1
name: drop
system: tumbling_brick
world: {type: Earth}
duration: 0.2
integrator: {step: 0.001}
initial: {joints: {BODY: {xyz: [0, 0, 2]}}}
elements:
  - {type: Contact, frame_a: world, frame_b: BODY, name: floor, stiffness: 10000, damping: 0.2, friction: 0.3,
     shape_a: {type: HalfSpace, at: {xyz: [0, 0, 1.9]}}, shape_b: {type: Box, size: [0.1, 0.1, 0.1]}}
"""
    system = um.load("tumbling_brick")
    path = tmp_path / "drop.yaml"
    path.write_text(text.replace("BODY", system.names[0]))
    run = um.load_scenario(path).run()
    assert run.completed
    assert run.element_loads["floor"][:, 2].max() > 0
    distance = um.Distance("world", system.names[0], um.HalfSpace(), um.Sphere(0.3))
    event = um.Event(lambda t, q, v: distance(system, q), "near", "falling")
    stopped = um.simulate(
        um.Plant(system, um.Earth()), system.pack({system.names[0]: um.Pose(xyz=(0, 0, 1)).matrix}), duration=1.0,
        step=0.01, events=[event],
    )  # fmt: skip
    assert abs(stopped.status[0].time - np.sqrt(2 * 0.7 / 9.81)) < 1e-12
