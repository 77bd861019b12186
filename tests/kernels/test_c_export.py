"""Exported C against the system's own kernels: the same bits, from a strict C99 compiler."""

import ctypes
import math
import subprocess

import numpy as np
import pytest
from tests.kernels.functions import everything
from tests.support.compilers import found, run_compiler, shared_library
from tests.support.random_trees import MAKERS
from tests.support.random_trees import random_tree as system_tree
from tests.support.thinning import one_in
from tests.trace.tree_recursion import random_tree, recursion

import unmoored as um
from unmoored import kernels, trace
from unmoored.kernels.c_source import CEntry, c_file
from unmoored.system.c_export import c_entry, identifier

STRICT = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic")


def exported(folder, system, functions, *options, dtype="float64"):
    """The library of an exported file."""
    source, header = um.export_c(system, functions, folder / "robot.c", dtype=dtype)
    assert header == folder / "robot.h"
    library = folder / "robot.so"
    run_compiler(found("gcc", "cc"), *STRICT, *options, "-shared", "-fPIC", "-o", library, source, "-lm")
    return ctypes.CDLL(str(library))


def called(library, name, inputs, shapes, dtype="float64"):
    """Outputs of a C function for one sample."""
    outputs = [np.full(shape, np.nan, dtype) for shape in shapes]
    arrays = [np.ascontiguousarray(x, dtype) for x in inputs] + outputs
    getattr(library, name)(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
    return outputs


def compiled(folder, traced, dtype="float64", options=()):
    """A Python function that calls the C code of a traced function."""
    inputs = tuple(f"x{k}" for k in range(len(traced.input_shapes)))
    outputs = tuple(f"y{k}" for k in range(len(traced.outputs)))
    entry = CEntry(traced, "sample", inputs, outputs, "one sample")
    made = c_file("it", [entry], comment="a test", macros={}, dtype=dtype)
    (folder / "it.h").write_text(made.header)
    # fast to compile: whole systems in tests/system/test_c_bits.py and in tests/long are optimised
    library = shared_library(made.source, ".c", folder, *STRICT, "-O0", *options)
    return lambda *arrays: called(library, "sample", arrays, traced.output_shapes, dtype)


def states(system, count, seed=0):
    rng = np.random.default_rng(seed)
    return [(system.random_configuration(rng), *rng.normal(size=(2, system.nv))) for _ in range(count)]


def assert_same_bits(a, b):
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("looped", [False, True], ids=["straight", "looped"])
def test_every_operation_has_the_bits_of_the_kernel(tmp_path, looped, dtype):
    traced = trace.trace(everything, (5,), (3,))
    if looped:
        traced = trace.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5)
        assert any(node[0] == "scan" for node in traced.graph.nodes)
    function, kernel = compiled(tmp_path, traced, dtype), kernels.compile(traced, dtype=dtype)
    rng = np.random.default_rng(1)
    for _ in range(20):
        arrays = [rng.normal(size=shape).astype(dtype) for shape in traced.input_shapes]
        for mine, theirs in zip(function(*arrays), kernel(*arrays), strict=True):
            assert_same_bits(mine, theirs)


def test_sub_functions_are_written_once(tmp_path):
    @trace.outlined
    def inner(x):
        return np.sin(x) * x[::-1]

    @trace.outlined
    def outer(x):
        return inner(inner(x)) + x

    traced = trace.trace(lambda x, y: outer(x) - outer(y) + inner(x), (4,), (4,))
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 4))
    assert_same_bits(compiled(tmp_path, traced)(x, y)[0], kernels.compile(traced)(x, y))
    source = next(tmp_path.glob("*.c")).read_text()
    assert source.count("static void") == 2
    assert source.count("= um_bit0(") == 4


def test_sub_functions_may_hold_loops(tmp_path):
    part = trace.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5)
    traced = trace.trace(lambda x, y: trace.call_traced(part, 0.5 * x, y)[0], (20,), (20,))
    x, y = np.random.default_rng(5).normal(size=(2, 20))
    assert_same_bits(compiled(tmp_path, traced)(x, y)[0], kernels.compile(traced)(x, y))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_special_numbers(tmp_path, dtype):
    def function(x, y):
        chosen = [trace.minimum(x, y), trace.maximum(x, y), trace.arctan2(x, y), trace.copysign(x, y)]
        return np.stack([*chosen, np.exp(x), np.log(abs(x)), trace.where(x < y, math.inf, math.nan)])

    traced = trace.trace(function, (), ())
    c, kernel = compiled(tmp_path, traced, dtype), kernels.compile(traced, dtype=dtype)
    special = [0.0, -0.0, 1.5, -math.inf, math.inf, math.nan, 1e30]
    for x in special:
        for y in special:
            mine, theirs = c(x, y)[0], kernel(np.array(x, dtype), np.array(y, dtype))
            np.testing.assert_array_equal(mine, theirs)
            numbers = ~np.isnan(mine)
            np.testing.assert_array_equal(np.signbit(mine)[numbers], np.signbit(theirs)[numbers])


