"""Types and literals of LLVM's language for a vector width and a floating-point format."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from ..number_formats import Format


@dataclass(frozen=True)
class LlvmTypes:
    """How numbers of a format, `width` of them at a time, are written.

    lanes: of a sample alone (width 1), how many of its numbers a vector of the processor takes where they lie side
    by side.
    """

    form: Format
    width: int
    lanes: int = 1

    def _vector(self, scalar: str) -> str:
        return scalar if self.width == 1 else f"<{self.width} x {scalar}>"

    @property
    def real(self) -> str:
        """Type of a lane vector."""
        return self._vector(self.form.llvm)

    @property
    def truth(self) -> str:
        """Type of a lane vector of truth values."""
        return self._vector("i1")

    @property
    def integer(self) -> str:
        """Type of a lane vector of integers as wide as the format."""
        return self._vector(self.scalar_integer)

    @property
    def scalar_integer(self) -> str:
        """Type of an integer as wide as the format."""
        return f"i{8 * self.form.bytes}"

    @property
    def bytes(self) -> int:
        """Size of one lane vector in memory."""
        return self.form.bytes * self.width

    @property
    def suffix(self) -> str:
        """Ending of the names of intrinsic functions."""
        return ("" if self.width == 1 else f"v{self.width}") + f"f{8 * self.form.bytes}"

    def _splat(self, kind: str, literal: str) -> str:
        return literal if self.width == 1 else f"splat ({kind} {literal})"

    def constant(self, value: float) -> str:
        """Literal of a number, rounded to the format."""
        if self.form.bytes == 4:
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        return self._splat(self.form.llvm, f"0x{bits:016X}")

    def whole(self, value: int) -> str:
        """Literal of an integer as wide as the format."""
        return self._splat(self.scalar_integer, str(value))

    def boolean(self, value: bool) -> str:
        """Literal of a truth value."""
        return self._splat("i1", "true" if value else "false")
