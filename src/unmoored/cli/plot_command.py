"""`unmoored plot`: a figure of a saved run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..simulation import load_run
from ..views import plot
from .printing import escape


def plot_command(
    run: Annotated[Path, typer.Argument(help="A saved run (.zarr, .nc).")],
    output: Annotated[Path, typer.Argument(help="The file to write: .png, .svg or .pdf.")],
    what: Annotated[
        str,
        typer.Option(
            help="Which figure: overview, states, base_attitude, energy, momentum, forces, path, phase, fan; "
            "targets, errors, allocation, estimate."
        ),
    ] = "overview",
    sample: Annotated[int | None, typer.Option(help="Which sample of a batch.")] = None,
    goal: Annotated[
        list[str] | None, typer.Option(help="A goal of the law, for targets and errors; all if not given.")
    ] = None,
) -> None:
    """Write a figure of a saved run: how it moved, and what its law wanted, could not do and believed."""
    options: dict[str, Any] = {"goals": goal} if goal else {}
    plot(load_run(run), what, output, sample=sample, **options)
    Console(emoji=False).print(escape(str(output)), highlight=False, soft_wrap=True)
