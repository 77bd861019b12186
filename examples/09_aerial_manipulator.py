"""A drone with six tilted rotors hovers while its arm reaches down and back.

Tilted rotors push in all directions, so that the drone can stay level. The arm's weight and motion push it about by
millimetres; the rotors' thrusts show what it takes.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

run = um.load_scenario("aerial_manipulator").run()
place = um.channel_values(run, ("drone.x", "drone.y", "drone.z"))
angles = um.channel_values(run, ("drone.roll", "drone.pitch", "drone.yaw"))

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
for name, values in place.items():
    axes[0].plot(run.t, 1e3 * values, label=name)
axes[0].set(ylabel="off its place (mm)", title="Hovering while the arm moves from 2 to 4 s and from 7 to 9 s")
for name, values in angles.items():
    axes[1].plot(run.t, np.degrees(values), label=name)
axes[1].set(ylabel="attitude (deg)")
axes[2].plot(run.t, run.x, label=run.plant.state_names)
axes[2].set(xlabel="t (s)", ylabel="thrust (N)")
for one in axes:
    one.legend(loc="upper right", fontsize="small")
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/09_aerial_manipulator.png", dpi=120)

lift = run.x[-1].sum() * np.cos(np.radians(20))
print(
    f"at the end the rotors lift {lift:.3f} N and the drone weighs {-run.system.mass * run.plant.gravity[2]:.3f} N"
)
print("out/09_aerial_manipulator.png")
