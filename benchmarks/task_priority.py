"""Task priority: one trajectory with computed torque, and the law alone in a batch beside PlaCo and Pink.

    taskset -c 1 python benchmarks/task_priority.py [interpreter that has placo and pin-pink]

PlaCo brings a Pinocchio of its own, so that it is best installed apart; without it its rows are left out, by name.
BlueROV2 with a Bravo 7: the tool at a pose (6 rows), the vehicle level (2), a posture of the arm (6). Times are of the
processor, the best of many, peer and ours in turn.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import unmoored as um
from unmoored import kernels
from unmoored.model import files

ARM = ["base_yaw", "shoulder_pitch", "elbow_pitch", "forearm_roll", "wrist_pitch", "wrist_roll"]
TASKS = [
    [um.PoseTask("tool", um.Pose(xyz=(0.8, 0.1, -0.5)))],
    [um.DirectionTask("rov", axis=(0, 0, 1), direction=(0, 0.02, 1))],
    [um.PostureTask(dict.fromkeys(ARM, 0.3))],
]
LIMITS = [[um.SpeedLimitTask(["rov", *ARM], highest=0.5)]]
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


def trajectory(plant, law):
    """Seconds of simulated time per second, 100 Hz control, RKMK4 steps of 1 ms, one trajectory."""
    options = {"duration": SECONDS, "step": 1e-3, "control_step": 0.01, "record_every": 100}
    return SECONDS / best(lambda: um.simulate(plant, plant.system.neutral(), controller=law, **options), 5)


def evaluation(plant, levels):
    """Seconds of the law's speeds for one sample of a batch, from q alone."""
    law, system = um.TaskPriority(plant, levels), plant.system
    kernel = kernels.compile(
        lambda q: law.wanted(0.0, q, np.zeros(system.nv)).motion, [(system.nq,)], exact_zeros=False
    )
    rng = np.random.default_rng(0)
    q = np.stack([system.retract(system.neutral(), 0.5 * rng.normal(size=system.nv)) for _ in range(BATCH)])
    return best(lambda: kernel(q), 30) / BATCH


def dry_urdf(system, path):
    """The system without water and looks as URDF, with the vehicle as its root."""
    bodies = tuple(replace(body, fluid=None, visuals=()) for body in system.tree.bodies)
    files.write(replace(system.tree, bodies=bodies), path)
    text = Path(path).read_text(encoding="utf-8")
    text = re.sub(r'  <link name="world" />\n', "", text)
    text = re.sub(r'  <joint name="[^"]*" type="floating">.*?</joint>\n', "", text, flags=re.S)
    limit = '<limit lower="-3" upper="3" effort="100" velocity="10" />'
    text = text.replace('type="continuous">', f'type="revolute">\n    {limit}')
    Path(path).write_text(text, encoding="utf-8")


def peers(system, interpreter):
    """{name: seconds, or None where it could not be measured}."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "robot.urdf")
        dry_urdf(system, path)
        script = str(Path(__file__).with_name("task_priority_peers.py"))
        done = subprocess.run([interpreter, script, path, "1.0"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {f"no peers by {interpreter}: {done.stderr.strip()[-200:]}": None}


if __name__ == "__main__":
    system = um.load("bluerov2_bravo7")
    plant = um.Plant(system, world=um.Ocean())
    interpreter = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    first, ours, second = peers(system, interpreter), evaluation(plant, TASKS), peers(system, interpreter)
    limited = evaluation(plant, LIMITS + TASKS)
    print(f"law alone, batch of {BATCH}: {ours * 1e6:.2f} µs; with limits of speed {limited * 1e6:.2f} µs")
    for name, seconds in second.items():
        if seconds is None:
            print(f"  skipped: {name}")
        else:
            peer = min(seconds, first.get(name) or seconds)
            print(f"  {name}: {peer * 1e6:.2f} µs, {peer / ours:.1f} times ours")
    print(f"one trajectory, no law: {trajectory(plant, um.Inputs(plant, {})):.0f} times real time")
    for order in ("velocity", "acceleration"):
        for name, levels in (("", TASKS), (", limits of speed", LIMITS + TASKS)):
            ratio = trajectory(plant, um.TaskPriority(plant, levels, order=order))
            print(f"three levels, {order}{name}: {ratio:.0f} times real time (bar 120)")
