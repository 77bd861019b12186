"""What C and CUDA write differently, and the few helper functions that both need."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..number_formats import Format

#: bodies of the helpers; {real} {bits} {suffix} and the numbers of the format are filled in
_HELPERS = {
    "um_least": """real um_least(real a, real b)
{{
    /* NaN if there is one, and -0 < +0 */
    if (a < b) return a;
    if (b < a) return b;
    if (a != b) return a + b;
    return copysign{suffix}({one}, a) < {zero} ? a : b;
}}""",
    "um_greatest": """real um_greatest(real a, real b)
{{
    /* NaN if there is one, and -0 < +0 */
    if (a > b) return a;
    if (b > a) return b;
    if (a != b) return a + b;
    return copysign{suffix}({one}, a) < {zero} ? b : a;
}}""",
    "um_pow2": """real um_pow2(real n)
{{
    /* 2^n for integral n in the range of normal numbers, by the bits */
    union {{ real x; {bits} u; }} number;
    number.x = n + {power_offset};
    number.u <<= {mantissa_bits};
    return number.x;
}}""",
    "um_mantissa": """real um_mantissa(real x)
{{
    /* |x| scaled by a power of two into [1, 2), by the bits */
    union {{ real x; {bits} u; }} number;
    number.x = x;
    number.u = (number.u & {mantissa_mask}) | {exponent_of_one};
    return number.x;
}}""",
    "um_exponent": """real um_exponent(real x)
{{
    /* floor(log2 x) for positive normal x, by the bits */
    union {{ real x; {bits} u; }} number;
    number.x = x;
    number.u = (number.u >> {mantissa_bits}) | {exponent_grid};
    return number.x - {exponent_offset};
}}""",
    "um_bit0": """int um_bit0(real x)
{{
    /* the last bit: whether the integer in the last bits is odd */
    union {{ real x; {bits} u; }} number;
    number.x = x;
    return (int)(number.u & 1u);
}}""",
    "um_bit1": """int um_bit1(real x)
{{
    /* the last bit but one */
    union {{ real x; {bits} u; }} number;
    number.x = x;
    return (int)(number.u >> 1 & 1u);
}}""",
}  # fmt: skip


@dataclass(frozen=True)
class Dialect:
    """A C-like language with one floating-point format."""

    form: Format
    #: how small functions begin, and functions that are better called than copied
    inline: str = "static inline"
    outline: str = "static"
    #: how tables of constants begin
    table: str = "static const"
    #: the type of whole numbers as long as the reals, where infinities and NaN are no constants for a table
    bits: str = ""
    #: in the standard's header both are floats
    not_a_number: str = "NAN"
    infinity: str = "INFINITY"
    #: the function (or macro) that multiplies and adds with one rounding
    fma: str = "UM_FMA"
    #: most numbers that sub-functions take and return by value: in registers, where the language has calls that do so
    by_value: int = 0
    #: definition of `um_divide`, where the language's own quotients are slow
    divide: str = ""

    @property
    def real(self) -> str:
        """The language's word for a real number."""
        return self.form.llvm

    @property
    def suffix(self) -> str:
        """Ending of literals and of the names of functions."""
        return "f" if self.form.bytes == 4 else ""

    def literal(self, value: float) -> str:
        """A number with all its bits, rounded to the format."""
        if self.form.bytes == 4:
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        if math.isnan(value):
            return self._widened(self.not_a_number)
        if math.isinf(value):
            infinity = self._widened(self.infinity)
            return infinity if value > 0 else f"(-{infinity})"
        text = str(np.float32(value)) if self.form.bytes == 4 else repr(value)
        return (text if "." in text or "e" in text else f"{text}.0") + self.suffix

    def _widened(self, name: str) -> str:
        return f"(double){name}" if self.form.bytes == 8 and name.isupper() else name

    def helper(self, name: str) -> str:
        """Definition of a helper function."""
        if name == DIVIDE:
            return self.divide
        form = self.form
        bits, ending = ("unsigned int", "u") if form.bytes == 4 else ("unsigned long long", "ull")
        text = _HELPERS[name].format(
            bits=bits, suffix=self.suffix,
            one=self.literal(1.0), zero=self.literal(0.0), mantissa_bits=form.mantissa_bits,
            power_offset=self.literal(1.5 * 2.0**form.mantissa_bits + form.exponent_bias),
            mantissa_mask=f"{(1 << form.mantissa_bits) - 1:#x}{ending}",
            exponent_of_one=f"{form.exponent_bias << form.mantissa_bits:#x}{ending}",
            exponent_grid=f"{(form.exponent_bias + form.mantissa_bits) << form.mantissa_bits:#x}{ending}",
            exponent_offset=self.literal(2.0**form.mantissa_bits + form.exponent_bias),
        )  # fmt: skip
        return f"{self.inline} {text.replace('real', self.real)}"


#: name of the function for quotients, where the dialect has one
DIVIDE = "um_divide"
#: helpers in the order in which they are defined
HELPERS = (*_HELPERS, DIVIDE)
