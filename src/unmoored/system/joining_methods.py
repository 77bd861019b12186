"""Joining and releasing systems at run time, as methods of `System`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.joined_trees import at_places, join_trees, release_body
from ..dynamics.joining_impulse import jump
from ..model import Joint, ModelError
from .signature_types import ArrayLike
from .system_data import SystemData


class JoinedSystem(NamedTuple):
    """The joined system with its state just after: q (..., nq), v (..., nv).

    impulse: (..., 6) on the guest's vehicle, at its origin in its axes (N s, N m s).  energy_lost: (...) J.
    places: where each sample of a batch holds the guest, {parameter: (..., 3)}; the system itself is built with the
    first. `um.Plant(joined.system, …, free=[*joined.places])` takes them at run time.
    """

    system: Any
    q: np.ndarray
    v: np.ndarray
    impulse: np.ndarray
    energy_lost: np.ndarray
    places: dict[str, np.ndarray]


class ReleasedSystems(NamedTuple):
    """What stays and what was let go, with their states q (..., nq), v (..., nv)."""

    system: Any
    q: np.ndarray
    v: np.ndarray
    released: Any
    q_released: np.ndarray
    v_released: np.ndarray


class JoiningMethods(SystemData):
    """Capture and release, dry (`Plant.join` counts water and wheels), on numbers."""

    def join(
        self,
        q: ArrayLike,
        v: ArrayLike,
        guest: SystemData,
        q_guest: ArrayLike,
        v_guest: ArrayLike,
        *,
        frame: str,
        joint: Joint | None = None,
        prefix: str | None = None,
    ) -> JoinedSystem:
        """A guest with a free vehicle, taken by a frame of this system where it is; momentum is conserved.

        q (..., nq), v (..., nv) of this system, q_guest and v_guest of the guest. joint: between the frame and the
        guest, axes in the frame, neutral at capture; rigid if None. The guest's parts are called
        "prefix/name" (prefix: its name).
        """
        if not isinstance(guest, SystemData):
            raise ModelError.single(self.name, "guest", expected="a System", given=repr(guest))
        state, state_guest = _state(self, q, v), _state(guest, q_guest, v_guest)
        joined = join_trees(self.tree, state[0], guest.tree, state_guest[0], frame, joint, prefix)
        varied = joined.places if next(iter(joined.places.values())).ndim > 1 else {}
        held = at_places(joined.tree, varied)
        jumped = jump(self.tree, state, guest.tree, state_guest, held, joined.q, joined.vehicle)
        return JoinedSystem(type(self)(joined.tree), joined.q, *jumped, joined.places)

    def release(
        self,
        q: ArrayLike,
        v: ArrayLike,
        body: str,
        *,
        prefix: str | None = None,
        places: Mapping[str, np.ndarray] | None = None,
    ) -> ReleasedSystems:
        """The body and all that it carries let go at q (..., nq), v (..., nv), as a system with a free vehicle.

        prefix: "prefix/" is taken off the names of what is released, and prefix becomes its name.  places: as `join`
        gave them, of a batch.
        """
        state_now = _state(self, q, v)
        rest, q, v, released, *state = release_body(self.tree, *state_now, body, prefix, places)
        return ReleasedSystems(type(self)(rest), q, v, type(self)(released), *state)


def _state(system: SystemData, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q (..., nq), v (..., nv))."""
    return system._array("q", q, system.nq), system._array("v", v, system.nv)
