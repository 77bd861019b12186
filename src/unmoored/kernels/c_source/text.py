"""Laying out source text."""

from __future__ import annotations

from collections.abc import Iterable


def function_text(head: str, lines: Iterable[str]) -> str:
    """A function from its head and the statements of its body."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"{head}\n{{\n{body}\n}}\n"
