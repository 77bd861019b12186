"""NaN: a single call names the argument and the entry; in a batch it spoils all of its sample, and no other.

Methods are found, not listed.
"""

from dataclasses import is_dataclass

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.support.thinning import without
from tests.system.test_kernels_match_numpy import SMALL as ARM
from tests.system.test_kernels_match_numpy import arguments
from tests.system.test_refused_inputs import DRIVE, ROVER

import unmoored as um
from unmoored import kernels
from unmoored.system.argument_kinds import ArrayOf, Named
from unmoored.system.method import methods_of

PLANT = um.Plant(
    um.System(random_tree(22, ("Free", "Revolute"), branching=False)), um.Ocean(), free=["ocean.current"]
)
METHODS = [("System", name) for name in methods_of(um.System)] + [
    ("Plant", name) for name in methods_of(um.Plant)
]
#: seconds to compile; their other walks (batches, derivatives) are ordinary
LONG = {("Plant", "step_jacobian"), ("Plant", "linear_system")}
WALK = pytest.mark.parametrize(
    ("kind", "name"), without(lambda case: case in LONG or METHODS.index(case) % 2, METHODS)
)
BATCH, BAD = 11, 5  # more than the lanes of a vector, and no multiple of them


def prepared(kind, name):
    """The owner, its method, and good arguments for a batch, by name."""
    method = methods_of(getattr(um, kind))[name]
    owner = PLANT if kind == "Plant" else ROVER if "constraints" in method.kinds else ARM
    if kind == "System" and not method.numpy_only:  # with the kernels of the neighbour
        return owner, method, {key: batched(x) for key, x in arguments(owner, name, (BATCH,)).items()}
    tree = owner.tree
    words = {
        "frame": tree.names[-1], "passive": [tree.names[0]], "constraints": [DRIVE], "bias": True, "about": "com",
        "potential": lambda q: (q * q).sum(), "vehicle": tree.vehicles[0], "rows": (0, 1, 2), "form": "skew",
        "coordinates": "euler_zyx", "scaled": True, "at_rest": None, "method": "heun",
        "steps": 1 if name == "step_jacobian" else 2,
    }  # fmt: skip
    read = {key: kind.read(owner, words[key]) for key, kind in method.names.items()}
    rng, given = np.random.default_rng(0), {}
    system = getattr(owner, "system", owner)
    for key, kind in method.kinds.items():
        if isinstance(kind, Named) or key == "passive":
            given[key] = words[key]
        elif not isinstance(kind, ArrayOf):
            given[key] = {tree.names[-1]: rng.normal(size=(BATCH, 6))}
        elif kind.size == "nq":
            given[key] = np.array([system.random_configuration(rng) for _ in range(BATCH)])
        else:
            given[key] = rng.normal(size=(BATCH, *kind.shape(owner, read)))
    return owner, method, given


def batched(x):
    """The value with a batch; names and lists of names as they are."""
    if isinstance(x, dict):
        return {frame: batched(F) for frame, F in x.items()}
    if isinstance(x, float) or (isinstance(x, np.ndarray) and x.ndim == 1):
        return np.repeat(np.asarray(x)[None], BATCH, axis=0)
    return x


def spoiled(given, rng):
    """Every argument in turn with one NaN, in sample BAD: its name, and all arguments."""
    for key, x in given.items():
        if isinstance(x, dict):
            frame, F = next(iter(x.items()))
            F = F.copy()
            F[BAD, rng.integers(6)] = np.nan
            yield key, given | {key: {**x, frame: F}}
        elif isinstance(x, np.ndarray) and x[0].size:
            x = x.copy()
            x[(BAD, *(rng.integers(n) for n in x.shape[1:]))] = np.nan
            yield key, given | {key: x}


def one(given, i):
    def part(x):
        if isinstance(x, dict):
            return {k: F[i] for k, F in x.items()}
        return x[i] if isinstance(x, np.ndarray) else x

    return {key: part(x) for key, x in given.items()}


def leaves(x):
    if is_dataclass(x):
        x = tuple(vars(x).values())
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [np.asarray(x)]


def backends(method):
    return [{}] if method.numpy_only else [{}, {"backend": "numpy"}]


@WALK
def test_a_single_call_names_argument_and_entry(kind, name):
    owner, method, given = prepared(kind, name)
    if not method.numpy_only:
        getattr(owner, name)(**one(given, BAD))  # from now on by the short way
    for key, bad in spoiled(given, np.random.default_rng(1)):
        for options in backends(method):
            with pytest.raises(um.ModelError, match=rf"{key}.*expected a number, given nan"):
                getattr(owner, name)(**one(bad, BAD), **options)


@WALK
def test_what_is_no_number_is_refused_by_later_calls_too(kind, name):
    """As by the first, which tests/system/test_refused_inputs.py tries."""
    owner, method, given = prepared(kind, name)
    good = one(given, BAD)
    if not method.numpy_only:
        getattr(owner, name)(**good)
    for key, x in good.items():
        if key == "passive" or not isinstance(x, np.ndarray | np.floating) or not x.size:
            continue
        wrong = [np.asarray(x, dtype) for dtype in (complex, str, object)]
        wrong += [np.ma.masked_array(x, np.ones(x.shape, bool))]
        wrong += [np.zeros(x.size + 1)] if x.ndim else []
        for bad in wrong:
            with pytest.raises(um.ModelError, match=f"{key}: expected"):
                getattr(owner, name)(**good | {key: bad})


