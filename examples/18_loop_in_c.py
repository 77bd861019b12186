"""A law with memory and a step of its plant as C: a thousand steps by a C program have the bits of `um.simulate`.

A BlueROV2 holds station in a current; the law integrates its error, and its memory goes in and out of the
C function. Nothing is allocated, and the header says how much stack a call needs.
"""

import subprocess
from pathlib import Path
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um

plant = um.Plant(um.load("bluerov2_heavy"), um.Ocean(current=(0.3, 0.1, 0.0)))
STEPS, STEP, PERIOD = 1000, 0.02, 0.04


class Keep(um.Law):
    """A spring, a damper and an integrator on the vehicle's place in the world, and a spring on its attitude."""

    stiffness: float = 60.0
    damping: float = 80.0
    integral: float = 25.0
    memory: ClassVar = {"sum": 3}

    def __call__(self, seen, memory):
        rotation, place = seen.q[:9].reshape(3, 3), seen.q[9:12]
        total = memory["sum"] + seen.period * place
        force = -rotation.T @ (self.stiffness * place + self.integral * total) - self.damping * seen.v[:3]
        turn = 10.0 * np.array([rotation[1, 2], rotation[2, 0], rotation[0, 1]]) - 4.0 * seen.v[3:6]
        return np.concatenate([force, turn]), {"sum": total}


law = Keep()
out = Path("out")
out.mkdir(exist_ok=True)
source, header = um.export_c(plant, ["step", um.CLaw(law, control_step=PERIOD)], out / "rov.c", prefix="rov")
start = ", ".join(map(repr, plant.system.neutral().tolist()))
(out / "rov_loop.c").write_text(f"""\
#include "rov.h"
#include <stdio.h>

int main(void)
{{
    double q[ROV_NQ] = {{{start}}}, v[ROV_NV] = {{0.0}}, u[ROV_NU], memory[3];
    const double step = {STEP};
    rov_law_start(memory);
    for (int k = 0; k < {STEPS}; ++k) {{
        const double t = k * step;
        if (k % {round(PERIOD / STEP)} == 0) rov_law(&t, q, v, memory, u, memory);
        rov_step(&t, q, v, u, &step, q, v);
        fwrite(q, sizeof q, 1, stdout);
    }}
    return 0;
}}
""")
strict = ["-std=c99", "-O1", "-march=native", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic"]
program = out / "rov_loop"
subprocess.run(["gcc", *strict, "-o", program, out / "rov_loop.c", source, "-lm"], check=True)
q = np.frombuffer(subprocess.run([program], capture_output=True, check=True).stdout).reshape(STEPS, -1)

run = um.simulate(
    plant, plant.system.neutral(), duration=STEPS * STEP, step=STEP, control_step=PERIOD, controller=law
)
assert run.status[0].kind == "completed"
assert np.array_equal(q, run.q[1:])
stack = {
    line.split()[1]: int(line.split()[2]) for line in header.read_text().splitlines() if "_STACK " in line
}
print(
    f"{STEPS} steps in C: the bits of um.simulate; {1e3 * np.linalg.norm(q[-1, 9:12]):.2f} mm off station at the end"
)
print("stack at most:", ", ".join(f"{name} {size} bytes" for name, size in stack.items()))

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for k, axis in enumerate("xyz"):
    axes.plot(run.t[1:], 100 * q[:, 9 + k], label=axis)
axes.set(xlabel="time (s)", ylabel="off station (cm)", title="Station keeping in a current of 0.32 m/s, in C")
axes.legend()
axes.grid(alpha=0.3)
figure.savefig("out/18_loop_in_c.png", dpi=120)
print("out/18_loop_in_c.png")
