"""Texts from files and names on a terminal: no markup, no control characters, and JSON without them."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from rich import markup

from ..model.names import printable


def escape(text: str) -> str:
    """The text as rich prints it letter by letter; characters that control terminals are written out, lines kept."""
    return markup.escape("\n".join(map(printable, text.split("\n"))))


def json_text(data: Any) -> str:
    """JSON for people and machines; what is not printable stays an escape."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return re.sub(r"[^\n]", lambda c: c[0] if c[0].isprintable() else json.dumps(c[0])[1:-1], text)


def use_any_terminal() -> None:
    """Print what the terminal's encoding lacks as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
