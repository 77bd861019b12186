"""What was drawn once, looked at and found good, in words and numbers: whoever changes a look does so knowingly.

    python -m tests.views.approve

writes everything anew; what changed is then seen in the difference, and in the pictures.
"""

import contextlib
import inspect
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from unmoored.views.viewer.server import close_server, open_server

APPROVED = Path(__file__).parent / "approved"
#: numbers may differ by this part, and by this much where they are nearly nothing: machines round differently
PART, NOTHING = 1e-5, 1e-7


def described(value):
    """A value as JSON; of an array its shape, its means, and a mean with weights, which tells its order."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, dict):
        return {str(key): described(x) for key, x in value.items()}
    if isinstance(value, list | tuple) and len(value) <= 12:
        return [described(x) for x in value]
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return [described(x) for x in value] if isinstance(value, list | tuple) else type(value).__name__
    if array.size <= 12 and np.isfinite(array).all():
        return array.tolist()
    there = np.isfinite(array.ravel())
    x, order = array.ravel()[there], np.cos(1.0 + 0.7 * np.flatnonzero(there))
    sums = [float(s.mean()) if len(x) else 0.0 for s in (x, np.abs(x), x * order)]
    return {"shape": list(array.shape), "missing": int((~there).sum()), "sums": sums}


def differences(kept, found, where="") -> list[str]:
    """Where what is found is not what was kept."""
    if isinstance(kept, dict) and isinstance(found, dict):
        keys = dict.fromkeys([*kept, *found])
        return [d for k in keys for d in differences(kept.get(k), found.get(k), f"{where}/{k}")]
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        return [
            d
            for k, pair in enumerate(zip(kept, found, strict=True))
            for d in differences(*pair, f"{where}/{k}")
        ]
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (kept, found))
    if numbers and abs(kept - found) <= PART * max(abs(kept), abs(found)) + NOTHING:
        return []
    return [] if not numbers and kept == found else [f"{where}: kept {kept!r}, found {found!r}"]


def kept(name: str):
    """What was approved under a name."""
    return json.loads((APPROVED / f"{name}.json").read_text(encoding="utf-8"))


def style() -> dict:
    """What matplotlib is told of all figures, and the colours of stages."""
    from unmoored.views.plots.canvas import STYLE
    from unmoored.views.render.stage import STAGES

    return {"figures": described(STYLE), "stages": described({k: asdict(x) for k, x in STAGES.items()})}


def figure_looks(figure) -> dict:
    """A matplotlib figure: its size, and everything in its axes."""
    title = figure._suptitle
    return described(
        {
            "size": figure.get_size_inches().tolist(),
            "title": None if title is None else [title.get_text(), title.get_fontsize()],
            "axes": [_axes(a) for a in figure.axes],
            "layout": type(figure.get_layout_engine()).__name__,
            "legends": [_legend(x, figure.transSubfigure) for x in figure.legends],
        }
    )


def _axes(axes) -> dict:
    cell = axes.get_subplotspec()
    looks = {
        "cell": None if cell is None else [*cell.get_gridspec().get_geometry(), cell.num1],
        "on": axes.axison,
        "texts": [
            [t.get_text(), list(t.get_position()), t.get_ha(), t.get_va(), t.get_color(), t.get_fontsize()]
            for t in axes.texts
        ],
    }
    if not axes.axison:
        return looks
    lines = [
        {
            "label": _label(x), "x": np.asarray(x.get_xdata(), float), "y": np.asarray(x.get_ydata(), float),
            "style": [x.get_color(), str(x.get_linestyle()), x.get_linewidth(), x.get_marker(), x.get_markersize()],
            "drawn": [x.get_drawstyle(), x.get_zorder()],
        }
        for x in axes.lines
    ]  # fmt: skip
    areas = [
        {
            "label": _label(x), "face": x.get_facecolor(), "alpha": x.get_alpha(), "places": _places(x),
            "edge": x.get_linewidth(),
        }
        for x in (*axes.collections, *axes.patches)
    ]  # fmt: skip
    legend = axes.get_legend()
    titles = [(axes.get_title(loc=loc)) for loc in ("left", "center")]
    return looks | {
        "labels": [axes.get_xlabel(), axes.get_ylabel(), *titles],
        "letters": [t.get_fontsize() for t in (axes.xaxis.label, axes.yaxis.label, axes.title, axes._left_title)],
        "ticks": [
            [t.get_text(), t.get_rotation(), t.get_fontsize()]
            for t in (*axes.get_xticklabels(), *axes.get_yticklabels())
            if axes.images
        ],
        "limits": [*axes.get_xlim(), *axes.get_ylim()],
        "aspect": axes.get_aspect(),
        "frame": [axes.spines[side].get_visible() for side in axes.spines],
        "lines": lines, "areas": areas,
        "legend": None if legend is None else _legend(legend, axes.transAxes),
        "images": [[np.asarray(x.get_array()), x.get_cmap().name, *x.get_clim()] for x in axes.images],
    }  # fmt: skip


def _legend(legend, transform) -> list:
    """Its words, columns and place, and the corners of what it is beside."""
    words = [[t.get_text(), t.get_fontsize()] for t in legend.get_texts()]
    corners = transform.inverted().transform(legend.get_bbox_to_anchor().get_points())
    return [words, legend._ncols, legend._loc, np.round(corners, 9)]


def _label(artist) -> str:
    """Its name; numbers that matplotlib gives to what has none are left out."""
    return "" if str(artist.get_label()).startswith("_") else str(artist.get_label())


def _places(artist):
    if hasattr(artist, "get_offsets") and len(artist.get_offsets()) > 1:
        return [
            np.asarray(artist.get_offsets()),
            np.asarray(artist.get_array()),
            artist.get_sizes(),
            *artist.get_clim(),
        ]
    paths = artist.get_paths() if hasattr(artist, "get_paths") else [artist.get_path()]
    return [path.vertices for path in paths]


@contextlib.contextmanager
def watched():
    """A server of the viewer that is looked at, closed at the end."""
    server = open_server(port=0)
    try:
        yield Watched(server)
    finally:
        close_server(server)


class Watched:
    """A server of the viewer that remembers what was added to its scene and to its controls."""

    def __init__(self, server):
        self._server, self.added = server, []
        self.scene, self.gui = _Adding(server.scene, self.added), _Adding(server.gui, self.added)

    def __getattr__(self, name):
        return getattr(self._server, name)

    def looks(self, first: int = 0) -> list:
        """What was added, how it was asked for, and what of it has been changed since."""
        return [
            {
                "call": call,
                "asked": {k: described(v) for k, v in asked.items() if not callable(v)},
                "now": _now(node),
            }
            for call, asked, node in self.added[first:]
        ]


class _Adding:
    def __init__(self, inner, added):
        self._inner, self._added = inner, added

    def __getattr__(self, name):
        made = getattr(self._inner, name)
        if not name.startswith(("add_", "set_", "configure_")):
            return made

        def add(*arguments, **options):
            node = made(*arguments, **options)
            asked = inspect.signature(made).bind(*arguments, **options).arguments
            self._added.append((name, dict(asked), node))
            return node

        return add


#: what the viewer changes after a node was made
_CHANGED = (
    "position", "wxyz", "scale", "visible", "points", "vertices", "batched_positions", "batched_wxyzs", "value",
    "content", "label", "data", "disabled",
)  # fmt: skip


def _now(node) -> dict:
    """What it is now; the axes of an ellipsoid have no sign."""
    told = [
        name
        for name in _CHANGED
        if not (name == "wxyz" and str(getattr(node, "name", "")).endswith("ellipsoid"))
    ]
    tabs = [tab._label for tab in getattr(node, "_tab_handles", ())]
    looks = {name: described(getattr(node, name)) for name in told if hasattr(node, name)}
    return looks | ({"tabs": tabs} if tabs else {})


def differing(kept_picture: np.ndarray, picture: np.ndarray) -> int:
    """How many pixels of pictures (height, width, 3) of 0…255 differ by more than rounding."""
    assert kept_picture.shape == picture.shape
    return int((np.abs(kept_picture.astype(int) - picture.astype(int)).max(axis=-1) > 3).sum())
