"""Laws that track with all joints, or with a tool: one evaluation in a batch, and one trajectory at 100 Hz.

    taskset -c 1 python benchmarks/tracking_laws.py

BlueROV2 with a Bravo 7 (12 DoF) in water, all joints along moving references. The peer is Pinocchio's rnea of the dry
vehicle and arm, one call per sample from Python: the inverse dynamics alone, without water, errors and references.
Times are of the processor, the best of many, peer and ours in turn.
"""

import time
from dataclasses import replace

import numpy as np
import pinocchio

import unmoored as um
from unmoored import kernels
from unmoored.model.files.urdf.writer import format_urdf

BATCH, SECONDS = 4096, 10.0


def best(call, rounds):
    """Shortest time (s) of one call."""
    call()
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times)


def laws(plant):
    """All laws, with references of every joint."""
    arm = [name for name in plant.system.names if plant.system.tree.link(name).joint.nv == 1]
    path = um.PoseSpline(
        [0, 5, 10], [um.Pose(), um.Pose(xyz=(1, 0, 0.2), rpy=(0, 0, 0.8)), um.Pose(xyz=(1.5, 1, 0))]
    )
    targets = {"rov": path} | {name: um.Sine(0.3, 4.0 + k) for k, name in enumerate(arm)}
    gain = [200] * 3 + [50] * 3 + [20] * len(arm)
    tool = plant.system.pose(plant.system.pack(dict.fromkeys(arm, 0.6)), "tool")
    return {
        "Tracking": um.Tracking(plant, targets, gain, gain),
        "ComputedTorque": um.ComputedTorque(plant, targets, 9.0, 6.0),
        "PassivityTracking": um.PassivityTracking(plant, targets, gain),
        "ToolTracking": um.ToolTracking(plant, "tool", tool, regularization=1e-2),
    }


def main():
    """Print the table."""
    system = um.load("bluerov2_bravo7")
    plant, rng = um.Plant(system, um.Ocean()), np.random.default_rng(0)
    q = np.stack([system.retract(system.neutral(), 0.3 * rng.normal(size=system.nv)) for _ in range(BATCH)])
    v, t = 0.3 * rng.normal(size=(BATCH, system.nv)), np.linspace(0.0, 10.0, BATCH)
    dry = replace(
        system.tree, bodies=tuple(replace(body, fluid=None, visuals=()) for body in system.tree.bodies)
    )
    model = pinocchio.buildModelFromXML(format_urdf(dry))
    data, x = model.createData(), pinocchio.neutral(model)
    one = [np.ascontiguousarray(row) for row in v[:256]]

    def peer():
        for row in one:
            pinocchio.rnea(model, data, x, row, row)

    print("| law | µs, batch | rnea alone, µs per call | real time, RKMK4 1 ms, 100 Hz |")
    print("|---|---|---|---|")
    for name, law in laws(plant).items():
        kernel = kernels.compile(law, [(), (system.nq,), (system.nv,)], exact_zeros=False)
        theirs, ours = best(peer, 30) / len(one), best(lambda k=kernel: k(t, q, v), 30) / BATCH
        options = {
            "duration": SECONDS,
            "step": 1e-3,
            "control_step": 0.01,
            "record_every": 100,
            "controller": law,
        }
        run = SECONDS / best(lambda o=options: um.simulate(plant, system.neutral(), **o), 3)
        print(f"| `{name}` | {1e6 * ours:.2f} | {1e6 * theirs:.2f} | {run:.0f}× |")


if __name__ == "__main__":
    main()
