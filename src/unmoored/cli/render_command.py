"""`unmoored render`: a saved run as a picture or a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..model import ModelError
from ..simulation import load_run
from ..views import render
from ..views.render.camera import AZIMUTH, ELEVATION
from .printing import escape


def render_command(
    run: Annotated[Path, typer.Argument(help="A saved run (.zarr, .nc).")],
    output: Annotated[Path, typer.Argument(help="The file to write: .png, .gif, .webp or .mp4.")],
    time: Annotated[float | None, typer.Option(help="Time of a picture (s); the end if not given.")] = None,
    speed: Annotated[float, typer.Option(help="Seconds of the run in a second of film.")] = 1.0,
    fps: Annotated[
        float | None, typer.Option(help="Frames in a second: 30 for MP4, 20 for the others.")
    ] = None,
    size: Annotated[str, typer.Option(help="Width and height in pixels.")] = "960x540",
    sample: Annotated[int, typer.Option(help="Which sample of a batch.")] = 0,
    stage: Annotated[
        str | None, typer.Option(help="light, dark, ground, water or sea; by the world if not given.")
    ] = None,
    azimuth: Annotated[float, typer.Option(help="Where the camera stands, degrees.")] = AZIMUTH,
    elevation: Annotated[float, typer.Option(help="How high it stands, degrees.")] = ELEVATION,
    zoom: Annotated[float, typer.Option(help="2 comes twice as near.")] = 1.0,
    follow: Annotated[
        bool | None,
        typer.Option(
            "--follow/--no-follow", help="Whether the camera moves with the vehicle; if it goes far."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Words on the picture; the system's name.")] = None,
    targets: Annotated[bool, typer.Option(help="Whether what the law wants is drawn.")] = True,
) -> None:
    """Write a picture or a film of a saved run, without a screen."""
    written = render(
        load_run(run), output, time=time, speed=speed, fps=fps, sample=sample, size=_pixels(size), stage=stage,
        azimuth=azimuth, elevation=elevation, zoom=zoom, follow=follow, title=title, targets=targets,
    )  # fmt: skip
    Console(emoji=False).print(
        f"{escape(str(written))} ({written.stat().st_size / 1e6:.2f} MB)", highlight=False, soft_wrap=True
    )


def _pixels(size: str) -> tuple[int, int]:
    width, by, height = size.lower().partition("x")
    if not (by and size.isascii() and width.isdigit() and height.isdigit()):
        raise ModelError.single(
            "render", "--size", expected="WIDTHxHEIGHT, such as 960x540", given=repr(size)
        )
    return int(width), int(height)
