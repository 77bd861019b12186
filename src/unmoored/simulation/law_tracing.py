"""Whether a law can be traced into the kernel: tried when it is first met, remembered by what it depends on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..model import ModelError
from ..model.identity_of_code import Identity, announce_retrace
from ..trace import (
    ImpureFunctionError,
    Recent,
    RetraceWarning,
    Symbol,
    TracingError,
    announce,
    failing_line,
    fingerprint,
    graph_digest,
    trace,
    trace_twice,
)
from ..trace.graph import operands
from ..trace.symbol import Condition

if TYPE_CHECKING:
    from .controller import Controller

_found: Recent[tuple, Verdict] = Recent(256)

PURE = "the same operations at every call: randomness through `noise=`, memory as `memory` of an um.Law"


class WrongResultError(ModelError):
    """A law gave something of the wrong shape: calling it by Python would not help."""


class Verdict(NamedTuple):
    """Whether a law runs in the kernel, or why not."""

    graph: str
    error: Exception | None = None
    reason: str = ""


def traced_law(controller: Controller, plant: Any, *, forced: bool) -> Controller:
    """The controller with its law in the kernel, or called by Python if it cannot be traced (refused if forced)."""
    law = controller.law
    seen = fingerprint(controller.fingerprinted)
    shapes = controller.shapes(plant)
    key = (
        seen.digest,
        shapes,
        controller.signals,
        plant.nu,
        controller.nominal.tobytes() if controller.full else b"",
    )
    verdict = None if seen.unseen else _found.find(key)
    if verdict is None:
        verdict = _tried(controller, shapes, once=seen.own)
        _found.keep(key, verdict)
    if verdict.error is not None:
        if forced:
            text = f"controller {name_of(law)} cannot be traced: {verdict.reason}"
            raise TracingError(text) from verdict.error
        text = f"controller {name_of(law)} is called by Python, which is slow: {verdict.reason}"
        return controller.changed(place="python", fallback=text)
    if seen.unseen:
        announce_retrace(f"controller {name_of(law)}", seen.unseen)
        return controller.changed(identity=Identity(verdict.graph))
    return controller.changed(identity=Identity(seen.digest.hex(), seen.own, seen.kept, seen=True))


def _tried(controller: Controller, shapes: tuple[tuple[int, ...], ...], *, once: bool) -> Verdict:
    """once: whether one trace is enough, for the package's own laws."""
    law = controller.law
    try:
        if once:
            return Verdict(graph_digest(trace(controller, *shapes)))
        traced, changes = trace_twice(controller, *shapes, name="controller", around=law, exact_zeros=True)
    except WrongResultError:
        raise
    except ImpureFunctionError as why:
        expected = f'{PURE}; or controller_in="python"'
        raise ModelError.single(
            f"controller {name_of(law)}", "pure function", expected=expected, given=str(why)
        ) from why
    except Exception as why:
        gains = _branching_gains(why, controller, shapes)
        if gains:
            text = f"{name_of(law)}.{gains} is a gain, run-time data: its value is not known in the kernel. Put it "
            text += f'in `static = ("{gains}",)`, or use unmoored.trace.where. At {failing_line(why)}'
            raise TracingError(text) from why
        reason = str(why) if isinstance(why, TracingError) else f"{type(why).__name__}: {why}"
        line = failing_line(why)
        why.__traceback__ = None  # it would keep everything alive that the law has touched
        return Verdict("", why, reason if line in reason else f"{reason}. At {line}")
    if changes:
        text = f"controller {name_of(law)} changes its own data when it is called; in the kernel it is not called"
        announce(text, RetraceWarning)
    return Verdict(graph_digest(traced))


def _branching_gains(error: Exception, controller: Controller, shapes: tuple[tuple[int, ...], ...]) -> str:
    """The gain whose value alone the law wanted to know; "" if it was something else."""
    symbol = getattr(error, "symbol", None)
    if not isinstance(symbol, Symbol | Condition):
        return ""
    inputs, pending = set(), [symbol.index]
    while pending:
        node = symbol.graph.nodes[pending.pop()]
        if node[0] == "captured":
            return ""
        if node[0] == "input":
            inputs.add(node[1])
        pending += operands(node)
    first = sum(map(math.prod, shapes[:-1]))
    if not inputs or min(inputs) < first:
        return ""
    for name, shape in controller.layout:
        last = first + math.prod(shape)
        if any(first <= k < last for k in inputs):
            return name
        first = last
    return ""


def name_of(law: Any) -> str:
    """A law's name for messages."""
    return getattr(law, "__qualname__", type(law).__qualname__)
