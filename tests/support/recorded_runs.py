"""Trajectories with all that views read of a run, made by a plain midpoint rule, so that views are tested alone."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

import unmoored as um


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """What views read of a run; q ([S,] T, nq), v ([S,] T, nv), u ([S,] T, nv)."""

    system: Any
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    u: np.ndarray | None = None
    lengths: Any = None
    world: Any = None
    gravity: Any = (0.0, 0.0, 0.0)
    plant: Any = None
    x: Any = None
    scenario: Any = None

    def __post_init__(self):
        if self.lengths is None:
            object.__setattr__(self, "lengths", np.full(self.q.shape[:-2], len(self.t)))

    @property
    def samples(self):
        return len(self.q) if self.q.ndim == 3 else 1

    @property
    def status(self):
        return ("completed",) * self.samples

    @property
    def input_names(self):
        return self.system.dof_names

    @property
    def provenance(self):
        return {"unmoored": um.__version__, "system digest": self.system.tree.digest, "seed": 7}

    def sample(self, i):
        u = None if self.u is None else self.u[i]
        return replace(self, q=self.q[i], v=self.v[i], u=u, lengths=np.asarray(self.lengths)[i])

    def energy(self):
        E = self.system.energy(self.q, self.v, gravity=self.gravity)
        return SimpleNamespace(kinetic=E.kinetic, potential=E.potential, total=E.kinetic + E.potential)

    def momentum(self):
        return self.system.momentum(self.q, self.v)

    def invariants(self):
        P = self.momentum()
        return {"momentum drift": float(np.abs(P - P[..., :1, :]).max()), "on-group error": 1.2e-15}


def record(system, q, v, *, duration, step=0.02, tau=None, gravity=(0.0, 0.0, 0.0), **rest):
    """A run from q ([S,] nq), v ([S,] nv) under tau(t, q, v) ([S,] nv), none if not given."""
    tau = tau or (lambda t, q, v: np.zeros_like(v))
    t = np.arange(round(duration / step) + 1) * step
    qs, vs, us = [q], [v], [tau(0.0, q, v)]

    def acceleration(t, q, v):
        return system.forward_dynamics(q, v, tau(t, q, v), gravity=gravity)

    for now in t[:-1]:
        v_half = v + step / 2 * acceleration(now, q, v)
        q_half = system.retract(q, step / 2 * v)
        a = acceleration(now + step / 2, q_half, v_half)
        q, v = system.retract(q, step * v_half), v + step * a
        qs.append(q), vs.append(v), us.append(tau(now + step, q, v))
    q, v, u = (np.stack(rows, axis=-2) for rows in (qs, vs, us))
    return RecordedRun(system, t, q, v, u, gravity=gravity, **rest)


def reaching_servicer(duration=6.0, step=0.02, samples=None):
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
    return record(system, q, v, duration=duration, step=step, tau=tau, scenario=scenario)
