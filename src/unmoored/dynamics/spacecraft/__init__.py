"""Spacecraft with arms: free-floating, free-flying, attitude-controlled, held; equivalent manipulators."""

from .centre_of_mass_form import (
    CentreOfMassForm,
    attitude_dynamics,
    centre_of_mass_form,
    centre_of_mass_velocity_map,
)
from .control_modes import ControlledMotion, attitude_controlled, free_flying, held_fixed
from .equivalent_manipulator import equivalent_manipulator, equivalent_state
from .free_floating import FreeFloating, free_floating, free_floating_at_momentum, spatial_momentum

__all__ = [
    "CentreOfMassForm", "ControlledMotion", "FreeFloating", "attitude_controlled", "attitude_dynamics",
    "centre_of_mass_form", "centre_of_mass_velocity_map", "equivalent_manipulator", "equivalent_state",
    "free_floating",    "free_floating_at_momentum", "free_flying", "held_fixed", "spatial_momentum",
]  # fmt: skip
