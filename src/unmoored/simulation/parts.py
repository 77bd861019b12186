"""Functions that stay functions of their own inside a kernel, so that nothing is fused across their boundary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..trace import LOOPS_BEYOND, Graph, Traced, call_traced, is_symbolic, rewrite, trace


class Part:
    """A function of arrays that is called out of line by whatever is traced; on numbers it is the function itself.

    `as_written` keeps its products from being fused with its sums: it then rounds as the same NumPy code does.
    `on_numbers` is what is called on numbers instead, if the function itself takes symbols or single samples only.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        *,
        as_written: bool = False,
        on_numbers: Callable[..., Any] | None = None,
    ):
        self.function, self.name, self.as_written = function, name, as_written
        self.on_numbers = on_numbers or function
        self._traced: dict[tuple, Traced] = {}

    def __call__(self, *arguments: Any) -> Any:
        if not is_symbolic(*arguments):
            return self.on_numbers(*arguments)
        return call_traced(self.traced(*(np.shape(argument) for argument in arguments)), *arguments)

    def traced(self, *shapes: tuple[int, ...]) -> Traced:
        """The function's own graph for arguments of these shapes."""
        if shapes not in self._traced:
            traced = trace(self.function, *shapes, name=self.name, loops_beyond=LOOPS_BEYOND)
            self._traced[shapes] = unfused(traced) if self.as_written else traced
        return self._traced[shapes]


def unfused(traced: Traced) -> Traced:
    """The same function with every product behind two negations, which no fused operation reaches through."""

    def rule(new: Graph, _: int, node: tuple) -> int:
        index = new.node(*node)
        return new.node("neg", new.node("neg", index)) if node[0] == "mul" else index

    return replace(rewrite(traced, rule), name=traced.name)
