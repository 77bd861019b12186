"""`unmoored run`: a scenario from its file to results on disk."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..model import ModelWarning
from ..model.names import printable
from ..simulation import Run
from ..simulation.arguments import ADAPTIVE
from ..simulation.progress import Interrupts
from ..simulation.scenario import load_scenario, scenarios
from ..simulation.scenario.summary import save_results, summary
from .printing import escape, json_text

#: exit codes beside 0 and 1: some sample's numbers went wrong; Ctrl-C, with what was computed kept
BLEW_UP = 3
#: the run is good, and the job was not done
FAILED = 4
INTERRUPTED = 130
#: samples of a batch that are named if their numbers went wrong
_NAMED = 5


def scenarios_table(found: dict[str, str]) -> Table:
    """A table of the built-in scenarios."""
    table = Table("scenario", "what happens", box=None, pad_edge=False)
    for name, line in found.items():
        table.add_row(f"[bold]{escape(name)}[/]", escape(line))
    return table


def list_scenarios(out: Console, as_json: bool) -> None:
    """Print the built-in scenarios."""
    found = scenarios()
    if as_json:
        print(json_text(found))
        return
    out.print(scenarios_table(found))
    out.print("\n[dim]unmoored run NAME, or unmoored run FILE.yaml[/]")


def run_scenario(
    out: Console,
    source: str,
    folder: Path | None,
    *,
    settings: tuple[str, ...] = (),
    sabotage: str | None = None,
    backend: str | None = None,
    report: Path | None = None,
    as_json: bool = False,
) -> int:
    """Run a scenario, write its results into `folder` (out/NAME if None) and print them; the exit code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        scenario = load_scenario(source, settings=settings, sabotage=sabotage)
    if not as_json:
        for warning in caught:
            out.print(f"[yellow]warning:[/] {escape(str(warning.message))}")
        out.print(f"[bold]{escape(scenario.name)}[/]  {escape(scenario.description)}")
    folder = folder or Path("out") / scenario.name
    started = time.monotonic()
    words = "Ctrl-C: writing what was computed; once more to stop that too"
    with Interrupts(words, from_results_on=True) as interrupts:
        # the work is integrated along where steps are fixed: what the rows alone tell is coarse
        fixed = scenario.method not in ADAPTIVE or scenario.options.get("tolerance", ...) is None
        run = scenario.run(backend=backend, balance=fixed, progress=False if as_json else None)
        seconds = time.monotonic() - started
        files = save_results(scenario, run, folder)
        if report is not None and not interrupts.noticed:
            files.append(write_report(run, report))
    results = {**summary(scenario, run), "seconds": seconds, "files": [str(file) for file in files]}
    if as_json:
        print(json_text(results))
    else:
        out.print(results_view(results))
    if interrupts.noticed:
        return INTERRUPTED
    return exit_code(run) or (0 if all(verdict["passed"] for verdict in results["verdicts"]) else FAILED)


def write_report(run: Run, path: Path) -> Path:
    """One page of HTML about the run."""
    run.report(path)
    return path


def exit_code(run: Run) -> int:
    """0 if all samples came to their end or to an event."""
    kinds = {status.kind for status in run.status}
    return INTERRUPTED if "interrupted" in kinds else BLEW_UP if kinds & {"blew_up", "not_converged"} else 0


def results_view(results: dict[str, Any]) -> Group:
    """The results for people."""
    lines = [
        f"{escape(results['system'])}, {results['duration_s']:g} s, {results['method']} with steps of "
        f"{results['step_s']:g} s, in {results['seconds']:.2f} s",
        *(_status_line(text, count, results) for text, count in results["status"].items()),
    ]
    if results["samples"] > 1:
        lines += _blown_up_lines(results["blown_up"])
    parts: list[Any] = [Text.from_markup("\n".join(lines))]
    if results.get("channels"):
        parts.append(_channels_table(results["channels"]))
    parts += _metrics_tables(results["metrics"], results["samples"])
    parts.append(_invariants_table(results["invariants"]))
    parts.append(Text("\n".join(f"wrote {printable(file)}" for file in results["files"])))
    parts += [Text.from_markup(_verdict_lines(verdict)) for verdict in results["verdicts"]]
    return Group(*parts)


def _status_line(text: str, count: int, results: dict[str, Any]) -> str:
    colour = {"completed": "green", "event": "yellow"}.get(results["kinds"][text], "red")
    samples = results["samples"]
    many = f" ({count} of {samples} samples)" if samples > 1 else ""
    return f"[{colour}]{escape(text)}[/]{many}"


def _blown_up_lines(blown_up: dict[str, str]) -> list[str]:
    """The first samples whose numbers went wrong: when, in what, and what may help."""
    lines = [f"  [red]sample {i}[/] {escape(text)}" for i, text in list(blown_up.items())[:_NAMED]]
    more = len(blown_up) - len(lines)
    return lines + ([f"  and {more} more (run.status)"] if more > 0 else [])


def _verdict_lines(verdict: dict[str, Any]) -> str:
    """PASS or FAIL with the number and its threshold, and where the threshold comes from."""
    colour, text = "green" if verdict["passed"] else "red", verdict["text"]
    word, _, rest = text.partition(" ")
    return f"[bold {colour}]{word}[/] {escape(rest)}\n     source: {escape(verdict['source'])}"


#: what the columns of metrics are called
_WORDS = {"settling_time": "settled after s"}


def _metrics_tables(metrics: dict[str, Any], samples: int) -> list[Table]:
    """Tables of channels, actuators and levels of tasks, of a batch the largest of all samples."""
    found, many = [], " (largest of all samples)" if samples > 1 else ""
    titles = {
        "channels": "channel, from its last value",
        "actuators": "actuator",
        "levels": "level of tasks, what it misses",
        "goals": "goal of the law, how far it is missed",
    }
    for group, title in titles.items():
        if not metrics[group]:
            continue
        table = Table(f"{title}{many}", box=None, pad_edge=False)
        for word in next(iter(metrics[group].values())):
            table.add_column(str(_WORDS.get(word, word)), justify="right")
        for name, values in metrics[group].items():
            table.add_row(escape(name), *("–" if x is None else f"{x:.4g}" for x in values.values()))
        found.append(table)
    return found


def _channels_table(channels: dict[str, dict[str, float]]) -> Table:
    table = Table("channel", box=None, pad_edge=False)
    for heading in ("first", "last", "lowest", "highest"):
        table.add_column(heading, justify="right")
    for name, values in channels.items():
        table.add_row(escape(name), *(f"{value:.5g}" for value in values.values()))
    return table


#: what the numbers mean, and below which they are good
_MEANING = {
    "on_group_error": ("how far stored rotations are from rotations", 1e-12),
    "energy_balance": ("energy that neither work nor loss explains, relative", 1e-3),
    "linear_momentum_drift": ("change of a momentum that is conserved, relative", 1e-6),
    "angular_momentum_drift": ("change of a momentum that is conserved, relative", 1e-6),
}


def _invariants_table(invariants: dict[str, float | None]) -> Table:
    table = Table("check", box=None, pad_edge=False)
    table.add_column("error", justify="right")
    table.add_column("")
    table.add_column("what it is")
    for name, value in invariants.items():
        meaning, bound = _MEANING.get(name, ("", np.inf))
        verdict = (
            "" if value is None else "[green]good[/]" if value <= bound else f"[yellow]over {bound:g}[/]"
        )
        shown = "–" if value is None else f"{value:.2g}"
        table.add_row(escape(name.replace("_", " ")), shown, verdict, meaning)
    return table
