"""Every method of System and Plant can be differentiated; methods are found, not listed.

Derivatives along a direction are held against differences with 50 digits of the method itself, written out; gradients,
Jacobians and gradients of weighted sums against those. Configurations move along their tangents, as stored numbers.
"""

import numpy as np
import pytest
from tests.support.thinning import without
from tests.system.test_methods_on_symbols import over_arrays
from tests.system.test_refused_inputs import CALLS, arrays, owner_of, values
from tests.trace import high_precision

import unmoored as um
from unmoored import trace as T
from unmoored.system.method import methods_of

#: methods that are differentiated; those that judge with NumPy (eigenvalues, ranks) cannot be traced
DIFFERENTIATED = [
    (kind, name) for kind, name in CALLS if not methods_of(getattr(um, kind))[name].numpy_only
]  # fmt: skip
#: derivatives of derivatives of a whole step, of the dynamics and of the charts: a third of the time of all
LONG = {
    ("Plant", "step_jacobian"),
    ("Plant", "forward_dynamics_jacobian"),
    ("System", "local_coriolis_matrix"),
}
#: what a derivative that vanishes may be of rounding (reactions of a free vehicle)
ZERO = 1e-12
#: numbers in a Jacobian that is built
LARGEST_JACOBIAN = 3000


def flat(parts):
    return np.concatenate(
        [np.zeros(0), *(np.ravel(x) for x in (parts if isinstance(parts, tuple) else (parts,)))]
    )


def tangent(owner, q, rng):
    """How the stored numbers of a configuration move, by differences of retract."""
    system = owner.system if isinstance(owner, um.Plant) else owner
    d, h = rng.normal(size=system.nv), 1e-3
    moved = {k: system.retract(q, k * h * d) for k in (-3, -2, -1, 1, 2, 3)}
    return sum(c * (moved[k] - moved[-k]) for k, c in ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))) / h


def case(kind, name):
    """(the traced method, its arrays that have entries, a direction for each)."""
    method = methods_of(getattr(um, kind))[name]
    owner, rng = owner_of(kind, method), np.random.default_rng(5)
    function, given = over_arrays(kind, name)
    sized = values(owner, method)
    names = [k for k in arrays(method) if np.size(sized[k])]
    moves = [
        tangent(owner, x, rng) if k in ("q", "q0", "q1") else rng.normal(size=x.shape)
        for k, x in zip(names, given, strict=True)
    ]
    return T.trace(function, *(x.shape for x in given), name=name), given, moves


@pytest.mark.parametrize(
    ("kind", "name"), without(lambda case: case in LONG or DIFFERENTIATED.index(case) % 2, DIFFERENTIATED)
)
def test_directions_gradients_and_jacobians(kind, name):
    graph, x, dx = case(kind, name)
    rng = np.random.default_rng(6)
    inputs, moves = flat(tuple(x)), flat(tuple(dx))
    exact = np.array(high_precision.directions(T.inlined(graph), inputs.tolist(), moves.tolist()))
    found = flat(T.evaluate(T.jvp(graph), *x, *dx))
    size = np.abs(exact).max(initial=0.0)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9 * size + ZERO)
    weights = [rng.normal(size=shape) for shape in graph.output_shapes]
    back = flat(T.evaluate(T.vjp(graph), *x, *weights))
    terms = np.abs(flat(tuple(weights)) * found).sum() + np.abs(back * moves).sum()
    assert abs(back @ moves - flat(tuple(weights)) @ found) <= 1e-12 * max(terms, 1.0)
    if len(inputs) * len(exact) <= LARGEST_JACOBIAN:
        blocks = T.evaluate(T.jacobian(graph), *x)
        blocks = blocks if isinstance(blocks, tuple) else (blocks,)
        rows = [
            sum(
                np.tensordot(J, d, d.ndim)
                for J, d in zip(blocks[k * len(x) : (k + 1) * len(x)], dx, strict=True)
            )
            for k in range(len(graph.output_shapes))
        ]
        np.testing.assert_allclose(flat(tuple(rows)), found, rtol=1e-9, atol=1e-10 * size + ZERO)


@pytest.mark.parametrize(("kind", "name"), DIFFERENTIATED[::7])
def test_gradients_of_weighted_sums(kind, name):
    graph, x, _ = case(kind, name)
    rng = np.random.default_rng(6)
    weights = [rng.normal(size=shape) for shape in graph.output_shapes]

    def total(*arrays):
        results = T.call_traced(graph, *arrays)
        results = results if isinstance(results, tuple) else (results,)
        return sum(np.sum(w * y) for w, y in zip(weights, results, strict=True))

    slopes = T.gradient(T.trace(total, *(a.shape for a in x)))
    found, expected = flat(T.evaluate(slopes, *x)), flat(T.evaluate(T.vjp(graph), *x, *weights))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max(initial=0.0))


def test_vjp_takes_methods_as_they_are():
    """Options of a method, given by keyword, are no arrays of its vjp."""
    system = um.load("free_flyer_arm7")
    q, W = system.random_configuration(1), np.random.default_rng(0).normal(size=(13, 13))
    expected = np.einsum("ij,ijk->k", W, T.jacobian(system.mass_matrix)(q))
    np.testing.assert_allclose(T.vjp(system.mass_matrix)(q, W), expected, rtol=1e-10, atol=1e-12)
