"""An underwater vehicle with an arm reaches for a pose in a current, within the limits of its thrusters.

BlueROV2 Heavy with a Reach Alpha 5 arm: eight thrusters with a lag, four motors, ten DoFs, eight states of actuators.
The motion is planned with the current known; then the plan's policy u − K δ follows it, in steps ten times finer than
the plan's (a plan must not live on errors of its integrator), and in a current that is 10 % stronger. The inputs alone
do not: nothing holds the light wrist, and it spins away.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import planning

system = um.load("bluerov2_heavy_alpha5")
thrusters = [um.Thruster(f"thruster_{k}", limits=(-4.0, 4.0), lag=0.1) for k in range(1, 9)]
arm = ("base_yaw", "shoulder_pitch", "elbow_pitch", "wrist_roll")
motors = [um.JointMotor(name, name=f"{name}_motor", limits=(-4.0, 4.0)) for name in arm]
current = np.array([0.3, 0.15, 0.0])
plant = um.Plant(
    system, um.Ocean(current=current), actuators=[*thrusters, *motors], free=["ocean.current"],
    joints=um.JointEffects(stops=False),
)  # fmt: skip
start = system.pack({"shoulder_pitch": 0.6, "elbow_pitch": 0.8})
goal = system.pack(
    {
        "rov": um.Pose(xyz=(0.8, -0.5, 0.3), rpy=(0, 0, 0.6)).matrix,
        "base_yaw": 0.5,
        "shoulder_pitch": 1.2,
        "elbow_pitch": 1.4,
    }
)
target = system.pose(goal, "tool")

PERIOD, N = 0.2, 25
found = um.optimize(
    plant, start, duration=N * PERIOD, control_step=PERIOD, step=PERIOD / 10,
    running=[planning.Effort(plant, 0.02), planning.Speed(plant, 1.0)],
    limits=planning.JointLimits(plant, margin=0.05),
    final=[planning.ToolPose(plant, "tool", target, 2000.0), planning.Speed(plant, 30.0)],
)  # fmt: skip
print(found)
miss = 1e3 * np.linalg.norm(system.pose(found.q[-1], "tool")[:3, 3] - target[:3, 3])
held = np.isclose(np.abs(found.u[:, :8]), 4.0, rtol=1e-6).sum()
print(
    f"tool {miss:.2f} mm off the target, {held} of {8 * N} thrusts at their limits, {found.iterations} iterations"
)

# the plan followed
paths = {}
runs = {
    "policy, finer steps": (found.K, 1.0, 100),
    "policy, current 10 % stronger": (found.K, 1.1, 100),
    "inputs alone, current 10 % stronger": (0 * found.K, 1.1, 100),
}
for name, (K, factor, steps) in runs.items():
    q, v, x = start, np.zeros(plant.nv), np.zeros(plant.nx)
    rows = [system.pose(q, "tool")[:3, 3]]
    for k in range(N):
        δ = np.concatenate([system.local(found.q[k], q), v - found.v[k], x - found.x[k]])
        u = found.u[k] - K[k] @ δ
        q, v, x = plant.step(k * PERIOD, q, v, u, PERIOD / steps, x=x, p=factor * current, steps=steps)
        rows.append(system.pose(q, "tool")[:3, 3])
    paths[name] = np.array(rows)
    print(f"{name}: tool {1e3 * np.linalg.norm(rows[-1] - target[:3, 3]):.1f} mm off")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
plan = system.pose(found.q, "tool")[:, :3, 3]
for name, path in {"plan": plan, **paths}.items():
    left.plot(found.t, 1e3 * np.linalg.norm(path - target[:3, 3], axis=-1), label=name)
left.set(xlabel="time (s)", ylabel="tool off its target (mm)", yscale="log", title="a reach in current")
for k in range(8):
    right.step(found.t[:-1], found.u[:, k], where="post", label=plant.input_names[k])
right.set(xlabel="time (s)", ylabel="thrust (N)", title="within limits")
for axes in (left, right):
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/21_reach_in_current.png", dpi=120)
print("out/21_reach_in_current.png")
