"""The graph that is being traced in this thread, innermost last."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .graph import Graph

_local = threading.local()


@contextmanager
def active(graph: Graph) -> Iterator[Graph]:
    """While this lasts, functions are traced into `graph`."""
    stack = _local.__dict__.setdefault("graphs", [])
    stack.append(graph)
    try:
        yield graph
    finally:
        stack.pop()


def innermost_active() -> Graph | None:
    """The graph that functions are traced into now; None outside of every trace."""
    stack = _local.__dict__.get("graphs")
    return stack[-1] if stack else None
