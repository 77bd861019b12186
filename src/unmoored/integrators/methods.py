"""The integrators by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..model import Tree
from ..model.errors import unknown_name
from .midpoint import midpoint_step
from .runge_kutta import runge_kutta_step
from .state import Rate, RightHandSide, State
from .tableau import DORMAND_PRINCE, EULER, HEUN, RK4, Tableau
from .variational import variational_step

#: step(tree, f, t, y, h) → (state, left): what an implicit step's equation is off by, see `iteration.excess`; of an
#: explicit one nothing (0,). Implicit ones also take `iterations`, explicit ones the `first` slope if it is known.
Step = Callable[..., tuple[State, np.ndarray]]


def _explicit(
    tableau: Tableau, tree: Tree, f: RightHandSide, t: Any, y: State, h: Any, first: Rate | None = None
) -> tuple[State, np.ndarray]:
    return runge_kutta_step(tableau, tree, f, t, y, h, first), np.zeros(0)


METHODS: dict[str, Step] = {
    **{tableau.name: partial(_explicit, tableau) for tableau in (EULER, HEUN, RK4, DORMAND_PRINCE)},
    "lie_midpoint": midpoint_step,
    "variational": variational_step,
}
#: methods that iterate
IMPLICIT = ("lie_midpoint", "variational")
ORDERS = {"euler": 1, "heun": 2, "rkmk4": 4, "dopri5": 5, "lie_midpoint": 2, "variational": 2}


def method_named(name: str) -> Step:
    """The step function step(tree, f, t, y, h) of the integrator with this name; an error lists the names."""
    if name not in METHODS:
        raise unknown_name("integrator", "method", name, METHODS)
    return METHODS[name]
