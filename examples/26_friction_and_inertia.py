"""Friction and inertia of an arm from a motion with noisy encoders: tracks, a stated filter, two ways to fit.

Three joints on a bench, driven by known torques. Encoders are read at 200 Hz with noise; velocities and accelerations
come from local cubics. First which numbers the motion can tell at all; then a fit of the equations of motion with noise
in everything, which needs no simulation; from its result one of trajectories; then a run that neither has seen.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import identification

NOISE = 2e-4


def arm(damping=(2.0, 1.5, 0.5), payload=0.7):
    b = um.SystemBuilder("bench_arm")
    parent, axes = None, ((0, 0, 1), (0, 1, 0), (0, 1, 0))
    for k, (axis, d, mass) in enumerate(zip(axes, damping, (4.0, 3.0, 1.5), strict=True)):
        joint = um.Revolute(axis, damping=d)
        inertia = um.Inertia.cylinder(mass, 0.06, 0.4, axis=(1, 0, 0), com=(0.2, 0, 0))
        if parent is None:
            parent = b.vehicle("joint0", joint, inertia=inertia)
        else:
            parent = b.link(
                f"joint{k}", parent=parent, joint=joint, inertia=inertia, at=um.Pose(xyz=(0.4, 0, 0))
            )
    grip = um.Pose(xyz=(0.4, 0, 0))
    b.link("payload", parent=parent, joint=um.Fixed(), inertia=um.Inertia.sphere(payload, 0.05), at=grip)
    return um.Plant(b.build(), um.Earth())


def moved(seed, period=0.005, duration=6.0):
    """A run under torques that hold the arm up and swing it, and what encoders see of it."""
    plant, rng = arm(), np.random.default_rng(seed)
    times = np.arange(0.0, duration + period / 2, period)
    phases, held = rng.uniform(0, 6, 3), plant.inverse_dynamics(0.0, np.zeros(3), np.zeros(3), np.zeros(3))
    u = held + np.stack(
        [np.array((2.0, 4.0, 1.0))[k] * np.sin((2 + k) * times + phases[k]) for k in range(3)], axis=1
    )
    q, v, rows = np.zeros(3), np.zeros(3), []
    for t, force in zip(times, u, strict=True):
        rows.append(q)
        q, v, _ = plant.step(t, q, v, force, period)
    seen = np.array(rows) + NOISE * rng.normal(size=(len(times), 3))
    tracks = {f"joint{k}": identification.joint_track(times, seen[:, k], noise=NOISE) for k in range(3)}
    return identification.record(
        plant.system, tracks, period=period, filter=um.LocalPolynomial(window=0.06, order=3), inputs=(times, u),
        between="held",
        name=f"run {seed}",
    )  # fmt: skip


recordings, unseen = [moved(1), moved(2)], moved(3).part(0.1)
print(um.base_parameters(arm().system, samples=60))

free = ["joint*.damping", "payload.mass"]
guess = arm(damping=(1.0, 1.0, 1.0), payload=0.2)
first = um.identify(guess, [r.part(0.1, 5.9).every(20) for r in recordings], free=free, by="accelerations")
print(first)
names = {f"joint{k}": float(first.parameters[f"joint{k}.damping"][0]) for k in range(3)}
near = arm(damping=tuple(names.values()), payload=float(first.parameters["payload.mass"]))
found = um.identify(near, recordings, free=free, window=1.0)
print(found)

after = found.predict(unseen)[0]
before = found.predict(unseen, fitted=False)[0]
figure, axes = plt.subplots(1, 3, figsize=(11, 3), sharey=True)
for k in range(3):
    axes[k].plot(before.t, np.degrees(before.values[:, k]), color="0.6", label="after the first fit")
    axes[k].plot(after.t, np.degrees(after.values[:, k]), "C1", label="fitted")
    axes[k].set_title(f"joint{k}")
    axes[k].set_xlabel("t [s]")
axes[0].set_ylabel("prediction error [deg]")
axes[0].legend()
figure.tight_layout()
Path("out").mkdir(exist_ok=True)
figure.savefig("out/26_friction_and_inertia.png", dpi=150)
print(
    f"unseen run: rms {np.degrees(after.rms).round(2)} deg, {np.degrees(before.rms).round(2)} after the first fit"
)
print("wrote out/26_friction_and_inertia.png")
