"""Tangents and adjoints of the programs over dense matrices, as programs over dense matrices.

Matrices are lists of nodes, row by row. Ȧ a tangent, Ā an adjoint (in code: dA and bA), Φ the lower triangle with half
the diagonal.

    product         Ċ = Ȧ B + A Ḃ                          Ā = C̄ Bᵀ,  B̄ = Aᵀ C̄
    Cholesky        L̇ = L Φ(L⁻¹ Ȧ L⁻ᵀ)                      Ā = S + Sᵀ below the diagonal, S on it,  S = L⁻ᵀ Φ(Lᵀ L̄) L⁻¹
    T X = B         Ẋ = T⁻¹ (Ḃ − Ṫ X)                       B̄ = T⁻ᵀ X̄,  T̄ = −B̄ Xᵀ in its triangle
    A X = B         the same with all of A; positive definite A is read below the diagonal, which stands for above, too
    X = A⁻¹         Ẋ = −X Ȧ X                              Ā = −X X̄ X,  positive definite A
    A = Q R         X = Qᵀ Ȧ R⁻¹, Ω = lower(X) − lower(X)ᵀ:  Q̇ = Q Ω + (Ȧ R⁻¹ − Q X),  Ṙ = (X − Ω) R
                    M = R R̄ᵀ − Q̄ᵀ Q, C its lower triangle mirrored:  Ā = (Q̄ + Q C) R⁻ᵀ
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import fold
from .graph import Graph
from .matrices import Product, shared
from .matrix_factors import Cholesky, Inverse, Orthogonal, Solution, Substitution

Matrix = list[int]


def _times(
    graph: Graph, A: Matrix, B: Matrix, n: int, m: int, p: int, left: bool = False, right: bool = False,
    negative: bool = False,
) -> Matrix:  # fmt: skip
    """A B (n, p) over m; `left`, `right`: stored transposed; −A B if `negative`."""
    return shared(Product(n, m, p, left, right, negative)).nodes(graph, A, B)


def _substituted(
    graph: Graph, T: Matrix, B: Matrix, n: int, k: int, upper: bool = False, turned: bool = False
) -> Matrix:
    return shared(Substitution(n, k, upper, turned)).nodes(graph, T, B)


def _plus(graph: Graph, A: Matrix, B: Matrix) -> Matrix:
    return [fold.add(graph, a, b) for a, b in zip(A, B, strict=True)]


def _minus(graph: Graph, A: Matrix, B: Matrix) -> Matrix:
    return [fold.subtract(graph, a, b) for a, b in zip(A, B, strict=True)]


def _turned(A: Matrix, n: int, m: int) -> Matrix:
    """The transpose (m, n) of A (n, m)."""
    return [A[i * m + j] for j in range(m) for i in range(n)]


def _mirrored(A: Matrix, n: int) -> Matrix:
    """The symmetric matrix with the lower triangle of A."""
    return [A[max(i, j) * n + min(i, j)] for i in range(n) for j in range(n)]


def _triangle(graph: Graph, A: Matrix, n: int, upper: bool = False, diagonal: float = 1.0) -> Matrix:
    """One triangle of A, its diagonal scaled."""
    zero, scale, found = graph.constant(0.0), graph.constant(diagonal), []
    for i in range(n):
        for j in range(n):
            inside = j > i if upper else j < i
            entry = A[i * n + j]
            found.append(entry if inside else fold.multiply(graph, scale, entry) if i == j else zero)
    return found


def _product_tangents(graph: Graph, part: Product, given: list, moving: list) -> Matrix:
    (A, B), (dA, dB) = given, moving
    own = shared(part)
    return _plus(graph, own.nodes(graph, dA, B), own.nodes(graph, A, dB))


def _product_adjoints(
    graph: Graph, part: Product, given: list, results: Matrix, bars: Matrix
) -> list[Matrix]:
    (A, B), n, m, p = given, part.n, part.m, part.p
    left, right = part.left_transposed, part.right_transposed
    bA = (
        _times(graph, B, bars, m, p, n, right, True, part.negative)
        if left
        else _times(graph, bars, B, n, p, m, False, not right, part.negative)
    )
    bB = (
        _times(graph, bars, A, p, n, m, True, left, part.negative)
        if right
        else _times(graph, A, bars, m, n, p, not left, False, part.negative)
    )
    return [bA, bB]


def _cholesky_tangents(graph: Graph, part: Cholesky, given: list, moving: list) -> Matrix:
    n = part.n
    L = shared(part).nodes(graph, given[0])
    half = _substituted(graph, L, _mirrored(moving[0], n), n, n)
    inner = _substituted(graph, L, _turned(half, n, n), n, n)
    return _times(graph, L, _triangle(graph, inner, n, diagonal=0.5), n, n, n)


def _cholesky_adjoints(graph: Graph, part: Cholesky, given: list, L: Matrix, bars: Matrix) -> list[Matrix]:
    n = part.n
    inner = _times(graph, L, _triangle(graph, bars, n), n, n, n, left=True)
    half = _substituted(graph, L, _triangle(graph, inner, n, diagonal=0.5), n, n, turned=True)
    S = _substituted(graph, L, _turned(half, n, n), n, n, turned=True)
    both = _plus(graph, S, _turned(S, n, n))
    return [_triangle(graph, both, n, diagonal=0.5)]


def _substitution_tangents(graph: Graph, part: Substitution, given: list, moving: list) -> Matrix:
    (T, B), (dT, dB), n, k = given, moving, part.n, part.k
    X = shared(part).nodes(graph, T, B)
    moved = _times(graph, _triangle(graph, dT, n, part.upper), X, n, n, k, left=part.transposed)
    return shared(part).nodes(graph, T, _minus(graph, dB, moved))


def _substitution_adjoints(
    graph: Graph, part: Substitution, given: list, X: Matrix, bars: Matrix
) -> list[Matrix]:
    n, k = part.n, part.k
    bB = _substituted(graph, given[0], bars, n, k, part.upper, not part.transposed)
    first, second = (X, bB) if part.transposed else (bB, X)
    outer = _times(graph, first, second, n, k, n, right=True, negative=True)
    return [_triangle(graph, outer, n, part.upper), bB]


def _solution_tangents(graph: Graph, part: Solution, given: list, moving: list) -> Matrix:
    (A, B), (dA, dB), n, k = given, moving, part.n, part.k
    X = shared(part).nodes(graph, A, B)
    moved = _times(graph, _mirrored(dA, n) if part.positive else dA, X, n, n, k)
    return shared(part).nodes(graph, A, _minus(graph, dB, moved))


def _solution_adjoints(graph: Graph, part: Solution, given: list, X: Matrix, bars: Matrix) -> list[Matrix]:
    A, n, k = given[0], part.n, part.k
    bB = shared(part).nodes(graph, A if part.positive else _turned(A, n, n), bars)
    bA = _times(graph, bB, X, n, k, n, right=True, negative=True)
    if part.positive:
        bA = _triangle(graph, _plus(graph, bA, _turned(bA, n, n)), n, diagonal=0.5)
    return [bA, bB]


def _inverse_tangents(graph: Graph, part: Inverse, given: list, moving: list) -> Matrix:
    n = part.n
    X = shared(part).nodes(graph, given[0])
    half = _times(graph, X, _mirrored(moving[0], n), n, n, n)
    return _times(graph, half, X, n, n, n, negative=True)


def _inverse_adjoints(graph: Graph, part: Inverse, given: list, X: Matrix, bars: Matrix) -> list[Matrix]:
    n = part.n
    bA = _times(graph, _times(graph, X, bars, n, n, n), X, n, n, n, negative=True)
    return [_triangle(graph, _plus(graph, bA, _turned(bA, n, n)), n, diagonal=0.5)]


def _orthogonal_tangents(graph: Graph, part: Orthogonal, given: list, moving: list) -> Matrix:
    m, n, zero = part.m, part.n, graph.constant(0.0)
    factors = shared(part).nodes(graph, given[0])
    Q, R = factors[: m * n], factors[m * n :]
    # Ȧ R⁻¹, by Rᵀ (Ȧ R⁻¹)ᵀ = Ȧᵀ
    turned = _substituted(graph, R, _turned(moving[0], m, n), n, m, upper=True, turned=True)
    Y = _turned(turned, n, m)
    X = _times(graph, Q, Y, n, m, n, left=True)
    lower = _triangle(graph, X, n, diagonal=0.0)
    W = _minus(graph, lower, _turned(lower, n, n))
    dQ = _plus(graph, _times(graph, Q, _minus(graph, W, X), m, n, n), Y)
    upper = [x if j >= i else zero for (i, j), x in zip(_places(n), _minus(graph, X, W), strict=True)]
    return [*dQ, *_times(graph, upper, R, n, n, n)]


def _orthogonal_adjoints(
    graph: Graph, part: Orthogonal, given: list, results: Matrix, bars: Matrix
) -> list[Matrix]:
    m, n = part.m, part.n
    Q, R = results[: m * n], results[m * n :]
    bQ, bR = bars[: m * n], _triangle(graph, bars[m * n :], n, upper=True)
    M = _minus(graph, _times(graph, R, bR, n, n, n, right=True), _times(graph, bQ, Q, n, m, n, left=True))
    Y = _plus(graph, bQ, _times(graph, Q, _mirrored(M, n), m, n, n))
    return [_turned(_substituted(graph, R, _turned(Y, m, n), n, m, upper=True), n, m)]


def _places(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(n)]


#: by type: (graph, part, operands, their tangents) → tangents of the results
TANGENTS: dict[type, Callable[..., Any]] = {
    Product: _product_tangents, Cholesky: _cholesky_tangents, Substitution: _substitution_tangents,
    Solution: _solution_tangents, Orthogonal: _orthogonal_tangents, Inverse: _inverse_tangents,
}  # fmt: skip
#: by type: (graph, part, operands, results, their adjoints) → adjoints of every operand
ADJOINTS: dict[type, Callable[..., Any]] = {
    Product: _product_adjoints, Cholesky: _cholesky_adjoints, Substitution: _substitution_adjoints,
    Solution: _solution_adjoints, Orthogonal: _orthogonal_adjoints, Inverse: _inverse_adjoints,
}  # fmt: skip
