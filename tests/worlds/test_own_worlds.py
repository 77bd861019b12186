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


WRONG = {
    "result: expected {kind: {index of a body": None,
    "unknown kind of wrenches: expected one of drag, lift": {"dragg": {0: np.ones(6)}},
    r'"drag": expected {index of a body: wrench \(..., 6\)}': {"drag": np.ones(6)},
    '"drag": expected the index of a body, from 0 to 0, given 1': {"drag": {1: np.ones(6)}},
    "from 0 to 0, given -1": {"drag": {-1: np.ones(6)}},
    "from 0 to 0, given 'brick'": {"drag": {"brick": np.ones(6)}},
    r'"potential" on .*: expected shape \(..., 6\), given shape \(5,\)': {"potential": {0: np.ones(5)}},
}


@pytest.mark.whole
@pytest.mark.parametrize("message", WRONG)
def test_wrenches_that_are_none_are_refused_by_name(message):
    """Those of an unknown kind would act and be in no power; a list would be joined to another world's."""

    class Odd(um.World):
        """Gives something."""

        def wrenches(self, scene):
            return WRONG[message]

    plant, q, v = um.Plant(SYSTEM, Odd()), SYSTEM.neutral(), np.zeros(6)
    for call in (plant.forward_dynamics, plant.power):
        with pytest.raises(um.ModelError, match=f"Odd.*{message}"):
            call(0.0, q, v, backend="numpy")


def test_wrenches_may_be_lists_and_indices_numbers_of_numpy():
    class Listed(um.World):
        """One force."""

        def wrenches(self, scene):
            return {"drag": {np.int64(0): [2.0, 0, 0, 0, 0, 0]}}

    q, v = SYSTEM.neutral(), np.zeros(6)
    expected = SYSTEM.forward_dynamics(q, v, [4.0, 0, 0, 0, 0, 0])
    found = um.Plant(SYSTEM, (Listed(), Wind((2.0, 0, 0)))).forward_dynamics(0.0, q, v)
    assert found == pytest.approx(expected, abs=1e-14)
