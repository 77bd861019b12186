"""Recursive O(N) dynamics: inverse, forward and hybrid (theory.md §12)."""

from .forward_dynamics import forward_dynamics
from .hybrid import hybrid_dynamics
from .inverse_dynamics import inverse_dynamics

__all__ = ["forward_dynamics", "hybrid_dynamics", "inverse_dynamics"]
