"""Sub-functions keep their own graph, and fused operations do not cross the call."""

import numpy as np

from unmoored import trace as T

product = T.outlined(lambda a, b: a * b)


def test_the_code_of_a_sub_function_exists_once():
    traced = T.trace(lambda x, y: product(x, y) + product(y, 2.0 * x), (3,), (3,))
    assert len(traced.graph.parts) == 1
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    np.testing.assert_array_equal(T.evaluate(traced, x, y), 3.0 * x * y)


def test_on_numbers_it_is_the_function_itself():
    np.testing.assert_array_equal(product(np.array([2.0]), np.array([3.0])), [6.0])


def test_products_are_not_fused_across_the_call():
    def kinds(function):
        fused = T.fuse(T.trace(function, (), (), ()))
        return [fused.graph.nodes[k][0] for k in T.live_nodes(fused.graph, fused.flat_outputs)]

    assert "fma" in kinds(lambda x, y, z: x * y + z)
    assert "fma" not in kinds(lambda x, y, z: product(x, y) + z)


def test_inlined_gives_the_same():
    nested = T.outlined(lambda a: product(a, np.sin(a)) + 1.0)
    traced = T.trace(lambda x: nested(x) * nested(x + 1.0), (4,))
    x = np.random.default_rng(0).normal(size=4)
    flat = T.inlined(traced)
    assert all(node[0] != "call" for node in flat.graph.nodes)
    np.testing.assert_allclose(T.evaluate(flat, x), T.evaluate(traced, x), rtol=1e-15)
