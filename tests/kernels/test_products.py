"""Products of matrices of every shape, whose last columns may share the lanes: sums in the textbook's order, always."""

from fractions import Fraction

import numpy as np
import pytest

from unmoored import kernels
from unmoored import trace as T
from unmoored.trace.matrices import Product
from unmoored.trace.packed_columns import few_columns

#: rows, inner, columns: nothing left over, one to four columns left over, few rows, a last tile of other rows
SHAPES = [
    (26, 26, 26), (26, 26, 26), (13, 9, 25), (9, 5, 28), (21, 13, 17), (7, 12, 20), (10, 6, 10), (4, 30, 9),
    (3, 20, 26),
]  # fmt: skip


class Lanes:
    """As much of a writer as decides how a product is cut."""

    def __init__(self, lanes):
        self.lanes = lanes


def program(n, m, p, **options):
    """A product as a loop, of flat arrays."""
    part = Product(n, m, p, **options)

    def function(a, b):
        nodes = part.nodes(a[0].graph, [x.index for x in a], [x.index for x in b])
        return np.array([T.Symbol(a[0].graph, k) for k in nodes], dtype=object)

    return T.trace(function, (n * m,), (m * p,), name="product", loops_beyond=5)


def fused(a, b, c):
    """a b + c, rounded once."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


@pytest.mark.parametrize(("dtype", "widths"), [("float64", (2, 8)), ("float32", (4, 16))])
@pytest.mark.parametrize(("number", "shape"), list(enumerate(SHAPES)))
def test_bits_of_products_do_not_depend_on_how_they_are_cut(number, shape, dtype, widths):
    n, m, p = shape
    options = ({}, {"left_transposed": True, "negative": True}, {"right_transposed": True})[number % 3]
    rng = np.random.default_rng(0)
    A, B = (rng.normal(size=(11, k)).astype(dtype) for k in (n * m, m * p))
    graph = program(n, m, p, **options)
    one, other = (kernels.compile(graph, dtype=dtype, width=width)(A, B) for width in widths)
    np.testing.assert_array_equal(one, other)
    left = A.reshape(11, m, n).swapaxes(1, 2) if "left_transposed" in options else A.reshape(11, n, m)
    right = B.reshape(11, p, m).swapaxes(1, 2) if "right_transposed" in options else B.reshape(11, m, p)
    expected = (left.astype(float) @ right.astype(float)) * (-1.0 if "negative" in options else 1.0)
    tolerance = m * np.finfo(dtype).eps
    np.testing.assert_allclose(one.reshape(expected.shape), expected, rtol=tolerance, atol=4 * tolerance)


def test_every_entry_is_summed_from_the_first_product_on():
    n, m, p = 9, 7, 10
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=n * m), rng.normal(size=m * p)
    found = kernels.compile(program(n, m, p), width=8)(A, B).reshape(n, p)
    for i in range(n):
        for j in range(p):
            total = 0.0
            for k in range(m):
                total = fused(A[i * m + k], B[k * p + j], total)
            assert found[i, j] == total


def test_last_columns_share_lanes_where_that_is_a_gain():
    cut = few_columns(Lanes(8), (26, 26, 26))
    assert cut is not None
    assert (cut.few, cut.together, cut.tiles, cut.last) == (2, 4, (8, 8, 8), 2)
    for sizes in ((26, 26, 24), (26, 26, 29), (3, 26, 26), (100, 100, 26)):
        assert few_columns(Lanes(8), sizes) is None
    for lanes in (2, 4, 8, 16):
        for n in range(1, 40):
            for p in range(1, 70):
                cut = few_columns(Lanes(lanes), (n, 10, p))
                if cut is not None:
                    assert sum(cut.tiles) + cut.last == n
                    assert all(rows % cut.together == 0 for rows in cut.tiles)
                    assert cut.few * cut.together == lanes
                    assert p % lanes <= cut.few <= lanes // 2
