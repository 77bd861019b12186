"""The forces that hold a plant still in its world."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..worlds import Plant
from ..worlds import plant_equations as equations


def static_forces(plant: Plant, t: Any, q: np.ndarray) -> np.ndarray:
    """Forces (..., nv) against weight, buoyancy, springs and the drag of a current, at rest at q (..., nq).

    With the parameters that the plant was built with: a controller knows its model, not the truth of each sample.
    """
    still = np.zeros(plant.nv)
    return equations.inverse_dynamics(plant, np.asarray(t), q, still, still, plant.nominal_parameters)
