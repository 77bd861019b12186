"""`unmoored campaign`: a study from its file to a folder of shards; run again it goes on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..campaigns import Campaign, CampaignResults
from ..campaigns.campaign_progress import duration
from ..campaigns.statistics import with_unit
from ..model.names import printable
from .printing import escape, json_text

#: exit codes beside 0 and 1: some sample failed; stopped before all were there
FAILED, INTERRUPTED = 3, 130
_LINES = 12
_LAST, _EVER = ("mean", "deviation", "5 %", "median", "95 %"), ("lowest", "highest")
out = Console(emoji=False)


def campaign_command(
    file: Annotated[Path, typer.Argument(help="A campaign file (.yaml).")],
    folder: Annotated[
        Path | None, typer.Option("-o", "--out", "--output", help="Where shards go; out/NAME if not given.")
    ] = None,
    on: Annotated[
        str, typer.Option(help="threads, cuda, or the address of a Dask scheduler (tcp://…).")
    ] = "threads",
    shard: Annotated[int | None, typer.Option(min=1, help="Samples of a shard.")] = None,
    any_version: Annotated[
        bool, typer.Option("--any-version", help="Go on with a campaign of another version; bits may differ.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Also write a report to this .html file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Run the samples of a campaign that are not there yet; the same command again goes on where it was stopped.

    Exit code 1 for errors, 3 if samples failed, 130 after Ctrl-C, with all finished shards kept.
    """
    campaign = Campaign.load(file)
    folder = folder or Path("out") / campaign.name
    if not as_json:
        out.print(f"[bold]{escape(campaign.name)}[/]  {escape(campaign.description)}")
    started = time.monotonic()
    results = campaign.run(
        folder, on, shard=shard, progress=False if as_json else None, any_version=any_version
    )
    told = _told(results, time.monotonic() - started)
    if report is not None:
        results.report(report)
        told["report"] = str(report)
    if as_json:
        print(json_text(told))
    else:
        out.print(_view(told))
    code = INTERRUPTED if not results.complete else FAILED if told["failed"] else 0
    if code:
        raise typer.Exit(code)


def _told(results: CampaignResults, seconds: float) -> dict[str, Any]:
    """The results as plain data."""
    found: dict[str, Any] = {
        "campaign": results.name, "folder": str(results.folder.path), "samples": results.samples,
        "total": results.total, "complete": results.complete, "seconds": seconds, "ended": {}, "failed": 0,
        "left_out": 0, "channels": {},
    }  # fmt: skip
    if not results.samples:
        return found
    statistics = results.statistics()
    last, levels = statistics.of_last, statistics.of_last.quantiles([0.05, 0.5, 0.95])
    found |= {"ended": dict(statistics.ended), "failed": statistics.failed, "left_out": statistics.left_out}
    for c, name in enumerate(statistics.channels):
        numbers = (last.mean[c], last.deviation[c], *levels[:, c])
        found["channels"][name] = {
            "unit": statistics.units[c],
            **dict(zip(_LAST, map(float, numbers), strict=True)),
            "lowest": float(statistics.of_lowest.lowest[c]),
            "lowest_sample": int(statistics.of_lowest.lowest_sample[c]),
            "highest": float(statistics.of_highest.highest[c]),
            "highest_sample": int(statistics.of_highest.highest_sample[c]),
        }
    return found


def _view(told: dict[str, Any]) -> Group:
    """The results for people."""
    lines = [f"{told['samples']:,} of {told['total']:,} samples, in {duration(told['seconds'])}"]
    for title, count in list(told["ended"].items())[:_LINES]:
        colour = "green" if title == "completed" else "yellow"
        lines.append(f"[{colour}]{escape(title)}[/] {count:,}")
    if told["left_out"]:
        lines.append(
            f"[yellow]numbers of {told['left_out']:,} samples went wrong: they are in no figure below[/]"
        )
    kept = told["channels"].items()
    last = [[f"{x[key]:.5g}" for key in _LAST] for _, x in kept]
    ever = [[f"{x[key]:.5g} (sample {x[f'{key}_sample']})" for key in _EVER] for _, x in kept]
    names = [with_unit(name, x["unit"]) for name, x in kept]
    tables = (
        [_table("last value of", _LAST, names, last), _table("ever", _EVER, names, ever)] if names else []
    )
    wrote = f"wrote {printable(told['folder'])}" + (
        f" and {printable(told['report'])}" if "report" in told else ""
    )
    return Group(Text.from_markup("\n".join(lines)), *tables, Text(wrote))


def _table(title: str, headings: tuple[str, ...], names: list[str], rows: list[list[str]]) -> Table:
    """Rows of numbers by name, none of which is cut: names are folded where the window is narrow."""
    table = Table(box=None, pad_edge=False)
    table.add_column(title, min_width=min(8, max(map(len, names))), overflow="fold")
    for k, heading in enumerate(headings):
        widest = max(len(heading), *(len(row[k]) for row in rows))
        table.add_column(heading, justify="right", min_width=widest, no_wrap=True)
    for name, row in zip(names, rows, strict=True):
        table.add_row(escape(name), *row)
    return table
