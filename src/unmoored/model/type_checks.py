"""Values of another type than a field takes are refused, by name."""

from __future__ import annotations

from .errors import ModelError


def check_type(where: str, what: str, x: object, expected: type) -> None:
    """Refuse a value of another type, naming both."""
    if not isinstance(x, expected):
        raise ModelError.single(
            where,
            what,
            expected=f"{'an' if expected.__name__[0] in 'AEIOU' else 'a'} {expected.__name__}",
            given=f"{type(x).__name__}: {x!r}",
        )
