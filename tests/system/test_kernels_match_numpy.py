"""Every method of `System` that runs on a backend: its kernel against NumPy, on every kind of joint.

The methods are found, not listed: a new one is measured here as soon as it exists.
"""

import inspect
from collections.abc import Mapping

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree
from tests.support.rolling_vehicles import WHEELS, rover
from tests.support.thinning import one_in

import unmoored as um
from unmoored.system.bound_method import BoundMethod
from unmoored.system.method import methods_of
from unmoored.trace import evaluate, live_nodes, trace

METHODS = [name for name, method in methods_of(um.System).items() if not method.numpy_only]
#: methods of the O(N) and O(N²) recursions, which meet every kind of joint
RECURSIONS = (
    "forward_dynamics", "inverse_dynamics", "hybrid_dynamics", "mass_matrix", "coriolis_matrix", "acceleration",
    "jacobian_derivative",
)  # fmt: skip
ARM = um.System(random_tree(21, ("Free", "Revolute", "Prismatic"), branching=False))
#: what methods are compiled for here, but for those that vanish, or have no result of full size, with one joint
SMALL = um.System(random_tree(21, ("Free", "Revolute"), branching=False))
OF_TWO_JOINTS = {"base_jacobian_derivative", "block_form", "connection_curvature", "operational_space"}
ROVER = um.System(rover(um.Planar(), kinds=("Revolute",)))
DRIVE = um.DifferentialDrive("rover", "axle", **WHEELS)
GRAVITY = np.array([0.3, -0.2, -9.8])


def potential(q):
    return 0.5 * (q * q).sum()


def arguments(system, name, batch=(), seed=0, bias=True):
    """Values for the arguments of a method, also for those with defaults: no zeros that would fold."""
    tree = system.tree
    q, v, a = random_state(tree, seed, batch)
    rng = np.random.default_rng(seed + 1)
    values = {
        "q": q, "v": v, "a": a, "tau": rng.normal(size=(*batch, tree.nv)), "dq": 0.3 * v, "y": v, "acceleration": a,
        "preferred": 0.1 * a, "q0": q, "q1": random_state(tree, seed + 7, batch)[0],
         "tool_acceleration": rng.normal(size=(*batch, 6)), "gravity": GRAVITY, "frame": "tool",
        "wrenches": {"tool": rng.normal(size=(*batch, 6)), tree.names[1]: rng.normal(size=6)}, "bias": True,
        "passive": [tree.names[0]], "constraints": [DRIVE], "potential": potential, "damping": 0.1,
        "gradient": rng.normal(size=(*batch, tree.nq)),
    }  # fmt: skip
    parameters = {
        p.name: p for p in list(inspect.signature(getattr(um.System, name)).parameters.values())[1:]
    }
    unknown = [p.name for p in parameters.values() if p.default is p.empty and p.name not in values]
    assert not unknown, f"{name} has arguments that this test does not know: {unknown}"
    left_out = {"bias", "v", "tau", "gravity", "wrenches"} if "bias" in parameters and not bias else set()
    return {key: values[key] for key in parameters if key in values and key not in left_out}


def system_for(name, arm=SMALL):
    if "constraints" in inspect.signature(getattr(um.System, name)).parameters:
        return ROVER
    return ARM if name in OF_TWO_JOINTS else arm


def leaves(result):
    return [np.asarray(x) for x in result] if isinstance(result, tuple) else [np.asarray(result)]


def assert_same(got, expected, relative):
    """Each array as a whole: cancellation in one entry is not an error of the kernel."""
    assert len(leaves(got)) == len(leaves(expected))
    for x, y in zip(leaves(got), leaves(expected), strict=True):
        assert x.shape == y.shape
        assert np.all(np.isfinite(y))
        assert np.abs(x - y).max(initial=0.0) <= relative * np.abs(y).max(initial=0.0)


def cast(values):
    return {
        name: cast(x) if isinstance(x, Mapping) else x.astype(np.float32) if isinstance(x, np.ndarray) else x
        for name, x in values.items()
    }


@pytest.mark.parametrize("name", METHODS)
def test_kernel_gives_what_numpy_gives(name):
    system = system_for(name)
    given = arguments(system, name, (3,))
    expected = getattr(system, name)(**given, backend="numpy")
    assert_same(getattr(system, name)(**given), expected, 1e-12)


