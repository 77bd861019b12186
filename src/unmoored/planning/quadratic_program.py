"""Convex quadratic programs in kernels: an interior point with a fixed number of iterations (programs.md).

    min ½ xᵀQ x + cᵀx,    lo ≤ E x ≤ hi,    lowest ≤ x ≤ highest

Mehrotra's predictor and corrector: one factorisation of Q + Eᵀ diag(multiplier / slack) E an iteration, both sides of
every row with a slack and a multiplier. A sample that has arrived stays; where all samples that are computed side by
side have, the rest of the iterations is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import apply, diagonal, join, matrix, scale, transpose
from ..model import ModelError
from ..model.value import checked_numbers
from ..trace import clip, is_symbolic, less, made_of_symbols, matmul, maximum, minimum, repeat_until, where
from ..trace.positive_definite import factored_spd

#: bounds from here on are none
FAR = 1e29
#: gap, slacks and multipliers are not taken below this; dual residual that counts as none
_LEAST, _SETTLED = 1e-12, 1e-11
#: on the unit diagonal of the matrix that is factored
_SHIFT = 1e-13
#: of the way to the first bound
_FRACTION = 0.995
#: violation of a row of norm 1 that counts as none, and half width that equal bounds are given
_FEASIBLE, _THIN = 1e-9, 1e-9
#: rows shorter than this part of the longest one are rounding: they are not blown up to norm 1
_NO_ROW = 1e-8
#: products of this many multiplications are written out, where zeros of the rows cost nothing
_WRITTEN_OUT = 4000


class QPSolution(NamedTuple):
    """x (..., n); the residual (...) of its optimality, scaled; solved (...): 1 if that is below the tolerance, else 0.

    Where it is 0, x is the last of the iterates within all bounds, or the start if there was none.
    """

    x: np.ndarray
    residual: Any
    solved: Any


class _Rows(NamedTuple):
    """Rows of norm 1 in scaled variables: first the variables themselves if they are `boxed`, then E (..., m, n)."""

    boxed: bool
    E: np.ndarray | None
    #: highest and minus lowest values (..., 2 k), and 1 where there is such a bound, else 0
    h: np.ndarray
    on: np.ndarray

    def values(self, x: np.ndarray) -> np.ndarray:
        """Both sides (..., 2 k) at x (..., n)."""
        parts = [x] if self.boxed else []
        parts += [] if self.E is None else [apply(self.E, x)]
        y = join(parts)
        return join([y, -y])

    def back(self, w: np.ndarray) -> np.ndarray:
        """Transposed rows times weights (..., 2 k) of both sides, (..., n)."""
        k = w.shape[-1] // 2
        w = w[..., :k] - w[..., k:]
        n = 0 if self.E is None else self.E.shape[-2]
        total: Any = w[..., : k - n] if self.boxed else 0.0
        return total if self.E is None else total + apply(transpose(self.E), w[..., k - n :])

    def square(self, Q: np.ndarray, D: np.ndarray) -> np.ndarray:
        """Q + rowsᵀ diag(D) rows (..., n, n), D (..., 2 k) of both sides."""
        k = D.shape[-1] // 2
        D = D[..., :k] + D[..., k:]
        n = 0 if self.E is None else self.E.shape[-2]
        if self.boxed:
            Q = Q + diagonal(D[..., : k - n])
        return Q if self.E is None else Q + _weighted_square(self.E, D[..., k - n :])


def _weighted_square(E: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Eᵀ diag(D) E (..., n, n) of E (..., m, n) and D (..., m): half of it is the other half, if it is written out."""
    m, n = E.shape[-2:]
    weighted = D[..., None] * E
    if not is_symbolic(E, D) or m * n * (n + 1) > 2 * _WRITTEN_OUT:
        return matmul(transpose(E), weighted)
    lower = {(i, j): (E[..., i] * weighted[..., j]).sum(axis=-1) for i in range(n) for j in range(i + 1)}
    return matrix([[lower[max(i, j), min(i, j)] for j in range(n)] for i in range(n)])


