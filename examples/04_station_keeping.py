"""A BlueROV2 holds station in a current that its controller does not know, while its arm moves.

The controller is a spring and a damper on SE(3); it ends where the spring holds the drag of the current.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

scenario = um.load_scenario("station_keeping")
run = scenario.run()
place = um.channel_values(run, ("rov.x", "rov.y", "rov.z"))
angles = um.channel_values(run, ("rov.roll", "rov.pitch", "rov.yaw"))

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
for name, values in place.items():
    axes[0].plot(run.t, 100 * values, label=name)
axes[0].set(
    ylabel="off station (cm)", title="Station keeping in a current of 0.29 m/s, arm moving from 10 to 26 s"
)
for name, values in angles.items():
    axes[1].plot(run.t, np.degrees(values), label=name)
axes[1].set(ylabel="attitude (deg)")
axes[2].plot(run.t, run.x)
axes[2].set(xlabel="t (s)", ylabel="thrust of the 8 thrusters (N)")
for one in axes[:2]:
    one.legend(loc="upper right", fontsize="small")
for one in axes:
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/04_station_keeping.png", dpi=120)

off = {name: 100 * values[-1] for name, values in place.items()}
print("off station at the end (cm):", ", ".join(f"{name} {value:.1f}" for name, value in off.items()))
print("out/04_station_keeping.png")
