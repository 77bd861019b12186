"""What is wrong with a model, said once for every reader: where, which rule, expected, given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from ..error_roots import UnmooredError, UnmooredWarning


@dataclass(frozen=True)
class Problem:
    """One broken rule. `where` names the body, joint, frame or key; `location` is `file:line` when there is one."""

    where: str
    rule: str
    expected: str
    given: str
    location: str | None = None

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return printable(f"{place}{self.where}: {self.rule}: expected {self.expected}, given {self.given}")


def printable(text: str) -> str:
    """The text with characters that are not printable (they may control a terminal) written out, as \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class ModelError(UnmooredError, ValueError):
    """Raised for a model that breaks rules; `problems` lists all of them."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems: tuple[Problem, ...] = tuple(problems)
        assert self.problems, "an error without a problem says nothing"
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def single(cls, where: str, rule: str, *, expected: str, given: str) -> Self:
        """The error for one broken rule."""
        return cls([Problem(where, rule, expected, shortened(given))])


class DataError(ModelError):
    """Raised for a saved run or checkpoint that is damaged, or is not one; it names the file."""


class ModelWarning(UnmooredWarning):
    """Given for a model that is usable but suspicious, as published ones may be."""


def unknown_name(where: str, kind: str, name: object, known: Iterable[str]) -> ModelError:
    """The error for a name that does not exist: it lists the names that do."""
    names = ", ".join(known) or "none"
    return ModelError.single(where, f"unknown {kind}", expected=f"one of {names}", given=repr(name))


def shortened(text: str, length: int = 300) -> str:
    """The text, of a long one its beginning."""
    return text if len(text) <= length else text[:length] + "…"


def some_of(names: Sequence[str], most: int = 8) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
