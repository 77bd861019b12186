"""Allocation to eight thrusters in a batch: time per evaluation, and how many of 100,000 random wrenches are optimal.

taskset -c 1 python benchmarks/allocation.py
"""

import time

import numpy as np

import unmoored as um
from unmoored import kernels

SAMPLES, BOUND = 100_000, 1e-8
CORNERS = [(x, y) for x in (1, -1) for y in (1, -1)]


def plant_of(limits, curve=None):
    """A box with four level thrusters at its corners and four upright ones."""
    b = um.SystemBuilder("box")
    b.vehicle("box", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(0.5, 0.4, 0.3)))
    options = {"limits": limits, "curve": curve}
    level = [
        um.Thruster("box", at=(0.2 * x, 0.15 * y, 0), direction=(1, -x * y, 0), name=f"level{k}", **options)
        for k, (x, y) in enumerate(CORNERS)
    ]
    upright = [
        um.Thruster("box", at=(0.15 * x, 0.2 * y, 0), direction=(0, 0, 1), name=f"up{k}", **options)
        for k, (x, y) in enumerate(CORNERS)
    ]
    return um.Plant(b.build(), actuators=[*level, *upright])


def measure(name, plant, **options):
    """Print time per evaluation and residuals of optimality."""
    law = um.Allocated(plant, um.StationKeeping(plant, "box", np.eye(4), 1.0, 1.0), **options)
    q = plant.system.neutral()
    kernel = kernels.compile(lambda forces: tuple(law.shared_out(q, forces)), [(6,)], exact_zeros=False)
    rng = np.random.default_rng(0)
    wanted = 25.0 ** rng.random((SAMPLES, 1)) * rng.normal(size=(SAMPLES, 6)) * [2, 2, 2, 0.4, 0.4, 0.4]
    kernel(wanted[:4096])
    times = []
    for _ in range(50):
        started = time.process_time()
        kernel(wanted[:4096])
        times.append((time.process_time() - started) / 4096)
    u, _ = kernel(wanted)
    curve = plant.actuators[0].curve
    (low, high), f = plant.actuators[0].limits, u
    if curve is not None:
        low, high, f = curve(low), curve(high), curve(u)
    B = plant.allocation_matrix(q)
    slope = f @ (B.T @ B + 1e-6 * np.eye(8)) - wanted @ B
    near = 1e-9 * (high - low)
    slope = np.where(
        f <= low + near, np.minimum(slope, 0), np.where(f >= high - near, np.maximum(slope, 0), slope)
    )
    residual = np.abs(slope).max(axis=1) / np.abs(wanted @ B).max(axis=1)
    share = np.mean(residual <= BOUND)
    print(
        f"{name}: {min(times) * 1e6:.2f} µs, {100 * share:.3f} % within {BOUND:g}, worst {residual.max():.1e}"
    )


if __name__ == "__main__":
    measure("two-sided", plant_of((-5.0, 5.0)))
    measure("one-sided", plant_of((0.0, 5.0)))
    measure("one-sided, curves", plant_of((0.0, 1.0), lambda u: 4.0 * u * u + u))
    law = {"priority": [["box.wx", "box.wy"]]}
    plant = plant_of((-5.0, 5.0))
    measured = um.Allocated(plant, um.StationKeeping(plant, "box", np.eye(4), 1.0, 1.0), **law)
    kernel = kernels.compile(
        lambda f: measured.shared_out(plant.system.neutral(), f)[0], [(6,)], exact_zeros=False
    )
    wanted = np.random.default_rng(0).normal(size=(4096, 6))
    kernel(wanted)
    started = time.process_time()
    for _ in range(20):
        kernel(wanted)
    print(f"two levels: {(time.process_time() - started) / 20 / 4096 * 1e6:.2f} µs")
