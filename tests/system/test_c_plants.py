"""Plants, steps and laws with memory as C: a closed loop with the bits of `simulate`, and the stack that it needs."""

import ctypes
import re
import subprocess

import numpy as np
import pytest
from tests.kernels.test_c_export import called
from tests.support.compilers import found, run_compiler
from tests.support.random_trees import random_tree
from tests.support.thinning import one_in

import unmoored as um
from unmoored.kernels.c_source.stack_use import stack_use
from unmoored.worlds.law import Seen

STRICT = (
    "-std=c99", "-ffp-contract=off", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Wshadow",
    "-Werror", "-pedantic",
)  # fmt: skip
SYSTEM = um.System(random_tree(22, ("Free", "Revolute"), branching=False))
PLANT = um.Plant(
    SYSTEM,
    um.Ocean(current=(0.2, 0.0, 0.1)),
    actuators=[um.JointMotor("b0"), um.JointMotor("b1", lag=0.05, limits=(-4.0, 4.0))],
    free=["ocean.current"],
)


class Integral(um.Law):
    """Proportional, integral and feedback of the motor's own state; it counts its calls."""

    stiffness: float
    weights: np.ndarray
    memory = {"error": 3, "calls": 1.0}

    def __call__(self, seen, memory):
        error = memory["error"] + seen.period * seen.q[9:12]
        force = -self.stiffness * seen.q[9:12] - self.weights * error - 2.0 * seen.v[:3]
        u = np.concatenate([force, -seen.v[3:6], [np.cos(seen.t) - 0.1 * seen.x[0]]])
        return u, {"error": error, "calls": memory["calls"] + 1.0}


LAW = Integral(3.0, [0.4, 0.5, 0.6])
PROGRAM = """
#include <stdio.h>
#include "loop.h"

int main(void)
{
    REAL q[LOOP_NQ] = {Q}, v[LOOP_NV] = {V}, x[LOOP_NX] = {0}, u[LOOP_NU], memory[4];
    const REAL h = (REAL)0.01, p[LOOP_NP] = {P};
    loop_law_start(memory);
    for (int k = 0; k < 1000; ++k) {
        const REAL t = (REAL)(k * 0.01);
        if (k % 2 == 0) loop_law(&t, q, v, x, memory, u, memory);
        loop_step(&t, q, v, u, &h, x, p, q, v, x);
        fwrite(q, sizeof q, 1, stdout);
        fwrite(v, sizeof v, 1, stdout);
        fwrite(x, sizeof x, 1, stdout);
        fwrite(memory, sizeof memory, 1, stdout);
    }
    return 0;
}
"""


def numbers(array, dtype):
    return ", ".join(f"(REAL){float(x)!r}" for x in np.asarray(array, dtype)).join("{}")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_thousand_steps_of_a_closed_loop_have_the_bits_of_simulate(tmp_path, dtype):
    rng = np.random.default_rng(5)
    q0, v0, p = SYSTEM.random_configuration(rng), 0.3 * rng.normal(size=PLANT.nv), np.array([0.3, -0.1, 0.2])
    source, _ = um.export_c(
        PLANT, ["step", um.CLaw(LAW, control_step=0.02)], tmp_path / "loop.c", prefix="loop", dtype=dtype
    )
    real = {"float64": "double", "float32": "float"}[dtype]
    text = PROGRAM.replace("{0}", "{NOTHING}")
    for name, values in (("{Q}", q0), ("{V}", v0), ("{P}", p), ("{NOTHING}", [0.0])):
        text = text.replace(name, numbers(values, dtype))
    (tmp_path / "main.c").write_text(text.replace("REAL", real))
    program = tmp_path / "loop"
    run_compiler(
        found("gcc", "cc"), *STRICT, "-march=native", "-o", program, tmp_path / "main.c", source, "-lm"
    )
    written = subprocess.run([program], capture_output=True, check=True).stdout
    rows = np.frombuffer(written, dtype).reshape(1000, -1)
    q, v, x, memory = np.split(rows, np.cumsum([PLANT.nq, PLANT.nv, PLANT.nx]), axis=1)
    run = um.simulate(
        PLANT, q0, v0, duration=10.0, step=0.01, control_step=0.02, controller=LAW, dtype=dtype,
        parameters={"ocean.current": p},
    )  # fmt: skip
    assert run.status[0].kind == "completed"
    assert np.array_equal(q, run.q[1:])
    assert np.array_equal(v, run.v[1:])
    assert np.array_equal(x, run.x[1:])
    assert memory[-1, 3] == 501.0
    assert np.abs(q[-1] - q0).max() > 0.1


