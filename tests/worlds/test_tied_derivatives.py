"""Derivatives of steps and linearisations of plants with wheels, brakes, play, springs, beams and slosh, against
differences of steps; and what is refused where velocities are tied (docs/worlds.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import unmoored as um

Y, Z = (0, 1, 0), (0, 0, 1)


@dataclass(frozen=True, eq=False)
class Skate(um.VelocityConstraint):
    """Glides along a direction that is turned by the arm's angle: a constraint whose E depends on q."""

    @property
    def speeds(self):
        return ("along", "turn")

    def dofs(self, tree):
        return tree.dofs(self.vehicle)

    def _direction(self, tree, q):
        angle = 0.3 + 0.5 * q[..., tree.link("arm").q.start]
        return angle, np.cos(angle), np.sin(angle)

    def embedding(self, tree, q):
        _, c, s = self._direction(tree, q)
        zero = 0.0 * c
        rows = [[c, zero], [s, zero], [zero, zero + 1.0]]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def embedding_rate(self, tree, q, v):
        _, c, s = self._direction(tree, q)
        rate = 0.5 * v[..., tree.link("arm").v.start]
        zero = 0.0 * c
        rows = [[-s * rate, zero], [c * rate, zero], [zero, zero]]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def coordinates(self, tree, q):
        _, c, s = self._direction(tree, q)
        zero = 0.0 * c
        rows = [[c, s, zero], [zero, zero, zero + 1.0]]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def sled():
    b = um.SystemBuilder("sled")
    b.vehicle("sled", um.Planar(), inertia=um.Inertia.box(5.0, (1, 0.5, 0.2), com=(0.1, 0.05, 0)))
    arm = um.Inertia(1.0, (0.3, 0, 0), np.diag([0.01, 0.02, 0.03]))
    b.link("arm", parent="sled", joint=um.Revolute(Z, damping=0.1), inertia=arm)
    return started(um.Plant(b.build(), constraints=[Skate("sled")]))


def wheeled(kind: str):
    """Two wheels and a castor, three omni wheels, or four mecanum wheels."""
    b = um.SystemBuilder(kind)
    b.vehicle("base", um.Planar(), inertia=um.Inertia.box(10.0, (0.6, 0.4, 0.2), com=(0.05, 0.02, 0)))
    places = {
        "castor": [(0, 0.2, 0.0), (0, -0.2, 0.0)],
        "omni": [(0.25 * np.cos(a), 0.25 * np.sin(a), a - np.pi / 2) for a in 2 * np.pi * np.arange(3) / 3],
        "mecanum": [(x, y, 0.0) for x in (0.2, -0.2) for y in (0.2, -0.2)],
    }[kind]
    for k, (x, y, turn) in enumerate(places):
        wheel = um.Inertia.cylinder(0.5, 0.1, 0.03, axis=Y)
        at = um.Pose(xyz=(x, y, 0), rpy=(0, 0, turn))
        b.link(f"wheel{k}", parent="base", joint=um.Revolute(Y, damping=0.02), at=at, inertia=wheel)
    wheels = tuple(f"wheel{k}" for k in range(len(places)))
    if kind == "castor":
        b.link(
            "fork",
            parent="base",
            joint=um.Revolute(Z),
            at=um.Pose(xyz=(0.25, 0, 0)),
            inertia=um.Inertia.sphere(0.2, 0.03),
        )
        castor = um.Inertia.cylinder(0.2, 0.05, 0.02, axis=Y)
        b.link(
            "castor", parent="fork", joint=um.Revolute(Y), at=um.Pose(xyz=(-0.05, 0, -0.05)), inertia=castor
        )
        tie = um.DifferentialDrive("base", wheels=wheels, radius=0.1, castors=("castor",), castor_radius=0.05)
    else:
        rollers = 0.0 if kind == "omni" else np.pi / 4 * np.array([1, -1, -1, 1])
        tie = um.OmniDrive("base", wheels=wheels, radius=0.1, rollers=rollers)
    return started(um.Plant(b.build(), constraints=[tie]))


