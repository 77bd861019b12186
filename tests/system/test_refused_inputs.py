"""Every method of System and Plant refuses the same bad input with the same error. Methods are found, not listed."""

import contextlib
import inspect
import pickle
import warnings

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.support.rolling_vehicles import WHEELS, rover

import unmoored as um
from unmoored import kernels
from unmoored.system.argument_kinds import ArrayOf, Named
from unmoored.system.method import methods_of

ARM = um.System(random_tree(21, ("Free", "Revolute", "Prismatic"), branching=False))
ROVER = um.System(rover(um.Planar(), kinds=("Revolute",)))
PLANT = um.Plant(um.load("bluerov2_heavy"), um.Ocean(), free=["ocean.current"])
DRIVE = um.DifferentialDrive("rover", "axle", **WHEELS)
CALLS = [("System", name) for name in methods_of(um.System)] + [
    ("Plant", name) for name in methods_of(um.Plant)
]


def every_method(test):
    """All methods: each is refused in milliseconds."""
    return pytest.mark.whole(pytest.mark.parametrize(("kind", "name"), CALLS)(test))


def owner_of(kind, method):
    if kind == "Plant":
        return PLANT
    return ROVER if "constraints" in method.kinds else ARM


def values(owner, method):
    """A good value for every argument of the method."""
    names = {
        "frame": owner.tree.names[-1], "passive": [owner.tree.names[0]], "constraints": [DRIVE], "bias": True,
        "potential": lambda q: (q * q).sum(), "about": "com", "vehicle": owner.tree.vehicles[0], "rows": (0, 1, 2),
        "form": "skew", "coordinates": "euler_zyx", "scaled": True, "at_rest": None,
        "method": "heun", "steps": 1 if method.name == "step_jacobian" else 2,
    }  # fmt: skip
    if method.name == "operational_space" and len(owner.tree.names) == 1:
        names["passive"] = []  # forces of the others move the frame
    read = {name: kind.read(owner, names[name]) for name, kind in method.names.items()}
    rng = np.random.default_rng(0)
    given = {}
    for name, kind in method.kinds.items():
        if isinstance(kind, Named):
            given[name] = names[name]
        elif isinstance(kind, ArrayOf):
            shape = kind.shape(owner, read)
            given[name] = rng.normal(size=shape)
            if name in ("q", "q0", "q1"):
                system = owner.system if isinstance(owner, um.Plant) else owner
                given[name] = system.random_configuration(1)
            if name == "passive":
                given[name] = [owner.tree.names[0]]
        else:
            given[name] = {owner.tree.names[-1]: rng.normal(size=6)}
    return given


def arrays(method):
    return [name for name, kind in method.arrays.items() if isinstance(kind, ArrayOf) and name != "passive"]


@every_method
def test_bad_arrays_are_refused_with_the_same_words(kind, name):
    method = methods_of(getattr(um, kind))[name]
    owner = owner_of(kind, method)
    good = values(owner, method)
    backend = {} if method.numpy_only else {"backend": "numpy"}
    call = getattr(owner, name)
    for argument in arrays(method):
        array, core = np.asarray(good[argument]), np.ndim(good[argument])
        if not array.size:  # no states: nothing to get wrong
            continue
        bad = {
            "complex": array + 1j, "texts": np.full(array.shape, "1").tolist() if core else "1",
            "objects": np.full(array.shape, object(), dtype=object) if core else object(),
        }  # fmt: skip
        for x in bad.values():
            for options in ({}, backend):
                with pytest.raises(um.ModelError, match=rf"{argument}: expected numbers of shape"):
                    call(**(good | {argument: x}), **options)
        if core and array.size:
            with pytest.raises(
                um.ModelError, match=rf"{argument}: expected shape \(\.\.\., {array.shape[-1]}\)"
            ):
                call(**(good | {argument: np.zeros(array.shape[-1] + 1)}), **backend)
    several = [
        argument for argument in arrays(method) if np.size(good[argument]) and good[argument] is not None
    ]
    if len(several) > 1 and not method.numpy_only:
        first, second = several[-2:]
        odd = {
            first: np.stack([np.asarray(good[first])] * 3),
            second: np.stack([np.asarray(good[second])] * 2),
        }
        with pytest.raises(um.ModelError, match="batch: expected leading dimensions that broadcast"):
            call(**(good | odd))


@every_method
def test_bad_names_are_refused(kind, name):
    method = methods_of(getattr(um, kind))[name]
    owner = owner_of(kind, method)
    good = values(owner, method)
    for argument in ("frame", "passive", "about", "form", "coordinates", "vehicle"):
        if argument in method.kinds:
            bad = ["nowhere"] if argument == "passive" else "nowhere"
            with pytest.raises(um.ModelError, match="nowhere"):
                getattr(owner, name)(**(good | {argument: bad}))
    if not method.numpy_only:
        with pytest.raises(um.ModelError, match="backend"):
            getattr(owner, name)(**good, backend="fpga")


