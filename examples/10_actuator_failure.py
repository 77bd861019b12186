"""The elbow drive of a free-floating servicer fails in the middle of a move.

Until then the joint follows its plan; from then on it is passive and swings on freely, driven by the rest of the arm.
Nothing jumps, the drive's torque is gone, and momentum stays zero.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

scenario = um.load_scenario("actuator_failure")
run = scenario.run()
elbow = run.system.tree.dofs("elbow_pitch")[0]
planned = um.Quintic([0, 8], [0.3, 1.5])(run.t)[:, 0]
angle = um.channel_values(run, ("elbow_pitch",))["elbow_pitch"]
torque = scenario.plant.reactions(run.t, run.q, run.v)[:, elbow]

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
axes[0].plot(run.t, np.degrees(planned), "k--", lw=1, label="planned")
axes[0].plot(run.t, np.degrees(angle), label="elbow")
axes[0].set(ylabel="elbow (deg)", title="The elbow's drive fails at 4 s")
axes[0].legend(fontsize="small")
axes[1].plot(run.t, torque)
axes[1].set(ylabel="torque of the drive (N m)")
for name, values in um.channel_values(run, ("bus.roll", "bus.pitch", "bus.yaw")).items():
    axes[2].plot(run.t, np.degrees(values), label=name)
axes[2].set(xlabel="t (s)", ylabel="bus attitude (deg)")
axes[2].legend(fontsize="small")
for one in axes:
    one.axvline(4, color="grey", lw=0.8)
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/10_actuator_failure.png", dpi=120)

print(f"largest torque after the failure: {np.abs(torque[run.t > 4]).max():.1e} N m")
print(f"largest momentum: {np.abs(run.momentum()).max():.1e}")
print("out/10_actuator_failure.png")
