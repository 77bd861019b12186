"""A gantry crane moves its cart, and the payload swings on at the pendulum's own frequency."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

scenario = um.load_scenario("gantry_crane")
run = scenario.run()
values = um.channel_values(run, ("cart.x", "cart.y", "tool.x", "tool.y"))

payload = run.system.tree.bodies[1].inertia
length = -payload.com[2]
gravity = -scenario.plant.gravity[2]
small = np.sqrt(payload.mass * gravity * length / (payload.tensor[0, 0] + payload.mass * length**2))
after = run.t > 3.0
swing = (values["tool.x"] - values["cart.x"])[after]
crossings = run.t[after][1:][np.diff(np.sign(swing)) != 0]
measured = np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for axis in "xy":
    (line,) = left.plot(run.t, values[f"tool.{axis}"], label=f"payload {axis}")
    left.plot(run.t, values[f"cart.{axis}"], "--", color=line.get_color(), label=f"cart {axis}")
left.axvline(3.0, color="grey", lw=0.8)
left.set(xlabel="t (s)", ylabel="position (m)", title="The cart stops after 3 s")
right.plot(values["cart.x"], values["cart.y"], "k", label="cart")
right.plot(values["tool.x"], values["tool.y"], label="payload")
right.set(xlabel="x (m)", ylabel="y (m)", title="Seen from above", aspect="equal")
for axes in (left, right):
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/08_gantry_crane.png", dpi=120)

print(f"swings with {measured:.3f} rad/s; a pendulum that swings a little has {small:.3f} rad/s")
print("out/08_gantry_crane.png")
