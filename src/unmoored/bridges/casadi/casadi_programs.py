"""Loops as CasADi Functions: programs over memory, repeated steps, lookups in tables, and scans over a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...trace.lookup import Bracket, Row
from ...trace.loop_program import LoopPart
from ...trace.repeat import Repeat
from ...trace.scan import Scan
from ...trace.span_table import KnownRow, SpanRow
from ...trace.traced import Traced
from ...trace.tracing_error import TracingError
from .casadi_operations import ScalarWriter, ca, column

#: makes the Function of one vector of a sub-function
Made = Callable[[Traced], Any]


def program_function(part: LoopPart, made: Made) -> Any:
    """A program as a Function of its operand arrays, one vector each, with one vector of results."""
    if isinstance(part, SpanRow):
        raise TracingError("a table that is given by its address has no meaning in CasADi")
    operands = [ca.MX.sym(f"o{k}", size) for k, size in enumerate(part.groups)]
    if isinstance(part, KnownRow):
        times, rows = part.content
        return ca.Function("table", operands, [ca.MX(ca.DM(rows.T))[:, ca.sum1(operands[0] >= ca.DM(times))]])
    if isinstance(part, Repeat):
        return ca.Function("repeat", operands, [_repeated(part, made, *operands)])
    if isinstance(part, Bracket):
        return ca.Function("bracket", operands, [ca.low(operands[1], operands[0])])
    if isinstance(part, Row):
        rows = ca.reshape(operands[1], part.k, part.n)
        return ca.Function("row", operands, [rows[:, operands[0]]])
    scalars = [ca.SX.sym(f"o{k}", size) for k, size in enumerate(part.groups)]
    writer = ScalarWriter(lambda inner, values: ca.vertsplit(made(inner)(column(values))))
    flat = [entry for vector in scalars for entry in ca.vertsplit(vector)]
    return ca.Function(type(part).__name__.lower(), scalars, [column(writer.run(part, flat))])


def _repeated(part: Repeat, made: Made, start: Any, around: Any, rows: Any) -> Any:
    """The body once as a Function, run after run by CasADi's mapaccum."""
    carry, fixed, row, _ = part.sizes
    run, at, own = ca.MX.sym("run"), ca.MX.sym("carry", carry), ca.MX.sym("row", row)
    still = ca.MX.sym("fixed", fixed)
    after = made(part.body)(ca.vertcat(run, at, still, own))
    body = ca.Function("body", [at, run, still, own], [after[:carry], after[carry:]])
    numbers, table = list(range(part.times)), ca.reshape(rows, row, part.times)
    if part.down:
        numbers, table = numbers[::-1], table[:, ::-1]
    all_runs = body.mapaccum("runs", part.times)
    carries, stored = all_runs(start, ca.DM(numbers).T, ca.repmat(around, 1, part.times), table)
    stored = stored[:, ::-1] if part.down else stored
    return ca.vertcat(carries[:, -1], ca.vec(stored))


def scan_results(scan: Scan, operands: Any, made: Made) -> Any:
    """Results of a scan, as they lie in memory, of the vector of its operands: a call for every item."""
    start = operands[: scan.carry]
    arriving: list[Any] = [start] * (len(scan.parents) + 1)  # the last one belongs to the root
    kept: dict[int, Any] = {}
    steps = [made(step) for step in scan.steps]
    for item in _order(scan):
        kind, parent, first = scan.kinds[item], scan.parents[item], scan.variables[item]
        own = operands[first : first + scan.steps[kind].input_shapes[2][0]]
        if not scan.inward and parent >= 0:
            arriving[item] = kept[parent][: scan.carry]
        row = ca.MX(ca.DM(scan.tables[kind][scan.rows[item]]))
        found = steps[kind](ca.vertcat(row, arriving[item], own))
        if scan.inward:
            arriving[parent] = arriving[parent] + found[: scan.carry]
            found = found[scan.carry :]
        kept[item] = found
    return ca.vertcat(*(kept[k] for k in range(len(scan.parents))), *([arriving[-1]] if scan.inward else []))


def _order(scan: Scan) -> Sequence[int]:
    count = range(len(scan.parents))
    return count[::-1] if scan.inward else count
