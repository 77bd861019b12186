"""What of a sea a ship's table does not tell: waves shorter than its last frequency, and longer than its first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .ship_response import ShipResponse
from .spectra import Spectrum

#: parts of a motion's variance that are told of: lost above the last frequency, made up below the first
TOLD_ABOVE, TOLD_BELOW = 0.02, 0.1
_WAVES = 500


class Beyond(NamedTuple):
    """energy: shares of the waves' energy (below the first frequency, above the last). motion: parts of the variance of
    the ship's motion that come from there, if the operators stay as they are at the ends; the largest of all motions,
    each as a part of the largest translation, or rotation."""

    energy: tuple[float, float]
    motion: tuple[float, float]


def beyond(response: ShipResponse, spectrum: Spectrum, stretched: float, headings_rad: np.ndarray) -> Beyond:
    """Of waves with the spectrum's frequencies times `stretched`, that go to the headings (n,) [rad] in turn."""
    ω = stretched * spectrum.at_energy((np.arange(_WAVES) + 0.5) / _WAVES)
    first, last = response.frequencies[[0, -1]]
    outside = ω < first, ω > last
    if first <= ω[0] and ω[-1] <= last:
        return Beyond((0.0, 0.0), (0.0, 0.0))
    headings = np.resize(headings_rad, _WAVES)
    real, imaginary = response.parts_at(headings, np.clip(ω, first, last))
    square = real**2 + imaginary**2
    total = np.repeat([square[:, :3].sum(axis=0).max(), square[:, 3:].sum(axis=0).max()], 3)
    total = np.where(total > 0.0, total, 1.0)
    below, above = (float((square[part].sum(axis=0) / total).max()) for part in outside)
    return Beyond((float(outside[0].mean()), float(outside[1].mean())), (below, above))


def in_words(found: Beyond, response: ShipResponse) -> list[str]:
    """What is to be told of it."""
    told = []
    for name, k, bound, what in (
        ("above its last", 1, TOLD_ABOVE, "they do not move it, and its motion may lack"),
        ("below its first", 0, TOLD_BELOW, "they move it as the first does, which makes"),
    ):
        if found.motion[k] > bound:
            ω = response.frequencies[-k]
            told.append(
                f"{found.energy[k]:.2g} of the waves' energy lies {name} frequency, {ω:.4g} rad/s:"
                f" {what} {found.motion[k]:.2g} of its variance"
            )
    return told
