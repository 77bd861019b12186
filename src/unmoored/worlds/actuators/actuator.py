"""What every actuator offers: inputs, states of its own, and the efforts that it makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ...model import ModelError, Tree
from ...model.field_types import Pair
from ...model.names import check_plain_name
from ...model.value import Value, frozen_array, replace_arrays
from ...trace import clip, less, where
from ..scene import BodyWrenches, Scene


class Effort(NamedTuple):
    """Wrenches (..., 6) on bodies, at their origins in their axes, and forces (..., nv) along the DoFs."""

    wrenches: BodyWrenches
    forces: np.ndarray | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Actuator(Value, ABC):
    """Something that takes commands and acts on the system. Frozen.

    name: by which its inputs are called. If None, that of its frame; of a joint or body with the kind behind it:
    "elbow_motor", "bus_thruster".
    limits: (lowest, highest) command; commands beyond are cut off.
    lag: time constant (s) of a first-order lag between command and action; one state per input then.
    fails_at: time (s) from which the actuator gives nothing.
    """

    suffix: ClassVar[str] = "actuator"

    name: str | None = None
    limits: Pair = None
    lag: float | None = None
    fails_at: float | None = None

    #: fields whose absence means zero, with their shapes: they can be free though they were not given
    zero_if_absent: ClassVar[Mapping[str, tuple[int, ...]]] = {}
    #: fields that name a body, joint or frame
    places: ClassVar[tuple[str, ...]] = ("frame", "joint")
    #: fields that are numbers but choose the code: they cannot be free
    structure: ClassVar[tuple[str, ...]] = ("axis", "direction", "azimuth", "forward")

    def __post_init__(self) -> None:
        if self.name is not None:
            check_plain_name("actuator", self.name)
        where_ = self.label
        if self.limits is not None:
            limits = frozen_array(self.limits, (2,), where=where_, what="limits")
            if not limits[0] <= limits[1]:
                raise ModelError.single(
                    where_, "limits", expected="lowest ≤ highest", given=repr(self.limits)
                )
            replace_arrays(self, limits=limits)
        if self.lag is not None:
            lag = float(frozen_array(self.lag, (), where=where_, what="lag"))
            if not lag > 0:
                raise ModelError.single(where_, "lag", expected="> 0 (s), or None", given=repr(self.lag))
            replace_arrays(self, lag=lag)
        if self.fails_at is not None:
            replace_arrays(
                self, fails_at=float(frozen_array(self.fails_at, (), where=where_, what="fails_at"))
            )

    @property
    @abstractmethod
    def label(self) -> str:
        """The name, or what stands for it."""

    def named_in(self, tree: Tree) -> Self:
        """The actuator with a name that no body or joint of the tree has; a given name that one has is refused."""
        taken = {*tree.names, *(body.joint_name for body in tree.bodies)}
        if self.label not in taken:
            return self
        if self.name is not None:
            expected = "a name that no body or joint has"
            raise ModelError.single(
                self.label, "name of an actuator", expected=expected, given=repr(self.name)
            )
        return replace(self, name=f"{self.label}_{self.suffix}".replace("/", "_"))

    def carried(self, prefix: str) -> Self:
        """The actuator, called "prefix_name", of a system whose bodies, joints and frames become "prefix/name"."""
        known = {field.name for field in fields(self)}
        places = {place: f"{prefix}/{getattr(self, place)}" for place in self.places if place in known}
        return replace(self, **places, name=f"{prefix}_{self.label}".replace("/", "_"))

    @abstractmethod
    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """Names of the commands, "" for the only one."""

    @abstractmethod
    def check(self, tree: Tree) -> None:
        """Refuse a tree that the actuator does not fit."""

    def check_worlds(self, worlds: tuple[Any, ...]) -> None:
        """Refuse worlds that lack what the actuator needs."""

    @abstractmethod
    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """What the actuator does with the actions y (..., n): commands after limits, lag and failure."""

    def thrusts(self, tree: Tree) -> tuple[str, ...]:
        """Names of the independent forces that the actuator can give, "" for the only one."""
        return self.inputs(tree)

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """Efforts per unit of each independent force that the actuator can give: columns of the allocation."""
        n = len(self.inputs(scene.tree))
        return [self.effort(scene, row) for row in np.eye(n)]

    def added_inertia(self, tree: Tree, index: int) -> np.ndarray | None:
        """What the actuator changes in the inertia (6, 6) of a body."""
        return None

    def states(self, tree: Tree) -> tuple[str, ...]:
        """Names of the actuator's own states."""
        return self.inputs(tree) if self.lag is not None else ()

    def unsuited_steps(self, step: float, t0: float) -> str:
        """What is wrong with fixed steps of this size (s) from t0 (s) on, "" if nothing is."""
        return ""

    def check_states(self, x: np.ndarray) -> None:
        """Refuse own states x (..., n) that the actuator cannot be in."""

    def action(self, t: Any, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Actions y (..., n) at time t (...), own states x (..., n or 0), commands u (..., n)."""
        y = x if self.lag is not None else self.limited(u)
        return y if self.fails_at is None else y * working(t, self.fails_at)[..., None]

    def energy(self, x: np.ndarray) -> Any:
        """Energy (...) [J] stored in the own states x (..., n), beside that of the bodies."""
        return 0.0

    def momentum(self, tree: Tree, x: np.ndarray) -> BodyWrenches:
        """Momenta (..., 6) in the own states x (..., n), at origins and in axes of the bodies that hold them."""
        return {}

    @property
    def depletes(self) -> bool:
        """Whether it takes mass out of a body."""
        return False

    def taken(self, tree: Tree, x: np.ndarray) -> list[tuple[int, Any, np.ndarray]]:
        """(index of a body, mass (...) taken out of it (kg), place (3,) on it), at the own states x (..., n)."""
        return []

    def own_power(self, scene: Scene, x: np.ndarray, y: np.ndarray) -> Any:
        """Rate (...) [W] of that energy."""
        return 0.0

    def state_rates(self, scene: Scene, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """ẋ (..., n or 0) of the own states."""
        return (self.limited(u) - x) / self.lag if self.lag is not None else np.zeros(0)

    def limited(self, u: np.ndarray) -> np.ndarray:
        """Commands (..., n) within the limits."""
        return u if self.limits is None else clip(u, self.limits[0], self.limits[1])

    def bounds(self, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
        """(lowest, highest) commands, each (n,): beyond them nothing changes; infinite where there is no limit."""
        far = np.full(len(self.inputs(tree)), np.inf)
        return self.limited(-far), self.limited(far)


def working(t: Any, fails_at: Any) -> np.ndarray:
    """1 before the time of failure, 0 from then on (...)."""
    return np.asarray(where(less(t, fails_at), 1.0, 0.0))
