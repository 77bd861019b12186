"""A servicer catches a tumbling target in flight, carries it, and lets it go again.

At the capture two systems become one, and velocities jump so that momentum is kept; the energy of the shock is lost.
At the release nothing jumps. Each phase is a run of its own system; `System.join` and `System.release` lead from one
to the next.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

STEP = 0.01


def free_flight(system, q, v, duration):
    """The motion of a system without forces; joints are held by their inertia alone."""
    return um.simulate(system, q, v, duration=duration, step=STEP, record_every=5)


def spun_up(target, pose, spin):
    """State of the target at a pose (4, 4), tumbling with `spin` (3,) about its centre, in its axes."""
    name = target.names[0]
    return target.pack({name: pose}), target.pack_velocity({name: [0, 0, 0, *spin]})


servicer, target = um.load("spart_sc_3dof"), um.load("tumbling_brick")
q = servicer.pack({"shoulder_pitch": 0.6, "elbow_pitch": -1.1})
v = servicer.pack_velocity({"shoulder_yaw": 0.1, "elbow_pitch": 0.05})

# before: both fly by themselves; the target is where the tool arrives after two seconds
before = free_flight(servicer, q, v, 2.0)
meeting = servicer.pose(before.q[-1], "tool") @ um.Pose(xyz=(0, 0, 0.1)).matrix
q_target, v_target = spun_up(target, meeting, (0.5, 0.8, -0.3))
p_before = before.momentum()[-1] + target.momentum(q_target, v_target)

# capture, and four seconds together
joined = servicer.join(before.q[-1], before.v[-1], target, q_target, v_target, frame="tool")
together = free_flight(joined.system, joined.q, joined.v, 4.0)

# release, and two seconds each by itself
let_go = joined.system.release(
    together.q[-1], together.v[-1], "tumbling_brick/brick", prefix="tumbling_brick"
)
after = free_flight(let_go.system, let_go.q, let_go.v, 2.0)
away = free_flight(let_go.released, let_go.q_released, let_go.v_released, 2.0)
p_after = after.momentum()[-1] + away.momentum()[-1]

phases = [(before, 0.0, "before"), (together, 2.0, "together"), (after, 6.0, "after")]
figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 5.5), layout="constrained")
for run, start, _ in phases:
    for k, axis in enumerate("xyz"):
        axes[0].plot(
            start + run.t, np.degrees(run.v[:, 3 + k]), color=f"C{k}", label=axis if start == 0 else None
        )
    axes[1].plot(start + run.t, run.energy().kinetic, "k")
axes[0].set(ylabel="bus rate (deg/s)", title="Capture at 2 s, release at 6 s")
axes[0].legend(title="about", fontsize="small")
axes[1].set(xlabel="t (s)", ylabel="energy of what the servicer holds (J)")
for one in axes:
    for t in (2, 6):
        one.axvline(t, color="grey", lw=0.8)
    one.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/12_capture.png", dpi=120)

print(f"momentum changes by {np.abs(p_after - p_before).max():.1e} through capture and release")
print(f"the capture takes {joined.energy_lost:.4f} J")
print("out/12_capture.png")
