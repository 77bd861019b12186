"""Whether what is left of a fit goes on from row to row, so that its rows tell less than so many independent ones.

Standard errors take what is left for noise that every row has for itself. Where it is not (a model that lacks
something, a filter on the readings) and forgets itself by ρ with every row, n rows tell as much of what changes slowly
as n (1 − ρ)/(1 + ρ) independent ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..error_roots import warn
from ..model import ModelWarning
from .identified import Residuals
from .recording import Array

#: correlation from which on errors would be half as large again, and deviations of what chance makes of none
_MUCH, _SURE = 0.4, 3.0
#: what is left that is smaller (m, rad, …) is no noise of a sensor, but rounding and steps
_ROUNDING = 1e-6
_NAMED = 4


def warn_of_shared_noise(left: Sequence[Residuals], told: Array) -> None:
    """Warn of outputs that go on from row to row and whose noise was not told (k,), but taken from what is left."""
    ρ, size = neighbours(left)
    chance = _SURE / np.sqrt(sum(len(x.values) for x in left))
    much = ~np.asarray(told) & (ρ > max(_MUCH, chance)) & (size > _ROUNDING)
    if not much.any():
        return
    most = int(np.where(much, ρ, -1.0).argmax())
    names = [name for name, one in zip(left[0].names, much, strict=True) if one]
    whose = f"{', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}"
    text = (
        f"identify: what is left of {whose} goes on from row to row (correlation {ρ[most]:.2g} between neighbours of "
        f"{left[0].names[most]}): the model lacks something, or readings were filtered. Rows are not independent then, "
        f"and true errors are up to about {np.sqrt((1.0 + ρ[most]) / (1.0 - ρ[most])):.2g} times the stated ones; "
        "telling the noise, or fewer rows, gives honest ones"
    )
    warn(text, ModelWarning)


def neighbours(left: Sequence[Residuals]) -> tuple[Array, Array]:
    """Correlation ρ (k,) of what is left in neighbouring rows, and its root mean square (k,), over all recordings."""
    together = sum((x.values[1:] * x.values[:-1]).sum(axis=0) for x in left)
    squares = sum((x.values**2).sum(axis=0) for x in left)
    rows = sum(len(x.values) for x in left)
    ρ = np.divide(together, squares, out=np.zeros_like(squares), where=squares > 0.0)
    return np.clip(ρ, -0.999, 0.999), np.sqrt(squares / rows)
