"""Laws as C source: `um.CLaw` for `um.export_c`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernels.c_source import CEntry
from ..model import ModelError
from ..system.c_export import Exported, c_entry
from ..trace import trace
from ..worlds import Plant
from .law_function import LawFunction, law_function
from .law_tracing import name_of


class CLaw(Exported):
    """A law of a plant to be exported; it must be traceable.

    `prefix_law(t, q, v, u)`; with memory `prefix_law(t, q, v, x, memory, u, memory_out)`, once per control_step (s),
    and `prefix_law_start(memory)`, which fills in the memory at the beginning (memory_out may be memory; x is absent
    where the plant has no states). gains: whether those of an `um.Law` are an argument `gains`; else they are fixed.
    name: of the C function, after the prefix.
    """

    def __init__(
        self,
        law: Callable[..., Any],
        *,
        control_step: float | None = None,
        gains: bool = False,
        name: str = "law",
    ) -> None:
        self.law, self.control_step, self.gains, self.name = law, control_step, gains, name

    def entries(self, owner: Any, prefix: str) -> list[CEntry]:
        """The law, and the start of its memory."""
        if not isinstance(owner, Plant):
            expected = "a law of an um.Plant: export_c(plant, …)"
            raise ModelError.single(owner.name, "functions", expected=expected, given=type(owner).__name__)
        found = law_function(owner, self.law, self.control_step, self.gains)
        name, notes = f"{prefix}_{self.name}", list(_notes(found, self.gains))
        comment = f"The law {name_of(self.law)}: inputs u at time t, configuration q and velocity v."
        entries = [c_entry(found.traced, name, found.inputs, found.outputs, comment, notes)]
        if found.start.size:
            start = trace(lambda: found.start, name="start")
            told = f"The memory of {name} at the beginning."
            entries.append(c_entry(start, f"{name}_start", (), ("memory",), told))
        return entries


def _notes(found: LawFunction, gains: bool) -> list[str]:
    """Where the parts of the memory and the gains are, and what is fixed."""
    controller, notes = found.controller, []
    if controller.full:
        notes.append(f"Fixed: control period = {float(controller.gains[-1])} s; call it once in each.")
    values = controller.unpacked_gains(controller.gains)
    if gains and controller.layout:
        notes.append(f"gains: {_places(controller.layout)}")
    else:
        notes += [f"Fixed: {name} = {values[name].tolist()}" for name, _ in controller.layout]
    return notes + ([f"memory: {_places(controller.memory)}"] if controller.remembers else [])


def _places(layout: Any) -> str:
    """Names and shapes of the parts of a vector, one after the other."""
    return ", ".join(name + "".join(f"[{n}]" for n in shape) for name, shape in layout)
