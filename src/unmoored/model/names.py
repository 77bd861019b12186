"""What a name may be, and how a text is printed that may come from anywhere."""

from __future__ import annotations

from .errors import ModelError, printable

WORLD = "world"
LONGEST = 200

__all__ = [
    "LONGEST", "WORLD", "check_label", "check_name", "check_plain_name", "check_text", "name_fault", "plain_name_fault",
    "printable",
]  # fmt: skip


def check_name(kind: str, name: object) -> None:
    """Refuse a name of a body, joint or frame that is not printable text, is too long, or is the world's.

    A "/" is allowed: it separates prefixes, and never becomes part of a path.
    """
    _raise(kind, name, name_fault(name))


def check_plain_name(kind: str, name: object) -> None:
    """Refuse a name of a system, scenario, campaign or actuator that could lead elsewhere as part of a path."""
    _raise(kind, name, plain_name_fault(name))


def check_label(kind: str, what: str, label: object) -> None:
    """Refuse a name that is only shown and kept with results, and so must be read again: of an event, a goal.

    It may be made of two other names.
    """
    if not isinstance(label, str) or not label.strip() or not label.isprintable() or len(label) > 2 * LONGEST:
        expected = f"1 to {2 * LONGEST} printable characters"
        raise ModelError.single(kind, what, expected=expected, given=ascii(label))


def name_fault(name: object) -> str | None:
    """What is expected instead of such a name of a body, joint or frame; None if it is good."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > LONGEST:
        return f"1 to {LONGEST} printable characters"
    return f"any name but {WORLD!r}, which is reserved" if name == WORLD else None


def plain_name_fault(name: object) -> str | None:
    """What is expected instead of such a name of a system, scenario or actuator; None if it is good."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > LONGEST:
        return f"1 to {LONGEST} printable characters"
    bad = "/" in name or "\\" in name or name.startswith(".")
    return "no / or \\ in it and no dot at its start" if bad else None


def check_text(where: str, what: str, text: object) -> None:
    """Refuse a text with characters that control terminals (lines and tabs are allowed)."""
    plain = isinstance(text, str) and text.replace("\n", "").replace("\t", "").isprintable()
    if not plain:
        expected = "text of printable characters, lines and tabs"
        raise ModelError.single(where, what, expected=expected, given=ascii(text))


def _raise(kind: str, name: object, fault: str | None) -> None:
    if fault:
        raise ModelError.single(kind, "name", expected=fault, given=repr(name))
