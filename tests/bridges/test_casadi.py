"""The bridge to CasADi: values, derivatives and names of Functions made from traced graphs."""

import sys

import casadi as ca
import numpy as np
import pytest
from tests.kernels.functions import everything
from tests.kernels.programs import PROGRAMS
from tests.kernels.programs import traced as traced_program
from tests.simulation.arms import small_arm
from tests.support.casadi_functions import along, compare, error, leaves, values
from tests.support.compilers import found, run_compiler
from tests.support.thinning import one_in
from tests.system.test_c_bits import DRIVE, PLANT, ROVER, TREES, words
from tests.trace.tree_recursion import random_tree, recursion
from tests.worlds.coupled_systems import coupled_tree, random_kept_state

import unmoored as um
from unmoored.bridges.casadi.casadi_functions import casadi_function
from unmoored.system.method import methods_of
from unmoored.trace import evaluate, interp, jvp, table, trace, vjp

bridge = um.bridges.casadi
#: methods of a system that another formulation refuses for this tree are few; everything else is compared
SYSTEMS = {"tree": TREES[0], "plant": PLANT}
NAMES = [(key, name) for key, owner in SYSTEMS.items() for name in methods_of(type(owner))]


def function_of(traced):
    inputs = [f"x{k}" for k in range(len(traced.input_shapes))]
    return casadi_function(traced, "it", inputs, [f"y{k}" for k in range(len(traced.outputs))])


def compare_graph(traced, given, seed=0):
    """Values to 1e-13, derivatives along a direction and of a weighted sum to 1e-10."""
    function, rng = function_of(traced), np.random.default_rng(seed)
    direction = [rng.normal(size=shape) for shape in traced.input_shapes]
    weights = [rng.normal(size=shape) for shape in traced.output_shapes]
    assert error(values(function, given), leaves(evaluate(traced, *given))) < 1e-13
    ours = leaves(evaluate(jvp(traced), *given, *direction))
    assert error(along(function, given, direction), ours) < 1e-10
    symbols = [ca.MX.sym("s", function.sparsity_in(k)) for k in range(function.n_in())]
    total = sum(ca.dot(ca.DM(as_matrix(w)), y) for w, y in zip(weights, function.call(symbols), strict=True))
    back = ca.Function("g", symbols, [ca.gradient(total, x) for x in symbols])
    assert (
        error(values(back, [as_matrix(x) for x in given]), leaves(evaluate(vjp(traced), *given, *weights)))
        < 1e-10
    )


def as_matrices(given):
    return [as_matrix(x) for x in given]


def as_matrix(x):
    x = np.asarray(x)
    return x.reshape(x.shape[0] if x.ndim else 1, -1)


def test_every_operation():
    rng = np.random.default_rng(3)
    traced = trace(everything, (5,), (3,))
    compare_graph(traced, [rng.normal(size=5), rng.normal(size=3)])


def test_the_sign_of_zero_whole_numbers_and_branches():
    def function(x):
        a, b = x
        return np.stack(
            [np.rint(3.0 * a), np.copysign(a, b), np.abs(a), np.floor(b), np.maximum(a, b), np.sign(a)]
        )

    compare_graph(trace(function, (2,), exact_zeros=True), [np.array([-0.5, 0.3])])
    compare_graph(trace(function, (2,), exact_zeros=True), [np.array([0.8333333, -0.3])])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_loops(name):
    rng = np.random.default_rng(5)
    traced = traced_program(name)
    compare_graph(traced, [rng.normal(size=shape) for shape in traced.input_shapes])


def test_loops_that_run_backward():
    """Adjoints of loops, as functions of their own, and loops over the bodies of a tree in both directions."""
    rng = np.random.default_rng(6)
    for name in ("nested", "look_ups"):
        traced = vjp(traced_program(name))
        given = [rng.normal(size=shape) for shape in traced.input_shapes]
        assert (
            error(values(function_of(traced), as_matrices(given)), leaves(evaluate(traced, *given))) < 1e-13
        )
    traced = trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5)
    assert {part.inward for part in traced.graph.parts} == {False, True}
    compare_graph(traced, [rng.normal(size=20), rng.normal(size=20)])


