"""How an identification shows itself. Views come after this room: this is the only call upward, made when asked for.

`Identified` inherits it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FitViews:
    """The methods of `Identified` that show it."""

    def plot(
        self,
        what: str = "residuals",
        path: str | Path | None = None,
        *,
        dpi: int = 150,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """A figure of what was found, written to `path` (.png, .svg, .pdf) too if that is given (extra `views`).

        what: "residuals" over time with the band of their noise; "whiteness", their autocorrelation: what leaves the
        band is no noise but a wrong model; or "correlations" of the numbers.
        """
        from ..views import residual_figure

        found: Any = self
        words = f"{found.plant.name}, by {found.by}: {what}" if title is None else title
        return residual_figure(found, what, path, dpi=dpi, title=words, size=size)


FitViews.plot.__qualname__ = "Identified.plot"  # errors name the class that users know
