"""Collects the broken rules of one file, each with its line, so that they are all reported at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from reprlib import Repr

from ..errors import ModelError, Problem, shortened
from ..limits import limits

_MOST_REPORTED = 100

_short = Repr()
_short.maxstring = _short.maxother = _short.maxlong = 120
_short.maxlist = _short.maxdict = 8
_short.maxlevel = 3


class Problems:
    """The broken rules found so far in the file called `source`."""

    def __init__(self, source: str):
        self.source = source
        self._found: list[tuple[int, Problem]] = []

    def __len__(self) -> int:
        return len(self._found)

    @property
    def full(self) -> bool:
        """Whether there are so many that more would help nobody: time to stop reading."""
        return len(self._found) >= _MOST_REPORTED

    def add(
        self,
        where: str,
        rule: str,
        *,
        expected: str,
        given: str,
        line: int | None = None,
        source: str | None = None,
    ) -> None:
        """Note one broken rule, at `line` (from 1) of the file when it has one.

        source: the file, where it is another one that belongs to this one.
        """
        if self.full:
            return
        place = self.location(line, source)
        problem = Problem(
            shortened(where), shortened(rule), shortened(expected, 600), shortened(given), place
        )
        self._found.append((line or 0, problem))

    def location(self, line: int | None, source: str | None = None) -> str:
        """`file:line`, or the file alone."""
        file = source or self.source
        return file if line is None else f"{file}:{line}"

    @contextmanager
    def of(self, where: str, line: int | None) -> Iterator[None]:
        """Note the broken rules of a `ModelError` raised inside, as rules of `where` at `line`."""
        try:
            yield
        except ModelError as error:
            for problem in error.problems:
                self.add(where, problem.rule, expected=problem.expected, given=problem.given, line=line)

    def adopt(self, problem: Problem, line: int | None) -> None:
        """Note a broken rule of another file, which this one mounts at `line`."""
        if not self.full:
            place = f"{problem.location} (mounted at {self.location(line)})"
            self._found.append((line or 0, replace(problem, location=place)))

    def error(self) -> ModelError:
        """The error that lists them all, in the order of the file."""
        problems = [problem for _, problem in sorted(self._found, key=lambda item: item[0])]
        if self.full:
            given = f"perhaps more than these {_MOST_REPORTED}"
            problems.append(Problem("file", "problems", "none", given, self.source))
        return ModelError(problems)

    def raise_any(self) -> None:
        """Raise the error if there is anything to report."""
        if self._found:
            raise self.error()


def file_error(source: str, rule: str, *, expected: str, given: str, line: int | None = None) -> ModelError:
    """The error for a file of which nothing more can be said than this one broken rule."""
    problems = Problems(source)
    problems.add("file", rule, expected=expected, given=given, line=line)
    return problems.error()


def check_limit(source: str, name: str, size: float, what: str) -> None:
    """The error for a file in which there is more of something than `unmoored.limits` has as `name`."""
    if not size <= getattr(limits, name):
        raise file_error(source, what, expected=limits.words(name), given=f"{size:,}")


def short(x: object) -> str:
    """`repr` of `x`, shortened before it is built: hostile values may be huge."""
    return _short.repr(x)
