"""Generalised forces of any potential that is given as a function of the configuration (theory.md §6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...model import ModelError, Tree
from ...trace import Traced, call_traced, evaluate, gradient, is_symbolic, trace
from ..configuration import retract

Potential = Callable[[np.ndarray], Any]


def potential_forces(tree: Tree, q: np.ndarray, potential: Potential) -> np.ndarray:
    """n_k = d/dε U(retract(q, ε e_k)) (..., nv), on the left side: M a + C v + n = τ.

    potential: q (nq,) ↦ U (a number, J), in traceable NumPy; it is differentiated exactly.
    """
    forces = _gradient(tree, potential)
    still = np.zeros(tree.nv)
    return call_traced(forces, q, still)[1] if is_symbolic(q) else evaluate(forces, q, still)[1]


def _gradient(tree: Tree, potential: Potential) -> Traced:
    """∂U(retract(q, ε)) by q (nq,) and by ε (nv,)."""
    traced = trace(
        lambda q, ε: potential(retract(tree, q, ε)),
        (tree.nq,),
        (tree.nv,),
        name="potential",
        exact_zeros=True,
    )
    if traced.output_shapes != ((),):
        shapes = ", ".join(map(str, traced.output_shapes))
        raise ModelError.single(
            tree.name, "potential", expected="one number", given=f"arrays of shapes {shapes}"
        )
    return gradient(traced)
