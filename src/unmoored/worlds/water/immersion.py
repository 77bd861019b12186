"""How much of a shape is under water (docs/theory.md §31): the potential of its buoyancy, and the slopes of that.

For a hull whose middle is z above the surface, with the upward direction n (unit, in the hull's axes):
ū(z, n) is the mean over its volume of max(0, −height). Buoyancy has the potential ρgV ū; κ = −∂ū/∂z is the share of the
volume under water. ū and both slopes are continuous, and the slopes are exact, so that energy is kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import scale_vector
from ...model.hull import Hull
from ...trace import Traced, arctan2, clip, evaluate, is_symbolic, jacobian, maximum, trace
from ...trace.outline import call_traced

_TINY = 1e-24
_AXIS = np.array([0.0, 0.0, 1.0])
_SLICES, _RINGS, _SPOKES, _COLUMNS = 8, 3, 8, 3


class Immersion(NamedTuple):
    """ū (...) [m], κ = −∂ū/∂z (...), and ∂ū/∂n (..., 3) [m] along the hull's axes."""

    mean_depth: np.ndarray
    share: np.ndarray
    turning: np.ndarray


def immersion(hull: Hull, z: Any, n: np.ndarray) -> Immersion:
    """Of a hull whose middle is z (...) above the surface, with the upward unit vector n (..., 3) in its axes."""
    if hull.form == "ellipsoid":
        return ellipsoid(0.5 * hull.size, z, n)
    return _box(0.5 * hull.size, z, n) if hull.form == "box" else _round(hull, z, n)


def share_slopes(hull: Hull, z: Any, n: np.ndarray) -> tuple[Any, Any]:
    """∂κ/∂z (...) [1/m] and ∂κ/∂n (..., 3) of the share under water, along the hull's axes."""
    if hull.form == "ellipsoid":
        return ellipsoid_slopes(0.5 * hull.size, z, n)
    y = np.concatenate([np.asarray(z)[..., None], n], axis=-1)
    slopes = call_traced(_slopes(hull), y) if is_symbolic(y) else evaluate(_slopes(hull), y)
    return slopes[..., 0, 0], slopes[..., 0, 1:]


@lru_cache(maxsize=256)
def _slopes(hull: Hull) -> Traced:
    """The derivative (1, 4) of the share by (z, n)."""
    return jacobian(trace(lambda y: np.stack([immersion(hull, y[0], y[1:]).share]), (4,)))


def ellipsoid_slopes(semi_axes: np.ndarray, z: Any, n: np.ndarray) -> tuple[Any, Any]:
    """κ = (2 − 3h + h³)/4, h = z/ρ, ρ² = Σ(s n)²."""
    stretched = semi_axes * n
    reach = np.sqrt((stretched * stretched).sum(axis=-1))
    cut = clip(np.asarray(z) / reach, -1.0, 1.0)
    slope = 0.75 * (cut * cut - 1.0) / reach
    return slope, scale_vector(-slope * cut / reach, semi_axes * stretched)


def ellipsoid(semi_axes: np.ndarray, z: Any, n: np.ndarray) -> Immersion:
    """Exact: a ball in stretched axes."""
    stretched = semi_axes * n
    reach = np.sqrt((stretched * stretched).sum(axis=-1))
    h = np.asarray(z) / reach
    cut = clip(h, -1.0, 1.0)
    share = (2.0 - 3.0 * cut + cut**3) / 4.0
    depth = 0.1875 - (2.0 * cut - 1.5 * cut**2 + 0.25 * cut**4) / 4.0 + maximum(0.0, -1.0 - h)
    slope = (depth + h * share) / reach
    return Immersion(reach * depth, share, scale_vector(slope, semi_axes * stretched))


def _box(half: np.ndarray, z: Any, n: np.ndarray) -> Immersion:
    """Columns along each edge, clipped exactly, those along the most upright edge counting for most."""
    x, weights = np.polynomial.legendre.leggauss(_COLUMNS)
    across = np.array([(a, b) for a in x for b in x])
    shares = np.array([a * b for a in weights for b in weights]) / 4.0
    families = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        places = np.zeros((len(across), 3))
        places[:, j], places[:, k] = half[j] * across[:, 0], half[k] * across[:, 1]
        families.append(_columns(i, places, np.full(len(across), half[i]), shares, z, n))
    powers = [n[..., i] ** 6 for i in range(3)]
    return _blended(powers, [n[..., i] ** 5 for i in range(3)], families, n)


def _blended(powers: list[Any], lead: list[Any], families: list[Immersion], n: np.ndarray) -> Immersion:
    """Σ w_i ū_i with w_i = n_i⁶/Σn⁶; the families have n_i ū_i, so that lead = n_i⁵."""
    total = sum(powers[1:], powers[0])
    depth = share = 0.0
    turning: Any = np.zeros(3)
    for i, family in enumerate(families):
        factor = lead[i] / total
        depth = depth + factor * family.mean_depth
        share = share + factor * family.share
        turning = turning + scale_vector(factor, family.turning)
        own = scale_vector(5.0 * n[..., i] ** 4 / total * family.mean_depth, np.eye(3)[i])
        others = scale_vector(-6.0 * factor / total * family.mean_depth, n**5)
        turning = turning + own + others
    return Immersion(depth, share, turning)  # type: ignore[arg-type]


