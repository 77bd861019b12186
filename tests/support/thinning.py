"""Parameters of which the ordinary tests take some, and `make long` the rest: what is marked `long`.

A walk whose cases take milliseconds is marked `whole`, and stays so: each case that is left out lets mistakes pass.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

#: how many cases of each walk (over groups, joints, methods, seeds, files) are ordinary at most, by room
ORDINARY = {
    "bridges": 4, "campaigns": 4, "control": 4, "dynamics": 4, "identification": 4, "integrators": 3, "kernels": 4,
    "lie": 8, "model": 8, "planning": 4, "scenarios": 8, "sensing": 4, "simulation": 4, "system": 4, "trace": 4,
    "views": 8, "worlds": 4,
}  # fmt: skip


def thin_walks(items: Sequence[pytest.Item], tests: Path) -> None:
    """Mark cases beyond the number of their room `long`, evenly over the walk; those that are long do not count, and
    walks that are `whole` are left as they are."""
    walks = defaultdict(list)
    for item in items:
        room = item.path.relative_to(tests).parts[0]
        if room in ORDINARY and not any(map(item.get_closest_marker, ("long", "whole"))):
            walks[room, item.path, getattr(item, "originalname", item.name)].append(item)
    for (room, *_), cases in walks.items():
        every = -(-len(cases) // ORDINARY[room])
        for k, item in enumerate(cases):
            if k % every:
                item.add_marker(pytest.mark.long)


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