@WALK
def test_in_a_batch_it_spoils_all_of_its_sample_and_no_other(kind, name):
    owner, method, given = prepared(kind, name)
    if name == "inertia_bounds":  # one result for all samples
        with pytest.raises(um.ModelError, match=r"q.*given nan"):
            owner.inertia_bounds(next(spoiled(given, np.random.default_rng(2)))[1]["q"])
        return
    others = np.arange(BATCH) != BAD
    for options in backends(method):
        right = leaves(getattr(owner, name)(**given, **options))
        for key, bad in spoiled(given, np.random.default_rng(2)):
            for got, before in zip(leaves(getattr(owner, name)(**bad, **options)), right, strict=True):
                assert np.isnan(got[BAD]).all(), key
                if options or method.numpy_only:
                    np.testing.assert_allclose(got[others], before[others], rtol=1e-12, atol=1e-12)
                else:
                    np.testing.assert_array_equal(got[others], before[others], err_msg=key)


@pytest.mark.whole
@pytest.mark.parametrize("name", [name for name, found in methods_of(um.System).items() if found.numpy_only])
def test_of_methods_in_numpy_alone(name):
    """All of them, whatever they return: arrays, tuples of names, dataclasses."""
    test_a_single_call_names_argument_and_entry("System", name)
    test_in_a_batch_it_spoils_all_of_its_sample_and_no_other("System", name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("samples", [1, 2, 7, 8, 16, 17, 33])
def test_every_place_in_a_group_of_lanes(samples, dtype):
    """A position, which no inertia depends on; contiguous, strided and broadcast arrays."""
    rng = np.random.default_rng(3)
    Q = np.array([ARM.random_configuration(rng) for _ in range(samples)]).astype(dtype)
    right = ARM.mass_matrix(Q)
    for bad in range(samples):
        spoilt = Q.copy()
        spoilt[bad, 10] = np.nan
        wide = np.zeros((samples, 2 * ARM.nq), dtype)
        wide[:, ::2] = spoilt
        for given in (spoilt, wide[:, ::2], np.asfortranarray(spoilt)):
            got = ARM.mass_matrix(given)
            assert got.dtype == dtype
            assert np.isnan(got[bad]).all()
            others = np.arange(samples) != bad
            assert np.array_equal(got[others], right[others])
    V = np.zeros((samples, ARM.nv), dtype)
    spoilt = Q[0].copy()
    spoilt[9] = np.nan
    assert np.isnan(ARM.inverse_dynamics(spoilt, V, V)).all()  # one q for all


def test_many_bodies_in_loops():
    """Code that goes through memory."""
    tree = random_tree(5, ("Free",) + ("Revolute",) * 45, branching=False)
    system, rng = um.System(tree), np.random.default_rng(4)
    Q = np.array([system.random_configuration(rng) for _ in range(11)])
    V = rng.normal(size=(11, system.nv))
    right = system.inverse_dynamics(Q, V, V)
    Q[4, 11] = np.nan
    got = system.inverse_dynamics(Q, V, V)
    assert np.isnan(got[4]).all()
    assert np.array_equal(got[np.arange(11) != 4], right[np.arange(11) != 4])
    with pytest.raises(um.ModelError, match=r"q\[11\]"):
        system.inverse_dynamics(Q[4], V[4], V[4])


@pytest.mark.parametrize("samples", [1, 2])
def test_a_batch_may_hold_nothing_else(samples):
    Q = np.full((samples, ARM.nq), np.nan)
    for found in (ARM.mass_matrix(Q, backend="numpy"), ARM.mass_matrix(Q)):
        assert found.shape == (samples, ARM.nv, ARM.nv)
        assert np.isnan(found).all()


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinity_is_no_nan(bad):
    """It goes where arithmetic takes it, alone and in a batch."""
    q = np.array([ARM.neutral()] * 3)
    q[1, 9] = bad
    assert np.isfinite(ARM.mass_matrix(q)).all()
    assert np.isfinite(ARM.mass_matrix(q[1])).all()


def test_out_is_not_written_by_a_refused_call():
    q, out = np.full(ARM.nq, np.nan), np.zeros((ARM.nv, ARM.nv))
    with pytest.raises(um.ModelError, match=r"q\[0\]"):
        ARM.mass_matrix(q, out=out)
    assert not out.any()


def test_compiled_methods_name_the_argument():
    kernel = um.compile_method(ARM, "forward_dynamics", free=[f"{ARM.names[0]}.mass"])
    q, v, p = ARM.neutral(), np.zeros(ARM.nv), kernel.nominal
    v[3] = np.nan
    with pytest.raises(um.ModelError, match=r"v\[3\]: expected a number"):
        kernel(q, v, np.zeros(ARM.nv), p)
    got = kernel(np.array([q, q]), np.array([v, 0 * p[0] + np.zeros(ARM.nv)]), np.zeros(ARM.nv), p)
    assert np.isnan(got[0]).all()
    assert np.isfinite(got[1]).all()


def test_users_own_kernels_pass_it_on():
    """What is no method may well be made for NaN."""
    kernel = kernels.compile(lambda x: np.stack([x[0], x[1]]), [(2,)])
    np.testing.assert_array_equal(kernel(np.array([np.nan, 1.0])), [np.nan, 1.0])
