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


@dataclass(frozen=True, eq=False, repr=False)
class Gas(um.World):
    """Takes weight from one body, without added mass."""

    body: str
    density: float = 2.0

    @property
    def uniform_gravity(self):
        return np.array([0, 0, -9.81])

    def displaced(self, body):
        moment = np.asarray(self.density)[..., None] * np.array([0.1, 0.0, 0.2])
        return (np.asarray(self.density), moment) if body.name == self.body else None


def test_what_a_world_displaces_is_not_weighed():
    """Weight in a world without added mass is a fictitious acceleration, which would know of no buoyancy."""
    b = um.SystemBuilder("arm in gas")
    brick = um.Inertia.box(mass=3.0, size=(0.5, 0.3, 0.2), com=(0.1, 0.0, 0.05))
    base = b.vehicle("base", um.Free(), inertia=brick)
    b.link("arm", parent=base, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.3, 0, 0)), inertia=brick)
    arm = b.build()
    q, v = arm.random_configuration(3), np.linspace(-0.5, 0.7, arm.nv)
    lift = 2.0 * 9.81 * arm.pose(q, "arm")[2, :3]
    pushed = {"arm": np.concatenate([lift, np.cross([0.1, 0.0, 0.2], lift)])}
    expected = arm.forward_dynamics(q, v, np.zeros(arm.nv), gravity=(0, 0, -9.81), wrenches=pushed)
    plant, free = um.Plant(arm, Gas("arm")), um.Plant(arm, Gas("arm"), free=["gas.density"])
    assert plant.forward_dynamics(0.0, q, v) == pytest.approx(expected, abs=1e-12)
    assert free.forward_dynamics(0.0, q, v) == pytest.approx(expected, abs=1e-12)
    dry = arm.forward_dynamics(q, v, np.zeros(arm.nv), gravity=(0, 0, -9.81))
    assert free.forward_dynamics(0.0, q, v, p=[0.0]) == pytest.approx(dry, abs=1e-12)
    total = um.simulate(plant, q, v, duration=0.5, step=0.002).energy().total
    assert np.ptp(total) < 1e-8


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("added_inertia", np.eye(3), "Odd: added inertia of .*: expected 6×6 numbers"),
        ("added_inertia", "much", "Odd: added inertia of .*: expected 6×6 numbers"),
        ("displaced", 3.0, r"Odd: displaced by .*: expected \(mass, first moment \(3,\)\), or None"),
        ("displaced", (1.0, np.zeros(2)), "Odd: displaced by .*: expected 3 numbers"),
    ],
)
def test_what_a_world_says_of_bodies_is_looked_at(name, value, message):
    class Odd(um.World):
        """Says something of bodies."""

    setattr(Odd, name, lambda self, body: value)
    with pytest.raises(um.ModelError, match=message):
        um.Plant(SYSTEM, Odd())


def test_gravity_of_a_world_has_three_numbers():
    class Flat(um.World):
        """Gravity in a plane."""

        uniform_gravity = np.zeros(2)

    with pytest.raises(um.ModelError, match=r"Flat: gravity .*: expected 3 numbers"):
        um.Plant(SYSTEM, Flat())
