"""Title and time on a picture."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .stage import Stage


def lettered(picture: np.ndarray, stage: Stage, title: str, time: str) -> np.ndarray:
    """The picture (height, width, 3) with a title above on the left and the time below on the left."""
    from PIL import Image, ImageDraw

    height = picture.shape[0]
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    ink = tuple(round(255 * x) for x in stage.ink)
    margin = round(0.028 * height) + 2
    if title:
        draw.text((margin, margin), title, fill=ink, font=_font(True, max(round(0.042 * height), 10)))
    if time:
        font = _font(False, max(round(0.038 * height), 10))
        draw.text((margin, height - margin), time, fill=ink, font=font, anchor="ls")
    return np.asarray(image)


@lru_cache(maxsize=16)
def _font(bold: bool, size: int) -> Any:
    """The font that comes with matplotlib, so that pictures look alike on every machine."""
    import matplotlib
    from PIL import ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name, size)
