"""Which thrusts give a wanted force: bounded least squares, by an active set."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import ModelError
from ..model.renamed import renamed_arguments
from ..model.value import checked_numbers
from ..trace import plain_numbers

_ROUNDING = 1e-12


@renamed_arguments(regularisation="regularization")
def allocate(
    matrix: Any, forces: Any, limits: Any = None, weights: Any = None, regularization: float = 0.0
) -> np.ndarray:
    """Thrusts f (n,) that minimise |W(B f − forces)|² + regularization |f|² within the limits. Numbers only.

    matrix: B (k, n), such as rows of `Plant.allocation_matrix`.  forces: (k,).
    limits: lowest and highest thrusts (n, 2), as `Allocated` takes them, or one pair for all; infinite: none.
    weights: (k,), of the rows, one if None.
    Where many thrusts are equally good, one of them; a little regularization picks the smallest.
    """
    B, b, lower, upper = _checked(matrix, forces, limits, weights, regularization)
    f = np.clip(np.zeros(B.shape[1]), lower, upper)
    fixed = np.zeros(len(f), dtype=bool)  # thrusts held at a limit
    for _ in range(10 * len(f) + 10):
        best = _free_minimum(B, b, f, fixed)
        step, blocked = _longest_step(f, best, lower, upper, fixed)
        rising = best > f
        f = np.clip(f + step * (best - f), lower, upper)
        if blocked is not None:
            f[blocked] = upper[blocked] if rising[blocked] else lower[blocked]
            fixed[blocked] = True
            continue
        freed = _to_release(B, b, f, lower, upper, fixed)
        if freed is None:
            return f
        fixed[freed] = False
    raise ModelError.single(
        "allocate", "no convergence", expected="a bounded least-squares solution", given="none found"
    )


def _checked(matrix: Any, forces: Any, limits: Any, weights: Any, regularization: float):
    B, b = (
        checked_numbers(x, where="allocate", what=name)
        for name, x in (("matrix", matrix), ("forces", forces))
    )
    if B.ndim != 2 or b.shape != B.shape[:1]:
        given = f"shapes {B.shape} and {b.shape}"
        raise ModelError.single("allocate", "matrix, forces", expected="shapes (k, n) and (k,)", given=given)
    if not (np.all(np.isfinite(B)) and np.all(np.isfinite(b))):
        raise ModelError.single("allocate", "matrix, forces", expected="finite numbers", given=f"{B}, {b}")
    n = B.shape[1]
    lower, upper = _checked_limits(limits, n)
    W = np.ones(len(b)) if weights is None else checked_numbers(weights, where="allocate", what="weights")
    if W.shape != b.shape or regularization < 0 or np.any(W < 0):
        given = f"{weights!r}, {regularization!r}"
        raise ModelError.single(
            "allocate", "weights, regularization", expected=f"({len(b)},) ≥ 0, ≥ 0", given=given
        )
    B = np.concatenate([W[:, None] * B, np.sqrt(regularization) * np.eye(n)])
    return B, np.concatenate([W * b, np.zeros(n)]), lower, upper


def _checked_limits(limits: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(lowest (n,), highest (n,))."""
    if limits is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    expected = f"({n}, 2), a row (lowest, highest) for every thrust, or one such pair"
    if isinstance(limits, tuple) and len(limits) == 2 and any(np.ndim(x) for x in limits):
        given = "a tuple (lowest, highest) of whole vectors, which is no more: np.stack it with axis=-1"
        raise ModelError.single("allocate", "limits", expected=expected, given=given)
    try:
        pairs = plain_numbers(limits)
    except (TypeError, ValueError):
        raise ModelError.single("allocate", "limits", expected=expected, given=repr(limits)) from None
    if pairs.shape not in ((2,), (n, 2)):
        raise ModelError.single("allocate", "limits", expected=expected, given=f"shape {pairs.shape}")
    pairs = np.broadcast_to(pairs, (n, 2))
    if not np.all(pairs[:, 0] <= pairs[:, 1]):
        raise ModelError.single("allocate", "limits", expected="lowest ≤ highest", given=repr(limits))
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def _free_minimum(B: np.ndarray, b: np.ndarray, f: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """The best f (n,) with the fixed thrusts where they are; the smallest if there are many."""
    best = f.copy()
    best[~fixed] = np.linalg.lstsq(B[:, ~fixed], b - B[:, fixed] @ f[fixed], rcond=None)[0]
    return best


def _longest_step(
    f: np.ndarray, best: np.ndarray, lower: np.ndarray, upper: np.ndarray, fixed: np.ndarray
) -> tuple[float, int | None]:
    """How far (0 to 1) f may go towards the best before a thrust meets its limit, and which one does."""
    step, blocked = 1.0, None
    for i in np.flatnonzero(~fixed):
        change = best[i] - f[i]
        bound = upper[i] if change > 0 else lower[i]
        if abs(change) > 0 and (best[i] - bound) * np.sign(change) > 0:
            reach = (bound - f[i]) / change
            if reach < step:
                step, blocked = float(reach), int(i)
    return step, blocked


def _to_release(
    B: np.ndarray, b: np.ndarray, f: np.ndarray, lower: np.ndarray, upper: np.ndarray, fixed: np.ndarray
) -> int | None:
    """The fixed thrust that wants back inside most, None if none does: then f is optimal."""
    slope = B.T @ (B @ f - b)
    scale = (
        np.abs(B).max(initial=0.0) * (np.linalg.norm(b) + np.abs(B @ f).max(initial=0.0))
        + np.finfo(float).tiny
    )
    wants = np.where(f >= upper, slope, -slope)
    wants[~fixed | (lower == upper)] = -np.inf
    i = int(np.argmax(wants)) if len(wants) else 0
    return i if len(wants) and wants[i] > _ROUNDING * scale else None
