"""A deck arm works on a supply vessel in a JONSWAP sea, and the ship must bear the reactions.

The ship's motion is given by the waves, so its rows of the equations tell what it takes to move it so. The same for
the ship without its arm, subtracted, leaves what the arm does to the ship.
"""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

scenario = um.load_scenario("ship_arm_in_waves")
run = scenario.run()
tree = run.system.tree
ship = um.System(replace(tree, bodies=tree.bodies[:1], frames=()))
alone = um.Plant(ship, scenario.plant.world, joints=scenario.plant.joints)

with_arm = scenario.plant.reactions(run.t, run.q, run.v)[:, :6]
without = alone.reactions(run.t, run.q[:, :12], run.v[:, :6])
arm = with_arm - without

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
motion = um.channel_values(run, ("vessel.z", "vessel.roll", "vessel.pitch"))
axes[0].plot(run.t, motion["vessel.z"], "k", label="heave (m)")
for name in ("vessel.roll", "vessel.pitch"):
    axes[0].plot(run.t, np.degrees(motion[name]), label=f"{name.partition('.')[2]} (deg)")
axes[0].set(ylabel="ship's motion", title="Arm of 19 t on a ship in waves of 3 m, working from 5 to 55 s")
for k, name in enumerate(("surge", "sway", "heave")):
    axes[1].plot(run.t, arm[:, k] / 1e3, label=name)
    axes[2].plot(run.t, arm[:, 3 + k] / 1e3, label=("roll", "pitch", "yaw")[k])
axes[1].set(ylabel="force for the arm (kN)")
axes[2].set(xlabel="t (s)", ylabel="moment for the arm (kN m)")
for one in axes:
    one.legend(loc="upper right", ncols=3, fontsize="small")
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/06_ship_arm_in_waves.png", dpi=120)

weight = (tree.mass - tree.bodies[0].inertia.mass) * 9.81
low, high = arm[:, 2].min() / 1e3, arm[:, 2].max() / 1e3
print(f"the arm weighs {weight / 1e3:.0f} kN; the ship carries {low:.0f} to {high:.0f} kN")
print("out/06_ship_arm_in_waves.png")