#: no name, no flag, no rows, no constraints, no function of one number
NO_NAMES = [
    None, 3, 2.5, b"x", [1, 2.5], ["nowhere"], [None], {"a": 1}, object(), np.zeros((2, 2)), np.zeros(0), {1.5}, int,
    [[["a"]]], np.array("x"),
]  # fmt: skip
MEANT = {
    "vehicle": [None],
    "at_rest": [None, np.zeros(0)],
    "passive": [np.zeros(0)],
    "constraints": [np.zeros(0)],
    "steps": [3],
}


@every_method
def test_what_is_no_name_is_refused(kind, name):
    """Every argument that is part of the code, with objects of any kind: a `ModelError`, and nothing is guessed."""
    method = methods_of(getattr(um, kind))[name]
    owner = owner_of(kind, method)
    good = values(owner, method)
    for argument in method.names:
        for bad in NO_NAMES:
            if any(
                bad is meant or np.shape(bad) == np.shape(meant) == (0,) for meant in MEANT.get(argument, ())
            ):
                continue
            if argument == "potential" and bad is int:
                continue
            with pytest.raises(um.ModelError):
                getattr(owner, name)(**(good | {argument: bad}))


@pytest.mark.parametrize("owner", [ARM, PLANT], ids=["System", "Plant"])
@pytest.mark.parametrize("backend", ["cpu", "numpy"])
def test_bad_places_for_results_are_refused(owner, backend):
    q, v = owner.tree.nq, owner.tree.nv
    state = (0.0,) * isinstance(owner, um.Plant), (np.zeros(q), np.zeros(v))
    for bad in (np.zeros(v + 1), 3, "x", [0.0] * v, np.zeros(v, dtype=int), (np.zeros(v),) * 2):
        with pytest.raises(um.ModelError, match=r"out: expected an? .*of shapes? "):
            owner.mass_matrix(np.zeros(q), out=bad, backend=backend)
        if isinstance(bad, tuple):  # two, as energy has them
            continue
        with pytest.raises(um.ModelError, match=r"out: expected an? .*of shapes? "):
            owner.energy(*state[0], *state[1], out=bad, backend=backend)
    for count in (1, 3):
        with pytest.raises(um.ModelError, match=r"out: expected a tuple of arrays of shapes "):
            owner.energy(*state[0], *state[1], out=tuple(np.zeros((count, 1))), backend=backend)
    with pytest.raises(um.ModelError) as told:  # of something long the beginning is shown
        owner.mass_matrix(np.zeros(q), out=[7] * 1000, backend=backend)
    assert str(told.value).endswith("…")
    assert 30 < str(told.value).count("7") <= 100


@every_method
def test_signatures_and_messages_are_the_methods_own(kind, name):
    member = getattr(getattr(um, kind), name)
    assert member.__doc__
    assert "self" in inspect.signature(member).parameters
    with pytest.raises(TypeError) as told, warnings.catch_warnings():
        member()
    assert "Methods" not in str(told.value)
    assert name in str(told.value)


@pytest.mark.parametrize("kind", [um.System, um.Plant])
def test_no_message_names_a_part_of_the_class(kind):
    """All public methods: those that are no kernels too."""
    found = [(name, getattr(kind, name)) for name in dir(kind) if not name.startswith("_")]
    found = [(name, member) for name, member in found if inspect.isfunction(member)]
    assert len(found) > len(methods_of(kind))
    for name, member in found:
        with pytest.raises(TypeError, match=rf"^{kind.__name__}\.{name}\(\) missing"):
            member()
        assert pickle.loads(pickle.dumps(member)) is member


def others(owner):
    """Public methods that are no declared kernel, with a good value for every argument that they require."""
    system = owner.system if isinstance(owner, um.Plant) else owner
    brick, q, v = um.load("tumbling_brick"), system.random_configuration(0), np.ones(system.nv)
    plant = isinstance(owner, um.Plant)
    good = {
        "t": 0.0 if plant else [0.0, 1.0], "q": q if plant else np.stack([q, q]), "v": v if plant else np.stack([v, v]),
        "q0": q, "joints": {}, "p": np.zeros(3), "frame": system.names[-1], "guest": brick, "q_guest": brick.neutral(),
        "a": v, "v_guest": np.zeros(6), "free": ["u.rov.vx"], "zero": ["rov.vx"], "pose": lambda t: np.eye(4),
        "constraints": [], "u": np.zeros(owner.nu if plant else 0), "step": 0.01,
    }  # fmt: skip
    states = {"unpack": {"q": q}, "unpack_velocity": {"v": v}, "join": {"q": q, "v": v}}
    for name in dir(owner):
        member = getattr(owner, name)
        if name.startswith("_") or name in methods_of(type(owner)) or not inspect.ismethod(member):
            continue
        parameters = inspect.signature(member).parameters.values()
        required = [p.name for p in parameters if p.default is p.empty]
        if name not in ("save", "release"):
            yield member, {key: states.get(name, {}).get(key, good[key]) for key in required}, parameters


