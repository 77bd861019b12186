"""The functions of a time loop as graphs that every backend prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...error_roots import ArrayError
from ...trace import Traced, trace
from ..lower import lowered
from ..number_formats import Format

Function = Callable[..., Any]
#: arrays that the inputs of a loop may be in
MOST_INPUTS = 3


@dataclass(frozen=True)
class Sizes:
    """Numbers per sample: state, parameters, inputs of a step, record; input_parts: by the arrays that they are in."""

    state: int
    parameters: int
    inputs: int
    record: int
    input_parts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "input_parts", tuple(self.input_parts) or (self.inputs,))


@dataclass(frozen=True)
class Functions:
    """Lowered functions of (t, h, state, parameters, inputs)."""

    step: Traced
    record: Traced
    update: Traced | None
    sizes: Sizes
    after: Traced | None = None

    @property
    def all(self) -> list[Traced]:
        """The functions that there are."""
        return [part for part in (self.step, self.record, self.update, self.after) if part is not None]

    @property
    def operations(self) -> int:
        """Arithmetic operations of a step."""
        return self.step.operations


def traced_functions(
    step: Function,
    record: Function,
    update: Function | None,
    sizes: tuple[int, int, int],
    form: Format,
    loops_beyond: int | None,
    after: Function | None = None,
    input_parts: tuple[int, ...] = (),
) -> Functions:
    """Trace and lower the functions for a loop with sizes (state, parameters, inputs); see `compile_loop`."""
    shapes = ((), (), *((size,) for size in sizes))

    def graph(function: Function, name: str) -> Traced:
        return trace(function, *shapes, name=name, loops_beyond=loops_beyond)

    graphs = [graph(step, "step"), graph(lambda t, h, y, p, u: record(t, y, p, u), "record")]
    if update is not None:
        graphs.append(graph(lambda t, h, y, p, u: update(t, y, p, u), "update"))
    if after is not None:
        graphs.append(graph(lambda t, h, y, p, u: after(t, y, p, u), "after"))
    state, vectors = (sizes[0],), graphs[1].output_shapes
    _check(
        "step",
        graphs[0].output_shapes in ((state, ()), (state, (1,))),
        f"a state {state} and a verdict",
        graphs[0],
    )
    _check(
        "record",
        len(vectors) == 1 and len(vectors[0]) == 1 and vectors[0] != (0,),
        "a vector (m,)",
        graphs[1],
    )
    for found in graphs[2:]:
        _check(found.name, found.output_shapes == (state,), f"a state {state}", found)
    done: dict[int, Any] = {}  # what several of them call is lowered, and printed, once
    plain = [lowered(traced, form, done) for traced in graphs]
    return Functions(
        plain[0],
        plain[1],
        plain[2] if update else None,
        Sizes(*sizes, vectors[0][0], input_parts),
        plain[-1] if after else None,
    )


def _check(name: str, right: bool, expected: str, given: Traced) -> None:
    if not right:
        shapes = " and ".join(map(str, given.output_shapes))
        raise ArrayError(f"{name} of a time loop must return {expected}, got {shapes}")
