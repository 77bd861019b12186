"""A hexarotor with an arm picks a way past a sphere to a pose of its tool, rotors only pushing.

Borinot with six upright rotors: it must lean to move sideways. The plan keeps the tool clear of a sphere in its way by
multipliers, and model predictive control then flies there with a shorter horizon, its iterations inside the kernel.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import planning

system = um.load("borinot")
angles = np.pi / 6 + np.pi / 3 * np.arange(6)
rotors = [
    um.Rotor("drone", name=f"rotor_{k + 1}", at=(0.25 * np.cos(a), 0.25 * np.sin(a), 0.0), direction=(0, 0, 1),
             drag_ratio=0.015, spin=1 - 2 * (k % 2), limits=(0.0, 15.0))
    for k, a in enumerate(angles)
]  # fmt: skip
motors = [um.JointMotor(name, name=f"{name}_motor", limits=(-3.0, 3.0)) for name in system.dof_names[6:]]
plant = um.Plant(system, um.Earth(), actuators=[*rotors, *motors], joints=um.JointEffects(stops=False))
hover = np.r_[np.full(6, -system.mass * plant.gravity[2] / 6), np.zeros(2)]
start = system.pack({"shoulder_pitch": 0.3, "elbow_pitch": -0.4})
target = system.pose(start, "tool")[:3, 3] + [1.2, 0.0, 0.2]
goal = np.eye(4)
goal[:3, 3] = target
obstacle, radius = system.pose(start, "tool")[:3, 3] + [0.6, 0.03, 0.1], 0.2

PERIOD, N = 0.1, 20
weight = [300.0] * 3 + [0.0] * 3
running = [planning.Effort(plant, 0.02, around=hover), planning.Speed(plant, 0.05)]
final = [planning.ToolPose(plant, "tool", goal, weight), planning.Speed(plant, 10.0)]
given = {
    "duration": N * PERIOD, "control_step": PERIOD, "step": PERIOD / 4, "method": "heun", "u": hover,
    "running": running, "final": final,
}  # fmt: skip
clear = planning.Clearance(plant, "tool", 0.05, obstacle, radius)
found = um.optimize(plant, start, limits=clear, **given)
path = system.pose(found.q, "tool")[:, :3, 3]
print(found, f"{found.iterations} iterations")
print(
    f"tool {1e3 * np.linalg.norm(path[-1] - target):.1f} mm off, nearest "
    f"{np.linalg.norm(path - obstacle, axis=-1).min():.4f} m from the sphere's centre (at least "
    f"{radius + 0.05}), leans up to {np.degrees(np.arccos(found.q[:, 8].min())):.1f} deg"
)

law = um.ModelPredictive(
    plant, 8, steps=4, method="heun", first=hover, iterations=2, lengths=4,
    running=(*running, planning.ToolPose(plant, "tool", goal, np.array(weight) / 20)),
    final=(planning.ToolPose(plant, "tool", goal, weight), planning.Speed(plant, 5.0)),
)  # fmt: skip
run = um.simulate(plant, start, duration=4.0, step=PERIOD / 4, control_step=PERIOD, controller=law)
flown = system.pose(run.q, "tool")[:, :3, 3]
print(
    f"model predictive control, 0.8 s ahead: tool {1e3 * np.linalg.norm(flown[-1] - target):.1f} mm off after 4 s"
)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.plot(path[:, 0], path[:, 1], ".-", label="plan past the sphere")
left.plot(flown[:, 0], flown[:, 1], label="predictive control, no sphere")
left.add_patch(plt.Circle(obstacle[:2], radius, alpha=0.3))
left.plot(*target[:2], "x")
left.set(xlabel="x (m)", ylabel="y (m)", title="the tool's way, from above", aspect="equal")
right.step(found.t[:-1], found.u[:, :6], where="post")
right.set(xlabel="time (s)", ylabel="thrust (N)", title="rotors")
left.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.35))
for axes in (left, right):
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/22_drone_with_arm.png", dpi=120)
print("out/22_drone_with_arm.png")
