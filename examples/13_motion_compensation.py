"""A platform on a ship in waves is held level and in place while the ship moves beneath it.

The ship's motion is given, the platform is a free link on it. A spring and a damper toward a pose of the world drive
its six degrees of freedom.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

run = um.load_scenario("motion_compensation").run()
names = ("z", "roll", "pitch")
deck = um.channel_values(run, tuple(f"deck.{name}" for name in names))
platform = um.channel_values(run, tuple(f"platform.{name}" for name in names))
settled = run.t > 10

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 6.5), layout="constrained")
for one, name in zip(axes, names, strict=True):
    scale = 1.0 if name == "z" else 180 / np.pi
    one.plot(run.t, scale * deck[f"deck.{name}"], label="deck")
    one.plot(run.t, scale * platform[f"platform.{name}"], label="platform")
    one.set(ylabel=f"{name} ({'m' if name == 'z' else 'deg'})")
    one.grid(alpha=0.3)
    left = np.ptp(platform[f"platform.{name}"][settled]) / np.ptp(deck[f"deck.{name}"][settled])
    print(f"{name}: {100 * left:.1e} % of the deck's motion are left")
axes[0].set(title="A platform that does not take part in the ship's motion")
axes[0].legend(loc="upper right", fontsize="small")
axes[-1].set(xlabel="t (s)")
Path("out").mkdir(exist_ok=True)
figure.savefig("out/13_motion_compensation.png", dpi=120)
print("out/13_motion_compensation.png")
