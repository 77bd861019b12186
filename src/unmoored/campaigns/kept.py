"""What a campaign keeps of its samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control.allocation.channels import FAR
from ..control.allocation.input_limits import limits_of
from ..model import ModelError, Tree
from ..model.value import Value, replace_arrays
from ..simulation.channel import channel, known_channels
from ..simulation.law_channels import entries, law_channel, told_names
from ..worlds import Plant
from ..worlds.law_memory import MemoryLayout

#: times at which channels are kept if nothing is said
_TIMES = 50


@dataclass(frozen=True, eq=False, repr=False)
class Keep(Value):
    """What is kept of every sample, beside what became of it and its drawn values.

    channels: names of numbers of the state and of what the law tells, "thruster_1.duty", "memory.NAME[0]",
    "tool.x.estimate_error" (docs/campaigns.md; a memory called whole is all its entries): lowest, highest and last
    values, and summaries over all samples at the kept times; None: the vehicles' positions and the joints.
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
    names = [given] if isinstance(given, str) else given
    if isinstance(names, Sequence) and all(isinstance(name, str) for name in names):
        return Keep(channels=tuple(names))
    raise ModelError.single("Campaign", "keep", expected="a Keep or names of channels", given=repr(given))


def kept_channels(
    keep: Keep, plant: Plant, usual: tuple[str, ...], controlled: bool, memory: MemoryLayout
) -> tuple[str, ...]:
    """Names of the kept channels, each checked; what a law tells only where there is one, with this memory."""
    tree = plant.system.tree
    asked = keep.channels if keep.channels is not None else usual or default_channels(tree)
    names = tuple(dict.fromkeys(entry for name in asked for entry in entries(name, memory)))
    for name in names:
        told = law_channel(tree, name, plant.input_names, memory)
        if told is not None and told.kind in ("input", "duty") and not controlled:
            raise ModelError.single(
                "Keep", name, expected="a controller, whose inputs are kept", given="none"
            )
        if told is not None and told.kind == "duty":
            _check_limited(plant, told.owner, name)
        if told is None:
            _check_of_state(plant, name, memory)
    return names


def _check_limited(plant: Plant, owner: str, name: str) -> None:
    """Refuse the duty of an input that may be as large as it likes."""
    limits = limits_of(plant) if plant.actuators else np.full((plant.nu, 2), [-FAR, FAR])
    if np.any(np.abs(limits[plant.input_names.index(owner)]) >= FAR):
        expected = "an input with limits, of which it is the share"
        raise ModelError.single("Keep", name, expected=expected, given="one without")


def _check_of_state(plant: Plant, name: str, memory: MemoryLayout) -> None:
    tree = plant.system.tree
    try:
        channel(tree, name)
    except ModelError:
        expected = f"{known_channels(tree)}{told_names(plant.input_names, memory)}"
        raise ModelError.single("Keep", "unknown channel", expected=expected, given=repr(name)) from None


def default_channels(tree: Tree) -> tuple[str, ...]:
    """Positions of the vehicles, and the joints with one DoF."""
    places = [f"{name}.{axis}" for name in tree.vehicles for axis in "xyz"]
    return (*places, *(link.name for link in tree.links if link.joint.nv == 1))


def kept_every(keep: Keep, step: float, steps: int) -> int:
    """Steps between kept times."""
    if keep.every is None:
        return max(1, steps // _TIMES)
    every = keep.every
    number = (
        isinstance(every, int | float | np.number)
        and not isinstance(every, bool)
        and 0 < every / step < 2**53
    )
    count = round(every / step) if number else 0
    if count < 1 or abs(every / step - count) > 1e-9 * max(1, count):
        raise ModelError.single(
            "Keep", "every", expected=f"a multiple of the step {step:g} s", given=repr(every)
        )
    return count
