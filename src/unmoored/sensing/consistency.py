"""Whether a filter's errors are as large as it says: normalised squares and the bounds of their averages.

Bar-Shalom, Li & Kirubarajan 2001, §5.4: eᵀP⁻¹e and νᵀS⁻¹ν of a consistent filter are χ² numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model import ModelError
from ..model.value import checked_numbers

_ITERATIONS = 200


def nees(
    error: npt.ArrayLike, covariance: npt.ArrayLike, degrees: int | None = None
) -> npt.NDArray[np.float64]:
    """Normalised squared errors eᵀP⁻¹e (...) of errors e (..., n) with covariances P (..., n, n).

    degrees: how many of the errors are independent, where closures tie the others to them: P has no more, and its
    inverse is taken along those.
    """
    e, P = (
        checked_numbers(x, where="nees", what=what)
        for what, x in (("error", error), ("covariance", covariance))
    )
    n = e.shape[-1] if e.ndim else 0
    if not n or P.shape[-2:] != (n, n):
        expected, given = "shapes (..., n) and (..., n, n)", f"{e.shape} and {P.shape}"
        raise ModelError.single("nees", "error, covariance", expected=expected, given=given)
    if degrees is not None:
        if (
            isinstance(degrees, bool)
            or not isinstance(degrees, int | np.integer)
            or not 1 <= degrees <= P.shape[-1]
        ):
            raise _wrong("degrees", f"a whole number from 1 to {P.shape[-1]}", degrees)
        size = np.sqrt(np.einsum("...ii->...i", P))
        size = np.where(size > 0.0, size, 1.0)
        values, vectors = np.linalg.eigh(P / (size[..., :, None] * size[..., None, :]))
        along = np.einsum("...ij,...i->...j", vectors, e / size)[..., -degrees:]
        return np.asarray((along * along / values[..., -degrees:]).sum(axis=-1))
    return np.asarray((e * np.linalg.solve(P, e[..., None])[..., 0]).sum(axis=-1))


def nis(innovation: npt.ArrayLike, covariance: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Normalised squared innovations νᵀS⁻¹ν (...) of ν (..., m) with covariances S (..., m, m)."""
    return nees(innovation, covariance)


def consistency_bounds(degrees: int, runs: int, probability: float = 0.95) -> tuple[float, float]:
    """Between which two values the mean of `runs` independent χ² numbers with so many degrees of freedom each lies with
    this probability, as much below as above."""
    for what, given in (("degrees", degrees), ("runs", runs)):
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise _wrong(what, "a whole number ≥ 1", given)
    if not (isinstance(probability, float | np.floating) and 0.0 < probability < 1.0):
        raise _wrong("probability", "between 0 and 1", probability)
    tail = 0.5 * (1.0 - probability)
    total = int(degrees) * int(runs)
    return chi_square_quantile(total, tail) / runs, chi_square_quantile(total, 1.0 - tail) / runs


def chi_square_quantile(degrees: int, probability: float) -> float:
    """The number below which a χ² number lies with this probability, by bisection."""
    low, high = 0.0, degrees + 20.0 * math.sqrt(2.0 * degrees) + 50.0
    for _ in range(_ITERATIONS):
        middle = 0.5 * (low + high)
        if _gamma_ratio(0.5 * degrees, 0.5 * middle) < probability:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _gamma_ratio(a: float, x: float) -> float:
    """The regularised incomplete gamma function P(a, x): by its series below a + 1, by Lentz's fraction above."""
    if x <= 0.0:
        return 0.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:
        term = total = 1.0 / a
        k = a
        while term > 1e-17 * total:
            k += 1.0
            term *= x / k
            total += term
        return front * total
    b, c, d = x + 1.0 - a, 1e300, 1.0 / (x + 1.0 - a)
    h, i, change = d, 0.0, 0.0
    while abs(change - 1.0) > 1e-16 and i < 1e5:
        i += 1.0
        n = -i * (i - a)
        b += 2.0
        d = 1.0 / (n * d + b)
        c = b + n / c
        change = d * c
        h *= change
    return 1.0 - front * h


def _wrong(what: str, expected: str, given: Any) -> ModelError:
    return ModelError.single("consistency_bounds", what, expected=expected, given=repr(given))