@pytest.mark.parametrize("owner", [ARM, PLANT], ids=["System", "Plant"])
def test_the_other_methods_refuse_what_they_cannot_take(owner):
    """Whatever is given for any argument: it is taken, or a `ModelError` says why not."""
    found = list(others(owner))
    assert len(found) >= 5
    bad = [
        *NO_NAMES,
        "nowhere",
        np.full(99, np.nan),
        1j,
        (),
        True,
        float("nan"),
        {"nowhere": 1.0},
        lambda *_: 0,
    ]
    for member, good, parameters in found:
        member(**good)
        for parameter in parameters:
            if member.__name__ in ("prescribed_motion",) and parameter.name == "pose":
                continue  # it is called later
            for x in bad:
                with contextlib.suppress(um.ModelError):
                    member(**(good | {parameter.name: x}))


def test_packed_values_are_numbers_and_given_once():
    for bad in ("1.5", True, [1.0, "2"], 1j):
        with pytest.raises(um.ModelError, match="expected numbers"):
            ARM.pack({ARM.joints[1]: bad})
        with pytest.raises(um.ModelError, match="expected numbers"):
            ARM.pack_velocity({ARM.joints[1]: bad})


def test_velocities_of_a_plant_are_checked_and_traced():
    plant = um.Plant(ROVER, um.Earth(), constraints=[DRIVE], prescribed={})
    q, w = ROVER.random_configuration(2), np.linspace(0.1, 0.4, plant.nw)
    v = plant.full_velocity(0.0, q, w)
    assert np.allclose(plant.independent_velocity(q, v), w, atol=1e-14)
    assert np.array_equal(plant.full_velocity(0.0, q.tolist(), w.tolist()), v)
    traced = kernels.compile(lambda q, w: plant.full_velocity(0.0, q, w), [(plant.nq,), (plant.nw,)])
    assert np.array_equal(traced(q, w), v)
    for call in (plant.full_velocity, plant.system.forward_dynamics):
        with pytest.raises(um.ModelError):
            call(0.0, q, np.ones(plant.nw + 1))
    plain = um.Plant(ROVER)
    given = np.ones(plain.nv)
    assert plain.full_velocity(0.0, q, given, backend="numpy") is not given


def test_rows_of_a_twist_are_counted_from_zero_to_five():
    q = ARM.random_configuration(np.random.default_rng(2))
    frame, rest = ARM.names[-1], [ARM.names[0]]
    J = ARM.generalized_jacobian(q, frame, passive=rest)
    for rows in ((0,), (5,), (4, 3), (0, 1, 2, 3, 4, 5)):
        found = ARM.dynamic_singularity(q, frame, passive=rest, rows=rows)
        np.testing.assert_allclose(
            found.singular_values, np.linalg.svd(J[list(rows)], compute_uv=False), atol=1e-12
        )
    everything = ARM.dynamic_singularity(q, frame, passive=rest).singular_values
    np.testing.assert_allclose(everything, np.linalg.svd(J, compute_uv=False), atol=1e-12)
    for rows in ((6,), (-1,), (1, 1), ()):
        with pytest.raises(um.ModelError, match="rows: expected different numbers from 0 to 5"):
            ARM.dynamic_singularity(q, frame, passive=rest, rows=rows)


def test_slopes_that_come_as_several_arrays_have_a_method_with_all_in_one():
    """That one is what a kernel can be made of; methods that have none are told by the list alone."""
    plant = um.Plant(um.load("free_flyer_arm7"))
    for name, hint in (
        ("forward_dynamics_derivatives", r"forward_dynamics_jacobian \(all of them as one matrix\), or "),
        ("step_derivatives", r"step_jacobian \(all of them as one matrix\), or "),
        ("jacobian_of_nothing", ""),
        ("mass", ""),
        (7, ""),
    ):
        with pytest.raises(
            um.ModelError, match=f"unknown method: expected {hint}a method that is one kernel: one of "
        ):
            um.compile_method(plant, name)
