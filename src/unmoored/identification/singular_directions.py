"""What the recordings do not tell: directions among the parameters along which nothing measured changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .recording import Array

#: singular values of the scaled Jacobian below this share of the largest are none
NEGLIGIBLE = 1e-8
#: columns smaller than this share of the largest, times sizes, are not scaled up
_NOTHING = 1e-5
#: rows that show nothing at all are compared with this: its inverse has a square that is a number
_LEAST = 1e-100
#: entries of a direction below this share of its largest are left out of its text
_SHOWN = 0.02


@dataclass(frozen=True, eq=False)
class SingularDirection:
    """A change of parameters that nothing recorded shows: names, and how far each changes (n,) in its own unit.

    ratio: its singular value against the largest one.
    """

    names: tuple[str, ...]
    direction: Array
    ratio: float

    def __str__(self) -> str:
        return combination(self.names, self.direction)


def combination(names: tuple[str, ...], direction: Array) -> str:
    """A sum of parameters as text, largest first: "1 bus.mass − 0.5 arm.mass"."""
    size = np.abs(direction)
    if not size.max() > 0:
        return "0"
    order = [k for k in np.argsort(-size, kind="stable") if size[k] >= _SHOWN * size.max()]
    text = ""
    for k in order:
        sign = ("" if direction[k] > 0 else "−") if not text else (" + " if direction[k] > 0 else " − ")
        text += f"{sign}{size[k] / size.max():.3g} {names[k]}"
    return text


class Spectrum(NamedTuple):
    """Of J / scale (m, k): J = U diag(values) Vᵀ scale.  told (k,): which directions are."""

    scale: Array
    values: Array
    U: Array
    V: Array
    told: np.ndarray


def spectrum(J: Array, sizes: Array) -> Spectrum:
    """Singular values of J (m, k), columns scaled to length one but for those that are nothing against the others.

    sizes (k,): changes of the coordinates that count as large; what they change is how columns are compared.
    """
    norms = np.linalg.norm(J, axis=0)
    floor = _NOTHING * max(float((norms * sizes).max(initial=0.0)), _LEAST)
    scale = np.maximum(norms, floor / sizes)
    if len(J) < J.shape[1]:
        J = np.concatenate([J, np.zeros((J.shape[1] - len(J), J.shape[1]))])
    U, s, V = np.linalg.svd(J / scale, full_matrices=False)
    return Spectrum(scale, s, U, V.T, s > NEGLIGIBLE * max(float(s.max(initial=0.0)), 1e-300))


def covariance_of(
    J: Array, slopes: Array, sizes: Array, names: tuple[str, ...]
) -> tuple[Array, tuple[SingularDirection, ...]]:
    """Covariance (n, n) of p = p(θ), slopes (n, k), from rows J (m, k) by θ of unit variance; and what is not told.

    Variances of parameters in a singular direction are infinite, and their covariances are not numbers.
    """
    scale, s, _, V, told = spectrum(J, sizes)
    root = slopes @ ((V / scale[:, None])[:, told] / s[told])
    C = root @ root.T
    missing = []
    for k in np.flatnonzero(~told):
        direction = slopes @ (V[:, k] / scale)
        missing.append(SingularDirection(names, direction, float(s[k] / max(s.max(initial=0.0), 1e-300))))
    size = np.linalg.norm(slopes / scale, axis=1) + 1e-300
    lost = np.zeros(len(names), dtype=bool)
    for one in missing:
        lost |= np.abs(one.direction) > 1e-6 * size
    C[lost, :] = C[:, lost] = np.nan
    C[lost, lost] = np.inf
    return C, tuple(missing)
