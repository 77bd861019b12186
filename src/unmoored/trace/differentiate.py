"""Derivatives of functions: along a direction, of a weighted sum, all of them, of a number.

Each takes a `Traced` and gives a `Traced`, or takes a Python function of arrays and gives one. Derivatives are by the
numbers of the arrays as they are stored. Calls stay calls and loops stay loops: see `forward_mode` and `reverse_mode`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from ..error_roots import ArrayError
from .array_functions import is_symbolic
from .dependencies import Fingerprint, fingerprint
from .embed import copied, embedded, inputs_of
from .evaluate import evaluate
from .forward_mode import jacobian_part, pushforward
from .graph import Graph
from .outline import call_traced
from .reverse_mode import pull, pullback
from .traced import Traced, trace
from .tracing_error import TracingError
from .users_line import caller_line

Wrt = int | Sequence[int] | None
Function = TypeVar("Function", Traced, Callable[..., Any])


def jvp(function: Function, wrt: Wrt = None) -> Function:
    """Derivatives of the outputs along a direction: a function of (x..., dx...), dx for the inputs `wrt` only.

    `wrt` is the position, or positions, of the inputs that change; all of them if None.
    """
    return _derived(function, wrt, _jvp)


def vjp(function: Function, wrt: Wrt = None) -> Function:
    """Gradients of a weighted sum of the outputs: a function of (x..., weights of every output...).

    It returns the gradients by the inputs `wrt` (all of them if None), in the shapes of those.
    """
    return _derived(function, wrt, _vjp)


def jacobian(function: Function, wrt: Wrt = None) -> Function:
    """All derivatives. For each output of shape S and each input `wrt` of shape T, an output of shape S + T.

    Outputs come in the order (output 0 by input 0, output 0 by input 1, ...).
    """
    return _derived(function, wrt, _jacobian)


def gradient(function: Function, wrt: Wrt = None) -> Function:
    """The gradient of a function with one scalar output by the inputs `wrt`, all of them if None."""
    return _derived(function, wrt, _gradient)


def _derived(function: Any, wrt: Wrt, derive: Callable[[Traced, Wrt], Traced]) -> Any:
    """The derivative of a traced function, or a function of arrays that traces, derives and runs on demand."""
    if isinstance(function, Traced):
        return derive(function, wrt)
    if not callable(function):
        raise TracingError(f"expected a function of arrays, got {function!r}. At {caller_line()}")
    known: dict[tuple, Traced] = {}
    depends: list[Fingerprint] = []

    @wraps(function)
    def derivative(*arguments: Any) -> Any:
        shapes = tuple(np.shape(argument) for argument in arguments)
        now = fingerprint(function)
        if (
            not depends or now.unseen or now.digest != depends[0].digest
        ):  # what the function reads has changed
            known.clear()
            depends[:] = [now]
        if shapes not in known:
            known[shapes] = derive(_traced(function, shapes, wrt, derive), wrt)
            expected = known[shapes].input_shapes
            if expected != shapes:
                raise TracingError(
                    f"the derivative of {known[shapes].name} takes arrays of shapes {list(expected)}, "
                    f"got {list(shapes)}. At {caller_line()}"
                )
        run = call_traced if is_symbolic(*arguments) else evaluate
        return run(known[shapes], *arguments)

    derivative.__name__ = f"{getattr(function, '__name__', 'function')}_{derive.__name__.strip('_')}"
    return derivative


def _traced(function: Callable[..., Any], shapes: tuple[Any, ...], wrt: Wrt, derive: Any) -> Traced:
    """The function itself as a graph, from the shapes of the arguments of its derivative."""
    given = len(shapes)
    if derive in (_jacobian, _gradient):
        return trace(function, *shapes, exact_zeros=True)
    if derive is _jvp:
        along = given // 2 if wrt is None else 1 if isinstance(wrt, int) else len(wrt)
        return trace(function, *shapes[: given - along], exact_zeros=True)
    for own in _input_counts(function, given - 1):
        traced = trace(function, *shapes[:own], exact_zeros=True)
        if own + len(traced.output_shapes) == given:
            return traced
    return traced


def _input_counts(function: Callable[..., Any], most: int) -> Sequence[int]:
    """How many arrays a function can be given; fewest last, those that it needs."""
    parameters = inspect.signature(function).parameters.values()
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise TracingError(
            f"vjp of {getattr(function, '__name__', function)}: how many arrays it takes cannot be seen; give it plain "
            f"parameters, or trace it first (unmoored.trace.trace(function, *shapes)). At {caller_line()}"
        )
    needed = max(1, sum(p.default is p.empty for p in plain))
    return range(max(needed, min(len(plain), most)), needed - 1, -1)


def _positions(traced: Traced, wrt: Wrt) -> list[int]:
    count = len(traced.input_shapes)
    chosen = list(range(count)) if wrt is None else [wrt] if isinstance(wrt, int) else list(wrt)
    for position in chosen:
        if not isinstance(position, int) or not 0 <= position < count:
            raise ArrayError(
                f"{traced.name} has inputs 0..{count - 1}, cannot differentiate by input {position!r}"
            )
    return chosen


def _flat(traced: Traced, chosen: Sequence[int]) -> tuple[int, ...]:
    """Flat inputs of the chosen arrays."""
    offsets = traced.input_offsets
    return tuple(k for position in chosen for k in range(offsets[position], offsets[position + 1]))


def _jvp(traced: Traced, wrt: Wrt) -> Traced:
    chosen = _positions(traced, wrt)
    pushed = pushforward(traced, _flat(traced, chosen))
    moved = tuple(traced.input_shapes[k] for k in chosen)
    return replace(
        pushed, input_shapes=traced.input_shapes + moved, single=traced.single, name=f"{traced.name}_jvp",
        **_split(pushed.outputs[0], traced.output_shapes),
    )  # fmt: skip


def _vjp(traced: Traced, wrt: Wrt) -> Traced:
    chosen = _positions(traced, wrt)
    pulled = pullback(traced, _flat(traced, chosen), tuple(range(len(traced.flat_outputs))))
    shapes = tuple(traced.input_shapes[k] for k in chosen)
    return replace(
        pulled, input_shapes=traced.input_shapes + traced.output_shapes, single=len(chosen) == 1,
        name=f"{traced.name}_vjp", **_split(pulled.outputs[0], shapes),
    )  # fmt: skip


def _gradient(traced: Traced, wrt: Wrt) -> Traced:
    if traced.output_shapes != ((),):
        raise ArrayError(f"gradient needs one scalar output, {traced.name} has shapes {traced.output_shapes}")
    chosen = _positions(traced, wrt)
    active = _flat(traced, chosen)
    if traced.rule is not None and traced.rule.vjp is not None:
        graph = Graph()
        given = [*inputs_of(graph, 0, traced.input_offsets[-1]), graph.constant(1.0)]
        found = embedded(graph, pullback(traced, active, (0,)), given)
    else:
        new = copied(traced)
        graph, output = new.graph, new.flat_outputs[0]
        found = pull(graph, [output], [(output, graph.constant(1.0))], active)
    shapes = tuple(traced.input_shapes[k] for k in chosen)
    return replace(
        traced, graph=graph, single=len(chosen) == 1, name=f"{traced.name}_gradient", rule=None,
        **_split(found, shapes),
    )  # fmt: skip


def _jacobian(traced: Traced, wrt: Wrt) -> Traced:
    chosen = _positions(traced, wrt)
    active = _flat(traced, chosen)
    whole = jacobian_part(traced, active)
    entries, columns = whole.outputs[0], len(active)
    outputs, shapes, row = [], [], 0
    for output, shape in zip(traced.outputs, traced.output_shapes, strict=True):
        first = 0
        for position in chosen:
            count = int(np.prod(traced.input_shapes[position]))
            outputs.append(
                tuple(
                    entries[(row + i) * columns + first + j] for i in range(len(output)) for j in range(count)
                )
            )
            shapes.append(shape + traced.input_shapes[position])
            first += count
        row += len(output)
    return replace(
        whole, input_shapes=traced.input_shapes, outputs=tuple(outputs), output_shapes=tuple(shapes),
        single=len(outputs) == 1, name=f"{traced.name}_jacobian",
    )  # fmt: skip


def _split(flat: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """Outputs of these shapes from flat ones, as fields of a `Traced`."""
    edges = np.concatenate([[0], np.cumsum([int(np.prod(shape)) for shape in shapes])]).astype(int)
    return {"outputs": tuple(tuple(flat[a:b]) for a, b in pairwise(edges)), "output_shapes": tuple(shapes)}
