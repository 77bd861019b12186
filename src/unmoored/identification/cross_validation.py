"""Whether a fit predicts what it has not seen: recordings held out in turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..simulation.arguments import as_plant
from .identify import identify
from .recording import Array, as_recordings, wrong


class CrossValidation(NamedTuple):
    """Of every recording, when it was held out: fitted and as_built (R, k), the rms of what is left; names (k) of the
    outputs, recordings (R); values (folds, n) that each fit found."""

    fitted: Array
    as_built: Array
    names: tuple[str, ...]
    recordings: tuple[str, ...]
    values: Array


def cross_validate(
    plant: Any, recordings: Any, *, folds: int = 4, seed: int = 0, **options: Any
) -> CrossValidation:
    """Fits by trajectories to all but one of `folds` parts of the recordings, drawn by seed, and predicts that one.

    options: of `identify`.
    """
    plant = as_plant(plant, "cross_validate")
    found = as_recordings(recordings, plant, "cross_validate")
    if len(found) < 2:
        raise wrong("cross_validate", "recordings", "two or more: one is held out", str(len(found)))
    if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= len(found):
        raise wrong("cross_validate", "folds", f"a whole number from 2 to {len(found)}", repr(folds))
    parts = np.array_split(np.random.default_rng(seed).permutation(len(found)), folds)
    fitted: dict[int, Array] = {}
    as_built: dict[int, Array] = {}
    values, names = [], ()
    for part in parts:
        fit = identify(plant, [r for k, r in enumerate(found) if k not in part], **options)
        held = [found[k] for k in part]
        for k, new, old in zip(part, fit.predict(held), fit.predict(held, fitted=False), strict=True):
            fitted[int(k)], as_built[int(k)], names = new.rms, old.rms, new.names
        values.append(fit.values)
    order = range(len(found))
    return CrossValidation(
        np.array([fitted[k] for k in order]), np.array([as_built[k] for k in order]), names,
        tuple(r.name for r in found), np.array(values),
    )  # fmt: skip
