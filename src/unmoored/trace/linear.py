"""Dense linear algebra on numbers and on symbols: products, factors, systems of equations.

On numbers these are NumPy's functions. On symbols large matrices become loops over memory, so that the code of a
kernel does not grow with them; small ones are written out. All take leading dimensions `(...)` as NumPy does.
"""

from __future__ import annotations

from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np

from ..error_roots import ArrayError
from .array_functions import is_symbolic
from .graph import Graph
from .loop_program import LoopPart
from .matrices import Product, shared
from .matrix_factors import Cholesky, Inverse, Orthogonal, Solution
from .outline import unrolled
from .scan_tracing import graph_among, traced_into
from .symbol import Symbol, for_users, node_of
from .traced import symbols
from .tracing_error import TracingError
from .users_line import caller_line

#: products with at most this many multiplications, and systems with at most this many rows, are written out
_SMALL_PRODUCT, _SMALL_SYSTEM = 512, 8


def matmul(A: Any, B: Any, *, written_out: int = _SMALL_PRODUCT, negative: bool = False) -> Any:
    """The matrix product of A (..., n, m) and B (..., m, p), either of which may be a vector (m,), as in np.matmul.

    `negative`: −A B, at the same cost.

    On symbols, products with more than `written_out` multiplications are loops; written out, structural zeros cost
    nothing.
    """
    A, B = entries_of(A), entries_of(B)
    if not is_symbolic(A, B):
        return -np.matmul(A, B) if negative else np.matmul(A, B)
    left, right = (A[None] if A.ndim == 1 else A), (B[:, None] if B.ndim == 1 else B)
    if not A.ndim or not B.ndim or left.shape[-1] != right.shape[-2]:
        raise TracingError(f"matmul: shapes {A.shape} and {B.shape} do not fit. At {caller_line()}")
    (n, m), p = left.shape[-2:], right.shape[-1]
    if n * m * p <= written_out:
        result = for_users(_negative_product(left, right) if negative else np.matmul(left, right))
    else:
        result = _stacked((left, right), (n, p), lambda graph, a, b: _product(graph, a, b, n, m, p, negative))
    result = result[..., 0, :] if A.ndim == 1 else result
    return result[..., 0] if B.ndim == 1 else result


def _negative_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """−A B written out, its rows the same expressions of other numbers: entries of A turn their signs themselves."""
    terms = [
        _product_of(x[..., None], y[..., None, :]) for x, y in zip((-A).T, np.moveaxis(B, -2, 0), strict=True)
    ]
    return reduce(np.add, terms)


@partial(np.frompyfunc, nin=2, nout=1)
def _product_of(a: Any, b: Any) -> Any:
    """a b, where a sign stays with its factor."""
    if isinstance(a, Symbol) and isinstance(b, Symbol) and a.graph is b.graph:
        values = a.graph.values
        if a.index not in values and b.index not in values:
            return Symbol(a.graph, a.graph.node("mul", *sorted((a.index, b.index))))
    return a * b


def cholesky(A: Any) -> Any:
    """Lower triangular L (..., n, n) with L Lᵀ = A, symmetric positive definite (else NaN on symbols)."""
    A = entries_of(A)
    n = square_size(A)
    if not is_symbolic(A):
        return np.linalg.cholesky(A)
    return _stacked((A,), (n, n), lambda graph, a: _run(graph, Cholesky(n), n > _SMALL_SYSTEM, a))


def solve(A: Any, b: Any) -> Any:
    """Solution x of A x = b for any invertible A (..., n, n); for positive definite A see `solve_spd`.

    b is (..., n) if it has one dimension less than A, or (..., n, k) if it has as many.
    """
    A, b = entries_of(A), entries_of(b)
    _, right, vector = right_sides(A, b, "solve")
    if not is_symbolic(A, b):
        x = np.linalg.solve(A, right)
        return x[..., 0] if vector else x
    return solved(A, right, vector, positive=False)


def inverse(A: Any) -> Any:
    """Inverse of an invertible A (..., n, n); for positive definite A see `inverse_spd`."""
    A = entries_of(A)
    return solve(A, np.broadcast_to(np.eye(square_size(A)), A.shape)) if is_symbolic(A) else np.linalg.inv(A)


def qr(A: Any) -> tuple[Any, Any]:
    """Q (..., m, n) with orthonormal columns and upper triangular R (..., n, n) with Q R = A (..., m, n), m ≥ n."""
    A = entries_of(A)
    if A.ndim < 2 or A.shape[-2] < A.shape[-1]:
        raise TracingError(f"qr: expected a matrix (..., m, n) with m ≥ n, got {A.shape}. At {caller_line()}")
    if not is_symbolic(A):
        Q, R = np.linalg.qr(A)
        return Q, R
    m, n = A.shape[-2:]
    flat = _stacked(
        (A,), (m * n + n * n, 1), lambda graph, a: _run(graph, Orthogonal(m, n), n > _SMALL_SYSTEM, a)
    )[..., 0]
    shape = A.shape[:-2]
    return flat[..., : m * n].reshape(*shape, m, n), flat[..., m * n :].reshape(*shape, n, n)


