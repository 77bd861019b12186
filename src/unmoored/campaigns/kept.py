"""What a campaign keeps of its samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import ModelError, Tree
from ..model.value import Value, replace_arrays
from ..simulation.channel import channel
from ..worlds import Plant
from .channel_kernel import input_of

#: times at which channels are kept if nothing is said
_TIMES = 50


@dataclass(frozen=True, eq=False, repr=False)
class Keep(Value):
    """What is kept of every sample, beside what became of it and its drawn values.

    channels: names (see `channel_values`): their lowest, highest and last values, and summaries over all samples at
    the kept times; None: the vehicles' positions and the joints.
    every: s between kept times, a multiple of the step; None: about 50 times.
    series: whether each sample's channels are kept at these times; else summaries only.
    end: whether each sample's last state (t, q, v, x) is kept.  events: whether all events are.
    failures: of how many failed samples of a shard all rows are kept; `campaign.sample(i)` makes any again.
    """

    channels: tuple[str, ...] | None = None
    every: float | None = None
    series: bool = True
    end: bool = True
    events: bool = True
    failures: int = 0

    def __post_init__(self) -> None:
        if self.channels is not None:
            names = (self.channels,) if isinstance(self.channels, str) else tuple(self.channels)
            if len(set(names)) < len(names):
                raise ModelError.single("Keep", "channels", expected="different names", given=repr(names))
            replace_arrays(self, channels=names)
        for name in ("series", "end", "events"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError.single(
                    "Keep", name, expected="true or false", given=repr(getattr(self, name))
                )
        if isinstance(self.failures, bool) or not isinstance(self.failures, int) or self.failures < 0:
            raise ModelError.single(
                "Keep", "failures", expected="a whole number ≥ 0", given=repr(self.failures)
            )


def as_keep(given: Any) -> Keep:
    """What `keep=` says: a `Keep`, names of channels, or nothing."""
    if given is None:
        return Keep()
    if isinstance(given, Keep):
        return given
    if isinstance(given, str | Sequence):
        return Keep(channels=tuple([given] if isinstance(given, str) else given))
    raise ModelError.single("Campaign", "keep", expected="a Keep or names of channels", given=repr(given))


def kept_channels(keep: Keep, plant: Plant, usual: tuple[str, ...], controlled: bool) -> tuple[str, ...]:
    """Names of the kept channels, each checked; those of inputs only where a law gives them."""
    tree = plant.system.tree
    names = keep.channels if keep.channels is not None else usual or default_channels(tree)
    for name in names:
        if input_of(plant, name) is None:
            channel(tree, name)
        elif not controlled:
            raise ModelError.single(
                "Keep", name, expected="a controller, whose inputs are kept", given="none"
            )
    return names


def default_channels(tree: Tree) -> tuple[str, ...]:
    """Positions of the vehicles, and the joints with one DoF."""
    places = [f"{name}.{axis}" for name in tree.vehicles for axis in "xyz"]
    return (*places, *(link.name for link in tree.links if link.joint.nv == 1))


def kept_every(keep: Keep, step: float, steps: int) -> int:
    """Steps between kept times."""
    if keep.every is None:
        return max(1, steps // _TIMES)
    every = keep.every
    number = isinstance(every, int | float | np.number) and not isinstance(every, bool) and 0 < every < np.inf
    count = round(every / step) if number else 0
    if count < 1 or abs(every / step - count) > 1e-9 * max(1, count):
        raise ModelError.single(
            "Keep", "every", expected=f"a multiple of the step {step:g} s", given=repr(every)
        )
    return count