def solve_qp(
    Q: Any, c: Any, E: Any = None, lo: Any = None, hi: Any = None, *,
    lowest: Any = None, highest: Any = None, start: Any = None, iterations: int = 15, tolerance: Any = 1e-6,
    settled: Any = 0.0,
) -> QPSolution:  # fmt: skip
    """The least ½ xᵀQ x + cᵀx with lo ≤ E x ≤ hi and lowest ≤ x ≤ highest; on numbers and, in laws, on symbols.

    Q: (..., n, n), symmetric, positive semidefinite and definite along what the bounds leave open; of very different
    sizes it loses digits in its flat directions.  c: (..., n).  E: (..., m, n) with lo, hi (..., m): infinite where
    there is no bound; where both are equal the row is met to 1e-9 of its norm.  lowest, highest: of the variables,
    (..., n).  start: a point (..., n) within the bounds, given back if nothing better was found; zero, cut at lowest
    and highest, if None.
    tolerance: largest residual that counts as solved, of the problem scaled to size one.
    settled: 1 (...) where the start is taken as it is, as solved, without work; 0 elsewhere.
    """
    Q, c = _numbers("Q", Q), _numbers("c", c)
    n = c.shape[-1] if c.ndim else 0
    if Q.ndim < 2 or Q.shape[-2:] != (n, n) or not n:
        given = f"{Q.shape}, {c.shape}"
        raise ModelError.single("solve_qp", "Q, c", expected="shapes (..., n, n) and (..., n)", given=given)
    low, high = _bounds("lowest, highest", lowest, highest, n)
    E = None if E is None else _numbers("E", E)
    if E is not None and (E.ndim < 2 or E.shape[-1] != n):
        raise ModelError.single("solve_qp", "E", expected=f"shape (..., m, {n})", given=f"{E.shape}")
    E = None if E is None or E.shape[-2] == 0 else E
    row_low, row_high = _bounds("lo, hi", lo, hi, 0 if E is None else E.shape[-2])
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ModelError.single(
            "solve_qp", "iterations", expected="a whole number ≥ 1", given=repr(iterations)
        )
    start = None if start is None else _numbers("start", start)
    if start is not None and start.shape[-1:] != (n,):
        raise ModelError.single("solve_qp", "start", expected=f"shape (..., {n})", given=f"{start.shape}")
    if not made_of_symbols(tolerance) and not np.all(_numbers("tolerance", tolerance) > 0):
        raise ModelError.single("solve_qp", "tolerance", expected="> 0", given=repr(tolerance))
    _refuse_nan({"Q": Q, "c": c, "E": E, "start": start})
    boxed = lowest is not None or highest is not None
    x0 = clip(np.zeros(n), low, high) if start is None else start
    d = _half_ranges(low, high) if boxed else np.ones(n)
    rows = _scaled_rows(boxed, E, d, x0, (low, high), (row_low, row_high))
    slope = c + apply(Q, x0)
    Q, c = d[..., :, None] * Q * d[..., None, :], d * slope
    size = maximum(largest(join([np.abs(c), _diagonal(Q)])), 1e-300)
    Q, c = scale(1.0 / size, Q), c / np.asarray(size)[..., None]
    y, residual = _interior_point(Q, c, rows, iterations, settled)
    good = less(residual, tolerance)
    if is_symbolic(settled) or np.any(settled):
        taken = less(0.5, settled)
        good, residual = taken | good, where(taken, 0.0, residual)
        y = tuple(where(_column(taken), 0.0, part) for part in y)
    x = x0 + d * where(np.asarray(good)[..., None], y[0], y[1])
    x = clip(x, low, high) if boxed else x
    return QPSolution(x, residual, where(good, 1.0, 0.0))


def _numbers(what: str, x: Any) -> np.ndarray:
    """Symbols as they are; numbers, and nothing else."""
    return np.asarray(x) if made_of_symbols(x) else checked_numbers(x, where="solve_qp", what=what)


