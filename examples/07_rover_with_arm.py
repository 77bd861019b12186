"""A rover on wheels that cannot slip sideways drives a curve while it swings its arm.

The wheels' constraint is kept exactly, because the equations are reduced to the speeds that it leaves. The arm's swing
still turns the rover: yaw is free.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

still = ["prescribed.shoulder_pan={type: Constant, value: 0}"]
runs = {
    "arm swings": um.load_scenario("rover_with_arm").run(),
    "arm still": um.load_scenario("rover_with_arm", settings=still).run(),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for label, run in runs.items():
    values = um.channel_values(run, ("rover.x", "rover.y", "rover.wz", "rover.vy"))
    left.plot(values["rover.x"], values["rover.y"], label=label)
    right.plot(run.t, np.degrees(values["rover.wz"]), label=label)
    print(f"{label}: largest speed sideways {np.abs(values['rover.vy']).max():.1e} m/s")
swing = um.channel_values(runs["arm swings"], ("tool.x", "tool.y"))
left.plot(swing["tool.x"], swing["tool.y"], "C0:", lw=1, label="tool")
left.set(xlabel="x (m)", ylabel="y (m)", title="Paths over ground", aspect="equal")
right.set(xlabel="t (s)", ylabel="yaw rate (deg/s)", title="The arm turns the rover")
left.legend(loc="upper left", bbox_to_anchor=(1.05, 1.0), fontsize="small")
right.legend(fontsize="small")
for axes in (left, right):
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/07_rover_with_arm.png", dpi=120)
print("out/07_rover_with_arm.png")
