"""A satellite without thrusters and wheels turns itself by five degrees about each of its axes, with its arm alone.

For each axis a closed loop of the joints is planned whose geometric phase is the wished turn. The simulation knows
nothing of the plan but the joints' motion; momentum is zero all the time, and the joints end where they began.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import planning

system = um.load("spart_sc_3dof")
q0 = system.pack(dict.fromkeys(system.joints[1:], 0.4))
duration, wish = 60.0, np.radians(5.0)
t = np.linspace(0.0, duration, 1201)

figure, axes = plt.subplots(2, 3, sharex=True, figsize=(10, 5), layout="constrained")
for k, name in enumerate("xyz"):
    loop = planning.reorient(system, q0, wish * np.eye(3)[k], starts=12)
    assert loop.solved
    joints = loop.joints_at(t, duration)
    moves = {joint: um.Sampled(t, joints[:, i]) for i, joint in enumerate(loop.joints)}
    run = um.simulate(um.Plant(system, prescribed=moves), q0, duration=duration, step=0.05)
    turn = np.degrees(um.lie.so3.log(run.q[:, :9].reshape(-1, 3, 3)))
    momentum = np.abs(system.momentum(run.q, run.v)).max()
    print(
        f"about {name}: {loop.loops} loop(s), turned by {np.round(turn[-1], 4)} deg, joints by at most "
        f"{np.degrees(np.abs(joints - joints[0]).max()):.0f} deg, momentum at most {momentum:.1e}"
    )
    axes[0, k].plot(t, np.degrees(joints - joints[0]))
    axes[0, k].set(title=f"a turn about {name}")
    axes[1, k].plot(run.t, turn, label=["x", "y", "z"])
    axes[1, k].axhline(5.0, color="grey", ls="--", lw=0.8)
    axes[1, k].set(xlabel="t (s)")
axes[0, 0].set(ylabel="joints (deg)")
axes[1, 0].set(ylabel="satellite (deg)")
axes[1, 0].legend()
for one in axes.flat:
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/23_turning_by_joint_loops.png", dpi=120)
print("out/23_turning_by_joint_loops.png")
