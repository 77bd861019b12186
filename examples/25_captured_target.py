"""What has the arm caught? Mass, centre of mass and tensor of a captured target, from the arm's motion alone.

A servicer with a three-joint arm holds a body that nobody knows. It moves the arm and measures its own velocity and the
joints' rates, each with noise of 1 % of its rms: no thrust, no accelerations, no torques. The momentum of everything is
constant, though not known: that tells all ten numbers. Ordinary least squares in the same rows is biased by the noise.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import lie
from unmoored.dynamics.regressors import momentum_columns

TARGET = um.Inertia(60.0, (0.25, -0.12, 0.4), [[9.0, 0.8, -0.5], [0.8, 11.0, 0.6], [-0.5, 0.6, 7.0]])
TRUE = np.array([60.0, *TARGET.com, 9.0, 11.0, 7.0, 0.8, -0.5, 0.6])
FREE = ["target.mass", "target.com", "target.tensor"]
RUNS = 30


def servicer(target):
    b = um.SystemBuilder("servicer")
    parent = b.vehicle("bus", um.Free(), inertia=um.Inertia(120.0, (0.05, 0.02, -0.03), (20.0, 24.0, 18.0)))
    axes, at = ((0, 0, 1), (0, 1, 0), (1, 0, 0)), ((0.5, 0, 0.3), (0, 0, 0.6), (0, 0, 0.7))
    for k in range(3):
        link = um.Inertia.cylinder(5.0, 0.05, 0.6, com=(0, 0, 0.3))
        parent = b.link(
            f"arm{k}", parent=parent, joint=um.Revolute(axes[k]), inertia=link, at=um.Pose(xyz=at[k])
        )
    held = um.Pose(xyz=(0, 0, 0.5), rpy=(0.3, -0.2, 0.5))
    b.link("target", parent=parent, joint=um.Fixed(), inertia=target, at=held)
    return b.build()


system = servicer(TARGET)
sines = {
    "arm0": um.Sine(0.9, 7.0),
    "arm1": um.Sine(0.7, 5.0, phase=0.4),
    "arm2": um.Sine(1.1, 4.0, phase=1.0),
}
drift = system.pack_velocity({"bus": (0.02, -0.01, 0.03, 0.01, -0.02, 0.015)})
run = um.simulate(
    um.Plant(system, prescribed=sines), system.neutral(), drift, duration=20.0, step=0.01, record_every=10
)
guess = um.Plant(servicer(um.Inertia(20.0, (0.0, 0.0, 0.1), (3.0, 4.0, 5.0))))

exact = um.identify(guess, run, free=FREE, by="momentum")
print(f"without noise: largest error {np.abs(exact.values - TRUE).max():.1e}")

σ = 0.01 * np.sqrt((run.v**2).mean(axis=0))
known = servicer(um.Inertia(1e-9, TARGET.com, 1e-9 * np.ones(3)))
found, ordinary, inside = [], [], 0
for seed in range(RUNS):
    v = run.v + σ * np.random.default_rng(seed).normal(size=run.v.shape)
    seen = um.Recording(run.t, run.q, v, v_noise=σ)
    fit = um.identify(guess, seen, free=FREE, by="momentum")
    inside += fit.region_holds(TRUE)
    found.append(fit.values)
    # the same rows by ordinary least squares: Ad⁻ᵀ L(V) ζ − μ₀ = −μ_known
    g, V = system.pose(run.q, "target"), system.velocity(run.q, v, "target")
    A = np.swapaxes(lie.se3.Ad(lie.se3.inverse(g)), 1, 2) @ momentum_columns(V)
    rows = np.concatenate([A, np.broadcast_to(-np.eye(6), (len(A), 6, 6))], axis=2).reshape(-1, 16)
    ζ = np.linalg.lstsq(rows, -known.momentum(run.q, v).reshape(-1), rcond=None)[0]
    m, c = ζ[0], ζ[1:4] / ζ[0]
    J = ζ[4:10] - m * np.array(
        [c @ c - c[0] ** 2, c @ c - c[1] ** 2, c @ c - c[2] ** 2, -c[0] * c[1], -c[0] * c[2], -c[1] * c[2]]
    )
    ordinary.append([m, *c, *J])
print(fit)
print(f"the stated region of 95 % holds the truth in {inside} of {RUNS} runs")

figure, axis = plt.subplots(figsize=(9, 4))
error = 100 * (np.array(found) - TRUE) / np.abs(TRUE)
plain = 100 * (np.array(ordinary) - TRUE) / np.abs(TRUE)
places = np.arange(10)
axis.errorbar(
    places - 0.12, error.mean(0), error.std(0), fmt="o", color="C0", label="noise in everything allowed for"
)
axis.errorbar(places + 0.12, plain.mean(0), plain.std(0), fmt="s", color="C1", label="ordinary least squares")
axis.axhline(0.0, color="0.6", lw=0.8)
axis.set_xticks(places, [name.removeprefix("target.") for name in exact.names], rotation=30)
axis.set_ylabel("error [%], mean and spread")
axis.legend()
figure.tight_layout()
Path("out").mkdir(exist_ok=True)
figure.savefig("out/25_captured_target.png", dpi=150)
print("wrote out/25_captured_target.png")
