"""Arrays in another dress (a table's column, an array with labels) give the same results, in a first call or later.

Masked entries are no numbers, and are refused.
"""

import numpy as np
import pytest
from tests.support.random_trees import random_tree

import unmoored as um
from unmoored import kernels

ARM = um.System(random_tree(21, ("Free", "Revolute"), branching=False))
PLANT = um.Plant(ARM)
Q = ARM.random_configuration(1)
V = np.linspace(-0.2, 0.3, ARM.nv)


class Labelled:
    """An array with labels, whose kind asks NumPy's functions to leave it alone (as xarray's and pandas' do)."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)

    def __array_ufunc__(self, *_, **__):
        raise NotImplementedError("generalized ufuncs")


class Own(np.ndarray):
    """A kind of array of a user's."""


KINDS = {
    "labelled": Labelled,
    "own": lambda x: x.view(Own),
    "masked nowhere": np.ma.masked_array,
}
CALLS = {
    "forward_dynamics": (ARM, {"q": Q, "v": V, "tau": V}),
    "local": (ARM, {"q0": Q, "q1": Q}),
    "energy": (PLANT, {"t": 0.0, "q": Q, "v": V}),
}


def parts(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_every_call_takes_them_as_plain_arrays(name, kind):
    owner, good = CALLS[name]
    call = getattr(owner, name)
    expected = parts(call(**good))
    for argument in set(good) - {"t"}:
        for batch in (False, True):
            x = np.stack([good[argument]] * 2) if batch else good[argument]
            for forget in (True, False):  # the checked way, and the quick one
                if forget:
                    owner._calls.clear()
                else:
                    call(**good)
                for part, one in zip(parts(call(**good | {argument: KINDS[kind](x)})), expected, strict=True):
                    assert type(part) in (np.ndarray, np.float64)
                    assert np.allclose(part[1] if batch else part, one, rtol=0, atol=1e-12)


def test_a_kernel_takes_them_too():
    product = kernels.compile(lambda A, x: A @ x, [(2, 2), (2,)], name="product")
    A, x = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])
    for dressed in (Labelled, KINDS["own"], np.ma.masked_array):
        for given in ((A, dressed(x)), (dressed(A), x), (dressed(A), dressed(x))):
            assert type(product(*given)) is np.ndarray
            assert np.array_equal(product(*given), A @ x)
    with pytest.raises(TypeError, match="masked"):
        product(A, np.ma.masked_array(x, [True, False]))


def test_masked_entries_are_refused():
    q, v = np.ma.masked_array(Q, Q > 0), np.ma.masked_array(V, V > 0)
    for backend in ("cpu", "numpy"):
        for _ in range(2):
            with pytest.raises(um.ModelError, match="q: expected numbers of shape"):
                ARM.mass_matrix(q, backend=backend)
            with pytest.raises(um.ModelError, match="v: expected numbers of shape"):
                PLANT.energy(0.0, Q, v, backend=backend)
            ARM.mass_matrix(Q)
            PLANT.energy(0.0, Q, V)
    with pytest.raises(um.ModelError, match="v0: expected numbers"):
        um.simulate(PLANT, Q, v, duration=0.02, step=0.01)
    with pytest.raises(um.ModelError, match="com"):
        um.Inertia(mass=1.0, com=np.ma.masked_array([0, 0, 1.0], [0, 0, 1]), tensor=(1, 1, 1))
    with pytest.raises(um.ModelError, match="expected numbers"):
        ARM.pack({ARM.joints[1]: np.ma.masked_array([0.3], [True])})


def test_a_later_call_refuses_what_the_first_refuses():
    """Also a time, and where there is nothing to compute, so that no kernel looks at what is given."""
    bad = {
        "t": (np.ma.masked_array(0.0, True), "0.5", 1j, np.array(0.5, object)),
        "q": (Q.astype(complex), Q.astype(str), Q.astype(object), np.zeros(1)),
    }
    for name in ("energy", "closure_loads"):
        good = {"t": 0.5, "q": Q, "v": V}
        for argument, wrong in bad.items():
            for x in wrong:
                getattr(PLANT, name)(**good)
                with pytest.raises(um.ModelError, match=f"{argument}: expected"):
                    getattr(PLANT, name)(**good | {argument: x})
