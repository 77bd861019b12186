"""The words and tables of a report: summary, scenario, invariants, provenance."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

_LONG = 160


def summary(run: Any, batch: Any, sample: int) -> str:
    """What the run is, in a few facts."""
    system = run.system
    facts = {
        "bodies": str(len(system.names)),
        "degrees of freedom": str(system.nv),
        "mass": f"{system.mass:.6g} kg",
        "time": f"{run.t[0]:g} … {run.t[-1]:g} s",
        "records": str(len(run.t)),
        "status": str(run.status[0]),
    }
    if batch is not None:
        facts["sample shown"] = f"{sample} of {batch.samples}"
        ended = Counter(status.title for status in batch.status)
        facts["all samples"] = "; ".join(f"{count} {title}" for title, count in ended.items())
        bad = {i: status for i, status in enumerate(batch.status) if status.kind == "blew_up"}
        if bad:
            first = next(iter(bad))
            facts["blown up"] = (
                f"{len(bad)} of {batch.samples} samples; the first, sample {first}, {bad[first]}"
            )
    if run.scenario and run.scenario.get("passes"):
        whole = run if batch is None else batch
        facts |= {f"criterion {k + 1}": str(verdict) for k, verdict in enumerate(whole.judge())}
    items = "".join(
        f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in facts.items()
    )
    return f'<dl class="facts">{items}</dl>'


def goals(run: Any) -> dict[str, str]:
    """Of every goal of the law, the size of its error at the end and its root mean square, by unit."""
    rows = {}
    for name, goal in getattr(run, "goals", {}).items():
        parts = []
        for unit in dict.fromkeys(goal.units):
            k = [i for i, own in enumerate(goal.units) if own == unit]
            size = np.linalg.norm(goal.error[:, k], axis=1)
            there = size[np.isfinite(size)]
            if len(there):
                factor, shown = (np.degrees(1.0), "°") if unit == "rad" else (1.0, unit)
                mean = np.sqrt(np.mean(there**2))
                parts.append(f"{factor * there[-1]:.3g} {shown} (rms {factor * mean:.3g})")
        rows[name] = ", ".join(parts) or "never in force"
    return rows


def table(rows: Mapping[str, Any], *, empty: str, exact: bool = False) -> str:
    """Names and values as a table; `empty` is said if there are none.  exact: names are shown as they are written."""
    if not rows:
        return f'<p class="quiet">{escape(empty)}</p>'
    named = ((str(key) if exact else str(key).replace("_", " "), value) for key, value in rows.items())
    body = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{_cell(words(value))}</td></tr>" for name, value in named
    )
    return f'<div class="scroller"><table>{body}</table></div>'


def _cell(text: str) -> str:
    """A value; a very long one is folded up."""
    if len(text) <= _LONG:
        return escape(text)
    return f"<details><summary>{escape(text[: _LONG // 2])}…</summary>{escape(text)}</details>"


def scenario(data: Mapping[str, Any] | None) -> str:
    """The scenario as it would be written in a file."""
    if not data:
        return '<p class="quiet">The run was started from Python, without a scenario file.</p>'
    from ruamel.yaml import YAML

    text = io.StringIO()
    yaml = YAML()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 100
    yaml.dump(_inlined(plain(data)), text)
    return f"<pre>{escape(text.getvalue())}</pre>"


def _inlined(value: Any) -> Any:
    """The same data with lists of plain values written on one line."""
    from ruamel.yaml.comments import CommentedSeq

    if isinstance(value, dict):
        return {key: _inlined(x) for key, x in value.items()}
    if not isinstance(value, list):
        return value
    rows = CommentedSeq([_inlined(x) for x in value])
    if not any(isinstance(x, dict) for x in value):
        rows.fa.set_flow_style()
    return rows


def words(value: Any) -> str:
    """A value for reading: numbers with few digits, arrays by their entries or their shape."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray):
        return ", ".join(words(x) for x in value.ravel()) if value.size <= 8 else f"array {value.shape}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {words(x)}" for key, x in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(words(x) for x in value)
    return str(value)


def plain(value: Any) -> Any:
    """Data of plain types only, for writing."""
    if isinstance(value, Mapping):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
