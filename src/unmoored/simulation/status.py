"""Why a sample stopped, as the number that kernels carry and as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

RUNNING = 0.0
NOT_FINITE = 1.0
NOT_SOLVED = 2.0
STEP_UNDERFLOW = 3.0
NOT_CLOSED = 4.0
NO_END = 5.0
#: event i stops a sample with the code FIRST_EVENT + i, and with NO_NUMBER − i if its value is not a number
FIRST_EVENT = 8.0
NO_NUMBER = -1.0

#: numbers beyond this are as good as infinite: products of two still are finite
LARGEST = {"float64": 1e150, "float32": 1e18}

KINDS = ("running", "completed", "event", "blew_up", "not_converged", "interrupted")
_CURE = "take a smaller step or more iterations"
_REASONS = {
    NOT_FINITE: "its state is no longer finite",
    NOT_SOLVED: f"the implicit step was not solved: {_CURE}",
    STEP_UNDERFLOW: "the step size fell to nothing",
    NO_END: "events follow each other without end in one step: give the function of one a dead band",
    NOT_CLOSED: "a closure could not be kept: the step is too long, or the loop is at the end of its reach",
}
_WENT_WRONG = {"blew_up": "blew up", "not_converged": "did not converge"}
_NO_NUMBER = "its value is not a number"


@dataclass(frozen=True)
class Status:
    """What became of a sample.

    kind: "completed", "event" (which stopped it), "blew_up", "not_converged" (an implicit step was not solved),
    "interrupted", or "running".
    time: when it stopped (s), None if it did not stop early.  where: the event's name, or the joint, input, memory,
    actuator's state or event in which the numbers went wrong.  reason: why they did.  hint: what may help.
    """

    kind: str
    time: float | None = None
    where: str = ""
    reason: str = ""
    hint: str = ""

    @classmethod
    def of(cls, code: float) -> Status:
        """The words for a code that a kernel carries; events by their numbers."""
        code = float(code)
        if code == RUNNING:
            return cls("running")
        if code >= FIRST_EVENT:
            return cls("event", where=str(int(code - FIRST_EVENT)))
        if code <= NO_NUMBER:
            return cls("blew_up", where=f"event {int(NO_NUMBER - code)}", reason=_NO_NUMBER)
        return cls("not_converged" if code == NOT_SOLVED else "blew_up", reason=_REASONS[code])

    @classmethod
    def from_record(cls, record: Mapping[str, Any] | str) -> Status:
        """From what `record` gives, or from the text that runs of version 0.1 were saved with."""
        return _from_text(record) if isinstance(record, str) else cls(**record)

    @property
    def record(self) -> dict[str, Any]:
        """Plain data, for files."""
        return asdict(self)

    @property
    def title(self) -> str:
        """The text without time and reason: the same for samples that ended alike."""
        if self.kind == "event":
            return f"stopped: event {self.where}"
        if self.kind in _WENT_WRONG:
            words = f"{_WENT_WRONG[self.kind]} in {self.where}" if self.where else _WENT_WRONG[self.kind]
            return f"{words} ({_CURE})" if self.kind == "not_converged" else words
        return self.kind

    def __str__(self) -> str:
        when = "" if self.time is None else f" at t={self.time:.9g} s"
        if self.kind in _WENT_WRONG:
            where = f" in {self.where}" if self.where else ""
            hint = f" ({self.hint})" if self.hint else ""
            return f"{_WENT_WRONG[self.kind]}{when}{where}: {self.reason}{hint}"
        return f"{self.title}{when}"


COMPLETED = Status("completed")


def _from_text(text: str) -> Status:
    found = re.fullmatch(
        r"(stopped: event|blew up|interrupted) ?(.*?) ?at t=(\S+) s(?: in (.*?): (.*))?", text
    )
    if found is None:
        return Status("completed") if text == "completed" else Status("interrupted", reason=text)
    kind = {"stopped: event": "event", "blew up": "blew_up"}.get(found[1], "interrupted")
    return Status(kind, float(found[3]), found[4] or found[2], found[5] or "")
