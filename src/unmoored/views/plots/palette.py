"""Colours that colour-blind people tell apart (Okabe and Ito 2008), and line styles for when they run out."""

from __future__ import annotations

from typing import Any

BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PURPLE, SKY, BLACK, YELLOW = "#CC79A7", "#56B4E9", "#000000", "#F0E442"

#: In the order in which lines take them; yellow last, for it is pale on white.
OKABE_ITO = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, YELLOW)
STROKES = ("-", "--", ":", "-.")
#: How many lines can be told apart in one plot.
DISTINCT = len(OKABE_ITO) * len(STROKES)

GREY = "#5F6670"
FAINT = "#D9DCE1"


def line_style(index: int) -> dict[str, Any]:
    """Colour and stroke of the line with this number."""
    return {
        "color": OKABE_ITO[index % len(OKABE_ITO)],
        "linestyle": STROKES[index // len(OKABE_ITO) % len(STROKES)],
    }