def arm(*actuators):
    b = um.SystemBuilder("arm")
    link = um.Inertia(1.0, (0.2, 0, 0), np.diag([0.01, 0.02, 0.03]))
    b.vehicle("one", um.Revolute(Y, damping=0.05), inertia=link)
    b.link("two", parent="one", joint=um.Revolute(Y, damping=0.05), at=um.Pose(xyz=(0.4, 0, 0)), inertia=link)
    return started(um.Plant(b.build(), um.Earth(), actuators=[um.JointMotor("one"), *actuators]))


def four_bar_with_a_brake():
    rod, hinge = um.Inertia(1.0, (0.25, 0, 0), np.diag([1e-4, 0.02, 0.02])), um.Revolute(Z)
    b = um.SystemBuilder("four-bar")
    b.link("crank", parent="world", joint=hinge, inertia=rod)
    b.link("coupler", parent="crank", joint=hinge, at=um.Pose(xyz=(0.4, 0, 0)), inertia=rod)
    b.link("rocker", parent="world", joint=hinge, at=um.Pose(xyz=(1.0, 0, 0)), inertia=rod)
    b.frame("tip", parent="coupler", at=um.Pose(xyz=(1.1, 0, 0)))
    b.frame("end", parent="rocker", at=um.Pose(xyz=(0.9, 0, 0)))
    brake = um.Brake("rocker", torque=0.5, presliding=1e-2, settling=0.1)
    pin = um.Closure("tip", "end", joint=hinge, name="pin")
    plant = um.Plant(b.build(), closures=[pin], actuators=[um.JointMotor("crank"), brake])
    return plant, *plant.assemble([0.7, 0.3, 1.5], [1.0, 0, 0])


def rolling_disc():
    b = um.SystemBuilder("disc")
    b.vehicle("wheel", um.Free(), inertia=um.Inertia.cylinder(2.0, 0.3, 0.02, axis=Y))
    plant = um.Plant(b.build(), um.Earth(), constraints=[um.RollingDisc("world", "wheel", 0.3)])
    q = plant.system.pack({"wheel": um.Pose(xyz=(0, 0, 0.3), rpy=(0.1, 0.2, 0.3)).matrix})
    return plant, *plant.assemble(q, [1.0, 0.1, 0, 0.2, 3.3, 0.3])


def mounted(*guests):
    b = um.SystemBuilder("bus")
    b.vehicle("bus", um.Translation(), inertia=um.Inertia.box(20.0, (1, 1, 1)))
    for k, guest in enumerate(guests):
        b.mount(guest, "bus", at=um.Pose(xyz=(0, 0, 0.5 - k)), prefix=f"part{k}/")
    return started(um.Plant(b.build(), um.Earth()))


def started(plant):
    rng = np.random.default_rng(1)
    q = plant.system.retract(plant.system.neutral(), 0.2 * rng.normal(size=plant.nv))
    return plant, q, plant.full_velocity(0.0, q, 0.5 * rng.normal(size=plant.nw))


HOLD = {"presliding": 1e-2, "settling": 0.1}
MOTOR = {"inertia": 0.05, "stiffness": 20.0, "damping": 0.1}
PLANTS = {
    "a constraint of one's own": sled,
    "a brake on a loop": four_bar_with_a_brake,
    "backlash": lambda: arm(um.ElasticMotor("two", **MOTOR, backlash=0.02)),
    "castor": lambda: wheeled("castor"),
    "omni": lambda: wheeled("omni"),
    "mecanum": lambda: wheeled("mecanum"),
    "rolling disc": rolling_disc,
    "stiction": lambda: arm(um.Stiction("two", friction=0.3, static=0.5, **HOLD)),
    "clutch": lambda: arm(um.Clutch("two", torque=0.6, onto="one", **HOLD)),
    "flexible joint": lambda: arm(um.ElasticMotor("two", **MOTOR)),
    "beam": lambda: mounted(um.flexible_beam(2.0, 1.0, 20.0, elements=2, damping=1e-2)),
    "slosh": lambda: mounted(um.slosh(um.CylinderTank(0.3), 0.5, 1010.0)),
}
ORDINARY = ("a constraint of one's own", "a brake on a loop")


