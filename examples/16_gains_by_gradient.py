"""A law learns its gains: the gradient of the cost goes back through the motion, on the group, through the law.

A free-flying arm moves to a posture while its bus drifts. `um.Rollout` gives the motions of a batch and the gradient by
the law's gains; `um.Stepper` then tries the gains on samples that they have not seen.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

plant = um.Plant(um.load("free_flyer_arm7"))
system, joints = plant.system, slice(6, 13)
STEPS, STEP, PERIOD = 300, 0.01, 0.02
TARGET = system.retract(system.neutral(), np.r_[np.zeros(6), 0.4, -0.5, 0.6, -0.4, 0.5, -0.6, 0.3])
INERTIA = 1.0 / np.diag(system.inverse_mass_matrix(system.neutral()))[joints]  # of each joint, all else free


class Posture(um.Law):
    """Springs and dampers on the joints per inertia, as exponents, so that they stay positive."""

    stiffness: np.ndarray
    damping: np.ndarray

    def __call__(self, t, q, v):
        error = q[-7:] - TARGET[-7:]
        forces = np.exp(self.stiffness) * error + np.exp(self.damping) * v[joints]
        return np.concatenate([np.zeros(6), -INERTIA * forces])


def starts(count, seed):
    rng = np.random.default_rng(seed)
    moves = np.concatenate([0.2 * rng.normal(size=(count, 6)), rng.uniform(-1, 1, (count, 7))], axis=-1)
    return system.retract(system.neutral(), moves), 0.05 * rng.normal(size=(count, plant.nv))


def weights(q, v):
    """The mean over samples of ∫ ½|error|² + 0.15|joint speed|² dt, and its slopes by tangents and velocities."""
    error = np.zeros((*q.shape[:-1], plant.nv))
    error[..., joints] = q[..., -7:] - TARGET[-7:]
    speed = np.zeros_like(v)
    speed[..., joints] = 0.3 * v[..., joints]
    cost = 0.5 * (error**2).sum(axis=-1) + 0.15 * (v[..., joints] ** 2).sum(axis=-1)
    return STEP * cost.sum(axis=-1).mean(), STEP * error / len(q), STEP * speed / len(q)


law = Posture(np.full(7, 0.5), np.full(7, 0.0))
rollout = um.Rollout(plant, STEPS, STEP, control_step=PERIOD, controller=law)
q0, v0 = starts(32, seed=1)
gains = {"stiffness": law.stiffness.copy(), "damping": law.damping.copy()}
moment = {name: np.zeros((2, 7)) for name in gains}
costs = []
for k in range(1, 41):
    q, v = rollout(q0, v0, gains=gains)
    cost, dq, dv = weights(q, v)
    costs.append(cost)
    g = rollout.vjp(q0, v0, None, None, dq, dv, gains=gains).gains
    for name, m in moment.items():  # Adam
        slope = g[name].sum(axis=0)
        m[0], m[1] = 0.8 * m[0] + 0.2 * slope, 0.95 * m[1] + 0.05 * slope**2
        gains[name] = gains[name] - 0.1 * m[0] / (1 - 0.8**k) / (np.sqrt(m[1] / (1 - 0.95**k)) + 1e-12)


def errors(stiffness, damping, count=256):
    """Mean joint error (rad) over time, on samples with other starts."""
    q, v = starts(count, seed=2)
    own = Posture(stiffness, damping)
    stepper = um.Stepper(plant, count, step=STEP, control_step=PERIOD, q=q, v=v, controller=own)
    found = [np.abs(stepper.step().q[:, -7:] - TARGET[-7:]).mean() for _ in range(STEPS // 2)]
    assert not stepper.state.status.any()
    return found


before, after = errors(law.stiffness, law.damping), errors(**gains)
print(f"cost {costs[0]:.3f} before, {costs[-1]:.3f} after {len(costs)} gradients")
print(f"unseen samples: error after 3 s {before[-1]:.4f} rad before, {after[-1]:.4f} rad after")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.semilogy(costs)
left.set(xlabel="gradient", ylabel="cost", title="32 motions, gains by gradient")
time = PERIOD * np.arange(1, len(before) + 1)
right.semilogy(time, before, label="before")
right.semilogy(time, after, label="after")
right.set(xlabel="time (s)", ylabel="mean joint error (rad)", title="256 motions not seen")
right.legend()
for axes in (left, right):
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/16_gains_by_gradient.png", dpi=120)
print("out/16_gains_by_gradient.png")