@pytest.mark.parametrize("dtype", one_in(2, ["float64", "float32"]))
def test_dynamics_have_the_bits_of_the_methods(tmp_path, dtype):
    system = um.load("free_flyer_arm7")
    functions = ["forward_dynamics", "mass_matrix", ("jacobian", "tool"), "retract"]
    library = exported(tmp_path, system, functions, dtype=dtype)
    for state in states(system, 5):
        q, v, tau = (x.astype(dtype) for x in state)
        cases = {
            "forward_dynamics": ((q, v, tau), system.forward_dynamics(q, v, tau)),
            "mass_matrix": ((q,), system.mass_matrix(q)),
            "jacobian_tool": ((q,), system.jacobian(q, "tool")),
            "retract": ((q, v), system.retract(q, v)),
        }
        for name, (inputs, expected) in cases.items():
            mine = called(library, f"free_flyer_arm7_{name}", inputs, [expected.shape], dtype)[0]
            assert_same_bits(mine, expected)


@pytest.mark.long
def test_fixed_and_free_options(tmp_path):
    system, g = um.load("free_flyer_arm7"), (0.3, 0.0, -9.81)
    library = exported(
        tmp_path, system,
        [
            um.CFunction("inverse_dynamics", gravity=g, name="torques"),
            um.CFunction("inverse_dynamics", arguments=["gravity"], wrenches=["tool", "bus"]),
            um.CFunction("hybrid_dynamics", passive=["bus"], name="free_floating"),
            um.CFunction("hybrid_dynamics", arguments="passive"),
            um.CFunction("energy", gravity=g),
        ],
    )  # fmt: skip
    (q, v, a), F = states(system, 1)[0], np.arange(6.0)
    shape, mask = (system.nv,), np.r_[np.ones(6), np.zeros(7)]

    def call(name, *inputs, n=1, shape=shape):
        return called(library, f"free_flyer_arm7_{name}", inputs, [shape] * n)

    expected = system.inverse_dynamics(q, v, a, gravity=g)
    np.testing.assert_allclose(call("torques", q, v, a)[0], expected, rtol=1e-13, atol=1e-12)
    expected = system.inverse_dynamics(q, v, a, gravity=g, wrenches={"tool": F, "bus": F[::-1]})
    assert_same_bits(call("inverse_dynamics", q, v, a, g, F[::-1], F)[0], expected)
    assert "gravity[3], wrench_bus[6], wrench_tool[6] -> out" in (tmp_path / "robot.h").read_text()
    expected = system.hybrid_dynamics(q, v, tau=a, acceleration=a, passive=["bus"])
    for mine, theirs in zip(call("hybrid_dynamics", q, v, a, a, mask, n=2), expected, strict=True):
        assert_same_bits(mine, theirs)
    for mine, theirs in zip(call("free_floating", q, v, a, a, n=2), expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    energy = system.energy(q, v, gravity=g)
    kinetic, potential = call("energy", q, v, n=2, shape=(1,))
    np.testing.assert_allclose([kinetic[0], potential[0]], [energy.kinetic, energy.potential], rtol=1e-14)


@pytest.mark.long
def test_every_joint(tmp_path):
    system = um.System(system_tree(3, list(MAKERS), armature=True))
    library = exported(tmp_path, system, ["forward_dynamics"], "-O0")
    for q, v, tau in states(system, 3):
        mine = called(library, "random3_forward_dynamics", (q, v, tau), [(system.nv,)])[0]
        assert_same_bits(mine, system.forward_dynamics(q, v, tau))


def test_an_output_may_be_an_input(tmp_path):
    system = um.load("free_flyer_arm7")
    library = exported(tmp_path, system, ["forward_dynamics"])
    q, v, tau = states(system, 1)[0]
    expected = system.forward_dynamics(q, v, tau)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, tau, tau)]
    library.free_flyer_arm7_forward_dynamics(*pointers)
    assert_same_bits(tau, expected)


