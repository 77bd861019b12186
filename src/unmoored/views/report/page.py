"""The report: everything about a run in one HTML file that asks nothing of the network."""

from __future__ import annotations

import base64
import io
import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.files.file_text import write_text
from ...version import __version__
from ..extra import required
from ..render.filming import Film, Look
from .embedded_playback import playback
from .tables import goals, scenario, summary, table

_SCRIPTS = ("vectors.js", "painter.js", "camera.js", "player.js", "page.js")


def report(
    run: Any,
    path: str | Path,
    *,
    sample: int = 0,
    title: str | None = None,
    stage: str | None = None,
    trails: Any = None,
) -> Path:
    """Write a run as one standalone HTML file and return its path.

    It holds a 3D playback, the plots, the scenario, the invariants and the provenance, and loads nothing else.
    sample: which trajectory of a batch is played.  stage, trails: as in `render`.
    """
    required("matplotlib", "PIL")
    from .report_charts import charts

    batch = run if np.ndim(run.q) == 3 else None
    if not 0 <= sample < run.samples:
        raise ModelError.single("report", "sample", expected=f"0…{run.samples - 1}", given=repr(sample))
    one = run if batch is None else run.sample(sample)
    look = Look(size=(640, 360), stage=stage, trails=None if trails is None else tuple(trails), title="")
    heading = title or one.system.name.replace("_", " ")
    page = Template(page_text("page.html")).substitute(
        title=escape(heading),
        description=escape(one.system.tree.description),
        style=page_text("page.css"),
        summary=summary(one, batch, sample),
        player=Template(page_text("player.html")).substitute(still=still(one, look)),
        charts=charts(one, batch),
        scenario=scenario(run.scenario),
        goals=table(goals(one), empty="The law of this run tells none."),
        invariants=table(one.invariants(), empty="None were recorded."),
        provenance=table(run.provenance or {}, empty="None was recorded."),
        playback=inside_script(json.dumps(playback(one, stage=stage, trails=look.trails))),
        script=scripts(),
        version=escape(__version__),
    )
    write_text(path, page)
    return Path(path)


def still(run: Any, look: Look) -> str:
    """A picture for browsers that cannot draw in 3D, and for paper."""
    from PIL import Image

    (picture,) = Film(run, look).pictures([run.t[-1]])
    file = io.BytesIO()
    Image.fromarray(picture).save(file, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def inside_script(data: str) -> str:
    """JSON that cannot end the script element that it stands in."""
    return data.replace("<", "\\u003c")


def scripts() -> str:
    """The scripts of the player and its page, as one module."""
    return "\n".join(page_text(name) for name in _SCRIPTS)


def page_text(name: str) -> str:
    """A file that pages are made of."""
    return files("unmoored.views.report").joinpath(name).read_text(encoding="utf-8")
