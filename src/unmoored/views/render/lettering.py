"""Words on a picture, in an ink that is read on what is behind them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .stage import Rgb

DARK_INK, LIGHT_INK = (0.0, 0.0, 0.0), (0.97, 0.98, 1.0)
_PART = 0.08  # of the picture's height, in which words stand
_WIDE = 0.5  # of its width


def inks(behind: np.ndarray) -> tuple[Rgb, Rgb]:
    """The inks of words above and below on the left, for what is behind them (height, width, 3), 0…1."""
    height, width = behind.shape[:2]
    rows, columns = max(round(_PART * height), 1), max(round(_WIDE * width), 1)
    above, below = behind[:rows, :columns], behind[-rows:, :columns]
    return readable_ink(above), readable_ink(below)


def readable_ink(colours: np.ndarray) -> Rgb:
    """Dark or light, whichever stands out more from the colour (..., 3) that is nearest to it."""
    return max((DARK_INK, LIGHT_INK), key=lambda ink: float(contrast(ink, colours).min()))


def contrast(ink: Rgb, colours: np.ndarray) -> np.ndarray:
    """Ratios of luminances (sRGB, 0…1): 1 where the ink has the colour (..., 3), 21 for black on white (WCAG 2)."""
    a, b = _luminance(np.array(ink)) + 0.05, _luminance(colours) + 0.05
    return np.maximum(a / b, b / a)


def lettered(picture: np.ndarray, ink: tuple[Rgb, Rgb], title: str, time: str) -> np.ndarray:
    """The picture (height, width, 3) with a title above on the left and the time below on the left."""
    from PIL import Image, ImageDraw

    height = picture.shape[0]
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    above, below = (tuple(round(255 * x) for x in rgb) for rgb in ink)
    margin = round(0.028 * height) + 2
    if title:
        draw.text((margin, margin), title, fill=above, font=_font(True, max(round(0.042 * height), 10)))
    if time:
        font = _font(False, max(round(0.038 * height), 10))
        draw.text((margin, height - margin), time, fill=below, font=font, anchor="ls")
    return np.asarray(image)


def _luminance(rgb: np.ndarray) -> np.ndarray:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ np.array(
        [0.2126, 0.7152, 0.0722]
    )


@lru_cache(maxsize=16)
def _font(bold: bool, size: int) -> Any:
    """The font that comes with matplotlib, so that pictures look alike on every machine."""
    import matplotlib
    from PIL import ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name, size)
