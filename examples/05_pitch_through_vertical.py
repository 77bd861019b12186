"""A spacecraft pitches through 90 degrees, on the group and in Euler angles.

Same system, same start, same step, both Runge-Kutta of order four. On SE(3) nothing happens at 90 degrees. In Euler
angles the rates grow like 1/cos(pitch), and the integrator loses the motion for good.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import kernels
from unmoored.dynamics.comparisons import euler_angles
from unmoored.dynamics.comparisons.classic_runge_kutta import rk4_step

scenario = um.load_scenario("pitch_through_vertical")
run = scenario.run()
tree, n = run.system.tree, run.system.nv


def euler_rates(y):
    """Rates of y = (x, x_dot) in Euler angles, without forces."""
    return euler_angles.euler_rates(tree, y, np.zeros(n), np.zeros(3))


rates = kernels.compile(euler_rates, [(2 * n,)], name="euler_rates")
x = euler_angles.coordinates(tree, scenario.q0)
states = [np.concatenate([x, euler_angles.coordinate_rates(x, scenario.v0)])]
while len(states) < len(run.t):
    states.append(rk4_step(rates, states[-1], scenario.step))
x, x_dot = np.split(np.array(states), 2, axis=-1)
q = euler_angles.configuration(tree, x)
v = np.array([euler_angles.velocity(*row) for row in zip(x, x_dot, strict=True)])
tilt = np.degrees(um.channel_values(run, ("bus.tilt",))["bus.tilt"])
energy, start = run.energy().total, run.energy().total[0]
error = np.linalg.norm(run.system.local(run.q, q), axis=-1)
lost = 1 - run.system.energy(q, v).kinetic / start

figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
axes[0].plot(run.t, tilt, "k")
axes[0].axhline(90, color="grey", lw=0.8, ls="--")
axes[0].set(ylabel="tilt of the bus (deg)", title="Through the attitude where Euler angles fail")
axes[1].semilogy(run.t[1:], np.abs(energy / start - 1)[1:] + 1e-17, label="on the group")
axes[1].semilogy(run.t[1:], np.abs(lost)[1:] + 1e-17, label="Euler angles")
axes[1].set(ylabel="error of the energy (relative)")
axes[1].legend(loc="center left", fontsize="small")
axes[2].semilogy(run.t[1:], error[1:], color="C1")
axes[2].set(xlabel="t (s)", ylabel="distance of the two motions")
for one in axes:
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/05_pitch_through_vertical.png", dpi=120)

print(
    f"energy lost on the group: {np.abs(energy / start - 1).max():.1e}, in Euler angles: {np.abs(lost).max():.1e}"
)
print("out/05_pitch_through_vertical.png")
