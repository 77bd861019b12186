"""Every method that is a kernel, as C: the bits of the method in Python, with gravity and the like fixed or not."""

import ctypes

import numpy as np
import pytest
from tests.kernels.test_c_export import called
from tests.support.compilers import found, run_compiler
from tests.support.random_trees import random_tree
from tests.support.thinning import without
from tests.system.test_not_a_number import DRIVE, PLANT, ROVER

import unmoored as um
from unmoored.system.argument_kinds import ArrayOf, Named, WrenchesOn
from unmoored.system.method import methods_of

STRICT = ("-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic")
TREES = [
    um.System(random_tree(31, ("Free", "Prismatic"), branching=False)),
    um.System(random_tree(32, ("Planar", "Helical"), branching=False, added_mass=True)),
]


#: of the trees only what gravity and wrenches go into, and of the second less; tests/long has everything, larger
QUICK = {
    "forward_dynamics", "inverse_dynamics", "hybrid_dynamics", "gravity_forces", "energy", "generalized_jacobian",
    "disturbance_jacobian", "operational_space", "wrench_forces", "mass_matrix", "retract",
}  # fmt: skip
FEW = {"forward_dynamics", "gravity_forces", "energy", "wrench_forces", "mass_matrix", "retract"}


def words(owner):
    tree = owner.tree
    return {
        "frame": tree.names[-1], "passive": [tree.names[0]], "constraints": [DRIVE], "bias": True, "about": "com",
        "vehicle": tree.vehicles[0], "rows": (0, 1, 2), "form": "skew", "coordinates": "euler_zyx", "at_rest": None,
        "potential": lambda q: (q * q).sum(), "scaled": True, "method": "heun", "steps": 2,
    }  # fmt: skip


def cases(owner, method, rng):
    """(what the C function is asked for, arguments of the method, inputs of the C function) in two ways: everything
    that can be an argument is one; and what need not be is fixed."""
    given, needed = {}, set()
    read = {key: kind.read(owner, words(owner)[key]) for key, kind in method.names.items()}
    system = getattr(owner, "system", owner)
    for key, kind in method.kinds.items():
        if isinstance(kind, Named):
            given[key] = words(owner)[key]
        elif isinstance(kind, WrenchesOn):
            given[key] = {owner.tree.names[-1]: rng.normal(size=6)}
        elif kind.from_names is not None:
            given[key] = kind.from_names(owner, words(owner)[key])
        elif kind.size == "nq":
            given[key] = system.random_configuration(rng)
        else:
            given[key] = rng.normal(size=kind.shape(owner, read))
            if key == "damping":
                given[key] = np.abs(given[key])
            if key == "step":
                given[key] = 0.01 * given[key]
    names = {key: given[key] for key in method.names}
    arrays = [key for key, kind in method.arrays.items() if isinstance(kind, ArrayOf) and np.size(given[key])]
    needed = [key for key in arrays if key not in method.defaults]
    wrenches = [key for key, kind in method.arrays.items() if isinstance(kind, WrenchesOn)]
    all_given = {key: given[key] for key in (*names, *arrays, *wrenches)}
    frames = {key: list(given[key]) for key in wrenches}
    inputs = [
        x
        for key in method.signature.parameters
        if key in method.arrays
        for x in (given[key].values() if key in wrenches else [given[key]] if key in arrays else [])
    ]
    yield (
        um.CFunction(method.name, name=f"{method.name}_free", arguments=arrays, **names, **frames),
        all_given,
        inputs,
    )
    fixed = {key: np.asarray(given[key]).tolist() for key in arrays if key not in needed}
    fixed = {key: tuple(x) if isinstance(x, list) else x for key, x in fixed.items()}
    if all(key in method.defaults for key in wrenches):
        yield (
            um.CFunction(method.name, name=f"{method.name}_fixed", **names, **fixed),
            {key: given[key] for key in (*names, *needed)} | fixed,
            [given[key] for key in method.signature.parameters if key in needed],
        )


def takes(owner, name, given):
    """Whether the method is meant for this system (some want a free vehicle)."""
    try:
        getattr(owner, name)(**given, backend="numpy")
    except um.ModelError:
        return False
    return True


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [np.asarray(x)]


@pytest.mark.parametrize(
    "which", without(lambda which: which != "rover", ["tree 0", "tree 1", "rover", "plant"])
)
def test_every_method_has_the_bits_of_python(tmp_path, which):
    owner = {"rover": ROVER, "plant": PLANT}.get(which) or TREES[int(which[-1])]
    only = {"tree 0": QUICK, "tree 1": FEW}.get(which)
    # a compiler that optimises takes its time: -O1 for the trees and the rover, -O2 in tests/long
    optimised = "-O0" if which == "plant" else "-O1"
    compare(owner, tmp_path, which == "rover", only, optimised, without=["step_jacobian", "linear_system"])


def compare(owner, tmp_path, constrained=False, only=None, optimised="-O2", without=()):
    """Every method of the owner, free and fixed, by the compiler and by Python."""
    rng = np.random.default_rng(3)
    functions, checks = [], []
    for name, method in methods_of(type(owner)).items():
        if method.numpy_only or ("constraints" in method.kinds) != constrained or (only and name not in only):
            continue
        if name in without:
            continue
        for function, given, inputs in cases(owner, method, rng):
            if inputs and takes(owner, name, given):
                functions.append(function)
                checks.append((name, function.name, given, inputs))
    source, _ = um.export_c(owner, functions, tmp_path / "robot.c", prefix="x")
    library = tmp_path / "robot.so"
    run_compiler(found("gcc", "cc"), *STRICT, optimised, "-shared", "-fPIC", "-o", library, source, "-lm")
    loaded = ctypes.CDLL(str(library))
    assert len(checks) > (4 if constrained else 10)
    for name, c_name, given, inputs in checks:
        right = leaves(getattr(owner, name)(**given))
        mine = called(loaded, f"x_{c_name}", inputs, [x.shape for x in right])
        for a, b in zip(mine, right, strict=True):
            assert np.array_equal(a, b), (c_name, np.abs(a - b).max())
            assert np.array_equal(np.signbit(a), np.signbit(b)), c_name