@pytest.mark.parametrize("name", one_in(3, METHODS))
def test_single_precision(name):
    system = system_for(name)
    given = arguments(system, name, (3,))
    got = getattr(system, name)(**cast(given))
    assert all(x.dtype == np.float32 for x in leaves(got))
    assert_same(got, getattr(system, name)(**given, backend="numpy"), 1e-4)


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_kind_of_joint(kind):
    """Each with armature, every other one with added mass; forward dynamics and half of the other recursions."""
    added_mass = ALL_KINDS.index(kind) % 2 == 1
    kinds = ("Fixed", "Revolute", "Revolute") if kind == "Fixed" else (kind, "Revolute")
    tree = random_tree(31, kinds, branching=False, added_mass=added_mass, armature=True)
    check_recursions(um.System(tree), ("forward_dynamics", *RECURSIONS[1 + ALL_KINDS.index(kind) % 2 :: 2]))


def check_recursions(system, names):
    for name in names:
        given = arguments(system, name, (2,))
        expected = getattr(system, name)(**given, backend="numpy")
        assert_same(getattr(system, name)(**given), expected, 1e-12)


@pytest.mark.parametrize("name", one_in(2, METHODS))
def test_loops_over_tables_give_what_numpy_gives(name):
    """The graph with every scan as a loop, as it is in trees of more than forty bodies."""
    system = system_for(name, ARM)
    given = arguments(system, name, bias=False)
    expected = getattr(system, name)(**given, backend="numpy")
    arrays = [key for key, x in given.items() if isinstance(x, np.ndarray)]
    options = {key: x for key, x in given.items() if key not in arrays}
    bound = BoundMethod(system, name, (), arrays, options)
    got = evaluate(
        bound.traced(name, loops_beyond=1), *(given[argument.name] for argument in bound.arguments)
    )
    assert_same(got, expected, 1e-12)


def test_loops_stay_loops_beside_fixed_numbers_and_among_symbols():
    given = arguments(ARM, "acceleration", bias=False)
    fixed = {key: x for key, x in given.items() if key != "q"}
    bound = BoundMethod(ARM, "acceleration", (), ["q"], fixed)
    assert has_loops(bound.traced("some", loops_beyond=1))
    assert not has_loops(bound.traced("none", loops_beyond=None))
    chain = um.System(random_tree(3, ("Revolute",) * 41, branching=False))
    frame = chain.tree.names[-1]
    assert has_loops(trace(lambda q: chain.pose(q, frame), (chain.nq,)))


def has_loops(traced):
    """Whether a loop over bodies is in a graph, or in one that it calls."""
    nodes, parts = traced.graph.nodes, traced.graph.parts
    return any(n[0] == "scan" or (n[0] == "call" and has_loops(parts[n[1]])) for n in nodes)


