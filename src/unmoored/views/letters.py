"""Names and texts from anywhere, shown letter by letter by what would read more into them."""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """For matplotlib, where dollars begin a formula."""
    return text.replace("$", r"\$")


def markdown(text: str) -> str:
    """For Markdown, and the HTML and code that it may hold: all but letters and digits as entities."""
    return re.sub(r"([^\w\s]|_)", lambda c: f"&#{ord(c[1])};", " ".join(text.split()))
