"""How systems, plants and runs show themselves in notebooks.

The views come last of all rooms, and this is called from above. With `simulation/run_views.py` these are the only calls
upward, made when somebody looks.
"""

from __future__ import annotations


class ShownInNotebooks:
    """What Jupyter shows: a table, and a picture that can be turned; nothing is fetched from the network."""

    def _repr_html_(self) -> str | None:
        """HTML of it; None, which lets notebooks show the text, without the extra `views`."""
        try:
            from .views.notebook import html

            return html(self)
        except ImportError:
            return None
