"""What a world offers; every world overrides what it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..model import Body, ModelError, Tree
from ..model.value import Value, frozen_array, has_own_code
from ..trace import is_zero
from .regressor_columns import Columns
from .scene import BodyWrenches, Scene

NO_GRAVITY = np.zeros(3)
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False, repr=False)
class World(Value):
    """Everything around the system that acts on it. Frozen; worlds combine in a tuple.

    A world of your own that has fields is a `@dataclass(frozen=True, eq=False, repr=False)`.
    """

    #: fields whose absence means zero, with their shapes: they can be free though they were not given
    zero_if_absent: ClassVar[Mapping[str, tuple[int, ...]]] = {}
    #: fields that are numbers but choose the code: they cannot be free
    structure: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """The world's name in parameters: "ocean" for `Ocean`."""
        return type(self).__name__.lower()

    @property
    def uniform_gravity(self) -> np.ndarray | None:
        """γ (3,) in world axes (m/s²), None for a world that has none. All worlds of a plant must agree on it."""
        return None

    def check(self, tree: Tree, constraints: tuple[Any, ...]) -> None:
        """Refuse a tree that does not fit this world."""

    def prescribed(self, tree: Tree) -> Mapping[str, Any]:
        """Trajectories, by joint, of joints that this world moves."""
        return {}

    def added_inertia(self, body: Body) -> np.ndarray | None:
        """Added mass (6, 6) at the body's origin in its axes."""
        return None

    def inertia_changes(self, scene: Scene) -> Mapping[int, np.ndarray]:
        """What the inertias (..., 6, 6) of bodies have beside `added_inertia` where the scene has them."""
        return {}

    @property
    def inertia_by_place(self) -> bool:
        """Whether `inertia_changes` tells anything."""
        return False

    def displaced(self, body: Body) -> tuple[Any, Any] | None:
        """(ρ∇ (...) [kg], ρ∇ r_b (..., 3) [kg m]): what buoyancy takes from a body's mass and first moment."""
        return None

    def wrenches(self, scene: Scene) -> Mapping[str, BodyWrenches]:
        """Wrenches beside weight and buoyancy, by kind: "drag", "current", "potential"."""
        return {}

    def drag_matrices(self, scene: Scene) -> Mapping[int, np.ndarray]:
        """D_i (..., 6, 6) of the bodies that feel drag: the "drag" wrench is −D_i times the relative twist."""
        return {}

    def inertial_columns(self, scene: Scene) -> Mapping[int, np.ndarray]:
        """Wrench (..., 6, 10) on the left side per inertial parameter of a body, of forces that are linear in them."""
        return {}

    def fluid_columns(
        self, scene: Scene, accelerations: Sequence[np.ndarray], full_drag: bool
    ) -> Mapping[int, Columns]:
        """Wrenches on the left side per number of a body's fluid, at V̇ (..., 6) of all bodies (theory.md §24)."""
        return {}

    def potential(self, scene: Scene) -> Any:
        """Energy (...) [J] of the "potential" wrenches."""
        return 0.0

    def potential_rate(self, scene: Scene) -> Any:
        """∂U/∂t (...) [W] of that energy at a fixed state: not zero if it depends on time."""
        return 0.0


def checked_gravity(gravity: Any, where: str) -> np.ndarray:
    """γ (3,) as a read-only array."""
    return frozen_array(gravity, (3,), where=where, what="gravity (world axes, m/s²)")


def common_gravity(worlds: tuple[World, ...]) -> np.ndarray:
    """The gravity (3,) that all worlds which have one agree on; zero if none has."""
    given = [(world.name, _gravity_of(world)) for world in worlds if world.uniform_gravity is not None]
    for name, gravity in given[1:]:
        if not np.array_equal(gravity, given[0][1]):
            expected = f"the gravity of {given[0][0]}, {given[0][1].tolist()}"
            raise ModelError.single(
                name, "worlds disagree on gravity", expected=expected, given=str(gravity.tolist())
            )
    gravity = given[0][1] if given else NO_GRAVITY
    for world in worlds:
        if getattr(world, "in_orbit", False) and not is_zero(gravity):
            expected = f"no weight beside an orbit, whose gravity is there already (without {given[0][0]})"
            raise ModelError.single(
                world.name, "orbit", expected=expected, given=f"gravity {gravity.tolist()}"
            )
    return gravity


def _gravity_of(world: World) -> Any:
    gravity = world.uniform_gravity
    return gravity if has_own_code(world) else checked_gravity(gravity, type(world).__name__)
