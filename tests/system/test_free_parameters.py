"""Numbers of bodies as run-time data: a compiled method gives what a system built with those numbers gives."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree

import unmoored as um
from unmoored.lie import se3

KINDS = ("Free", "Revolute", "Universal", "Prismatic", "Helical")
FREE = ("b1.mass", "b3.com", "b3.tensor", "b4.xyz", "b2.armature", "b0.inertia_scale")
GRAVITY = (0.3, -0.2, -9.8)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNMOORED_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def changed(tree: um.Tree, rng: np.random.Generator) -> tuple[um.Tree, dict[str, np.ndarray]]:
    """Another tree in the numbers that are free, and those numbers."""
    bodies, other = list(tree.bodies), random_inertia(rng)
    tensor = other.tensor[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
    values = {"b1.mass": 2.5, "b3.com": other.com, "b3.tensor": tensor, "b2.armature": [0.3, 0.4]}
    values |= {"b4.xyz": random_pose(rng).xyz, "b0.inertia_scale": 1.7}

    def with_inertia(i, mass=None, com=None, tensor=None):
        I = bodies[i].inertia
        new = um.Inertia(
            I.mass if mass is None else mass,
            I.com if com is None else com,
            I.tensor if tensor is None else tensor,
        )
        full = None if I.full is None else new.matrix + I.full - um.Inertia(I.mass, I.com, I.tensor).matrix
        bodies[i] = replace(bodies[i], inertia=replace(new, full=full))

    with_inertia(1, mass=2.5)
    with_inertia(3, com=other.com, tensor=other.tensor)
    with_inertia(0, mass=1.7 * bodies[0].inertia.mass, tensor=1.7 * bodies[0].inertia.tensor)
    bodies[2] = replace(bodies[2], joint=replace(bodies[2].joint, armature=(0.3, 0.4)))
    at = um.Pose(xyz=values["b4.xyz"], rotation=se3.rotation(bodies[4].at.matrix))
    bodies[4] = replace(bodies[4], at=at)
    return replace(tree, bodies=tuple(bodies)), values


@pytest.mark.parametrize(
    ("method", "static", "arguments", "added_mass"),
    [
        ("forward_dynamics", (), ("gravity",), False),
        ("forward_dynamics", (), ("gravity",), True),
        ("inverse_dynamics", (), ("gravity",), True),
        ("mass_matrix", (), (), False),
        ("coriolis_matrix", (), (), True),
        pytest.param("forward_dynamics_derivatives", (), ("gravity",), False, marks=pytest.mark.long),
        ("jacobian", ("tool",), (), False),
        ("centre_of_mass", (), (), False),
        ("centre_of_mass_jacobian", (), (), True),
    ],
)
def test_the_system_with_those_numbers(method, static, arguments, added_mass):
    tree = random_tree(11, KINDS, branching=False, added_mass=added_mass)
    other, values = changed(tree, np.random.default_rng(5))
    kernel = um.compile_method(um.System(tree), method, *static, free=FREE, arguments=arguments)
    q, v, a = random_state(tree, 1, (3,))
    required = {"q": q, "v": v, "tau": a, "a": a, "gravity": np.array(GRAVITY)}
    arrays = [required[name] for name in kernel.arguments[:-1]]
    options = {"gravity": GRAVITY} if arguments else {}
    given = [x for name, x in zip(kernel.arguments[:-1], arrays, strict=True) if name != "gravity"]
    for system, p in ((um.System(tree), kernel.nominal), (um.System(other), kernel.pack(values))):
        expected = getattr(system, method)(*given, *static, **options, backend="numpy")
        results = kernel(*arrays, p)
        pairs = zip(results, expected, strict=True) if isinstance(expected, tuple) else [(results, expected)]
        for got, right in pairs:
            assert np.abs(got - right).max() <= 2e-12 * np.abs(right).max()


def test_parameters_are_a_batch():
    system = um.System(random_tree(12, ("Free", "Revolute", "Revolute")))
    kernel = um.compile_method(system, "forward_dynamics", free=["b1.mass", "b2.com"])
    q, v, tau = random_state(system.tree, 2)
    p = kernel.pack({"b1.mass": np.array([1.0, 2.0, 5.0])})
    assert p.shape == (3, 4)
    together = kernel(q, v, tau, p)
    for k in range(3):
        np.testing.assert_array_equal(together[k], kernel(q, v, tau, p[k]))
    out = np.empty((3, system.nv))
    assert kernel(q, v, tau, p, out=out) is out
    np.testing.assert_array_equal(out, together)


@pytest.mark.long
def test_large_trees_are_loops_over_free_numbers_too():
    tree = random_tree(13, ("Free", *["Revolute"] * 44))
    kernel = um.compile_method(um.System(tree), "forward_dynamics", free=["b3.mass", "b7.armature", "b9.xyz"])
    q, v, tau = random_state(tree, 3)
    expected = um.System(tree).forward_dynamics(q, v, tau, backend="numpy")
    assert np.abs(kernel(q, v, tau, kernel.nominal) - expected).max() <= 1e-12 * np.abs(expected).max()


def test_no_free_parameters_is_the_method():
    system = um.System(random_tree(14, ("Free", "Revolute")))
    kernel = um.compile_method(system, "mass_matrix")
    q = system.random_configuration(0)
    np.testing.assert_array_equal(kernel(q), system.mass_matrix(q))


def test_wrong_names_and_shapes_are_told():
    system = um.System(random_tree(15, ("Free", "Revolute")))
    with pytest.raises(um.ModelError, match=r"b1\.weight"):
        um.compile_method(system, "forward_dynamics", free=["b1.weight"])
    with pytest.raises(um.ModelError, match="twice"):
        um.compile_method(system, "forward_dynamics", free=["b1.mass", "b1.mass"])
    with pytest.raises(um.ModelError, match="both"):
        um.compile_method(system, "forward_dynamics", free=["b1.mass", "b1.inertia_scale"])
    kernel = um.compile_method(system, "mass_matrix", free=["b1.com"])
    with pytest.raises(um.ModelError, match=r"b1\.mass"):
        kernel.pack({"b1.mass": 1.0})
    with pytest.raises(um.ModelError, match="shape"):
        kernel.pack({"b1.com": 1.0})
    with pytest.raises(um.ModelError, match="q, parameters"):
        kernel(system.random_configuration(0))
