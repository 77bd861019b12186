"""The report of a campaign: one HTML file that asks nothing of the network."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from ...model.files.file_text import write_text
from ...version import __version__
from ..extra import required
from ..plots.campaign_figures import campaign_figure
from .page import page_text
from .tables import table

if TYPE_CHECKING:
    from ...campaigns import CampaignResults, Statistics

_MOST = 20


def campaign_report(results: CampaignResults, path: str | Path, *, title: str | None = None) -> Path:
    """Write what a campaign has found as one standalone HTML file and return its path.

    It holds the fans, what samples ended with, causes of failure with their confidence, the worst samples, what varied
    and the plan.
    """
    required("matplotlib")
    said, statistics = results.folder.said, results.statistics()
    page = Template(page_text("campaign_page.html")).substitute(
        title=escape(title or results.name.replace("_", " ")),
        description=escape(str((said.get("file") or {}).get("description", ""))),
        style=page_text("page.css"),
        facts=_facts(results, statistics),
        charts="\n".join(_chart(statistics, what, words) for what, words in _FIGURES.items()),
        channels=_channels(statistics),
        failures=_failures(results, statistics),
        worst=_worst(results, statistics),
        vary=table(said["vary"], empty="Nothing varied.", exact=True),
        plan=table({name: said[name] for name in _PLAN}, empty=""),
        version=escape(__version__),
    )
    write_text(path, page)
    return Path(path)


_FIGURES = {"fan": "Percentiles over time", "last": "What samples ended with"}
_PLAN = (
    "total",
    "seed",
    "design",
    "duration",
    "step",
    "steps",
    "backend",
    "dtype",
    "shard",
    "keep",
    "versions",
    "machine",
)


def _facts(results: CampaignResults, statistics: Statistics) -> str:
    facts = {
        "samples": f"{results.samples:,} of {results.total:,}",
        "failed": f"{statistics.failed:,} ({100 * statistics.failure_probability:.3g} %)",
        "left out of all figures": f"{statistics.left_out:,} whose numbers went wrong",
        "time": f"{statistics.t[0]:g} … {statistics.t[-1]:g} s",
        "design": statistics.design,
    }
    if not statistics.left_out:
        del facts["left out of all figures"]
    if statistics.design != "sobol":
        low, high = statistics.failure_interval()
        facts["probability of failure"] = (
            f"{low:.3g} … {high:.3g} ({100 * statistics.confidence:g} % confidence)"
        )
    items = "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts.items())
    return f'<dl class="facts">{items}</dl>'


def _chart(statistics: Statistics, what: str, words: str) -> str:
    file = io.BytesIO()
    campaign_figure(statistics, what).savefig(file, format="svg", metadata={"Date": None})
    picture = f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"
    return (
        f'<figure class="chart wide"><figcaption>{escape(words)}</figcaption>'
        f'<div class="scroller"><div class="plot"><img alt="{escape(words)}" src="{picture}"></div></div></figure>'
    )


def _channels(statistics: Statistics) -> str:
    """The values at the end, with the interval of their mean where the design allows one."""
    last, levels = statistics.of_last, statistics.of_last.quantiles([0.05, 0.5, 0.95])
    interval = None if statistics.design == "sobol" else last.mean_interval()
    headings = (
        "channel",
        "mean",
        "its interval",
        "deviation",
        "5 %",
        "median",
        "95 %",
        "lowest ever",
        "highest ever",
    )
    rows = []
    for c, name in enumerate(statistics.labels):
        spread = "–" if interval is None else f"{interval.low[c]:.4g} … {interval.high[c]:.4g}"
        ends = (
            f"{statistics.of_lowest.lowest[c]:.4g} (sample {statistics.of_lowest.lowest_sample[c]})",
            f"{statistics.of_highest.highest[c]:.4g} (sample {statistics.of_highest.highest_sample[c]})",
        )
        numbers = [f"{x:.4g}" for x in (last.deviation[c], *levels[:, c])]
        rows.append((name, f"{last.mean[c]:.4g}", spread, *numbers, *ends))
    return _grid(headings, rows)


def _failures(results: CampaignResults, statistics: Statistics) -> str:
    counts = _grid(
        ("what became of samples", "how many"), [(k, f"{n:,}") for k, n in statistics.ended.items()]
    )
    failed = results.failures()
    if not failed:
        return counts + '<p class="quiet">No sample failed.</p>'
    rows = [(str(f.sample), str(f.status)) for f in failed[:_MOST]]
    more = f'<p class="quiet">and {len(failed) - _MOST:,} more</p>' if len(failed) > _MOST else ""
    return counts + _grid(("sample", "why"), rows) + more


def _worst(results: CampaignResults, statistics: Statistics) -> str:
    rows = []
    for c, channel in enumerate(results.channels):
        found = results.worst(channel, count=5)
        rows.append((statistics.labels[c], ", ".join(f"{x.value:.4g} (sample {x.sample})" for x in found)))
    return _grid(("channel", "largest values over the samples' time"), rows)


def _grid(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    head = "".join(f"<th scope='col'>{escape(h)}</th>" for h in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(x))}</td>" for x in row) + "</tr>" for row in rows)
    return f'<div class="scroller"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
