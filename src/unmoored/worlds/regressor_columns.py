"""Wrenches of one body as columns over what they are linear in: added mass, displaced water, drag (theory.md §24).

All in body axes at the body's origin, with the sign of the left side of the equations, M a + … = τ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import blocks, transpose
from ..model import Fluid
from .water.flow_wrenches import part_wrench
from .water.hydrodynamics import faded

_ENTRIES = [(i, j) for i in range(6) for j in range(i, 6)]
_AXES = ("x", "y", "z", "wx", "wy", "wz")


class Columns(NamedTuple):
    """names (k), their values (k,) as built, and the wrench (..., 6, k) per unit of each."""

    names: tuple[str, ...]
    values: np.ndarray
    columns: np.ndarray


def added_mass_columns(fluid: Fluid, V_r: np.ndarray, V_r_dot: np.ndarray) -> Columns:
    """A V̇_r − ad_{V_r}ᵀ A V_r over the 21 entries of A, row by row; twists (..., 6) relative to the water."""
    names = tuple(f"added_mass.{_AXES[i]}_{_AXES[j]}" for i, j in _ENTRIES)
    values = np.array([fluid.added_mass[entry] for entry in _ENTRIES])
    columns = symmetric_columns(V_r_dot) - transpose(se3.ad(V_r)) @ symmetric_columns(V_r)
    return Columns(names, values, columns)


def displaced_columns(fluid: Fluid, density: np.ndarray, γ: np.ndarray) -> Columns:
    """ρ∇(γ ; r_b×γ) over (∇, ∇ r_b): γ (..., 3) is gravity less the water's own acceleration, ρ (...) its density."""
    names = ("volume", *(f"volume_moment.{axis}" for axis in "xyz"))
    values = np.array([fluid.volume, *(fluid.volume * fluid.centre_of_buoyancy)])
    per_mass = blocks([[γ[..., None], np.zeros((3, 3))], [np.zeros((3, 1)), -so3.hat(γ)]])
    return Columns(names, values, np.asarray(density)[..., None, None] * per_mass)


def drag_columns(fluid: Fluid, V_r: np.ndarray, full: bool) -> Columns:
    """D₁ V_r + D₂ |V_r| V_r over the entries of D₁ and D₂: the diagonals, or all 36 of each; V_r (..., 6)."""
    entries = [(i, j) for i in range(6) for j in range(6) if full or i == j]
    names, values, columns = [], [], []
    for kind, D, x in (
        ("linear_drag", fluid.linear_drag, faded(fluid, V_r)),
        ("quadratic_drag", fluid.quadratic_drag, np.abs(V_r) * V_r),
    ):
        names += [f"{kind}.{_AXES[i]}" if i == j else f"{kind}.{_AXES[i]}_{_AXES[j]}" for i, j in entries]
        values += [D[entry] for entry in entries]
        columns += [x[..., j, None] * np.eye(6)[i] for i, j in entries]
    return Columns(tuple(names), np.array(values), np.stack(columns, axis=-1))


def flow_columns(fluid: Fluid, V_r: np.ndarray) -> Columns:
    """What the parts of the hull take (..., 6, 1) per unit of their common factor; V_r (..., 6)."""
    taken = -sum((part_wrench(part, V_r) for part in fluid.flow_parts), np.zeros(6))
    return Columns(("flow_scale",), np.array([fluid.flow_scale]), taken[..., None])


def beside(parts: list[Columns]) -> Columns:
    """The columns one after the other."""
    names = tuple(name for part in parts for name in part.names)
    return Columns(
        names, np.concatenate([part.values for part in parts]), blocks([[part.columns for part in parts]])
    )


def symmetric_columns(X: np.ndarray) -> np.ndarray:
    """L₂₁(X) (..., 6, 21) with A X = L₂₁(X) (entries of A), A symmetric."""
    unit = np.eye(6)
    columns = [
        X[..., j, None] * unit[i] + (0.0 if i == j else X[..., i, None] * unit[j]) for i, j in _ENTRIES
    ]
    return np.stack(columns, axis=-1)