@pytest.mark.parametrize(
    "name", [n if n in ORDINARY else pytest.param(n, marks=pytest.mark.long) for n in PLANTS]
)
def test_steps_and_linearisations_against_differences(name):
    """A step's derivatives by central differences; the linearisation is what they become as the step goes to zero."""
    plant, q, v = PLANTS[name]()
    u, x, h = 0.1 * np.arange(1, plant.nu + 1), np.full(plant.nx, 1e-3), 5e-3
    w, (nv, nw, n) = plant.independent_velocity(q, v), (plant.nv, plant.nw, len(plant.tangent_names))

    def after(z):
        moved = plant.system.retract(q, z[:, :nv])
        y = plant.step(
            0.0, moved, plant.full_velocity(0.0, moved, w + z[:, nv : nv + nw]), u, h, x=x + z[:, nv + nw :]
        )
        return plant.system.local(base.q, y.q), plant.independent_velocity(y.q, y.v), y.x

    base, ε = plant.step(0.0, q, v, u, h, x=x), 1e-6
    ahead, behind = after(ε * np.eye(n)), after(-ε * np.eye(n))
    slopes = np.concatenate([a - b for a, b in zip(ahead, behind, strict=True)], axis=-1).T / (2 * ε)
    given = plant.step_derivatives(0.0, q, v, u, h, x=x).state
    assert np.abs(given - slopes).max() < 2e-7 * np.abs(slopes).max()

    line = plant.linearize(0.0, q, v, u, x=x)
    T = line.tangents if plant.closures else np.eye(n)

    def rate(h):
        return (plant.step_derivatives(0.0, q, v, u, h, x=x).state @ T - T) / h

    found = 2.0 * rate(5e-5) - rate(1e-4)  # what is of first order in h drops out
    chosen = [plant.tangent_names.index(name) for name in line.names]
    assert np.abs(line.A - found[chosen]).max() < 3e-5 * np.abs(found).max()


def test_what_is_refused_where_velocities_are_tied():
    plant, q, v = sled()
    b = um.SystemBuilder("craft")
    b.vehicle("bus", um.Free(), inertia=um.Inertia.sphere(10.0, 0.5))
    for name in ("one", "two"):
        b.link(name, parent="bus", joint=um.Revolute(Z), inertia=um.Inertia.sphere(1.0, 0.1))
    b.mimic("two", "one", 2.0)
    pair, turns = um.Plant(b.build()), um.Encoder("turns", joints=("one",), noise=0.02)
    at = pair.system.neutral(), np.zeros(pair.nv)
    given = {"tau": np.zeros(plant.nv), "acceleration": np.zeros(plant.nv), "passive": ["arm"]}
    calls = [
        ("hybrid_dynamics: expected no constraints", lambda: plant.hybrid_dynamics(0.0, q, v, **given)),
        ("operational_space: expected no constraints", lambda: plant.operational_space(0.0, q, v, "arm")),
        ("operational_space: expected no", lambda: pair.operational_space(0.0, *at, "one")),
        ("tied by a constraint", lambda: plant.generalized_jacobian(q, "arm", passive=["sled"])),
        ("passive", lambda: pair.generalized_jacobian(at[0], "bus", passive=["one"])),
        ("without couplings and prescribed joints", lambda: um.PlantFilter(pair, (turns,))),
        ("lagrange_poincare: expected no", lambda: pair.lagrange_poincare(*at)),
        (
            "nothing that ties DoFs to each other",
            lambda: um.TaskPriority(plant, [um.PoseTask("arm", um.Pose())]),
        ),
        ("rolling constraints", lambda: um.FloatingTool(plant, "arm", um.Pose(), vehicle="sled")),
        (
            "joints that move on their own (1), given 2",
            lambda: um.FloatingTool(pair, "one", um.Pose(), vehicle="bus", at_rest=["bus.wx", "bus.wz"]),
        ),
        ("two follows one", lambda: um.ToolTracking(pair, "one", um.Pose(), passive=["bus"])),
        ("two follows one", lambda: um.Tracking(pair, {"bus": um.Pose(), "one": 0.0}, 1.0, 1.0)),
    ]
    for words, call in calls:
        with pytest.raises(um.ModelError) as refused:
            call()
        assert words in str(refused.value), str(refused.value)
    um.FloatingTool(
        pair, "one", um.Pose(), vehicle="bus", at_rest=["bus.wz"]
    )  # followers count with their leaders
    um.TaskPriority(pair, [um.PostureTask({"one": 0.3})])
