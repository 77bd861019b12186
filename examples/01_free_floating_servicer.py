"""A free-floating servicer unfolds its arm.

Nothing holds the bus: as the arm goes one way, the bus turns the other. Linear and angular momentum stay zero.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

run = um.load_scenario("free_floating_servicer").run()
momentum = np.abs(run.momentum()).max(axis=0)
angles = um.channel_values(run, ("bus.roll", "bus.pitch", "bus.yaw"))
arm = um.channel_values(run, ("shoulder_yaw", "shoulder_pitch", "elbow_pitch", "wrist_pitch"))

figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
for name, values in arm.items():
    above.plot(run.t, np.degrees(values), label=name.replace("_", " "))
above.set(ylabel="arm joints (deg)", title="The arm moves, the bus answers")
for name, values in angles.items():
    below.plot(run.t, np.degrees(values), label=name)
below.set(xlabel="t (s)", ylabel="bus attitude (deg)")
for axes in (above, below):
    axes.legend(loc="upper left", fontsize="small")
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/01_free_floating_servicer.png", dpi=120)

print(f"largest momentum: linear {momentum[:3].max():.1e} N s, angular {momentum[3:].max():.1e} N m s")
print("out/01_free_floating_servicer.png")
