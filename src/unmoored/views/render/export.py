"""Runs as files to look at: PNG for one instant, GIF, WebP and MP4 for all of it."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.errors import unknown_name
from ..extra import required
from .filming import Film, Look

FORMATS = (".png", ".gif", ".webp", ".mp4")
_RATES = {".gif": 20.0, ".webp": 20.0, ".mp4": 30.0}
_LONGEST = 20_000  # frames


def render(
    run: Any,
    path: str | Path,
    *,
    sample: int = 0,
    time: float | None = None,
    speed: float = 1.0,
    fps: float | None = None,
    look: Look | None = None,
    **options: Any,
) -> Path:
    """Write a picture (.png) or a film (.gif, .webp, .mp4) of a run, without a screen, and return its path.

    sample: which trajectory of a batch.  time: of a picture (s), the end if None.
    speed: seconds of the run in a second of film.  fps: frames in a second, 30 for MP4 and 20 for the others if None.
    options: those of `Look`: size, stage, azimuth, elevation, zoom, follow, trails, title, targets, ties.
    """
    required("matplotlib", "PIL")
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise unknown_name(str(path), "format", path.suffix, FORMATS)
    one = run.sample(sample) if np.ndim(run.q) == 3 else run
    film = Film(one, look or Look(**options))
    if path.suffix.lower() == ".png":
        (picture,) = film.pictures([float(one.t[-1]) if time is None else _inside(one, time)])
        _write_png(path, picture)
        return path
    fps = _RATES[path.suffix.lower()] if fps is None else fps
    times = frame_times(one, speed, fps)
    writers = {".gif": _write_gif, ".webp": _write_webp, ".mp4": _write_mp4}
    writers[path.suffix.lower()](path, film.pictures(times), fps)
    return path


def frame_times(run: Any, speed: float, fps: float) -> np.ndarray:
    """Times (s) of the frames of a film, from the start to the end of the run."""
    if not (speed > 0 and 0 < fps <= 100):
        expected = "speed > 0 and 0 < fps ≤ 100"
        raise ModelError.single("render", "film", expected=expected, given=f"speed {speed!r}, fps {fps!r}")
    start, end = float(run.t[0]), float(run.t[-1])
    count = int(np.floor((end - start) * fps / speed + 1e-9)) + 1
    if count > _LONGEST:
        expected = f"at most {_LONGEST} frames: a higher speed or a lower fps"
        raise ModelError.single("render", "film", expected=expected, given=f"{count} frames")
    return start + np.arange(count) * speed / fps


def _inside(run: Any, time: float) -> float:
    start, end = float(run.t[0]), float(run.t[-1])
    if not start <= time <= end:
        raise ModelError.single("render", "time", expected=f"{start:g}…{end:g} s", given=f"{time:g} s")
    return time


def _write_png(path: Path, picture: np.ndarray) -> None:
    from PIL import Image

    Image.fromarray(picture).save(path, optimize=True)


def _write_gif(path: Path, pictures: Iterable[np.ndarray], fps: float) -> None:
    """One palette for all frames, from a few of them, so that what stands still does not flicker."""
    from PIL import Image

    frames = [Image.fromarray(picture) for picture in pictures]
    palette = _common_palette(frames)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    shown = max(round(100.0 / fps), 2) * 10  # ms; browsers slow down below 20 ms
    drawn[0].save(path, save_all=True, append_images=drawn[1:], duration=shown, loop=0, optimize=False)


def _write_webp(path: Path, pictures: Iterable[np.ndarray], fps: float) -> None:
    """A tenth of a GIF's size, and shown wherever pictures are."""
    from PIL import Image

    first, *others = [Image.fromarray(picture) for picture in pictures]
    shown = round(1000.0 / fps)  # ms
    first.save(path, save_all=True, append_images=others, duration=shown, loop=0, quality=70, method=4)


def _common_palette(frames: list[Any]) -> Any:
    from PIL import Image

    chosen = frames[:: max(len(frames) // 6, 1)]
    width, height = chosen[0].size
    sheet = Image.new("RGB", (width, height * len(chosen)))
    for i, frame in enumerate(chosen):
        sheet.paste(frame, (0, i * height))
    return sheet.quantize(colors=255, method=Image.Quantize.FASTOCTREE)  # keeps rare colours, such as trails


def _write_mp4(path: Path, pictures: Iterable[np.ndarray], fps: float) -> None:
    """H.264 by the ffmpeg that imageio-ffmpeg brings; sides are cut to even numbers, which the format asks for."""
    required("imageio_ffmpeg")
    from imageio_ffmpeg import get_ffmpeg_exe

    pictures = iter(pictures)
    first = next(pictures)
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}", "-i", "-"]
    wanted = ["-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    command = [get_ffmpeg_exe(), "-y", "-loglevel", "error", *given, *wanted]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
        frames = (picture[:height, :width].tobytes() for picture in chain([first], pictures))
        complaint = _fed(encoder, frames)
    if encoder.returncode:
        raise ModelError.single(str(path), "MP4", expected="ffmpeg to write the film", given=complaint)


def _fed(encoder: subprocess.Popen[bytes], frames: Iterable[bytes]) -> str:
    """Give all frames to the encoder; what it complained about."""
    pipe, encoder.stdin = encoder.stdin, None
    assert pipe is not None
    stopped = contextlib.suppress(BrokenPipeError)  # if it has stopped, its own words say why
    with stopped:
        for frame in frames:
            pipe.write(frame)
    with stopped:
        pipe.close()
    return encoder.communicate()[1].decode(errors="replace").strip()