def test_tables_of_many_points_stay_small():
    points, heights = np.linspace(0.0, 5.0, 3000), np.sin(np.linspace(0.0, 5.0, 3000))
    f = bridge.traceable(lambda x: interp(x, points, heights) + table(heights, 100.0 * x), [()], name="depth")
    assert f.n_instructions() < 30
    for x in (-1.0, 0.0, 1.2345, 5.0, 7.0):
        expected = np.interp(x, points, heights) + heights[int(np.clip(np.floor(100.0 * x), 0, 2999))]
        assert abs(float(f(x)) - expected) < 1e-15
    slope = float(f.jacobian()(1.2345, 0))
    assert abs(slope - np.cos(1.2345)) < 1e-3


@pytest.mark.parametrize(("key", "name"), one_in(2, NAMES))
def test_every_method(key, name):
    """Methods are found, not listed; what judges numbers is refused by name."""
    owner = SYSTEMS[key]
    method = methods_of(type(owner))[name]
    if method.numpy_only:
        with pytest.raises(um.ModelError, match=f"method for CasADi: expected .*traced.* given {name}"):
            bridge.function(owner, name)
        return
    if "constraints" in method.kinds:
        owner = ROVER
    value, slope, _ = compare(owner, method, words(owner), np.random.default_rng(1))
    assert value < 1e-13
    assert slope < 1e-10


@pytest.fixture(scope="module")
def underwater():
    world = um.Ocean(current=(0.3, 0.0, 0.1))
    return um.Plant(um.load("bluerov2_heavy_alpha5"), world, free=["ocean.current", "gravity"])


def state(plant, seed=0):
    rng = np.random.default_rng(seed)
    return plant.system.random_configuration(rng), *(rng.normal(size=n) for n in (plant.nv, plant.nu))


@pytest.mark.parametrize("which", ["spacecraft", "underwater", "rover", "couplings"])
def test_steps_of_whole_plants(which, underwater):
    plant = {
        "spacecraft": lambda: um.Plant(um.load("free_flyer_arm7")),
        "underwater": lambda: underwater,
        "rover": lambda: um.Plant(ROVER, constraints=[DRIVE]),
        "couplings": lambda: um.Plant(um.System(coupled_tree(2))),
    }[which]()
    q, v, u = random_kept_state(plant, 1) if which == "couplings" else state(plant)
    f = bridge.function(plant, "step")
    p = [plant.nominal_parameters] if len(plant.nominal_parameters) else []
    assert f.name_in() == ["t", "q", "v", "u", "step", *(["p"] if p else [])]
    ours = plant.step(0.3, q, v, u, 0.01, backend="numpy")
    assert error(values(f, [0.3, q, v, u, 0.01, *p]), leaves(tuple(ours))) < 1e-13


@pytest.mark.parametrize("method", ["rkmk4", "dopri5", "lie_midpoint"])
def test_derivatives_of_a_step_on_the_manifold(method):
    """∂(tangent after)/∂(tangent before), input and parameters by CasADi's AD through retract, step and local."""
    plant, system = PLANT, PLANT.system
    q, v, u = state(plant, 4)
    p = np.array([0.3, -0.2, 0.1])
    step = bridge.function(plant, "step", method=method)
    retract, local = bridge.function(system, "retract"), bridge.function(system, "local")
    z, s, c = ca.MX.sym("z", 2 * plant.nv), ca.MX.sym("u", plant.nu), ca.MX.sym("p", 3)
    after = step(0.2, retract(q, z[: plant.nv]), v + z[plant.nv :], s, 0.01, c)
    end = plant.step(0.2, q, v, u, 0.01, p=p, method=method, backend="numpy")
    tangent = ca.vertcat(local(end.q, after[0]), after[1] - end.v)
    J = ca.Function("J", [z, s, c], [ca.jacobian(tangent, x) for x in (z, s, c)])
    ours = plant.step_derivatives(0.2, q, v, u, 0.01, p=p, method=method, backend="numpy")
    for mine, theirs in zip(J(0, u, p), (ours.state, ours.input, ours.parameter), strict=True):
        assert np.abs(np.array(mine) - theirs).max() < 1e-10


class Integral(um.Law):
    """A law with memory of two parts, a gain, and the actuators' states in what it sees."""

    stiffness: float
    memory = {"error": 3, "calls": 2.0}

    def __call__(self, seen, memory):
        error = memory["error"] + seen.period * seen.q[9:12]
        u = np.concatenate([-self.stiffness * seen.q[9:12] - 0.4 * error, np.sin(seen.v[3:])])
        return u * np.cos(seen.t), {"error": error, "calls": memory["calls"] + 1.0}


