"""A satellite goes round a closed loop of its arm joints and has turned afterwards: the geometric phase.

Momentum is zero all the time, and how fast the loop is run does not matter: the angle is the integral of the
connection around the loop, computed here from the mechanical connection alone.
"""

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

slow = um.load_scenario("geometric_phase").run()
times = ["prescribed.shoulder.times=[0, 1, 2, 3, 4]", "prescribed.elbow.times=[0, 1, 2, 3, 4]"]
fast = um.load_scenario("geometric_phase", settings=[*times, "duration=4", "outputs.record_every=2"]).run()


def connection_integral(system, corners, points=40):
    """Angle that the base turns by along straight lines between corners (k, 2) of joint angles, at zero momentum."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    total = 0.0
    for a, b in pairwise(corners):
        joints = a + np.outer(0.5 * (nodes + 1), b - a)
        q = system.pack({"shoulder": joints[:, 0], "elbow": joints[:, 1]})
        rates = system.disturbance_jacobian(q, passive=["base"])[:, 2]
        total += 0.5 * (rates @ (b - a)) @ weights
    return total


corners = np.array([[0.5, 0.5], [2.0, 0.5], [2.0, 2.2], [0.5, 2.2], [0.5, 0.5]])
predicted = connection_integral(slow.system, corners)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for run, label in ((slow, "in 16 s"), (fast, "in 4 s")):
    values = um.channel_values(run, ("base.yaw", "shoulder", "elbow"))
    right.plot(run.t / run.t[-1], np.degrees(values["base.yaw"]), "-" if run is slow else "--", label=label)
    print(f"{label}: turned by {values['base.yaw'][-1]:.10f} rad, predicted {predicted:.10f} rad")
left.plot(*np.degrees(corners).T, "k")
left.set(xlabel="shoulder (deg)", ylabel="elbow (deg)", title="The loop of the joints", aspect="equal")
right.axhline(np.degrees(predicted), color="grey", lw=0.8, label="from the connection")
right.set(
    xlabel="part of the loop", ylabel="satellite's yaw (deg)", title="The turn does not depend on speed"
)
right.legend(fontsize="small")
for axes in (left, right):
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/15_geometric_phase.png", dpi=120)
print("out/15_geometric_phase.png")
