"""Loops over tables: one function per kind of item, and one that goes through the items."""

from __future__ import annotations

from bisect import bisect_right

from ...trace import Scan, Traced, scheduled
from ..memory_plan import Plan
from .dialect import Dialect
from .statements import Names, Statements, function_text

_FIXED = 6  # kind, table row, carry in, carry out, kept, what the carry out is added to


def scan_functions(plan: Plan, index: int, dialect: Dialect, names: Names, name: str) -> str:
    """`void name(real *scratch)` for a scan node, with its tables and steps."""
    scan: Scan = plan.traced.graph.parts[plan.traced.graph.nodes[index][1]]
    records, runs = plan.records(index)
    length = max(map(len, records))
    numbers = [str(value) for record in records for value in record + [0] * (length - len(record))]
    texts = [_table(dialect, "int", f"{name}_records", numbers)]
    for kind, (step, table) in enumerate(zip(scan.steps, scan.tables, strict=True)):
        place, function = f"{name}_table{kind}", f"{name}_step{kind}"
        text = _step(step, scan.inward, runs[kind], dialect, names, function, place)
        if place in text:
            texts.append(
                _table(dialect, dialect.real, place, [dialect.literal(float(x)) for x in table.ravel()])
            )
        texts.append(text)
    texts.append(_loop(scan, length, dialect, name))
    return "\n".join(texts)


def _table(dialect: Dialect, kind: str, name: str, values: list[str]) -> str:
    rows = [", ".join(values[k : k + 8]) for k in range(0, len(values), 8)]
    return f"{dialect.table} {kind} {name}[{len(values)}] = {{\n    " + ",\n    ".join(rows) + "\n};\n"


def _step(
    step: Traced, inward: bool, runs: list[int], dialect: Dialect, names: Names, name: str, table: str
) -> str:
    """`void name(real *scratch, const int *record)`: one item of one kind."""
    columns, carry = step.input_shapes[0][0], step.input_shapes[1][0]

    def load(k: int) -> str:
        if k < columns:
            return f"{table}[record[1] + {k}]"
        if k < columns + carry:
            return f"scratch[record[2] + {k - columns}]"
        k -= columns + carry
        run = bisect_right(runs, k) - 1
        return f"scratch[record[{_FIXED + run}] + {k - runs[run]}]"

    block = Statements(step, dialect, names, load)
    for index in scheduled(step.graph, step.flat_outputs):
        block.emit(index)
    message, kept = step.outputs
    for k, index in enumerate(message):
        before = f"scratch[record[5] + {k}] + " if inward else ""
        block.lines.append(f"scratch[record[3] + {k}] = {before}{block.emit(index)};")
    block.lines += [f"scratch[record[4] + {k}] = {block.emit(index)};" for k, index in enumerate(kept)]
    return function_text(
        f"{dialect.outline} void {name}({dialect.real} *scratch, const int *record)", block.lines
    )


def _loop(scan: Scan, length: int, dialect: Dialect, name: str) -> str:
    """`void name(real *scratch)`: all items in order."""
    count = len(scan.parents)
    items = (
        f"int item = {count - 1}; item >= 0; --item"
        if scan.inward
        else f"int item = 0; item < {count}; ++item"
    )
    lines = [f"for ({items}) {{", f"    const int *record = {name}_records + {length} * item;"]
    if len(scan.steps) == 1:
        lines.append(f"    {name}_step0(scratch, record);")
    else:
        lines.append("    switch (record[0]) {")
        lines += [f"    case {k}: {name}_step{k}(scratch, record); break;" for k in range(len(scan.steps))]
        lines.append("    }")
    return function_text(f"{dialect.outline} void {name}({dialect.real} *scratch)", [*lines, "}"])
