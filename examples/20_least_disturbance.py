"""A free-floating arm reaches for a pose, once with least effort and once with least motion of its bus.

Only the joints have motors; the bus answers to them. Both problems are solved side by side: they differ in one weight,
which is run-time data. The disturbance of the bus falls, the torques rise; momentum stays zero in both.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import planning

system = um.load("free_flyer_arm7")
motors = [um.JointMotor(name, name=f"{name}_motor", limits=(-20.0, 20.0)) for name in system.dof_names[6:]]
plant = um.Plant(system, actuators=motors)
start = system.retract(system.neutral(), np.r_[np.zeros(6), 0.3, 0.6, -0.4, 0.9, 0.2, -0.5, 0.1])
target = system.pose(start, "tool")
target[:3, 3] += [-0.25, 0.2, -0.1]

found = um.optimize(
    plant, start, duration=8.0, control_step=0.4, step=0.1, method="rkmk4",
    running=[
        planning.Effort(plant, 0.1),
        planning.Speed(plant, np.r_[np.zeros(6), np.ones(7)]),
        planning.BaseDisturbance(plant, np.array([0.0, 1.0])[:, None] * np.r_[np.full(3, 100.0), np.full(3, 1e4)]),
    ],
    final=[planning.ToolPose(plant, "tool", target, 1e4), planning.Speed(plant, 1e3)],
)  # fmt: skip
assert found.converged.all()
tool = system.pose(found.q[:, -1], "tool")
for k, name in enumerate(("least effort", "least disturbance")):
    turn = np.degrees(np.linalg.norm(system.local(start, found.q[k, -1])[3:6]))
    rate = np.degrees(np.sqrt((found.v[k, :, 3:6] ** 2).sum(-1).mean()))
    miss = 1e3 * np.linalg.norm(tool[k, :3, 3] - target[:3, 3])
    print(
        f"{name:18}: {found.iterations[k]:3d} iterations, tool {miss:.2f} mm off, bus turns {turn:.2f} deg, "
        f"{rate:.3f} deg/s rms, torque at most {np.abs(found.u[k]).max():.2f} N m"
    )
momentum = np.abs(system.momentum(found.q, found.v)).max()
print(f"momentum at most {momentum:.1e}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for k, name in enumerate(("least effort", "least disturbance")):
    left.plot(found.t[k], np.degrees(np.linalg.norm(found.v[k, :, 3:6], axis=-1)), label=name)
    right.step(found.t[k, :-1], np.linalg.norm(found.u[k], axis=-1), where="post", label=name)
left.set(xlabel="time (s)", ylabel="turning rate of the bus (deg/s)", title="the bus answers to the arm")
right.set(xlabel="time (s)", ylabel="|torques| (N m)", title="what it takes")
for axes in (left, right):
    axes.legend()
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/20_least_disturbance.png", dpi=120)
print("out/20_least_disturbance.png")