def test_processors_without_fused_operations(tmp_path):
    system = um.load("free_flyer_arm7")
    library = exported(tmp_path, system, ["forward_dynamics"], "-DUNMOORED_NO_FMA", "-ffp-contract=off")
    for q, v, tau in states(system, 5):
        expected = system.forward_dynamics(q, v, tau)
        mine = called(library, "free_flyer_arm7_forward_dynamics", (q, v, tau), [(system.nv,)])[0]
        assert np.abs(mine - expected).max() < 1e-12 * np.abs(expected).max()
        assert not np.array_equal(mine, expected)


def test_the_header_says_what_the_numbers_mean_and_is_also_cpp(tmp_path):
    system = um.load("free_flyer_arm7")
    functions = ["forward_dynamics", um.CFunction("gravity_forces", gravity=(0, 0, -1.6))]
    _, header = um.export_c(system, functions, tmp_path / "arm-7.c", prefix="arm")
    text = header.read_text()
    for piece in (
        um.__version__, system.tree.digest, "#define ARM_NQ 19", "#define ARM_NV 13", "[0..11] bus: rotation",
        "[12] shoulder_yaw", "[5] bus.wz", "q[19], v[13], tau[13] -> out[13]", "gravity = (0, 0, -1.6)",
        "-ffp-contract=off",
    ):  # fmt: skip
        assert piece in text
    (tmp_path / "user.cpp").write_text('#include "arm-7.h"\nint main() { return ARM_NQ - 19; }\n')
    program = tmp_path / "user"
    run_compiler(found("g++", "c++"), "-Wall", "-Wextra", "-Werror", "-o", program, tmp_path / "user.cpp")
    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        (["forward_dynamic"], "forward_dynamics"),
        ([("jacobian", "hand")], "tool"),
        (["jacobian"], "frame"),
        ([("forward_dynamics", "tool", "tool", "tool")], "values for"),
        ([um.CFunction("forward_dynamics", arguments=["gravitation"])], "gravity"),
        ([um.CFunction("forward_dynamics", lift=3)], "lift"),
        (["neutral"], "one kernel"),
        (["_run"], "forward_dynamics"),
        (["mass_matrix", "mass_matrix"], "each with a name of its own .*, given .*mass_matrix"),
        ([], "at least one function"),
        ([3], "a method's name"),
    ],
)
@pytest.mark.whole
def test_wrong_requests_say_what_is_right(tmp_path, functions, message):
    with pytest.raises(um.ModelError, match=message):
        um.export_c(um.load("free_flyer_arm7"), functions, tmp_path / "robot.c")
    assert not list(tmp_path.iterdir())


def test_wrong_files_and_types(tmp_path):
    system = um.load("free_flyer_arm7")
    with pytest.raises(um.ModelError, match=r"a \.c file"):
        um.export_c(system, ["mass_matrix"], tmp_path / "robot")
    with pytest.raises(ValueError, match="float64 or float32"):
        um.export_c(system, ["mass_matrix"], tmp_path / "robot.c", dtype="float16")


def test_frames_that_are_one_name_in_c_are_refused(tmp_path):
    builder = um.SystemBuilder("two")
    builder.vehicle("bus", um.Free(), inertia=um.Inertia.sphere(1, 1))
    for name in ("tool-1", "tool_1"):
        builder.frame(name, parent="bus")
    function = um.CFunction("inverse_dynamics", wrenches=["tool-1", "tool_1"])
    with pytest.raises(
        um.ModelError, match=r"arguments whose names differ as C identifiers .*, given .*tool_1"
    ):
        um.export_c(builder.build(), [function], tmp_path / "two.c")


def test_names_in_c_are_letters_digits_and_lines_of_ascii():
    for name, word in {"Äther 1": "_ther_1", "2nd": "_2nd", "": "_", "tool/tip": "tool_tip"}.items():
        assert identifier(name) == word


def test_a_c_function_names_all_its_arrays():
    traced = trace.trace(lambda x, y: x + y, (2,), (2,))
    assert "a[2], b[2] -> sum[2]" in c_entry(traced, "sum", ["a", "b"], ["sum"], "Sum.").comment
    for inputs in (["a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            c_entry(traced, "sum", inputs, ["sum"], "Sum.")