def determinant(A: Any) -> Any:
    """Determinant (...) of A (..., n, n)."""
    A = entries_of(A)
    n = square_size(A)
    if not is_symbolic(A):
        return np.linalg.det(A)
    if n == 1:
        return A[..., 0, 0]
    if n <= 3:
        signs = (1.0, -1.0, 1.0)
        minors = [np.delete(A[..., 1:, :], k, axis=-1) for k in range(n)]
        return sum(signs[k] * A[..., 0, k] * determinant(minors[k]) for k in range(n))
    raise TracingError(
        f"determinant: matrices of symbols up to 3×3, got {A.shape}; a large one is better asked for its factors "
        f"(unmoored.trace.qr, cholesky). At {caller_line()}"
    )


def solved(A: np.ndarray, right: np.ndarray, vector: bool, positive: bool) -> Any:
    """Solutions of A (..., n, n) x = right (..., n, k), at least one of them symbolic; see `right_sides`."""
    n, k = right.shape[-2:]

    def run(graph: Graph, a: list[int], b: list[int]) -> list[int]:
        return _run(graph, Solution(n, k, positive), n > _SMALL_SYSTEM, a, b)

    x = _stacked((A, right), (n, k), run)
    return x[..., 0] if vector else x


def entries_of(A: Any) -> np.ndarray:
    """An array of numbers, or of objects if there are symbols among them."""
    array = np.asarray(A)
    return array.astype(float) if array.dtype == object and graph_among((array,)) is None else array


def right_sides(A: np.ndarray, b: np.ndarray, name: str) -> tuple[int, np.ndarray, bool]:
    """n, the right sides as (..., n, k), and whether b was a vector."""
    n = square_size(A)
    vector = b.ndim == A.ndim - 1
    rows = b.shape[-1:] if vector else b.shape[-2:-1]
    if rows != (n,) or b.ndim not in (A.ndim - 1, A.ndim):
        raise ArrayError(
            f"{name}: with A of shape {A.shape}, b must be (..., {n}) or (..., {n}, k); got {b.shape}"
        )
    return n, b[..., None] if vector else b, vector


def inverted(A: np.ndarray) -> np.ndarray:
    """The symmetric inverse of positive definite A (..., n, n) of symbols, by a loop."""
    n = A.shape[-1]
    return _stacked((A,), (n, n), lambda graph, a: shared(Inverse(n)).nodes(graph, a))


def square_size(A: np.ndarray) -> int:
    """n of square matrices (..., n, n)."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ArrayError(f"expected square matrices (..., n, n), got shape {A.shape}")
    return A.shape[-1]


def _stacked(matrices: tuple[np.ndarray, ...], shape: tuple[int, int], run: Any) -> np.ndarray:
    """run(graph, nodes of each matrix) → nodes of the result (shape), for every matrix of a stack of them."""
    graph = traced_into(matrices)
    assert graph is not None
    batch = np.broadcast_shapes(*(matrix.shape[:-2] for matrix in matrices))
    result = np.empty((*batch, *shape), dtype=object)
    for place in np.ndindex(*batch):
        own = [np.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))[place] for matrix in matrices]
        nodes = [[node_of(graph, entry) for entry in matrix.ravel()] for matrix in own]
        result[place] = symbols(graph, run(graph, *nodes), shape)
    return for_users(result)


def _run(graph: Graph, part: LoopPart, large: bool, *operands: list[int]) -> list[int]:
    """Nodes of the results of a program, unrolled unless it is large."""
    return (shared(part).nodes if large else unrolled(part))(graph, *operands)


def _product(graph: Graph, a: list[int], b: list[int], n: int, m: int, p: int, negative: bool) -> list[int]:
    """A product whose operands are read where they lie, also if they lie there transposed."""
    a_turned, b_turned = (_turned(x, *shape) for x, shape in ((a, (n, m)), (b, (m, p))))
    left = not _lies_whole(graph, a) and _lies_whole(graph, a_turned)
    right = not _lies_whole(graph, b) and _lies_whole(graph, b_turned)
    return shared(Product(n, m, p, left, right, negative)).nodes(
        graph, a_turned if left else a, b_turned if right else b
    )


def _turned(nodes: list[int], n: int, m: int) -> list[int]:
    return [nodes[i * m + j] for j in range(m) for i in range(n)]


def _lies_whole(graph: Graph, nodes: list[int]) -> bool:
    """Whether values lie side by side in memory: inputs, or results of one part, in their order."""
    kinds = [graph.nodes[k] for k in nodes]
    if kinds[0][0] not in ("input", "result"):
        return False
    return all(a[:-1] == b[:-1] and b[-1] == a[-1] + 1 for a, b in pairwise(kinds))
