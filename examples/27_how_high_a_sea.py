"""How high a sea a motion-compensated platform on a supply vessel can work in, over peak periods and headings.

Six legs with a stroke of 2 m on a base of 6 m, as on the Ampelmann demonstrator: the answer follows from the ship's
response alone, and a drawn sea of that height, run through exact kinematics, fills the stroke.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored.model.joints import pose_from_numbers

STROKE = 2.0
legs = um.Hexapod.of_circles(base_radius=3.0, platform_radius=1.0, height=2.0, at=(-10.0, 0.0, 3.5))
periods = np.arange(5.0, 13.0, 0.5)
headings = {"head sea": 180.0, "quartering": 150.0, "beam sea": 90.0}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
with warnings.catch_warnings(record=True) as told:  # of seas with waves that the ship's table does not have
    warnings.simplefilter("always")
    for name, heading in headings.items():
        heights = [
            um.largest_compensated_height(
                legs, STROKE, um.Jonswap(1.0, T), heading_rad=np.radians(heading)
            ).significant_height
            for T in periods
        ]
        left.plot(periods, heights, label=name)
print(
    f"{len(told)} of {3 * len(periods)} seas have waves shorter than the ship's table: a little less than shown is held"
)
left.set(xlabel="peak period (s)", ylabel="largest significant height (m)", ylim=(0, 8))
left.legend()

found = um.largest_compensated_height(legs, STROKE, um.Jonswap(1.0, 8.0))
sea = um.Sea(um.Jonswap(1.0, 8.0), seed=1, count=200, significant_height=found.significant_height)
t = np.arange(0.0, 1200.0, 0.25)
poses = pose_from_numbers(sea.ship_motion.motion(t, um.Free()).configuration)
excursions = legs.lengths_at(poses) - legs.lengths
right.plot(t, excursions[:, found.leg], linewidth=0.5)
right.axhline(STROKE / 2, color="k")
right.axhline(-STROKE / 2, color="k")
right.set(xlabel="time (s)", ylabel="excursion of the busiest leg (m)")
print(
    f"head sea of 8 s: {found.significant_height:.2f} m; the legs then move by up to {np.abs(excursions).max():.2f} m"
)

out = Path("out")
out.mkdir(exist_ok=True)
figure.savefig(out / "27_how_high_a_sea.png", dpi=120)
print("out/27_how_high_a_sea.png")
