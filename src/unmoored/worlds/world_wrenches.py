"""The wrenches of a world, those of a user's own looked at first."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.errors import unknown_name
from ..model.short_text import shown
from ..model.value import has_own_code
from .scene import BodyWrenches, Scene
from .world import World

#: kinds of wrenches: powers, matrices and energies know these
KINDS = ("drag", "lift", "current", "potential", "immersion")


def wrenches_of(world: World, scene: Scene) -> Mapping[str, BodyWrenches]:
    """Wrenches beside weight and buoyancy, by kind; a `ModelError` if a user's world gives something else."""
    found = world.wrenches(scene)
    if has_own_code(world):
        return found
    if not isinstance(found, Mapping):
        raise _wrong(world, "result", "{kind: {index of a body: wrench (..., 6)}}", shown(found))
    return {kind: _of_bodies(world, scene, kind, part) for kind, part in found.items()}


def _of_bodies(world: World, scene: Scene, kind: Any, part: Any) -> BodyWrenches:
    if kind not in KINDS:
        raise unknown_name(type(world).__name__, "kind of wrenches", kind, KINDS)
    if not isinstance(part, Mapping):
        raise _wrong(world, f'"{kind}"', "{index of a body: wrench (..., 6)}", shown(part))
    wrenches = {}
    for body, F in part.items():
        try:
            known = 0 <= index(body) < len(scene.tree.links)
        except TypeError:
            known = False
        if not known:
            expected = f"the index of a body, from 0 to {len(scene.tree.links) - 1}"
            raise _wrong(world, f'"{kind}"', expected, repr(body))
        F = F if isinstance(F, np.ndarray) else np.array(F)
        if F.shape[-1:] != (6,):
            raise _wrong(world, f'"{kind}" on {scene.tree.names[body]}', "shape (..., 6)", f"shape {F.shape}")
        wrenches[index(body)] = F
    return wrenches


def _wrong(world: World, what: str, expected: str, given: str) -> ModelError:
    return ModelError.single(f"{type(world).__name__}.wrenches", what, expected=expected, given=given)
