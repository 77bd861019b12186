"""The forces of a reference motion as a linear function of the plant's numbers (theory.md §24)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.jacobians import body_jacobian_rates
from ...dynamics.regressors import momentum_columns
from ...lie import se3
from ...lie.arrays import apply, blocks, transpose
from ..loads import scene_at, setting
from ..regressor_columns import symmetric_columns
from .plant_regressor import fluid_columns_of, regressor

if TYPE_CHECKING:
    from .plant import Plant


def reference_regressor(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, s: np.ndarray, a: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Y (..., nv, n) with Y ζ = inverse dynamics at (v, a) + C(q, v) s, Ṁ − 2C skew; ζ as in `plant.regressor`.

    The columns of C s: B_iᵀ(L(Ḃ_i s) − ad_{B_i s}ᵀ L(V_i)) for the inertia of a body, and the same for its added mass.
    """
    now = setting(plant, p)
    scene = scene_at(now, t, q, v)
    Bs, B_dots = body_jacobian_rates(now.tree, q, v)
    Vs = scene.twists

    def turning(i: int, columns: Any) -> np.ndarray:
        moved = columns(apply(B_dots[i], s)) - transpose(se3.ad(apply(Bs[i], s))) @ columns(Vs[i])
        return transpose(Bs[i]) @ moved

    parts = [turning(i, momentum_columns) for i in range(len(Bs))]
    for i, fluid in fluid_columns_of(now, scene, Vs, False):
        others = np.zeros((plant.nv, len(fluid.names) - 21))
        parts += [turning(i, symmetric_columns), others]
    parts.append(np.zeros((plant.nv, 3 * plant.nv)))
    return regressor(plant, t, q, v, a, p) + blocks([parts])
