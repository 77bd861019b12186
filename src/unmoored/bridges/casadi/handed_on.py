"""What is handed on to CasADi: methods of systems and plants, laws, events, and functions of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...model import ModelError
from ...simulation.events import as_events
from ...simulation.law_function import law_function
from ...system.bound_method import BoundMethod
from ...system.method import methods_of
from ...trace import trace
from ...worlds import Plant
from .casadi_functions import casadi_function, word

if TYPE_CHECKING:
    import casadi


def function(
    owner: Any,
    method: str,
    /,
    *static: Any,
    free: Iterable[str] = (),
    arguments: Iterable[str] = (),
    name: str | None = None,
    **options: Any,
) -> casadi.Function:
    """A method of a `System` or `Plant` as a `casadi.Function` for one sample.

    `function(plant, "forward_dynamics")` is a function of (t, q, v, u), and of x and p where the plant has any;
    `function(system, "jacobian", "tool")` of q. Inputs are the arrays that the method requires, a plant's u, x and p,
    the optional ones in `arguments` (such as ["gravity"]), and wrenches on frames (`wrenches=["tool"]`), in the order
    of the method's signature and under its names. What is in `options` is fixed: `method="heun"`,
    `gravity=(0, 0, -9.81)`. free: numbers of a system's bodies that become the input `p`, see `compile_method`.

    Outputs are called as the fields of the result (`q_out` where an input is called `q`), else `out`. Vectors are
    columns; of arrays with more than two dimensions all after the first lie in the columns.
    """
    if getattr(methods_of(type(owner)).get(method), "numpy_only", False):
        expected = "a method that can be traced: this one judges numbers (eigenvalues, ranks)"
        raise ModelError.single(owner.name, "method for CasADi", expected=expected, given=method)
    bound = BoundMethod(owner, method, static, arguments, options, free, run_time=True)
    traced = bound.traced(method)
    inputs = ["p" if x.name == "parameters" else word(x.name) for x in bound.arguments]
    twice = sorted({x for x in inputs if inputs.count(x) > 1})
    if twice:
        expected = "arguments whose names differ as identifiers (frames of wrenches, …)"
        raise ModelError.single(owner.name, "arguments", expected=expected, given=", ".join(twice))
    return casadi_function(traced, word(name or f"{owner.name}_{method}"), inputs, bound.result_names(traced))


def law(
    plant: Plant,
    law: Callable[..., Any],
    *,
    control_step: float | None = None,
    gains: bool = False,
    name: str = "law",
) -> casadi.Function:
    """A law of a plant as a `casadi.Function` of (t, q, v) with the output u; it must be traceable.

    With memory it is a function of (t, q, v, x, memory) with the outputs u and memory_out, called once per control_step
    (s); the memory is one vector, its parts in the order of their declaration. gains: whether those of an `um.Law` are
    an input `gains`, one after the other as in its fields; else they are fixed.
    """
    found = law_function(_plant(plant), law, control_step, gains)
    return casadi_function(found.traced, word(name), found.inputs, found.outputs)


def event(plant: Plant, event: Any, *, name: str = "event") -> casadi.Function:
    """The function of an `um.Event` or `um.ChannelEvent` as a `casadi.Function` of (t, q, v): zero at the event."""
    events = as_events(event, _plant(plant).tree)
    if len(events) != 1:
        raise ModelError.single(plant.name, "event", expected="one event", given=f"{len(events)}")
    shapes = (), (plant.nq,), (plant.nv,)
    traced = trace(events[0].function, *shapes, name=name, exact_zeros=True)
    return casadi_function(traced, word(name), ("t", "q", "v"), ("value",))


def traceable(
    function: Callable[..., Any],
    shapes: Sequence[Sequence[int]],
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    name: str | None = None,
) -> casadi.Function:
    """A traceable function of arrays of these shapes, such as a cost, as a `casadi.Function`.

    inputs, outputs: their names; x0, x1 … and y0, y1 … if they are not given.
    """
    traced = trace(function, *shapes, name=name, exact_zeros=True)
    given = [f"x{k}" for k in range(len(shapes))] if inputs is None else list(inputs)
    found = [f"y{k}" for k in range(len(traced.outputs))] if outputs is None else list(outputs)
    for what, words, count in (("inputs", given, len(shapes)), ("outputs", found, len(traced.outputs))):
        if len(words) != count:
            raise ModelError.single(traced.name, what, expected=f"{count} names", given=f"{len(words)}")
    return casadi_function(traced, word(name or traced.name), given, found)


def _plant(plant: Any) -> Plant:
    if not isinstance(plant, Plant):
        raise ModelError.single("bridges.casadi", "plant", expected="an um.Plant", given=type(plant).__name__)
    return plant
