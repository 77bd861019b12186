"""Attributes of URDF elements as numbers, names and poses. What is wrong is noted with its line."""

from __future__ import annotations

import math
import re

from ...pose import Pose
from ...value import LARGEST
from ..file_problems import Problems, short
from ..xml_elements import Element

_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class Attributes:
    """Reads attributes of the elements of one link or joint, called `where` in problems."""

    def __init__(self, problems: Problems, where: str):
        self._problems = problems
        self._where = where

    def problem(self, element: Element, rule: str, expected: str, given: str) -> None:
        """Note one broken rule at the element's line."""
        self._problems.add(self._where, rule, expected=expected, given=given, line=element.line)

    def errors_of(self, element: Element):
        """A context that notes the rules of a `ModelError` raised inside, at the element's line."""
        return self._problems.of(self._where, element.line)

    def text(self, element: Element, name: str) -> str:
        """An attribute that must be there."""
        value = element.attributes.get(name)
        if not value:
            self.problem(element, f"<{element.tag}>", f"an attribute {name}", "none")
        return value or ""

    def number(self, element: Element, name: str, default: float | None = None) -> float:
        """One finite number; one that must be there if there is no default."""
        return self.numbers(element, name, 1, None if default is None else (default,))[0]

    def optional_number(self, element: Element | None, name: str) -> float | None:
        """One finite number, or None where it is not given."""
        if element is None or name not in element.attributes:
            return None
        return self.number(element, name)

    def numbers(
        self, element: Element, name: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """`count` finite numbers divided by spaces."""
        text = element.attributes.get(name)
        if text is None and default is not None:
            return default
        words = (text or "").split()
        values = tuple(map(_number, words)) if len(words) == count else ()
        if len(values) == count and all(abs(value) <= LARGEST for value in values):
            return values
        expected = f"{count} number{'s' * (count > 1)} of magnitude ≤ {LARGEST:g}"
        self.problem(element, f"{name} of <{element.tag}>", expected, "none" if text is None else short(text))
        return (0.0,) * count

    def origin(self, element: Element) -> Pose:
        """Pose of the `<origin>` in an element (m, rad); identity where there is none."""
        origin = element.first("origin")
        if origin is None:
            return Pose()
        zero = (0.0, 0.0, 0.0)
        xyz, rpy = self.numbers(origin, "xyz", 3, zero), self.numbers(origin, "rpy", 3, zero)
        with self.errors_of(origin):
            return Pose(xyz, rpy=rpy)
        return Pose()

    def one(self, element: Element, tag: str) -> Element | None:
        """The child with this tag, of which there may be one at most."""
        found = element.all(tag)
        if len(found) > 1:
            self.problem(found[1], f"<{tag}>", "one", f"{len(found)}")
        return found[0] if found else None


def _number(word: str) -> float:
    """Not `float()`: that also takes 1_0, nan and other alphabets' digits."""
    return float(word) if _NUMBER.fullmatch(word) else math.nan
