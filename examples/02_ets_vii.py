"""ETS-VII moves its arm with joint torques, and 2.5 tonnes of chaser answer.

At zero momentum the chaser's rates follow from the joint rates alone, through the generalized Jacobian's sister,
the disturbance Jacobian. The simulation knows nothing of that formula; both agree to rounding.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

warnings.simplefilter("ignore", um.ModelWarning)  # the published moments of inertia are not quite physical

run = um.load_scenario("ets_vii").run()
D = run.system.disturbance_jacobian(run.q, passive=["chaser"])
predicted = (D @ run.v[:, 6:, None])[..., 0]
difference = np.abs(predicted - run.v[:, :6]).max()

figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
for name, values in um.channel_values(run, ("shoulder_yaw", "shoulder_pitch", "elbow_pitch")).items():
    above.plot(run.t, np.degrees(values), label=name.replace("_", " "))
above.set(ylabel="arm joints (deg)", title="ETS-VII: joint torques move the arm")
for k, axis in enumerate("xyz"):
    (line,) = below.plot(run.t, np.degrees(run.v[:, 3 + k]), label=f"about {axis}")
    below.plot(run.t[::8], np.degrees(predicted[::8, 3 + k]), "o", ms=3, color=line.get_color())
below.set(xlabel="t (s)", ylabel="chaser's rate (deg/s)")
below.plot([], [], "ko", ms=3, label="from zero momentum")
for axes in (above, below):
    axes.legend(loc="upper right", fontsize="small")
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/02_ets_vii.png", dpi=120)

print(f"rates simulated and from zero momentum differ by {difference:.1e}")
print("out/02_ets_vii.png")