def test_gains_as_an_argument_and_laws_without_memory(tmp_path):
    def plain(t, q, v):
        return np.concatenate([-v[:6], [np.sin(t) * q[12]]])

    items = [um.CLaw(LAW, control_step=0.02, gains=True, name="tuned"), um.CLaw(plain, name="plain")]
    source, header = um.export_c(PLANT, items, tmp_path / "laws.c", prefix="x")
    text = header.read_text()
    assert "gains: stiffness, weights[3]" in text
    assert "memory: error[3], calls" in text
    assert "Fixed: control period = 0.02 s" in text
    library = tmp_path / "laws.so"
    run_compiler(found("gcc", "cc"), *STRICT, "-shared", "-fPIC", "-o", library, source, "-lm")
    loaded, rng = ctypes.CDLL(str(library)), np.random.default_rng(1)
    q, v, x, m = SYSTEM.random_configuration(rng), *(rng.normal(size=n) for n in (PLANT.nv, 1, 4))
    other = Integral(5.0, [1.0, 2.0, 3.0])
    u, memory = other(Seen(0.3, q, v, x, period=0.02), {"error": m[:3], "calls": m[3]})
    mine = called(loaded, "x_tuned", (0.3, q, v, x, m, [5.0, 1.0, 2.0, 3.0]), [(PLANT.nu,), (4,)])
    assert np.abs(mine[0] - u).max() < 1e-15
    assert np.array_equal(mine[1], np.r_[memory["error"], memory["calls"]])
    assert np.array_equal(called(loaded, "x_tuned_start", (), [(4,)])[0], [0.0, 0.0, 0.0, 1.0])
    assert np.abs(called(loaded, "x_plain", (0.3, q, v), [(PLANT.nu,)])[0] - plain(0.3, q, v)).max() < 1e-15


def test_results_without_entries_are_left_out(tmp_path):
    """Without states of actuators a step has none to give, which C could not write down."""
    plant = um.Plant(SYSTEM, actuators=[um.JointMotor("b1")])
    _, header = um.export_c(plant, ["step", "mass_matrix"], tmp_path / "few.c", prefix="x")
    assert "-> q_out[13], v_out[7]\n" in header.read_text()


def test_what_a_plant_is_given_at_run_time_stays_an_argument(tmp_path):
    _, header = um.export_c(
        PLANT,
        [
            "forward_dynamics",
            um.CFunction("forward_dynamics", u=np.zeros(7), x=[0.0], name="free_fall"),
            "mass_matrix",
        ],
        tmp_path / "plant.c",
        prefix="x",
    )
    text = header.read_text()
    assert "t[1], q[13], v[7], u[7], x[1], p[3] -> out[7]" in text
    assert "t[1], q[13], v[7], p[3] -> out[7]" in text
    assert "q[13], p[3] -> out[7][7]" in text
    for piece in (
        "#define X_NU 7",
        "#define X_NX 1",
        "#define X_NP 3",
        "[6] b1_motor",
        "[0] ocean.current[0]",
    ):
        assert piece in text
    assert PLANT.digest in text
    with pytest.raises(um.ModelError, match=r"a law of an um\.Plant"):
        um.export_c(SYSTEM, [um.CLaw(LAW, control_step=0.1)], tmp_path / "none.c")


@pytest.mark.parametrize("optimised", one_in(2, ["-O0", "-O2"], first=1))
def test_the_stack_is_at_least_what_the_compiler_needs(tmp_path, optimised):
    """The bound covers gcc's own figures along every chain of calls, and is near them where nothing is optimised."""
    loops = ("Free", *["Revolute"] * (17 if optimised == "-O0" else 1))
    plant = um.Plant(um.System(random_tree(7, loops, branching=False)))
    items = [um.CFunction("step", method="euler", steps=3), um.CFunction("inverse_dynamics")]
    source, header = um.export_c(plant, items, tmp_path / "stack.c", prefix="x")
    command = (found("gcc"), "-std=c99", optimised, "-fstack-usage", "-c", source, "-o", tmp_path / "stack.o")
    run_compiler(*command)
    lines = (tmp_path / "stack.su").read_text().splitlines()
    used = {line.split()[0].rpartition(":")[2]: int(line.split()[1]) for line in lines}
    text = source.read_text()
    bodies = dict(re.findall(r"^\S[^\n]* (\w+)\([^)]*\)\n\{\n(.*?)\n\}", text, re.M | re.S))
    chains = {}
    for name, body in bodies.items():  # callees come first: nothing calls itself
        called_here = [other for other in re.findall(r"\b(\w+)\(", body) if other in bodies]
        assert set(called_here) <= set(chains)
        chains[name] = used.get(name, 0) + max((chains[other] + 8 for other in called_here), default=0)
    bound = stack_use(text)
    for name in ("x_step", "x_inverse_dynamics"):
        assert chains[name] <= bound[name]
        assert optimised == "-O2" or bound[name] < 1.3 * chains[name] + 1000
        assert f"#define {name.upper()}_STACK {bound[name]}" in header.read_text()
    assert f"Stack: at most {bound['x_step']} bytes a call, in x_step" in header.read_text()
    assert not re.search(r"\b(malloc|calloc|alloca|free)\b", text)


def test_functions_are_named_after_the_frames_they_are_for():
    """Words alone make the name; what else is fixed does not."""
    assert um.CFunction("jacobian", "tool").name == "jacobian_tool"
    for given in ("gravity", ["gravity"], ("gravity",)):
        function = um.CFunction("inverse_dynamics", free=given, arguments=given)
        assert (function.free, function.arguments) == (("gravity",), ("gravity",))
    assert um.CFunction("pose", np.zeros(3), "tool").name == "pose_tool"
    assert um.CFunction("jacobian", "tool", name="J").name == "J"
