"""Parameters of which the ordinary tests take some, and `make long` the rest: what is marked `long`."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def one_in(count: int, cases: Iterable[Any], first: int = 0) -> list[Any]:
    """Every `count`-th case from `first` on is ordinary."""
    return [case if k % count == first else _long(case) for k, case in enumerate(cases)]


def without(heavy: Callable[[Any], bool], cases: Iterable[Any]) -> list[Any]:
    """Cases that are heavy are long."""
    return [_long(case) if heavy(case) else case for case in cases]


def _long(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.long)
