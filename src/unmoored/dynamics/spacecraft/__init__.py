"""Spacecraft with arms: free-floating, free-flying, attitude-controlled, held; equivalent manipulators."""

from .barycentric import (
    VirtualManipulator,
    barycentric_vectors,
    pose_from_centre_of_mass,
    virtual_manipulator,
)
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
    "CentreOfMassForm", "ControlledMotion", "FreeFloating", "VirtualManipulator", "attitude_controlled",
    "attitude_dynamics", "barycentric_vectors", "centre_of_mass_form", "centre_of_mass_velocity_map",
    "equivalent_manipulator", "equivalent_state", "free_floating", "free_floating_at_momentum", "free_flying",
    "held_fixed", "pose_from_centre_of_mass", "spatial_momentum", "virtual_manipulator",
]  # fmt: skip
