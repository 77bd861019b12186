"""Whether a step is short enough for a plant's contacts: at least ten while two bodies touch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..error_roots import warn
from ..model import ModelWarning
from ..worlds.distances import Distance
from ..worlds.elements import Contact

#: steps in a contact; restitution is right to 1e-3 then, with rkmk4
_STEPS = 10
#: speed (m/s) of an impact that is counted with, at least
_SPEED = 1.0


def warn_of_long_steps(plant: Any, q: np.ndarray, v: np.ndarray, step: float) -> None:
    """Warn of contacts shorter than ten steps (s), for the mass felt at q (nq,), at 1 m/s or as fast as v (nv,) is."""
    contacts = [element for element in plant.elements if isinstance(element, Contact)]
    if not contacts:
        return
    free, inverse = plant.tree.free_dofs, np.zeros((plant.nv, plant.nv))
    inverse[np.ix_(free, free)] = np.linalg.inv(plant.mass_matrix(q)[np.ix_(free, free)])
    for contact in contacts:
        pair = Distance(contact.frame_a, contact.frame_b, contact.shape_a, contact.shape_b)
        rows = np.asarray(pair.jacobian(plant, q), dtype=float)
        felt = max(float(row @ inverse @ row) for row in rows)
        if felt <= 0.0:
            continue
        speed = max(_SPEED, float(np.abs(rows @ v).max()))
        lasts = contact.duration(1.0 / felt, speed)
        if lasts < _STEPS * step:
            text = (
                f"contact {contact.label}: {1.0 / felt:.3g} kg at {speed:.3g} m/s touch for {lasts:.3g} s, less"
                f" than {_STEPS} steps of {step:g} s; take a step of at most {lasts / _STEPS:.2g} s, or less stiffness"
            )
            warn(text, ModelWarning)
