"""Figures of what planning finds: workspaces, reach and capability."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...model import ModelError
from ...planning import Capability, FloatingWorkspace, ReachMap
from ..extra import required
from .palette import BLUE, GREY, ORANGE, VERMILION


def plan_figure(found: Any, path: str | Path | None = None, *, title: str = "", dpi: int = 150) -> Any:
    """A figure of a `FloatingWorkspace`, a `Capability` or a `ReachMap`, written to `path` too if that is given.

    Of a workspace: the singular curves over the first two joints, and the radii; of a capability: a polar plot over the
    heading in the world's horizontal plane; of a map: the points in the plane of their two widest directions.
    """
    required("matplotlib")
    drawn = {FloatingWorkspace: _workspace, Capability: _capability, ReachMap: _reach}
    if type(found) not in drawn:
        expected = "a FloatingWorkspace, Capability or ReachMap"
        raise ModelError.single("plan_figure", "found", expected=expected, given=repr(found))
    figure = drawn[type(found)](found, title)
    if path is not None:
        figure.savefig(path, dpi=dpi)
    return figure


def _workspace(found: FloatingWorkspace, title: str) -> Any:
    from .canvas import dress, grid

    figure, axes = grid(1, 2, size=(9.0, 4.2), title=title)
    left, right = axes[0]
    for branch in found.branches:
        x, y = np.degrees(branch[:, 0]), np.degrees(branch[:, min(1, branch.shape[1] - 1)])
        left.plot(x, y, ".", ms=2, color=VERMILION)
    dress(
        left, xlabel=f"{found.joints[0]} [deg]", ylabel=f"{found.joints[min(1, len(found.joints) - 1)]} [deg]"
    )
    left.set_title("singular shapes")
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    for spans, colour, name in (
        (found.independent, BLUE, "path independent"),
        (found.dependent, ORANGE, "path dependent"),
    ):
        for k, (inner, outer) in enumerate(spans):
            ring = np.concatenate([outer * np.exp(1j * turn), inner * np.exp(-1j * turn)])
            right.fill(ring.real, ring.imag, color=colour, alpha=0.55, lw=0, label=name if k == 0 else None)
    dress(right, xlabel="from the centre of mass [m]", ylabel="[m]", count=2)
    right.set_title("where the tool can be")
    right.set_aspect("equal")
    return figure


def _capability(found: Capability, title: str) -> Any:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.ticker import MaxNLocator

    from .canvas import STYLE, RunFigure

    with rc_context(STYLE):
        figure = RunFigure(figsize=(4.8, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes: Any = figure.add_subplot(projection="polar")
    heading = np.arctan2(found.directions[:, 1], found.directions[:, 0])
    order = np.argsort(heading)
    ring = np.append(order, order[0])
    largest = np.where(np.isfinite(found.largest), found.largest, np.nan)
    axes.fill(heading[ring], largest[ring], color=BLUE, alpha=0.25)
    axes.plot(heading[ring], largest[ring], color=BLUE)
    axes.yaxis.set_major_locator(MaxNLocator(4))  # more numbers along a radius run into each other
    axes.set_title(title or "largest, by direction")
    return figure


def _reach(found: ReachMap, title: str) -> Any:
    from .canvas import dress, grid

    figure, axes = grid(1, 1, size=(5.6, 4.6), title=title)
    at = found.points.reshape(-1, 3)
    i, k = sorted(np.argsort(-np.ptp(at, axis=0))[:2])
    out = ~found.reached.ravel()
    axes[0, 0].plot(at[out, i], at[out, k], ".", ms=3, color=GREY, label="out of reach")
    dots = axes[0, 0].scatter(
        at[~out, i], at[~out, k], c=found.dexterity.ravel()[~out], s=16, vmin=0.0, vmax=1.0
    )
    figure.colorbar(dots, label="share of orientations")
    dress(axes[0, 0], xlabel=f"{'xyz'[i]} [m]", ylabel=f"{'xyz'[k]} [m]")
    axes[0, 0].set_aspect("equal")
    return figure
