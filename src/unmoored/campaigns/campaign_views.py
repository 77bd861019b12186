"""How a campaign shows itself. The views come after this room: these are the only calls upward, made when asked for.

`CampaignResults` inherits them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class CampaignViews:
    """The methods of `CampaignResults` that show it."""

    def plot(
        self,
        what: str = "fan",
        path: str | Path | None = None,
        *,
        channels: Sequence[str] | None = None,
        percentiles: Sequence[float] = (5.0, 25.0, 50.0, 75.0, 95.0),
        dpi: int = 150,
        title: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Figure:
        """A figure of the campaign, written to `path` (.png, .svg, .pdf) too if that is given (extra `views`).

        what: "fan", percentiles of the channels over time with their extremes; or "last", the distribution of the
        values that samples ended with.  channels: all if None.
        """
        from ..views import campaign_figure

        results: Any = self
        words = f"{results.name}, {results.samples:,} samples" if title is None else title
        options: dict[str, Any] = {"channels": channels, "percentiles": percentiles, "dpi": dpi, "size": size}
        return campaign_figure(results.statistics(), what, path, title=words, **options)

    def report(self, path: str | Path, *, title: str | None = None) -> Path:
        """Write what was found as one standalone HTML file and return its path (extra `views`)."""
        from ..views import campaign_report

        results: Any = self
        return campaign_report(results, path, title=title)


for _name in ("plot", "report"):  # errors name the class that users know
    getattr(CampaignViews, _name).__qualname__ = f"CampaignResults.{_name}"