@pytest.mark.parametrize("name", RECURSIONS)
def test_infinity_reaches_what_depends_on_it_and_nothing_else(name):
    given = arguments(ARM, name, (7,))
    given = {key: x for key, x in given.items() if key not in ("gravity", "wrenches")}
    right = leaves(getattr(ARM, name)(**given))
    varied = [key for key, x in given.items() if isinstance(x, np.ndarray)]
    loaded = [*varied, *({"passive"} & given.keys())]  # which DoFs are passive is run-time data
    bound = BoundMethod(ARM, name, (), loaded, {key: x for key, x in given.items() if key not in loaded})
    traced = bound.traced(name, loops_beyond=None)
    first = dict(zip([argument.name for argument in bound.arguments], traced.input_offsets, strict=False))
    for key in varied:
        for entry in range(0, given[key].shape[-1], 5):
            spoiled = given[key].copy()
            spoiled[3, entry] = np.inf
            results = leaves(getattr(ARM, name)(**{**given, key: spoiled}))
            node = traced.graph.node("input", first[key] + entry)
            for got, before, outputs in zip(results, right, traced.outputs, strict=True):
                others = np.arange(7) != 3
                np.testing.assert_array_equal(got[others], before[others])
                depends = np.array([node in live_nodes(traced.graph, [k]) for k in outputs])
                np.testing.assert_array_equal(np.isfinite(got[3].ravel()), ~depends)


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "mass_matrix", "jacobian", "pose"])
def test_the_short_way_gives_the_bits_of_the_checked_way(name):
    given = arguments(ARM, name, (5,))
    plain = [x for key, x in given.items() if key not in ("gravity", "wrenches")]
    short = getattr(ARM, name)(*plain)
    lists = [x.tolist() if isinstance(x, np.ndarray) else x for x in plain]
    np.testing.assert_array_equal(short, getattr(ARM, name)(*lists))
    np.testing.assert_array_equal(short, getattr(ARM, name)(*plain, backend="cpu"))
    np.testing.assert_array_equal(
        short[2], getattr(ARM, name)(*(x[2] if isinstance(x, np.ndarray) else x for x in plain))
    )
    out = np.empty_like(short)
    assert getattr(ARM, name)(*plain, out=out) is out
    np.testing.assert_array_equal(out, short)


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics", "plan_least_disturbance"])
def test_a_second_call_goes_straight_to_the_kernel_however_it_is_given(monkeypatch, name):
    """With defaults, with gravity as three numbers, with wrenches on frames, into `out`."""
    method = getattr(um.System, name)
    given = arguments(SMALL, name, (3,))
    plain = {key: x for key, x in given.items() if key not in ("gravity", "wrenches", "preferred", "damping")}
    ways = [plain, plain | {"gravity": (0.3, -0.2, -9.8)}, plain | {"wrenches": given["wrenches"]}, given]
    first = [method(SMALL, **way) for way in ways]
    outs = [np.empty_like(x) if isinstance(x, np.ndarray) else None for x in first]
    for way, out in zip(ways, outs, strict=True):
        method(SMALL, **way, out=out)

    def refused(*given):
        raise AssertionError("checked once more")

    monkeypatch.setitem(method.__globals__, "checked_call", refused)
    for way, before, out in zip(ways, first, outs, strict=True):
        assert_same(method(SMALL, **way), before, 0.0)
        if out is not None:
            out[...] = np.nan
            assert method(SMALL, **way, out=out) is out
            assert np.array_equal(out, before)


def test_there_is_no_gravity_and_all_rows_are_meant_where_nothing_is_said():
    said = {"gravity": (0.0, 0.0, 0.0), "rows": (0, 1, 2, 3, 4, 5)}
    for owner in (um.System, um.Plant):
        for name in methods_of(owner):
            for parameter in inspect.signature(getattr(owner, name)).parameters.values():
                if parameter.name in said and parameter.default not in (None, parameter.empty):
                    assert parameter.default == said[parameter.name], name
    q, v, a = random_state(SMALL.tree, 3)
    for name, last in (("inverse_dynamics", a), ("forward_dynamics", a)):
        plain = getattr(SMALL, name)(q, v, last)
        np.testing.assert_allclose(plain, getattr(SMALL, name)(q, v, last, gravity=np.zeros(3)), atol=1e-12)
        assert np.abs(plain - getattr(SMALL, name)(q, v, last, gravity=(0.0, 0.0, -9.81))).max() > 0.1


@pytest.mark.parametrize("backend", [None, "numpy", "cpu"])
def test_errors_name_the_argument_on_every_backend(backend):
    q, v = ARM.random_configuration(0), np.zeros(ARM.nv)
    options = {} if backend is None else {"backend": backend}
    with pytest.raises(um.ModelError, match=rf"tau: .*{ARM.nv}"):
        ARM.forward_dynamics(q, v, np.zeros(ARM.nv + 1), **options)
    with pytest.raises(um.ModelError, match=r"v: .*numbers"):
        ARM.forward_dynamics(q, "fast", v, **options)
    with pytest.raises(um.ModelError, match="hand"):
        ARM.jacobian(q, "hand", **options)
    with pytest.raises(um.ModelError, match="b9"):
        ARM.forward_dynamics(q, v, v, wrenches={"b9": np.zeros(6)}, **options)


@pytest.mark.parametrize("name", ["forward_dynamics", "energy", "disturbance_jacobian"])
def test_every_backend_writes_its_results_into_out(name):
    """One result, a tuple of two, and one without entries."""
    q, v, _ = random_state(SMALL.tree, 5)
    given, options = {
        "forward_dynamics": ((q, v, v), {}),
        "energy": ((q, v), {}),
        "disturbance_jacobian": ((q,), {"passive": SMALL.names}),
    }[name]
    for backend in ("numpy", "cpu"):
        right = tuple(leaves(getattr(SMALL, name)(*given, **options, backend=backend)))
        outs = tuple(np.full_like(x, np.nan) for x in right)
        out = outs if len(outs) > 1 else outs[0]
        getattr(SMALL, name)(*given, **options, backend=backend, out=out)
        assert_same(outs, right, 0.0)


