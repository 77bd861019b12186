"""Worlds, actuators and motions of a user's own: frozen dataclasses, or refused at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unmoored as um

SYSTEM = um.load("tumbling_brick")


@dataclass(frozen=True, eq=False, repr=False)
class Wind(um.World):
    """A force (3,) in body axes (N) on the first body."""

    force: Any = (1.0, 0.0, 0.0)

    def wrenches(self, scene):
        return {"drag": {0: np.array([*self.force, 0, 0, 0])}}


def test_a_dataclass_acts():
    q, v = SYSTEM.neutral(), np.zeros(6)
    expected = SYSTEM.forward_dynamics(q, v, [2.0, 0, 0, 0, 0, 0])
    assert um.Plant(SYSTEM, Wind((2.0, 0, 0))).forward_dynamics(0.0, q, v) == pytest.approx(
        expected, abs=1e-14
    )
    assert Wind((1.0, 0, 0)) == Wind() != Wind((2.0, 0, 0))


def test_a_world_without_fields_needs_no_decorator():
    class Calm(um.World):
        """Nothing acts."""

    assert Calm() == Calm()
    um.Plant(SYSTEM, Calm()).forward_dynamics(0.0, SYSTEM.neutral(), np.zeros(6))


def test_fields_without_a_dataclass_are_refused_at_once():
    """Their values would be in no field, all instances would seem equal, and share one kernel."""

    class Annotated(um.World):
        force: float = 1.0

    class Made(Wind):
        def __init__(self, force):
            object.__setattr__(self, "strength", force)

    class Below(Annotated):
        pass

    for make in (Annotated, lambda: Made(3.0), Below):
        with pytest.raises(um.ModelError, match="a frozen dataclass: write @dataclass"):
            make()