def _columns(
    axis: int, places: np.ndarray, half: np.ndarray, shares: np.ndarray, z: Any, n: np.ndarray
) -> Immersion:
    """n_i ū, n_i κ and ∂(n_i ū)/∂n of columns along an axis: middles (m, 3), half lengths and shares (m,)."""
    n_i = n[..., axis, None]
    middle = np.asarray(z)[..., None] + (n[..., None, :] * places).sum(axis=-1)
    low, high = maximum(0.0, half * n_i - middle), maximum(0.0, -half * n_i - middle)
    depth = shares * (low * low - high * high) / (4.0 * half)
    share = shares * (low - high) / (2.0 * half)
    turning = (-share[..., None] * places).sum(axis=-2)
    turning = turning + scale_vector((0.5 * shares * (low + high)).sum(axis=-1), np.eye(3)[axis])
    return Immersion(depth.sum(axis=-1), share.sum(axis=-1), turning)


def _round(hull: Hull, z: Any, n: np.ndarray) -> Immersion:
    """Slices across the axis where it lies, columns along it where it stands."""
    m = np.sqrt(n[..., 0] ** 2 + n[..., 1] ** 2 + _TINY)
    slices, columns = _slices(hull, z, n, m), _columns(2, *_standing_columns(hull), z, n)
    n_z = n[..., 2]
    total = n_z**6 + m**6
    lying, standing = m**6 / total, n_z**5 / total
    depth = lying * slices.mean_depth + standing * columns.mean_depth
    share = lying * slices.share + standing * columns.share
    turning = scale_vector(lying, slices.turning) + scale_vector(standing, columns.turning)
    # slopes of the two weights along n_z and along m
    by_n = -6.0 * n_z**5 * lying / total * slices.mean_depth
    by_n = by_n + (5.0 * n_z**4 / total - 6.0 * n_z**5 * standing / total) * columns.mean_depth
    by_m = (6.0 * m**5 / total) * ((1.0 - lying) * slices.mean_depth - standing * columns.mean_depth)
    across = n * np.array([1.0, 1.0, 0.0])
    turning = turning + scale_vector(by_n, _AXIS) + scale_vector(by_m / m, across)
    return Immersion(depth, share, turning)


def _slices(hull: Hull, z: Any, n: np.ndarray, m: Any) -> Immersion:
    """Discs across the axis, of a Gauss rule along it: exact segments of circles."""
    x, weights, radii = _profile(hull, _SLICES)
    shares = weights * radii**2 / (weights * radii**2).sum()
    scale = np.asarray(m)[..., None] * radii
    s = (np.asarray(z)[..., None] + n[..., 2, None] * x) / scale
    cut = clip(s, -1.0, 1.0)
    chord = np.sqrt(1.0 - cut * cut + _TINY)
    area = (arctan2(chord, cut) - cut * chord) / np.pi
    depth = (2.0 / 3.0) / np.pi * chord**3 - cut * area + maximum(0.0, -1.0 - s)
    share = shares * area
    by_scale = (shares * (depth + s * area) * radii).sum(axis=-1)
    across = n * np.array([1.0, 1.0, 0.0])
    turning = scale_vector((-share * x).sum(axis=-1), _AXIS)
    turning = turning + scale_vector(by_scale / m, across)
    return Immersion((shares * scale * depth).sum(axis=-1), share.sum(axis=-1), turning)


def _standing_columns(hull: Hull) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middles (m, 3), half lengths (m,) and shares (m,) of columns along the axis: rings with spokes."""
    r, length = 0.5 * hull.size[0], hull.size[2]
    x, weights = np.polynomial.legendre.leggauss(_RINGS)
    rings, shares = r * np.sqrt(0.5 * (x + 1.0)), 0.5 * weights
    angles = 2.0 * np.pi * np.arange(_SPOKES) / _SPOKES
    places = np.array([(a * np.cos(b), a * np.sin(b), 0.0) for a in rings for b in angles])
    half = np.full(_RINGS, 0.5 * length)
    if hull.form == "capsule":
        half = 0.5 * length - r + np.sqrt(r * r - rings * rings)
    volumes = shares * half / (shares * half).sum()
    return places, np.repeat(half, _SPOKES), np.repeat(volumes, _SPOKES) / _SPOKES


def _profile(hull: Hull, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (n,) along the axis, weights (n,) and radii (n,) of a Gauss rule on each part of the shape."""
    r, length = 0.5 * hull.size[0], hull.size[2]
    x, weights = np.polynomial.legendre.leggauss(count)
    if hull.form == "cylinder":
        return 0.5 * length * x, 0.5 * length * weights, np.full(count, r)
    straight = 0.5 * length - r
    end, end_weights = np.polynomial.legendre.leggauss(count // 2)
    cap = 0.5 * r * (end + 1.0)
    places = [straight + cap, -straight - cap]
    parts = [0.5 * r * end_weights] * 2
    radii = [np.sqrt(r * r - cap * cap)] * 2
    if straight > 0:
        places, parts, radii = (
            [*places, straight * x],
            [*parts, straight * weights],
            [*radii, np.full(count, r)],
        )
    return np.concatenate(places), np.concatenate(parts), np.concatenate(radii)
