"""Parameters of which the ordinary tests take some, and `make long` the rest: what is marked `long`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def one_in(count: int, cases: Iterable[Any], first: int = 0) -> list[Any]:
    """Every `count`-th case from `first` on is ordinary."""
    return [case if k % count == first else _long(case) for k, case in enumerate(cases)]


def without(heavy: Callable[[Any], bool], cases: Iterable[Any]) -> list[Any]:
    """Cases that are heavy are long."""
    return [_long(case) if heavy(case) else case for case in cases]


def pairs(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """Of every pair those are ordinary that show each value of both."""
    every = [((i, j), (a, b)) for i, a in enumerate(first) for j, b in enumerate(second)]
    shown = [i % len(second) == j or j % len(first) == i for (i, j), _ in every]
    return [case if kept else _long(case) for (_, case), kept in zip(every, shown, strict=True)]


def _long(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)
