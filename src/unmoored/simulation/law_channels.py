"""Numbers that laws tell, by name: inputs and their duties, entries of memories, losses of levels, estimates."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control.allocation.channels import FAR
from ..model import ModelError, Tree
from ..sensing.estimated import estimate_in
from ..worlds import Law
from ..worlds.law import has_memory
from ..worlds.law_memory import MemoryLayout, initial_memory, layout_of
from .channel import channel

#: of inputs: the command, and its share of the largest one that the actuator takes
OF_INPUTS = ("input", "duty")
#: of channels of the state, where a filter estimates it: as it is believed to be, and less what it is
OF_ESTIMATES = ("estimate", "estimate_error")
MEMORY = "memory"
_TURNS = (".roll", ".pitch", ".yaw")
_ENTRY = re.compile(r"(.+?)(?:\[(\d+(?:,\s*\d+)*)\])?")


@dataclass(frozen=True)
class LawChannel:
    """A number that a law tells. kind: "input", "duty", "memory", "estimate" or "estimate_error".

    owner: the input, the memory, or the channel of the state that is estimated.  entry: which number of the memory.
    """

    kind: str
    owner: str
    entry: tuple[int, ...] = ()


def law_channel(
    tree: Tree, name: str, inputs: Sequence[str] = (), memory: MemoryLayout = ()
) -> LawChannel | None:
    """What `name` is of a law with these inputs and this memory; None if it tells no such number.

    "thruster_1.input", "thruster_1.duty"; "memory.NAME" or "memory.NAME[2]", "memory.NAME[0,1]" by the shape of it;
    "level_0.loss"; "tool.x.estimate" and "tool.x.estimate_error" of any channel of the state.
    """
    if _is_of_state(tree, name):
        return None
    owner, _, what = name.rpartition(".")
    if what in OF_INPUTS and owner in inputs:
        return LawChannel(what, owner)
    if what in OF_ESTIMATES:
        return LawChannel(what, owner) if _estimates(memory) and _is_of_state(tree, owner) else None
    if what == "loss" and (kept := _losses(memory)) is not None:
        level = owner.removeprefix("level_")
        if level != owner and level.isdigit() and int(level) < kept[1][0]:
            return LawChannel(MEMORY, kept[0], (int(level),))
    if name.startswith(f"{MEMORY}."):
        return _entry(name.removeprefix(f"{MEMORY}."), dict(memory))
    return None


def _entry(name: str, shapes: Mapping[str, tuple[int, ...]]) -> LawChannel | None:
    match = _ENTRY.fullmatch(name)
    assert match is not None
    own, entry = match[1], tuple(int(k) for k in match[2].split(",")) if match[2] else ()
    shape = shapes.get(own)
    if shape is None or len(entry) != len(shape) or any(k >= n for k, n in zip(entry, shape, strict=True)):
        return None
    return LawChannel(MEMORY, own, entry)


def entries(name: str, memory: MemoryLayout) -> tuple[str, ...]:
    """The channels of all entries of a memory that is called whole, "memory.NAME"; any other name as it is."""
    shape = dict(memory).get(name.removeprefix(f"{MEMORY}.")) if name.startswith(f"{MEMORY}.") else None
    if not shape:
        return (name,)
    return tuple(f"{name}[{','.join(map(str, place))}]" for place in np.ndindex(shape))


def memory_layout(law: Any, control_step: float | None) -> MemoryLayout:
    """Names and shapes of what a law keeps in a run with this control period."""
    if law is None or control_step is None:
        return ()
    held = law._when_held() if isinstance(law, Law) else law
    return layout_of(initial_memory(held)) if has_memory(held) else ()


def estimated_state(memory: Mapping[str, Any]) -> tuple[Any, Any]:
    """(q (..., nq), v (..., nv)) as the filter of the law believes them to be."""
    found = estimate_in(memory)
    assert found is not None
    return found.q, found.v


def error_of(name: str, believed: Any, true: Any, xp: Any = np) -> Any:
    """By how much an estimated channel is off; angles of frames within half a turn."""
    off = believed - true
    return xp.remainder(off + np.pi, 2 * np.pi) - np.pi if name.endswith(_TURNS) else off


def duty(u: Any, limits: np.ndarray, xp: Any = np) -> Any:
    """|u| over the largest command of its sign, of inputs u (..., n) with limits (n, 2); NaN where there is none."""
    limit = xp.where(
        u < 0, xp.asarray(np.maximum(-limits[:, 0], 0.0)), xp.asarray(np.maximum(limits[:, 1], 0.0))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        share = xp.where(u == 0, 0.0, xp.minimum(xp.abs(u) / limit, 1.0))
    return xp.where(limit < FAR, share, np.nan)


def told_names(inputs: Sequence[str], memory: MemoryLayout) -> str:
    """What a law tells, in words, for errors."""
    found = f"; .{', .'.join(OF_INPUTS)} of {', '.join(inputs)}" if inputs else ""
    kept = _losses(memory)
    found += f"; level_0.loss … level_{kept[1][0] - 1}.loss" if kept else ""
    words = [name if not math.prod(shape) > 1 else f"{name}[{_last(shape)}]" for name, shape in memory]
    found += f"; {MEMORY}.NAME of {', '.join(words)}, an entry each" if words else ""
    return found + (f"; .{', .'.join(OF_ESTIMATES)} of these channels" if _estimates(memory) else "")


def _last(shape: tuple[int, ...]) -> str:
    return ",".join(f"0…{n - 1}" for n in shape)


def _estimates(memory: MemoryLayout) -> bool:
    return any(name.endswith("estimate.q") for name, _ in memory)


def _losses(memory: MemoryLayout) -> tuple[str, tuple[int, ...]] | None:
    """The memory in which a `TaskPriority` law keeps what its levels miss."""
    return next(((name, shape) for name, shape in memory if name.rpartition(".")[2] == "loss"), None)


def _is_of_state(tree: Tree, name: str) -> bool:
    try:
        channel(tree, name)
    except ModelError:
        return False
    return True
