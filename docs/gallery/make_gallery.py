"""Make the gallery: a film of every built-in scenario and of every example, and the page that shows them.

python docs/gallery/make_gallery.py             # all of it; `make gallery` does the same
python docs/gallery/make_gallery.py --missing   # films that are not there yet
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import unmoored as um
from unmoored.views import render

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SIZE, FPS, SECONDS = (384, 216), 10.0, 4.0
#: where the camera stands, for those that are seen better from elsewhere
VIEWS: dict[str, dict[str, Any]] = {
    "station_keeping": {"azimuth": -38.0},
    "two_arm_satellite": {"azimuth": 12.0, "elevation": 58.0, "trails": ("tool_left", "tool_right")},
    "heave_compensated_lift": {"azimuth": -68.0, "elevation": 10.0, "zoom": 1.1},
    "25_captured_target": {"follow": True},
}
#: (from, to) seconds, for those whose whole time is too long to see what moves
PARTS = {"heave_compensated_lift": (90.0, 115.0)}


def main() -> None:
    """Film what is asked for, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--missing", action="store_true", help="only films that are not there yet")
    parser.add_argument("names", nargs="*", help="scenarios or examples; all if none are given")
    asked = parser.parse_args()
    for name in asked.names or (*scenarios(), *(script.stem for script in own_examples())):
        if not (asked.missing and picture_of(name)):
            print(name, flush=True)
            film(name)
    (HERE.parent / "gallery.md").write_text(page(), encoding="utf-8")


def film(name: str) -> None:
    """The film of a scenario, of the run that an example makes, or the example's own figure."""
    if name in um.scenarios():
        _render(um.load_scenario(name).run(progress=False), name)
        return
    with tempfile.TemporaryDirectory() as folder:
        before, words = Path.cwd(), sys.argv
        os.chdir(folder)
        try:
            sys.argv = [f"{name}.py"]
            left = runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
            figures = sorted(Path(folder).rglob("*.png"))
        finally:
            os.chdir(before)
            sys.argv = words
        run = _run_in(left)
        if run is not None:
            _render(run, name)
        elif figures:
            _shrink(figures[0], HERE / f"{name}.webp")
        else:
            sys.exit(f"{name} leaves neither a run nor a figure")


def scenarios() -> dict[str, str]:
    """The built-in scenarios with what they show."""
    return dict(um.scenarios())


def examples() -> list[Path]:
    """All scripts, in order."""
    return sorted((ROOT / "examples").glob("[0-9]*.py"))


def own_examples() -> list[Path]:
    """Scripts that run no built-in scenario, which have a picture of their own."""
    return [script for script in examples() if not scenarios_in(script)]


def scenarios_in(script: Path) -> list[str]:
    """The built-in scenarios that a script names."""
    text = script.read_text(encoding="utf-8")
    return [name for name in scenarios() if re.search(rf"[\"']{name}[\"']", text) and "load_scenario" in text]


def picture_of(name: str) -> Path | None:
    """The film or figure of a scenario or example, if it was made."""
    path = HERE / f"{name}.webp"
    return path if path.exists() else None


def page() -> str:
    """The gallery's page: a film, what it shows, and the files beside it."""
    by_scenario: dict[str, list[Path]] = {}
    for script in examples():
        for name in scenarios_in(script):
            by_scenario.setdefault(name, []).append(script)
    head = (
        "# Gallery\n\nEvery built-in scenario and every example, filmed by one command (`make gallery`), the files\n"
        "beside them. `unmoored run NAME` runs a scenario, `unmoored view out/NAME/run.zarr` opens it. Axes and\n"
        "lines that belong to no body are what the law wants.\n"
    )
    parts = [head, "\n## Scenarios\n"]
    library = "../src/unmoored/simulation/library"
    for name, line in scenarios().items():
        files = [f"{{download}}`{name}.yaml<{library}/{name}.yaml>`"]
        files += [f"{{download}}`{s.name}<../examples/{s.name}>`" for s in by_scenario.get(name, ())]
        parts.append(_entry(name, name, line, files))
    parts.append("\n## Examples without a scenario file\n")
    for script in own_examples():
        files = [f"{{download}}`{script.name}<../examples/{script.name}>`"]
        parts.append(_entry(script.stem, _title(script), _first_line(script), files))
    return "".join(parts)


def _entry(key: str, title: str, line: str, files: list[str]) -> str:
    line = line.rstrip(".")
    film = f"![{line}](gallery/{key}.webp)\n\n" if picture_of(key) else ""
    return f"\n### {title}\n\n{film}{line}. {' · '.join(files)}\n"


def _title(script: Path) -> str:
    return script.stem.partition("_")[2].replace("_", " ")


def _first_line(script: Path) -> str:
    return script.read_text(encoding="utf-8").split('"""')[1].split("\n")[0]


def _render(run: um.Run, name: str) -> None:
    one = _between(run.sample(0), *PARTS.get(name, (-np.inf, np.inf)))
    speed = max((one.t[-1] - one.t[0]) / SECONDS, 0.2)
    look: dict[str, Any] = {"size": SIZE, "title": "", **VIEWS.get(name, {})}
    render(one, HERE / f"{name}.webp", speed=speed, fps=FPS, **look)


def _between(run: um.Run, start: float, end: float) -> um.Run:
    """The rows of a run of one trajectory from one time to another (s), with all that is drawn of them."""
    rows = (run.t >= start) & (run.t <= end)
    if rows.all():
        return run
    return um.Run(
        run.system, run.t[rows], run.q[rows], run.v[rows], lengths=np.array([rows.sum()]), plant=run.plant
    )


def _run_in(left: dict[str, Any]) -> um.Run | None:
    """The longest run that a script left behind, or a motion that it planned."""
    runs = [x for x in left.values() if isinstance(x, um.Run)]
    if runs:
        return max(runs, key=lambda run: run.t[-1] - run.t[0])
    planned = [x for x in left.values() if isinstance(x, um.Optimum)]
    if not planned:
        return None
    found = planned[-1]
    t, q, v = (np.asarray(x) for x in (found.t, found.q, found.v))
    last = -1 if q.ndim == 3 else slice(None)
    plant = next(x for x in left.values() if isinstance(x, um.Plant))
    t, q, v = t[last] if t.ndim == 2 else t, q[last], v[last]
    return um.Run(plant.system, t, q, v, lengths=np.array([len(t)]), plant=plant)


def _shrink(figure: Path, to: Path) -> None:
    from PIL import Image

    picture = Image.open(figure).convert("RGB")
    picture.thumbnail((2 * SIZE[0], 2 * SIZE[1]))
    picture.save(to, quality=80, method=6)


if __name__ == "__main__":
    main()
