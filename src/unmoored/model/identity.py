"""What an object is, as text: a canonical encoding of its content, bit for bit, for the keys of kernels and runs.

Two objects have the same text if and only if they have the same class and the same content. Nothing here reads
`repr`: how an object shows itself may change without any kernel being taken for another's.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from .value import has_own_code


def text_of(x: Any) -> str | None:
    """The canonical text of an object; None if code of the user's is part of it, which no text can stand for."""
    parts: list[str] = []
    return "".join(parts) if _encode(x, parts) else None


def digest_of(*objects: Any) -> str | None:
    """SHA-256 of the canonical text; None as for `text_of`."""
    text = text_of(objects)
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


def _encode(x: Any, parts: list[str]) -> bool:
    """Append the text of x; whether it has one. Every text says where it ends, so that none can run into the next."""
    if x is None or x is True or x is False or x is Ellipsis:
        parts.append(f"{x!r};")
    elif isinstance(x, str):
        parts.append(f"s{len(x)}:{x};")
    elif isinstance(x, float | np.floating):
        parts.append(f"f{float(x).hex()};")
    elif isinstance(x, int | np.integer):
        parts.append(f"i{int(x)};")
    elif isinstance(x, np.ndarray) and x.dtype != object:
        parts.append(f"a{x.dtype.str}{x.shape}:{np.ascontiguousarray(x).tobytes().hex()};")
    elif isinstance(x, tuple | list):
        return _encode_all("(", x, parts)
    elif isinstance(x, Mapping):
        return _encode_all("{", (item for pair in x.items() for item in pair), parts)
    elif isinstance(x, slice):
        return _encode_all("[", (x.start, x.stop, x.step), parts)
    elif dataclasses.is_dataclass(x) and not isinstance(x, type) and has_own_code(x):
        own = type(x)
        values = (getattr(x, field.name) for field in dataclasses.fields(x))
        return _encode_all(f"{own.__module__}.{own.__qualname__}(", values, parts)
    else:
        return False
    return True


def _encode_all(head: str, items: Any, parts: list[str]) -> bool:
    parts.append(head)
    if not all(_encode(item, parts) for item in items):
        return False
    parts.append(");")
    return True
