"""`unmoored view`: the web viewer on a system or a saved run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..simulation import load_run
from ..system import load
from ..views import PublicViewerWarning, view
from .printing import escape

_RUNS = (".zarr", ".zip", ".nc")


def view_command(
    source: Annotated[
        str, typer.Argument(help="A built-in system's name, a system file, or a saved run (.zarr, .nc).")
    ],
    compare: Annotated[str | None, typer.Option(help="A second saved run, shown beside the first.")] = None,
    host: Annotated[
        str,
        typer.Option(
            help="Address to serve on. Any other than 127.0.0.1 lets other machines drive the viewer."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve on; 0 for any free one.")] = 8080,
) -> None:
    """Open the web viewer: pose a system, drive it live, or play a run. Ctrl-C closes it."""
    names = None if compare is None else distinct_names(Path(source), Path(compare))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PublicViewerWarning)
        other = None if compare is None else _loaded(compare)
        viewer = view(_loaded(source), compare=other, names=names, host=host, port=port, wait=False)
    _tell(caught)
    viewer.wait()


def distinct_names(first: Path, second: Path) -> tuple[str, str]:
    """Names for two runs: those of their files, with the folders where these are the same."""
    for name in (lambda path: path.stem, lambda path: f"{path.resolve().parent.name}/{path.stem}", str):
        if name(first) != name(second):
            return name(first), name(second)
    return f"{first.stem} (first)", f"{second.stem} (second)"


def _loaded(source: str) -> Any:
    if Path(source).suffix.lower() not in _RUNS:
        return load(source)
    return load_run(source)


def _tell(caught: list[warnings.WarningMessage]) -> None:
    for warning in caught:
        Console(stderr=True, emoji=False).print(
            f"[yellow]warning:[/] {escape(str(warning.message))}", soft_wrap=True
        )
