"""Runs made by a plain midpoint rule, so that views are tested without the simulator."""

import numpy as np

import unmoored as um
from unmoored.simulation import Run
from unmoored.simulation.run_goals import EstimateErrors
from unmoored.simulation.status import COMPLETED

#: what a filter of a vehicle tells errors of
_FILTERED = ("position.x", "position.y", "position.z", "attitude.x", "attitude.y", "attitude.z")


def record(system, q, v, *, duration, step=0.02, tau=None, world=None, scenario=None):
    """A run from q ([S,] nq), v ([S,] nv) under tau(t, q, v) ([S,] nv), none if not given, in free fall."""
    tau = tau or (lambda t, q, v: np.zeros_like(v))
    t = np.arange(round(duration / step) + 1) * step
    qs, vs, us = [q], [v], [tau(0.0, q, v)]

    def acceleration(t, q, v):
        return system.forward_dynamics(q, v, tau(t, q, v))

    for now in t[:-1]:
        v_half = v + step / 2 * acceleration(now, q, v)
        q_half = system.retract(q, step / 2 * v)
        a = acceleration(now + step / 2, q_half, v_half)
        q, v = system.retract(q, step * v_half), v + step * a
        qs.append(q), vs.append(v), us.append(tau(now + step, q, v))
    q, v, u = (np.stack(rows, axis=-2) for rows in (qs, vs, us))
    samples = len(q) if q.ndim == 3 else 1
    return Run(
        system, t, q, v, u, status=(COMPLETED,) * samples, lengths=np.full(samples, len(t)),
        plant=um.Plant(system, world=world or um.Space()), input_names=system.dof_names, scenario=scenario,
        provenance={"unmoored": um.__version__, "system_digest": system.tree.digest, "seed": 7},
    )  # fmt: skip


def reaching_servicer(duration=6.0, step=0.02, samples=None, world=None):
    """The reference free-flyer whose arm reaches for a posture; a batch starts with spread velocities."""
    system = um.load("free_flyer_arm7")
    q = system.retract(system.neutral(), 0.4 * np.sin(np.arange(system.nv)))
    v = np.zeros(system.nv)
    if samples:
        rng = np.random.default_rng(3)
        q, v = np.tile(q, (samples, 1)), 0.05 * rng.standard_normal((samples, system.nv))
    target = np.concatenate([np.zeros(6), 0.9 * np.cos(1.7 * np.arange(system.nv - 6))])
    goal = system.retract(system.neutral(), target)

    def tau(t, q, v):
        error = system.local(q, np.broadcast_to(goal, q.shape))
        wanted = 1.5 * error - 2.0 * v
        return system.hybrid_dynamics(q, v, tau=np.zeros_like(v), acceleration=wanted, passive=["bus"])[1]

    scenario = {"system": "free_flyer_arm7", "world": "space", "duration": duration, "step": step}
    return record(system, q, v, duration=duration, step=step, tau=tau, world=world, scenario=scenario)


def tied_slide():
    """A slide on a line from the world's origin, and a closure that opens after a second."""
    b = um.SystemBuilder("slide")
    b.vehicle("slide", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    b.frame("eye", parent="slide", at=um.Pose(xyz=(0, 0, 0.5)))
    line = um.Line("eye", "world", name="line", stiffness=1.0, rest_length=0.1)
    door = um.Closure("slide", "world", um.Prismatic((1, 0, 0)), name="door")
    plant = um.Plant(b.build(), elements=[line], closures=[door])
    t, q = np.array([0.0, 1.0]), np.array([[0.0], [1.0]])
    switches = {"door.active": np.array([1.0, 0.0])}
    return Run(plant.system, t, q, np.zeros((2, 1)), lengths=np.array([2]), plant=plant, switches=switches)


def tumbling_brick(duration=4.0, samples=None):
    """The brick that turns about its middle axis; a batch at different speeds."""
    system = um.load("tumbling_brick")
    q, v = system.neutral(), np.array([0.3, 0.0, 0.0, 0.05, 3.0, 0.02])
    if samples:
        q, v = np.tile(q, (samples, 1)), v * np.linspace(0.8, 1.2, samples)[:, None]
    return record(system, q, v, duration=duration)


def told_servicer():
    """Random rows of a free flyer, as if priorities, an allocation and a filter had driven it."""
    system = um.load("free_flyer_arm7")
    plant = um.Plant(system)
    rng, n = np.random.default_rng(8), 30
    t = np.linspace(0.0, 3.0, n)
    q = system.retract(system.neutral(), np.linspace(0, 0.4, n)[:, None] * rng.normal(size=system.nv))
    path = um.ScrewPath(
        times=[0.0, 3.0], poses=[um.Pose(xyz=(1, 0, 1)), um.Pose(xyz=(1.5, 0.5, 1), rpy=(0, 0, 1))]
    )
    levels = [
        [um.PoseTask("tool", path)],
        [um.PositionTask("bus", (0.3, 0.2, 0.1), start=1.0, ramp=0.1)],
        [um.PostureTask(dict.fromkeys(system.joints[1:6], 0.2))],
    ]
    P = np.broadcast_to(np.diag([0.04, 0.01, 0.09, 1e-4, 1e-4, 1e-4]), (n, 6, 6))
    believed = system.retract(q, np.broadcast_to(np.r_[0.1, 0.0, 0.0, np.zeros(10)], (n, 13)))
    memory = {
        "0.loss": rng.normal(size=(n, 3)) ** 2,
        "unallocated": 0.1 * rng.normal(size=(n, 13)),
        "allocation.wanted": rng.normal(size=(n, 13)),
        "estimate.q": believed, "estimate.v": np.zeros((n, 13)), "estimate.covariance": P,
    }  # fmt: skip
    deviation = np.sqrt(np.diagonal(P, axis1=1, axis2=2))
    return um.Run(
        system, t, q, np.zeros((n, 13)), rng.normal(size=(n, 13)), lengths=np.array([n]), memory=memory,
        input_names=system.dof_names, law=um.TaskPriority(plant, levels), plant=plant,
        kept_estimate_errors=EstimateErrors(_FILTERED, rng.normal(size=(n, 6)), deviation, "bus"),
        kept_input_limits=np.tile([-3.0, 3.0], (13, 1)),
    )  # fmt: skip
