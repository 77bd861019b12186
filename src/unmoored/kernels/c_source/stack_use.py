"""How much stack the functions of a C file need: everything that they declare, along the deepest chain of calls."""

from __future__ import annotations

import re

#: for the return address, saved registers and alignment of every call in a chain
_FRAME = 128
#: bytes of a pointer, and of a whole number with what aligns it
_WORD = 8
_FUNCTION = re.compile(
    r"^(?:static (?:inline )?)?(?:void|double|float) (\w+)\(([^)]*)\)\n\{\n(.*?)\n\}", re.M | re.S
)
_VALUE = re.compile(r"^\s*(?:const )?(double|float|int) \w+(?:\[(\d+)\])?(?: =|;)", re.M)
_OTHER = re.compile(r"^\s*const (?:double|float|int) \*\w+ =|\bfor \(int |^\s*union ", re.M)
_CALLED = re.compile(r"\b(\w+)\(")


def stack_use(source: str) -> dict[str, int]:
    """Bytes that a call of each function of our own source needs at most, without those of the C library's functions.

    Every declared number counts, as if the compiler kept none in registers. Functions of ours call only those that are
    defined before them.
    """
    needed: dict[str, int] = {}
    for name, parameters, body in _FUNCTION.findall(source):
        called = set(_CALLED.findall(body))
        own = _FRAME + _WORD * (parameters.count(",") + 1) + _WORD * len(_OTHER.findall(body))
        own += sum(_size(kind) * int(count or 1) for kind, count in _VALUE.findall(body))
        if name in called:
            raise ValueError(f"{name} calls itself")
        needed[name] = own + max((needed[other] for other in called if other in needed), default=0)
    return needed


def _size(kind: str) -> int:
    return 4 if kind == "float" else _WORD
