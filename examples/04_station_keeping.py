"""A BlueROV2 holds station in a current that its controller does not know, while its arm moves.

The controller learns the load of the current against what its thrusters deliver, so that it ends on station: by the
true state below a millimetre, by the estimate of a filter within what the filter says that it does not know.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored.lie import so3

runs = {name: um.load_scenario(name).run() for name in ("station_keeping", "station_keeping_by_estimate")}

figure, axes = plt.subplots(3, 2, sharex="col", figsize=(11, 7), layout="constrained")
for column, (name, run) in zip(axes.T, runs.items(), strict=True):
    angles = np.degrees(so3.log(run.q[:, :9].reshape(-1, 3, 3)))
    for k, axis in enumerate("xyz"):
        (line,) = column[0].plot(run.t, 100 * run.q[:, 9 + k], label=axis)
        column[1].plot(run.t, angles[:, k], color=line.get_color(), label=f"about {axis}")
        if name.endswith("estimate"):
            deviation = np.sqrt(run.estimate.covariance[:, [k, 6 + k], [k, 6 + k]])
            for one, scale, values in (
                (column[0], 100, deviation[:, 0]),
                (column[1], 180 / np.pi, deviation[:, 1]),
            ):
                one.plot(run.t, 2 * scale * values, "--", color=line.get_color(), linewidth=0.8)
                one.plot(run.t, -2 * scale * values, "--", color=line.get_color(), linewidth=0.8)
    column[0].set(ylabel="off station (cm)", title=name.replace("_", " "))
    column[1].set(ylabel="attitude (deg)")
    column[2].plot(run.t, run.x)
    column[2].set(xlabel="t (s)", ylabel="thrust of the 8 thrusters (N)")
    for one in column[:2]:
        one.legend(loc="upper right", fontsize="small")
axes[0, 1].set_ylim(-40, 40)
axes[1, 1].set_ylim(-4, 4)
for one in axes.flat:
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/04_station_keeping.png", dpi=120)

for name, run in runs.items():
    place = run.q[-2, 9:12]
    turn = np.degrees(np.linalg.norm(so3.log(run.q[-2, :9].reshape(3, 3))))
    words = f"{name}: off station at the end by {1000 * np.linalg.norm(place):.2f} mm and {turn:.3f} deg"
    if name.endswith("estimate"):
        deviation = 1000 * np.sqrt(np.trace(run.estimate.covariance[-2, :3, :3]))
        words += f"; the filter's own deviation of the position is {deviation:.1f} mm"
    print(words)
print("out/04_station_keeping.png")
