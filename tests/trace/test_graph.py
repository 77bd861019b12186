"""The graph shares equal nodes, folds constants and applies exact identities."""

import math

import numpy as np
import pytest

from unmoored import trace as T
from unmoored.trace.graph import Graph, bits_of, operands


def nodes_of(function, *shapes):
    traced = T.trace(function, *shapes)
    return [traced.graph.nodes[k][0] for k in T.live_nodes(traced.graph, traced.flat_outputs)]


def test_equal_expressions_are_one_node():
    traced = T.trace(lambda x: (x[0] * x[1] + 1.0, 1.0 + x[1] * x[0]), (2,))
    assert traced.outputs[0] == traced.outputs[1]


def test_constants_are_told_apart_by_their_bits():
    graph = Graph()
    quiet, payload = math.nan, np.array([0x7FF8000000000123], np.uint64).view(float)[0]
    indices = {graph.constant(value) for value in (0.0, -0.0, quiet, float(payload), 1.0)}
    assert len(indices) == 5
    assert math.copysign(1.0, graph.values[graph.constant(-0.0)]) == -1.0
    assert bits_of(graph.values[graph.constant(float(payload))]) == 0x7FF8000000000123


IDENTITIES = {
    "x + 0": (lambda x: x + 0.0, lambda x: x),
    "0 + x": (lambda x: 0.0 + x, lambda x: x),
    "x - 0": (lambda x: x - 0.0, lambda x: x),
    "0 - x": (lambda x: 0.0 - x, lambda x: -x),
    "x * 0": (lambda x: x * 0.0, lambda x: 0.0),
    "x * 1": (lambda x: x * 1.0, lambda x: x),
    "x * -1": (lambda x: x * -1.0, lambda x: -x),
    "-(-x)": (lambda x: 0.0 - (-x), lambda x: x),
    "x - x": (lambda x: x - x, lambda x: 0.0),
    "x + -y": (lambda x: x + -np.sin(x), lambda x: x - np.sin(x)),
    "(-x) * y": (lambda x: (-x) * np.cos(x), lambda x: -(x * np.cos(x))),
    "x / 4": (lambda x: x / 4.0, lambda x: x * 0.25),
    "0 / x": (lambda x: 0.0 / x, lambda x: 0.0),
    "sin(-x)": (lambda x: np.sin(-x), lambda x: -np.sin(x)),
    "cos(-x)": (lambda x: np.cos(-x), lambda x: np.cos(x)),
    "|-x|": (lambda x: abs(-x), lambda x: abs(x)),
    "x ** 3": (lambda x: x**3, lambda x: x * (x * x)),
    "x ** -2": (lambda x: x**-2, lambda x: 1.0 / (x * x)),
    "x ** 0": (lambda x: x**0, lambda x: 1.0),
    "x ** 0.5": (lambda x: x**0.5, lambda x: np.sqrt(x)),
    "where(True)": (lambda x: T.where(True, x, 2.0 * x), lambda x: x),
    "where equal": (lambda x: T.where(x < 1.0, x, x), lambda x: x),
    "max(x, x)": (lambda x: T.maximum(x, x), lambda x: x),
    "where not": (lambda x: T.where(~(x < 1.0), x, -x), lambda x: T.where(x < 1.0, -x, x)),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identity(name):
    written, simple = IDENTITIES[name]
    traced = T.trace(lambda x: (written(x), simple(x)), ())
    assert traced.outputs[0] == traced.outputs[1]


def test_division_by_other_constants_is_kept_exact():
    assert "div" in nodes_of(lambda x: x / 3.0, ())


def test_constants_fold_to_what_python_computes():
    def function(x):
        a = x * 0.0 + 0.7
        return np.array([np.sin(a), np.exp(a), a**5, T.arctan2(a, -0.2), T.where(a < 1.0, a, -a)])

    traced = T.trace(function, ())
    values = [traced.graph.values[k] for k in traced.outputs[0]]
    expected = [math.sin(0.7), math.exp(0.7), 0.7 * (0.7**2) ** 2, math.atan2(0.7, -0.2), 0.7]
    np.testing.assert_allclose(values, expected, rtol=1e-15)


def test_functions_outside_their_domain_are_not_folded():
    traced = T.trace(lambda x: np.log(x * 0.0 - 1.0) + np.sqrt(x * 0.0 - 2.0), ())
    assert math.isnan(T.evaluate(traced, 1.0))


def test_dead_code_is_dropped():
    def function(x):
        np.sin(x)
        return x[0] + x[1]

    assert sorted(nodes_of(function, (3,))) == ["add", "input", "input"]


def test_structural_zeros_of_a_rotation_vanish():
    def function(q, x):
        c, s = np.cos(q), np.sin(q)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return R.T @ (R @ x)

    traced = T.trace(function, (), (3,))
    assert traced.outputs[0][2] == traced.graph.node("input", 3)
    assert traced.operations == 2 + 6 * 2


def test_schedule_puts_operands_first_and_loses_nothing():
    traced = T.trace(lambda A, b: T.solve_spd(A @ A.T, np.sin(b)), (4, 4), (4,))
    order = T.scheduled(traced.graph, traced.flat_outputs)
    assert sorted(order) == T.live_nodes(traced.graph, traced.flat_outputs)
    place = {index: k for k, index in enumerate(order)}
    for index in order:
        assert all(place[k] < place[index] for k in operands(traced.graph.nodes[index]))


def test_fused_products_are_those_that_are_only_added():
    traced = T.fuse(
        T.trace(lambda a, b, c: (a * b + c, a - b * c, a * c - b, (a * a + b) * (b * b)), (), (), ())
    )
    kinds = [traced.graph.nodes[k][0] for k in T.live_nodes(traced.graph, traced.flat_outputs)]
    assert kinds.count("fma") == 4
    assert kinds.count("mul") == 2
    assert "add" not in kinds
    assert "sub" not in kinds


def test_a_product_used_twice_is_fused_into_both_sums():
    traced = T.fuse(T.trace(lambda a, b, c: (a * b + c, a * b - c), (), (), ()))
    kinds = [traced.graph.nodes[k][0] for k in T.live_nodes(traced.graph, traced.flat_outputs)]
    assert kinds.count("fma") == 2
    assert "mul" not in kinds


def test_a_product_that_is_an_output_is_computed_and_not_fused():
    traced = T.fuse(T.trace(lambda a, b: (a * b, a * b + 1.0), (), ()))
    kinds = [traced.graph.nodes[k][0] for k in T.live_nodes(traced.graph, traced.flat_outputs)]
    assert "fma" not in kinds


def test_fusing_does_not_change_values_beyond_rounding():
    rng = np.random.default_rng(3)
    traced = T.trace(lambda A, b: T.solve_spd(A @ A.T + np.eye(5), b), (5, 5), (5,))
    A, b = rng.normal(size=(5, 5)), rng.normal(size=5)
    np.testing.assert_allclose(T.evaluate(T.fuse(traced), A, b), T.evaluate(traced, A, b), rtol=1e-12)


def test_shapes_of_inputs_are_checked_by_evaluate():
    traced = T.trace(lambda x: x, (3,), name="copy")
    with pytest.raises(ValueError, match=r"copy: argument 0 must have shape \(\.\.\., \(3,\)\), got \(4,\)"):
        T.evaluate(traced, np.zeros(4))
    with pytest.raises(ValueError, match="takes 1 arrays, got 2"):
        T.evaluate(traced, np.zeros(3), np.zeros(3))