def test_laws():
    plant = um.Plant(PLANT.system, um.Ocean())
    q, v, _ = state(plant, 2)
    m = np.array([0.1, -0.2, 0.3, 5.0])
    from unmoored.worlds.law import Seen

    law = Integral(3.0)
    given = {"error": m[:3], "calls": m[3]}
    u, memory = law(Seen(0.7, q, v, period=0.02), given)
    f = bridge.law(plant, law, control_step=0.02)
    assert (f.name_in(), f.name_out()) == (["t", "q", "v", "memory"], ["u", "memory_out"])
    expected = [u, np.r_[memory["error"], memory["calls"]]]
    assert error(values(f, [0.7, q, v, m]), expected) < 1e-14
    g = bridge.law(plant, law, control_step=0.02, gains=True)
    assert g.name_in()[-1] == "gains"
    assert error(values(g, [0.7, q, v, m, 3.0]), expected) < 1e-14
    by_gain = np.array(g.jacobian()(0.7, q, v, m, 3.0, 0, 0)[4]).ravel()
    assert np.abs(by_gain[:3] + q[9:12] * np.cos(0.7)).max() < 1e-14
    plain = bridge.law(plant, lambda t, q, v: -v + t)
    assert plain.name_in() == ["t", "q", "v"]
    assert np.array_equal(np.array(plain(1.0, q, v)).ravel(), 1.0 - v)


def test_events():
    plant = um.Plant(um.load("free_flyer_arm7"))
    q, v, _ = state(plant, 1)
    height = um.Event(lambda t, q, v: plant.system.pose(q, "tool")[2, 3] - 0.1 * t)
    expected = plant.system.pose(q, "tool", backend="numpy")[2, 3] - 0.2
    assert abs(float(bridge.event(plant, height)(2.0, q, v)) - expected) < 1e-14
    channel = bridge.event(plant, um.ChannelEvent("tool.z", falls_below=0.2))
    assert abs(float(channel(2.0, q, v)) - expected) < 1e-14


def test_names_options_and_parameters(underwater):
    system = um.load("free_flyer_arm7")
    q, v, tau = np.random.default_rng(2).normal(size=(3, 13))
    q = system.retract(system.neutral(), q, backend="numpy")
    g, wrench = (0.0, 0.0, -9.81), np.arange(6.0)
    f = bridge.function(system, "forward_dynamics", arguments=["gravity"], wrenches=["tool"])
    assert f.name_in() == ["q", "v", "tau", "gravity", "wrench_tool"]
    expected = system.forward_dynamics(q, v, tau, gravity=g, wrenches={"tool": wrench}, backend="numpy")
    assert error(values(f, [q, v, tau, g, wrench]), [expected]) < 1e-13
    fixed = bridge.function(system, "forward_dynamics", gravity=g, name="fall")
    assert fixed.name() == "fall"
    expected = system.forward_dynamics(q, v, tau, gravity=g, backend="numpy")
    assert error(values(fixed, [q, v, tau]), [expected]) < 1e-13
    free = bridge.function(system, "mass_matrix", free=["bus.mass"])
    assert free.name_in() == ["q", "p"]
    assert free.size_out(0) == (13, 13)
    by_mass = np.array(free.jacobian()(q, 7.0, 0)[1])[:3]
    assert np.abs(by_mass.ravel() - np.eye(3)[0]).max() < 1e-12  # of the first column's first rows
    energy = bridge.function(system, "energy", gravity=g)
    assert energy.name_out() == ["kinetic", "potential"]
    u = bridge.function(underwater, "forward_dynamics")
    assert u.name_in() == ["t", "q", "v", "u", "p"]
    assert bridge.function(underwater, "forward_dynamics", u=np.zeros(10)).name_in() == ["t", "q", "v", "p"]
    poses = bridge.function(system, "mass_matrix_derivatives")
    assert poses.size_out(0) == (13, 169)


def test_parts_are_called_and_not_copied(underwater):
    """The code of the right-hand side exists once in a step of four stages, and in a hundred steps."""
    rates = bridge.function(underwater, "forward_dynamics")
    once = bridge.function(underwater, "step")
    many = bridge.function(underwater, "step", steps=100)
    size = [len(f.serialize()) for f in (rates, once, many)]
    assert size[1] < 4 * size[0]
    assert size[2] < 1.5 * size[1]
    q, v, u = state(underwater, 3)
    given = [q, 0.1 * v, 0.1 * u, 1e-3, underwater.nominal_parameters]
    one_by_one = given[:2]
    for k in range(100):
        one_by_one = once(0.1 + 1e-3 * k, *one_by_one, *given[2:])[:2]
    assert error(values(many, [0.1, *given])[:2], [np.array(x).ravel() for x in one_by_one]) < 1e-13


