"""Integrators on Lie groups: Munthe-Kaas Runge-Kutta, implicit midpoint, variational."""

from .iteration import ITERATIONS
from .methods import IMPLICIT, METHODS, ORDERS, method_named
from .state import Rate, RightHandSide, State, renormalised
from .tableau import DORMAND_PRINCE, EULER, HEUN, RK4, TABLEAUS, Tableau

__all__ = [
    "DORMAND_PRINCE", "EULER", "HEUN", "IMPLICIT", "ITERATIONS", "METHODS", "ORDERS", "RK4", "TABLEAUS", "Rate",
    "RightHandSide", "State", "Tableau", "method_named", "renormalised",
]  # fmt: skip
