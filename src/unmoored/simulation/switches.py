"""What an event does instead of stopping a sample: it closes, opens, lets fail, or changes a mode."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import ModelError
from ..model.names import check_plain_name
from ..model.value import Value


@dataclass(frozen=True, eq=False, repr=False)
class Switch(Value):
    """A change in a sample's own state; name: of what changes."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ModelError.single(type(self).__name__, "name", expected="a name", given=repr(self.name))
        check_plain_name(type(self).__name__, self.name)


@dataclass(frozen=True, eq=False, repr=False)
class Close(Switch):
    """Switch an element, closure, brake or clutch of the plant on.

    A closure holds its frames as they are at that moment (its `offset`), and the velocities jump by the impulse that
    this takes, with added mass; reaction wheels keep their momentum. What is on already stays as it is.
    """


@dataclass(frozen=True, eq=False, repr=False)
class Open(Switch):
    """Switch an element, closure, brake or clutch of the plant off. Velocities do not jump; a spring's energy
    is gone.
    """


@dataclass(frozen=True, eq=False, repr=False)
class Fail(Switch):
    """Let an actuator of the plant give nothing from now on, as if this were its `fails_at`."""


@dataclass(frozen=True, eq=False, repr=False)
class Mode(Switch):
    """Set a mode, which laws see as `seen.modes[name]` (see `Phases`), to a whole number."""

    value: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise ModelError.single(
                f"mode {self.name}", "value", expected="a whole number", given=repr(self.value)
            )
