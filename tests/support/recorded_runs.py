"""Runs made by a plain midpoint rule, so that views are tested without the simulator."""

import numpy as np

import unmoored as um
from unmoored.simulation import Run
from unmoored.simulation.status import COMPLETED


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


def tumbling_brick(duration=4.0, samples=None):
    """The brick that turns about its middle axis; a batch at different speeds."""
    system = um.load("tumbling_brick")
    q, v = system.neutral(), np.array([0.3, 0.0, 0.0, 0.05, 3.0, 0.02])
    if samples:
        q, v = np.tile(q, (samples, 1)), v * np.linspace(0.8, 1.2, samples)[:, None]
    return record(system, q, v, duration=duration)
