"""What worlds say of bodies when a plant is built: added mass, and what buoyancy takes; those of a user's looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Body, ModelError
from ...model.value import frozen_array, has_own_code
from ..world import World


def added_inertia_of(world: World, body: Body) -> np.ndarray | None:
    """Added mass (6, 6) at the body's origin in its axes; None for none."""
    found = world.added_inertia(body)
    if found is None or has_own_code(world):
        return found
    return frozen_array(found, (6, 6), where=type(world).__name__, what=f"added inertia of {body.name}")


def displaces(worlds: Sequence[World], bodies: Sequence[Body]) -> bool:
    """Whether a body displaces something in one of the worlds, so that it does not weigh what its inertia says."""
    found = {_displaces(world, body) for world in worlds for body in bodies}  # all are looked at
    return True in found


def _displaces(world: World, body: Body) -> bool:
    found = world.displaced(body)
    if found is None or has_own_code(world):
        return found is not None
    where, what = type(world).__name__, f"displaced by {body.name}"
    if not isinstance(found, tuple) or len(found) != 2:
        expected = "(mass, first moment (3,)), or None"
        raise ModelError.single(where, what, expected=expected, given=repr(found))
    for part, shape in zip(found, ((), (3,)), strict=True):
        frozen_array(part, shape, where=where, what=what)
    return True
