"""A law for each phase of a job: which one acts is a mode that events set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..lie.arrays import vector
from ..model import ModelError
from ..model.names import check_plain_name
from ..trace import equal, where
from ..worlds.goal import Goal
from ..worlds.law import Law, Seen, respond


class Phases(Law):
    """Several laws of which one acts, the one whose number is the mode called `name`: law 0 until an event says else.

    `um.Event(f, "there", then=[um.Mode("law", 2)])` lets law 2 act from the next control period on. Laws with memory
    keep it while they do not act. A mode that no law has gives inputs that are no numbers, and the sample stops.
    """

    laws: tuple[Law, ...]
    name: str = "law"

    def __post_init__(self) -> None:
        laws = tuple(self.laws) if isinstance(self.laws, list | tuple) else ()
        if not laws or not all(isinstance(law, Law) for law in laws):
            raise ModelError.single("Phases", "laws", expected="a list of laws", given=repr(self.laws))
        check_plain_name("Phases", self.name)
        object.__setattr__(self, "laws", laws)

    @property
    def has_memory(self) -> bool:
        """Always: modes are seen in the full form."""
        return True

    @property
    def memory(self) -> dict[str, Any]:
        """Those of all laws, under their positions."""
        owners = [(i, law) for i, law in enumerate(self.laws) if law.has_memory]
        return {f"{i}.{name}": start for i, law in owners for name, start in law.memory.items()}  # type: ignore[attr-defined]

    @property
    def wants_delivered(self) -> bool:
        """Whether one of the laws uses `seen.delivered`."""
        return any(law.wants_delivered for law in self.laws)

    def _when_held(self) -> Law:
        return Phases(tuple(law._when_held() for law in self.laws), self.name)

    def goals(self) -> tuple[Goal, ...]:
        """Those of every law, while it acts."""
        numbered = ((i, goal) for i, law in enumerate(self.laws) for goal in law.goals())
        return tuple(replace(goal, modes=(*goal.modes, (self.name, i))) for i, goal in numbered)

    def __call__(self, seen: Seen, memory: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        mode = seen.modes.get(self.name, 0.0)
        u, kept = None, dict(memory)
        for i, law in enumerate(self.laws):
            own = {k.partition(".")[2]: x for k, x in memory.items() if k.partition(".")[0] == str(i)}
            given, new = respond(law, seen, own)
            acts, given = equal(mode, float(i)), np.asarray(given)
            none = np.full(given.shape, np.nan) if u is None else u
            u = _chosen(acts, given, none)
            kept |= {f"{i}.{k}": _chosen(acts, np.asarray(x), np.asarray(own[k])) for k, x in new.items()}
        return u, kept


def _chosen(condition: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a where the condition holds, else b, entry by entry."""
    flat = [where(condition, x, y) for x, y in zip(a.reshape(-1), b.reshape(-1), strict=True)]
    return vector(flat).reshape(a.shape) if flat else a
