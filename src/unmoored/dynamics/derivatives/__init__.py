"""Derivatives of inverse and forward dynamics by one recursion in the vehicle's frame (docs/derivatives.md)."""

from .forward_dynamics_derivatives import ForwardDynamicsDerivatives, forward_dynamics_derivatives
from .inverse_dynamics_derivatives import InverseDynamicsDerivatives, inverse_dynamics_derivatives

__all__ = [
    "ForwardDynamicsDerivatives",
    "InverseDynamicsDerivatives",
    "forward_dynamics_derivatives",
    "inverse_dynamics_derivatives",
]
