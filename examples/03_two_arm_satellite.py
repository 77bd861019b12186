"""A satellite with two arms: one works, the other mirrors it, and the attitude stays.

Without the second arm's move the satellite would turn by 17 degrees.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

still = [
    "prescribed.right_shoulder={type: Constant, value: 0}",
    "prescribed.right_elbow={type: Constant, value: 0}",
]
runs = {
    "the other arm mirrors it": um.load_scenario("two_arm_satellite").run(),
    "the other arm stays": um.load_scenario("two_arm_satellite", settings=still).run(),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for label, run in runs.items():
    yaw = um.channel_values(run, ("base.yaw",))["base.yaw"]
    left.plot(run.t, np.degrees(yaw), label=label)
    path = um.channel_values(run, ("tool_left.x", "tool_left.y"))
    right.plot(path["tool_left.x"], path["tool_left.y"], label=label)
    print(f"{label}: the satellite turns by {np.degrees(yaw[-1]):.2f} degrees")
left.set(xlabel="t (s)", ylabel="satellite's yaw (deg)", title="Attitude")
right.set(xlabel="x (m)", ylabel="y (m)", title="Path of the left tool", aspect="equal")
for axes in (left, right):
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/03_two_arm_satellite.png", dpi=120)
print("out/03_two_arm_satellite.png")
