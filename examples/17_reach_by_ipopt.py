"""A free-floating servicer reaches for a point and comes to rest: CasADi and IPOPT on steps of the plant.

The configuration is on a manifold: node k is q = retract(start, δ_k) with a tangent δ_k that IPOPT changes, and a step
has arrived where local(q_k+1, step(q_k)) is zero. So no rotation needs a constraint of its own. Nothing pushes the
bus: it turns as the arm moves, and the momentum stays zero.
"""

from pathlib import Path

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

system = um.load("spart_sc_3dof")
plant = um.Plant(system, actuators=[um.JointMotor(name) for name in system.dof_names[6:]])
NODES, STEP, TORQUE = 12, 0.5, 0.2
bridge = um.bridges.casadi
step = bridge.function(plant, "step")  # (t, q, v, u, step) -> (q_out, v_out, x), RKMK4
retract, local = bridge.function(system, "retract"), bridge.function(system, "local")
pose = bridge.function(system, "pose", "tool")

start = system.retract(system.neutral(), np.r_[np.zeros(6), 0.3, -0.9, 1.6])
target = system.pose(start, "tool")[:3, 3] + np.array([0.2, -0.15, 0.1])

# what one interval is off by, as a Function of its own: its derivatives are made once
δ0, v0, δ1, v1 = (ca.MX.sym(name, plant.nv) for name in ("d0", "v0", "d1", "v1"))
u0 = ca.MX.sym("u0", plant.nu)
q_out, v_out, _ = step(0.0, retract(start, δ0), v0, u0, STEP)
gap = ca.Function("gap", [δ0, v0, u0, δ1, v1], [ca.vertcat(local(retract(start, δ1), q_out), v_out - v1)])

opti = ca.Opti()
δ, v = opti.variable(plant.nv, NODES + 1), opti.variable(plant.nv, NODES + 1)
u = opti.variable(plant.nu, NODES)
for k in range(NODES):
    opti.subject_to(gap(δ[:, k], v[:, k], u[:, k], δ[:, k + 1], v[:, k + 1]) == 0)
opti.subject_to(δ[:, 0] == 0)
opti.subject_to(v[:, 0] == 0)
opti.subject_to(v[6:, NODES] == 0)  # the arm at rest; the momentum is zero, so the bus is at rest, too
opti.subject_to(pose(retract(start, δ[:, NODES]))[:3, 3] == target)
opti.subject_to(opti.bounded(-TORQUE, ca.vec(u), TORQUE))
opti.minimize(STEP * ca.sumsqr(u))
opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
found = opti.solve()
torques = found.value(u).T

# the same torques, held over each interval, in a simulation with steps a tenth as long
fine = um.simulate(
    plant, start, duration=NODES * STEP, step=STEP / 10, control_step=STEP,
    controller=lambda t, q, v: um.trace.table(torques, (t + 1e-9) / STEP),
)  # fmt: skip
path = system.pose(fine.q, "tool")[:, :3, 3]
miss = 1e3 * np.linalg.norm(path[-1] - target)
momentum = np.abs(plant.momentum(0.0, fine.q, fine.v)).max()
print(f"IPOPT: {found.stats()['iter_count']} iterations, cost {found.value(opti.f):.4f}")
print(f"simulated: tool {miss:.3f} mm off the target, momentum at most {momentum:.1e}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for k, axis in enumerate("xyz"):
    (line,) = left.plot(fine.t, path[:, k], label=f"tool {axis}")
    left.plot(fine.t[-1], target[k], "o", color=line.get_color())
left.set(xlabel="time (s)", ylabel="place in the world (m)", title="the tool reaches its target")
for k, name in enumerate(plant.input_names):
    right.step(STEP * np.arange(NODES + 1), [*torques[:, k], torques[-1, k]], where="post", label=name)
right.set(xlabel="time (s)", ylabel="torque (N m)", title="least effort within limits")
for axes in (left, right):
    axes.legend()
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/17_reach_by_ipopt.png", dpi=120)
print("out/17_reach_by_ipopt.png")