def _refuse_nan(given: dict[str, Any]) -> None:
    """Of a problem alone, on numbers; in a batch it spoils its own sample, which is not solved."""
    for name, x in given.items():
        if x is None or is_symbolic(x) or np.ndim(x) > (2 if name in "QE" else 1):
            continue
        if not np.isfinite(np.asarray(x, dtype=float)).all():
            raise ModelError.single(
                "solve_qp", name, expected="finite numbers", given=str(np.asarray(x).tolist())
            )


def _bounds(what: str, low: Any, high: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Both (..., n), ±1e30 where there is none."""
    found = []
    for given, far in ((low, -1e30), (high, 1e30)):
        x = np.full(n, far) if given is None else _numbers(what, given)
        if x.shape[-1:] != (n,):
            raise ModelError.single("solve_qp", what, expected=f"shape (..., {n})", given=f"{x.shape}")
        found.append(x if is_symbolic(x) else np.clip(x, -1e30, 1e30))
    if not is_symbolic(*found) and np.any(found[0] > found[1]):
        raise ModelError.single("solve_qp", what, expected="lowest ≤ highest", given=f"{low!r}, {high!r}")
    return found[0], found[1]


def _half_ranges(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Half of what each variable can do (..., n), or 1 where that is not bounded or nothing."""
    half = 0.5 * (high - low)
    return where(less(half, FAR / 2) & less(_THIN, half), half, 1.0)


def _scaled_rows(
    boxed: bool, E: np.ndarray | None, d: np.ndarray, x0: np.ndarray, box: tuple[Any, Any], bounds: tuple[Any, Any]
) -> _Rows:  # fmt: skip
    """Rows of x = x0 + d y by y, each divided by its norm."""
    lows, highs = [], []
    if boxed:
        lows.append(_moved(box[0], x0, d))
        highs.append(_moved(box[1], x0, d))
    if E is not None:
        at_start = apply(E, x0)
        E = E * d[..., None, :]
        square = np.asarray((E * E).sum(axis=-1))
        norm = np.sqrt(square + _NO_ROW * _NO_ROW * _column(maximum(largest(square), 1e-300)))
        E = E / norm[..., None]
        lows.append(_moved(bounds[0], at_start, norm))
        highs.append(_moved(bounds[1], at_start, norm))
    if not lows:
        return _Rows(False, None, np.zeros(0), np.zeros(0))
    low, high = join(lows), join(highs)
    thin = maximum(_THIN - 0.5 * (high - low), 0.0)
    h = join([high + thin, thin - low])
    on = where(less(h, FAR * 1e-9), 1.0, 0.0)
    return _Rows(boxed, E, where(less(0.5, on), h, 1.0), on)


def _moved(bound: Any, start: Any, unit: Any) -> Any:
    """(bound − start) / unit, and no bound where there is none."""
    none = less(FAR, np.abs(bound))
    return where(none, bound, (where(none, 0.0, bound) - start) / unit)


def _interior_point(
    Q: np.ndarray, c: np.ndarray, rows: _Rows, iterations: int, settled: Any
) -> tuple[tuple[Any, Any], Any]:
    """((the last iterate, the last one within the bounds), residual) of the scaled problem; zero where settled."""
    n = c.shape[-1]
    zero = np.zeros(np.broadcast_shapes(c.shape, Q.shape[:-1], (*rows.h.shape[:-1], n)))
    if not rows.h.shape[-1]:
        y = _solver(Q)(-c)
        return (y, zero), largest(np.abs(apply(Q, y) + c))
    on, h = rows.on, rows.h
    count = maximum(total(on), 1.0)
    bounded = less(0.5, on)

    def slope_and_gap(x: Any, s: Any, z: Any) -> tuple[Any, Any]:
        """Slope (..., n) of the objective at x and the mean (...) of s z."""
        return apply(Q, x) + c, total(s * z) / count

    def step(_: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        x, y, s, z, slope, gap, kept, arrived = state
        inverse = 1.0 / (s * where(bounded, z, 1.0))
        by_s, by_z = inverse * where(bounded, z, 1.0), on * inverse * s
        primal = on * (y + s - h)
        solve = _solver(rows.square(Q, z * by_s))

        def direction(aim: np.ndarray, refined: bool) -> tuple[Any, Any, Any, Any]:
            """(dx, its rows, ds, dz) that make s z shrink by `aim` and the residuals vanish, to first order."""
            dx = solve(-slope - rows.back(z + (z * primal - aim) * by_s), refined)
            dy = rows.values(dx)
            ds = on * (-primal - dy)
            return dx, dy, ds, (-aim - z * ds) * by_s

        _, _, ds, dz = direction(s * z, refined=False)
        α = _column(minimum(_reach(by_s * ds, by_z * dz), 1.0))
        after = total(on * (s + α * ds) * (z + α * dz)) / count
        ratio = after / maximum(gap, 1e-300)
        centre = maximum(ratio * ratio * ratio * gap, _LEAST)
        dx, dy, ds, dz = direction(s * z + ds * dz - on * _column(centre), refined=True)
        α = _column(minimum(_FRACTION * _reach(by_s * ds, by_z * dz), 1.0))
        moves = _column(less(arrived, 0.5))
        x, y = where(moves, x + α * dx, x), where(moves, y + α * dy, y)
        s = where(moves, where(bounded, maximum(s + α * ds, _LEAST), s), s)
        z = where(moves, where(bounded, maximum(z + α * dz, _LEAST / maximum(s, 1.0)), z), z)
        slope, gap = slope_and_gap(x, s, z)
        within = _column(less(largest(on * (y - h)), _FEASIBLE))
        good = less(gap, 2.0 * _LEAST) & less(largest(np.abs(slope + rows.back(z))), _SETTLED)
        kept = where(moves, where(within, x, kept), kept)
        return x, y, s, z, slope, gap, kept, where(good, 1.0, arrived)

    s = where(bounded, maximum(h, 1.0), 1.0)
    s, z = s + 0.0 * zero[..., :1], on / s + 0.0 * zero[..., :1]
    start = zero, 0.0 * s, s, z, *slope_and_gap(zero, s, z), zero, settled + 0.0 * zero[..., 0]
    x, _, s, z, _, gap, kept, _ = repeat_until(step, start, iterations)
    beyond = largest(on * (rows.values(x) - h))
    kept = where(_column(less(beyond, _FEASIBLE)), x, kept)
    dual = largest(np.abs(apply(Q, x) + c + rows.back(z)))
    return (x, kept), maximum(maximum(dual, maximum(beyond, 0.0)), gap)


def _solver(H: np.ndarray) -> Callable[..., Any]:
    """(b, refined) ↦ H⁻¹b for H (..., n, n), scaled to a unit diagonal and shifted a little; refined once if asked."""
    root = 1.0 / np.sqrt(_diagonal(H))
    H = root[..., :, None] * H * root[..., None, :]
    solve = factored_spd(H + _SHIFT * np.eye(H.shape[-1]))

    def solved(b: np.ndarray, refined: bool = True) -> np.ndarray:
        b = root * b
        y = solve(b)
        return root * (y + solve(b - apply(H, y)) if refined else y)

    return solved


def _reach(ds: np.ndarray, dz: np.ndarray) -> Any:
    """How far (...) slacks and multipliers can go before one is zero, at most 2; steps (..., 2 k) in parts of them."""
    return 1.0 / maximum(largest(join([-ds, -dz])), 0.5)


def _diagonal(A: np.ndarray) -> np.ndarray:
    n = A.shape[-1]
    return A[..., np.arange(n), np.arange(n)]


def largest(x: np.ndarray) -> Any:
    """The largest entry (...) of x (..., n)."""
    return reduce(maximum, entries(x))


def total(x: np.ndarray) -> Any:
    """The sum (...) of x (..., n)."""
    return reduce(lambda a, b: a + b, entries(x))


def entries(x: np.ndarray) -> list[Any]:
    """The entries (...) of x (..., n)."""
    return [x[..., i] for i in range(x.shape[-1])]


def _column(x: Any) -> np.ndarray:
    return np.asarray(x)[..., None]
