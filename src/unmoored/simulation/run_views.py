"""How a run shows itself. The views come after this room: these are the only calls upward, made when asked for.

`Run` inherits them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..notebook_views import ShownInNotebooks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..views import Viewer
    from .run import Run


class RunViews(ShownInNotebooks):
    """The methods of `Run` that show it."""

    def plot(
        self,
        what: str = "overview",
        path: str | Path | None = None,
        *,
        sample: int | None = None,
        dpi: int = 150,
        title: str | None = None,
        **options: Any,
    ) -> Figure:
        """A figure of the run, written to `path` (.png, .svg, .pdf) too if that is given (extra `views`).

        what: "overview", "states", "base_attitude", "energy", "momentum", "forces", "path", "phase", "fan"; of what a
        law tells "targets", "errors", "allocation" and "estimate", refused where it tells none.
        sample: which trajectory of a batch; the fan and the overview of a batch show all of them, others the first.
        options: of that figure, such as joints=["elbow"], frame="tool", vehicle="bus", percentiles=(5, 50, 95), and
        size=(width, height) in inches.
        """
        from ..views import plot

        return plot(self, what, path, sample=sample, dpi=dpi, title=title, **options)

    def view(
        self,
        *,
        compare: Run | None = None,
        names: tuple[str, str] | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
        wait: bool | None = None,
    ) -> Viewer:
        """Open the web viewer on the run, and return it (extra `views`).

        compare: a second run, shown beside this one, with `names` for the two.
        host, port: address to serve on; port 0 takes any free one.
        wait: serve until Ctrl-C before returning; if not given, so in scripts but not in interactive sessions.
        """
        from ..views import view

        return view(self, compare=compare, names=names, host=host, port=port, wait=wait)

    def report(
        self,
        path: str | Path,
        *,
        sample: int = 0,
        title: str | None = None,
        stage: str | None = None,
        trails: Sequence[str] | None = None,
    ) -> Path:
        """Write the run as one standalone HTML file and return its path (extra `views`).

        sample: which trajectory of a batch is played.  stage, trails: as in `render`.
        """
        from ..views import report

        return report(self, path, sample=sample, title=title, stage=stage, trails=trails)

    def render(
        self,
        path: str | Path,
        *,
        sample: int = 0,
        time: float | None = None,
        speed: float = 1.0,
        fps: float | None = None,
        **options: Any,
    ) -> Path:
        """Write a picture (.png) or a film (.gif, .webp, .mp4) of the run, without a screen; its path (extra `views`).

        sample: which trajectory of a batch.  time: of a picture (s), the end if None.
        speed: seconds of the run in a second of film.  fps: frames in a second; if None 30 for MP4, 20 for others.
        options: size, stage, azimuth, elevation, zoom, follow, trails, title, targets, ties.
        """
        from ..views import render

        return render(self, path, sample=sample, time=time, speed=speed, fps=fps, **options)


for _name in ("plot", "view", "report", "render"):  # errors name the class that users know
    getattr(RunViews, _name).__qualname__ = f"Run.{_name}"