@pytest.mark.parametrize("name", ["step", "block_form", "lagrange_poincare"])
def test_results_without_entries_are_beside_those_that_are_written(name):
    """Of a body alone, which has no shape, and whose plant has no actuators with states."""
    b = um.SystemBuilder("brick")
    b.vehicle("brick", um.Free(), inertia=um.Inertia.box(2.0, (0.1, 0.2, 0.3)))
    system, rng = b.build(), np.random.default_rng(2)
    q, v = np.stack([system.random_configuration(rng=k) for k in range(3)]), rng.normal(size=(3, 6))
    owner = um.Plant(system, actuators=[]) if name == "step" else system
    given = (0.0, q, v, None, 0.01) if name == "step" else (q, v)
    for backend in ("numpy", "cpu"):
        right = getattr(owner, name)(*given, backend=backend)
        assert {x.size > 0 for x in right} == {True, False}
        for _ in range(2):
            out = tuple(np.full_like(x, np.nan) for x in right)
            found = getattr(owner, name)(*given, backend=backend, out=out)
            assert type(found) is type(right)
            assert all(x is mine for x, mine in zip(found, out, strict=True))
            assert_same(out, tuple(right), 0.0)


def test_unknown_backends_are_told():
    with pytest.raises(um.ModelError, match="cpu, cuda, numpy"):
        ARM.mass_matrix(ARM.neutral(), backend="fpga")


WRONG_OUTS = {"samples": np.empty((4, ARM.nv)), "size": np.empty((5, 2)), "text": "text", "list": [1.0, 2.0]}


@pytest.mark.parametrize("wrong", WRONG_OUTS.values(), ids=WRONG_OUTS.keys())
def test_an_out_that_does_not_fit_is_refused_by_shape_the_first_time_and_later(wrong):
    rng = np.random.default_rng(3)
    q, v = np.tile(ARM.neutral(), (5, 1)), rng.normal(size=(5, ARM.nv))
    out = np.empty((5, ARM.nv))
    for _ in range(2):
        with pytest.raises(um.ModelError, match=rf"out: expected an array of shape \(5, {ARM.nv}\)"):
            ARM.forward_dynamics(q, v, v, out=wrong)
        assert ARM.forward_dynamics(q, v, v, out=out) is out
    np.testing.assert_array_equal(out, ARM.forward_dynamics(q, v, v))


def test_of_many_graphs_and_of_those_with_users_code_the_latest_are_kept():
    builder = um.SystemBuilder("frames")
    builder.vehicle("bus", um.Revolute((0, 0, 1)), inertia=um.Inertia.sphere(1.0, 0.1))
    names = [builder.frame(f"f{k}", parent="bus", at=um.Pose((0.1 * k, 0, 0))) for k in range(300)]
    system, q = builder.build(), np.array([0.3])
    kept = system._kernels
    for name in names:
        trace(lambda q, name=name: system.pose(q, name), (1,))
    assert 128 < len(kept._graphs) <= 256
    for k in range(150):
        trace(lambda q, k=k: system.potential_forces(q, lambda q, k=k: k * q[0] ** 2), (1,))
    assert 64 < len(kept._of_code) <= 128
    assert kept._kernels.most == 256
    np.testing.assert_allclose(system.potential_forces(q, lambda q: 7 * q[0] ** 2), [4.2], rtol=1e-14)


def test_of_many_numbers_that_were_fixed_the_latest_are_kept():
    """Every gravity given as a tuple has a direct entry: a thousand of them, so that a sweep does not fill memory."""
    system = um.System(random_tree(21, ("Free", "Revolute"), branching=False))
    q = system.random_configuration(0)
    one = system.gravity_forces(q, gravity=(0.0, 0.0, -1.0))
    for k in range(1, 1500):
        found = system.gravity_forces(q, gravity=(0.0, 0.0, -float(k)))
    assert 512 < len(system._calls) <= 1024
    np.testing.assert_allclose(found, 1499 * one, rtol=1e-12)
    np.testing.assert_allclose(system.gravity_forces(q, gravity=(0.0, 0.0, -2.0)), 2 * one, rtol=1e-12)