def test_wrong_requests():
    system = TREES[0]
    with pytest.raises(um.ModelError, match="one kernel"):
        bridge.function(system, "forward_dynamic")
    with pytest.raises(um.ModelError, match="unknown"):
        bridge.function(system, "jacobian", "hand")
    with pytest.raises(um.ModelError, match=r"um\.Plant\(…, free="):
        bridge.function(PLANT, "forward_dynamics", free=["b1.mass"])
    with pytest.raises(um.ModelError, match=r"expected an um\.Plant, given System"):
        bridge.law(system, lambda t, q, v: v)
    with pytest.raises(um.ModelError, match="control_step"):
        bridge.law(PLANT, Integral(1.0))
    with pytest.raises(um.TracingError, match="cannot be traced"):
        bridge.law(PLANT, lambda t, q, v: v if q[0] > 0 else -v)
    with pytest.raises(um.ModelError, match="gains of one sample, given of 2"):
        bridge.law(PLANT, Integral([1.0, 2.0]), control_step=0.1)
    with pytest.raises(um.ModelError, match="one event, given 2"):
        bridge.event(PLANT, [um.Event(lambda t, q, v: t)] * 2)
    with pytest.raises(um.ModelError, match="inputs: expected 1 names, given 2"):
        bridge.traceable(lambda x: x, [(2,)], inputs=["a", "b"])


def test_frames_that_differ_in_signs_only_are_told_apart_or_refused(tmp_path):
    b = um.SystemBuilder("pair")
    body = b.vehicle("body", um.Free(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    for name in ("hand/a", "hand_a", "hand/b"):
        b.frame(name, parent=body)
    system = b.build()
    frames = ["hand/a", "hand/b"]
    f = bridge.function(system, "forward_dynamics", wrenches=frames)
    assert f.name_in()[-2:] == ["wrench_hand_a", "wrench_hand_b"]
    for export in (
        lambda: bridge.function(system, "forward_dynamics", wrenches=["hand/a", "hand_a"]),
        lambda: um.export_c(
            system, [um.CFunction("forward_dynamics", wrenches=["hand/a", "hand_a"])], tmp_path / "it.c"
        ),
    ):
        with pytest.raises(um.ModelError, match=r"differ as .*identifiers.* given wrench_hand_a"):
            export()


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("unmoored.bridges.casadi")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(um.bridges, "casadi", raising=False)
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(um.MissingExtraError, match=r"pip install 'unmoored\[casadi\]'"):
        _ = um.bridges.casadi


def test_generated_code_compiles(tmp_path, monkeypatch):
    f = bridge.function(um.Plant(ROVER, constraints=[DRIVE]), "step", method="heun", name="rover_step")
    monkeypatch.chdir(tmp_path)
    f.generate("rover_step.c")
    run_compiler(found("gcc", "cc"), "-O1", "-shared", "-fPIC", "-o", "rover_step.so", "rover_step.c", "-lm")
    same = ca.external("rover_step", str(tmp_path / "rover_step.so"))
    plant = um.Plant(ROVER, constraints=[DRIVE])
    q, v, u = state(plant, 6)
    assert error(values(same, [0.0, q, v, u, 0.01]), values(f, [0.0, q, v, u, 0.01])) < 1e-14


def test_motions_through_many_points():
    t = np.linspace(-0.1, 1.0, 200)
    system = small_arm()
    path = um.Sampled(t, np.sin(3 * t)[:, None])
    plant = um.Plant(system, um.Earth(), prescribed={"arm1": path})
    f = um.bridges.casadi.function(plant, "full_velocity")
    q, w = system.neutral(), np.linspace(-1.0, 1.0, plant.nw)
    for x in (-0.3, 0.0, 0.31, 0.9999, 1.5):
        assert np.abs(np.array(f(x, q, w)).ravel() - plant.full_velocity(x, q, w)).max() < 1e-13
    x = ca.MX.sym("t")
    slope = np.array(ca.Function("slope", [x], [ca.jacobian(f(x, q, w), x)])(0.31)).ravel()
    dof = system.tree.link("arm1").v.start
    assert np.isclose(slope[dof], path.at(0.31).acceleration[0], rtol=1e-12)
