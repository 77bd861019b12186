"""An arm of 50 joints sends a wave through itself on a free-floating bus. Every fifth joint is a passive spring."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

run = um.load_scenario("hyper_redundant_arm").run()
names = run.system.names
passive = [f"joint_{i:02d}" for i in range(5, 51, 5)]
instants = np.searchsorted(run.t, [0, 1.5, 3, 4.5, 6])
places = np.stack([run.system.pose(run.q[instants], name)[..., :3, 3] for name in names], axis=1)
angles = um.channel_values(run, tuple(passive))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(instants)))
for i, colour in enumerate(colours):
    left.plot(places[i, :, 0], places[i, :, 2], ".-", ms=3, color=colour, label=f"{run.t[instants[i]]:.1f} s")
left.set(xlabel="x (m)", ylabel="z (m)", title="The arm from the side", aspect="equal")
left.legend(fontsize="small", ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.35))
for i, (name, values) in enumerate(angles.items()):
    right.plot(run.t, np.degrees(values), color=plt.get_cmap("plasma")(i / 10), label=name)
right.set(xlabel="t (s)", ylabel="angle (deg)", title="The passive joints")
right.legend(fontsize="x-small", ncols=2)
for axes in (left, right):
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/11_hyper_redundant_arm.png", dpi=120)

print(f"{run.system.nv} degrees of freedom; largest momentum {np.abs(run.momentum()).max():.1e}")
print("out/11_hyper_redundant_arm.png")
