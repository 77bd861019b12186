"""A servicer lets its bus drift as the arm moves, and fires thrusters only beyond a bound: reaction mode."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

scenario = um.load_scenario("reaction_mode")
bounds = {name: scenario.data["controllers"][0][f"{name}_bound"] for name in ("position", "angle")}
run = scenario.run()
R = run.q[:, :9].reshape(-1, 3, 3)
angle = np.degrees(np.linalg.norm(um.lie.so3.log(R), axis=-1))
distance = 100 * np.linalg.norm(run.q[:, 9:12], axis=-1)
torque = np.linalg.norm(run.u[:, 3:6], axis=-1)
force = np.linalg.norm(run.u[:, :3], axis=-1)

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
axes[0].plot(run.t, angle)
axes[0].axhline(np.degrees(bounds["angle"]), color="grey", ls="--")
axes[0].set(ylabel="attitude error (deg)", title="Drifting inside the bounds, thrusting outside")
axes[1].plot(run.t, distance)
axes[1].axhline(100 * bounds["position"], color="grey", ls="--")
axes[1].set(ylabel="distance (cm)")
axes[2].plot(run.t, torque, label="torque (N m)")
axes[2].plot(run.t, force, label="force (N)")
axes[2].set(xlabel="t (s)", ylabel="thrusters")
axes[2].legend(fontsize="small")
for one in axes:
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/14_reaction_mode.png", dpi=120)

resting = np.mean((torque == 0) & (force == 0))
print(
    f"the thrusters rest {100 * resting:.0f} % of the time; the attitude stays within {angle.max():.2f} degrees"
)
print("out/14_reaction_mode.png")
