"""Elementary functions written with the arithmetic of the graph, so that no backend calls a mathematics
library.

Every function takes the format first and works on symbols. NaN goes in and comes out; infinities and the
ends of the domains give what IEEE 754 recommends. Angles beyond `Format.angle_limit` give NaN: their
reduction would be noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..trace import Condition, Symbol, copysign, fma, maximum, minimum, where
from ..trace.graph import BIT_TESTS
from .number_formats import Format


def _bits(operation: str, x: Symbol) -> Symbol:
    return Symbol(x.graph, x.graph.node(operation, x.index))


def _polynomial(coefficients: tuple[float, ...], z: Symbol) -> Symbol:
    """Horner's scheme, one fused operation per coefficient."""
    *lower, value = coefficients
    for coefficient in reversed(lower):
        value = fma(value, z, coefficient)
    return value  # type: ignore[return-value]


def _reduced(form: Format, x: Symbol) -> tuple[Symbol, Symbol]:
    """A number whose last bits are n, and r, with x = n pi/2 + r, |r| <= pi/4; NaN for r if |x| is too large."""
    whole = 1.5 * 2.0**form.mantissa_bits  # a sum with this is rounded to an integer
    shifted = fma(x, 2.0 / math.pi, whole)
    n, r = shifted - whole, x
    for part in form.half_pi:
        r = fma(-n, part, r)
    return shifted, where(abs(x) <= form.angle_limit, r, math.nan)


def _sine_cosine(form: Format, r: Symbol) -> tuple[Symbol, Symbol]:
    """sin r and cos r for |r| <= pi/4."""
    z = r * r
    sine = fma(z * r, _polynomial(form.sin, z), r)
    leading = fma(-0.5, z, 1.0)
    # the rounding error of 1 - z/2 is recovered exactly and added to the rest
    rest = fma(-0.5, z, 1.0 - leading)
    return sine, leading + fma(z * z, _polynomial(form.cos, z), rest)


def _quadrant(shifted: Symbol) -> tuple[Condition, Condition]:
    """Conditions (n is odd, bit 1 of n is set), of the n in the last bits."""
    odd, second = (Condition(shifted.graph, shifted.graph.node(bit, shifted.index)) for bit in BIT_TESTS)
    return odd, second


def sine(form: Format, x: Symbol) -> Symbol:
    """sin x."""
    shifted, r = _reduced(form, x)
    s, c = _sine_cosine(form, r)
    odd, second = _quadrant(shifted)
    value = where(odd, c, s)
    return where(second, -value, value)


def cosine(form: Format, x: Symbol) -> Symbol:
    """cos x."""
    shifted, r = _reduced(form, x)
    s, c = _sine_cosine(form, r)
    odd, second = _quadrant(shifted)
    value = where(odd, -s, c)
    return where(second, -value, value)


def tangent(form: Format, x: Symbol) -> Symbol:
    """tan x."""
    shifted, r = _reduced(form, x)
    s, c = _sine_cosine(form, r)
    odd, _ = _quadrant(shifted)
    return where(odd, -c, s) / where(odd, s, c)


def _exp_parts(form: Format, x: Symbol) -> tuple[Symbol, Symbol]:
    """n and exp(r) - 1 with x = n ln 2 + r."""
    n = np.rint(x * (1.0 / math.log(2.0)))
    r = fma(-n, form.ln2[1], fma(-n, form.ln2[0], x))
    return n, fma(r * r, _polynomial(form.exp, r), r)


def exponential(form: Format, x: Symbol) -> Symbol:
    """exp x."""
    low, high = form.exp_range
    n, rest = _exp_parts(form, minimum(maximum(x, low), high))
    half = np.floor(0.5 * n)
    # two factors, because 2^n itself may be out of range where the result is not
    return (1.0 + rest) * _bits("pow2", half) * _bits("pow2", n - half)


def hyperbolic_tangent(form: Format, x: Symbol) -> Symbol:
    """tanh x, by exp(2|x|) - 1."""
    n, rest = _exp_parts(form, 2.0 * minimum(abs(x), form.tanh_limit))
    power = _bits("pow2", n)
    t = fma(power, rest, power - 1.0)  # exp(2|x|) - 1
    return copysign(t / (t + 2.0), x)


def logarithm(form: Format, x: Symbol) -> Symbol:
    """log x."""
    scale = 2.0 ** (form.mantissa_bits + 2)
    tiny = x < 2.0 ** (1 - form.exponent_bias)
    normal = where(tiny, scale * x, x)
    m, e = _bits("mantissa", normal), _bits("exponent", normal)
    large = math.sqrt(2.0) < m
    m = where(large, 0.5 * m, m)
    e = where(large, e + 1.0, e) - where(tiny, float(form.mantissa_bits + 2), 0.0)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    half_square = 0.5 * f * f
    # log(1+f) = f - f²/2 + s (f²/2 + log((1+s)/(1-s))/s - 2)
    rest = fma(s, fma(z, _polynomial(form.log, z), half_square), e * form.ln2_short[1])
    value = fma(e, form.ln2_short[0], f - (half_square - rest))
    return where(x > 0.0, where(x < math.inf, value, x), where(x == 0.0, -math.inf, math.nan))


def _atan_of_ratio(form: Format, u: Symbol, v: Symbol | float) -> Symbol:
    """atan(u / v) for u, v >= 0, with a single division."""
    corner = math.sqrt(2.0) - 1.0
    steep, middle = u > (1.0 / corner) * v, u > corner * v
    top = where(steep, -v, where(middle, u - v, u))
    bottom = where(steep, u, where(middle, u + v, v))
    t = top / where(bottom == 0.0, 1.0, bottom)
    z = t * t
    base = where(steep, form.half_pi[0], where(middle, 0.5 * form.half_pi[0], 0.0))
    low = where(steep, form.half_pi[1], where(middle, 0.5 * form.half_pi[1], 0.0))
    return base + (t + fma(t * z, _polynomial(form.atan, z), low))


def arc_tangent(form: Format, x: Symbol) -> Symbol:
    """atan x."""
    return copysign(_atan_of_ratio(form, minimum(abs(x), 2.0**100), 1.0), x)


def arc_tangent_2(form: Format, y: Symbol, x: Symbol) -> Symbol:
    """Angle of the point (x, y), with the signs of zeros and infinities told apart."""
    u, v = abs(y), abs(x)
    both_infinite = (u == math.inf) & (v == math.inf)
    largest = maximum(u, v)
    # a sum of two numbers near the largest one must not overflow, nor small ones lose bits
    scale = where(largest > 2.0 ** (form.exponent_bias - 4), 2.0**-6, 1.0)
    scale = where(
        largest < 2.0 ** (form.mantissa_bits - form.exponent_bias), 2.0 ** (form.mantissa_bits + 2), scale
    )
    angle = _atan_of_ratio(form, where(both_infinite, 1.0, u * scale), where(both_infinite, 1.0, v * scale))
    angle = where(copysign(1.0, x) < 0.0, 2.0 * form.half_pi[0] - (angle - 2.0 * form.half_pi[1]), angle)
    return copysign(angle, y)


def _half_angle(form: Format, x: Symbol) -> tuple[Symbol, Symbol]:
    """asin(s) = s + rest for s = sqrt((1 - |x|) / 2), with the rounding error of s put into the rest."""
    t = 0.5 * (1.0 - abs(x))
    s = np.sqrt(t)
    error = where(t > 0.0, fma(-s, s, t) / (s + s), 0.0)
    return s, fma(s * t, _polynomial(form.asin, t), error)


def arc_sine(form: Format, x: Symbol) -> Symbol:
    """asin x."""
    z = x * x
    near = fma(x * z, _polynomial(form.asin, z), x)
    s, rest = _half_angle(form, x)
    far = form.half_pi[0] - (2.0 * s + (2.0 * rest - form.half_pi[1]))
    return where(abs(x) <= 0.5, near, copysign(far, x))


def arc_cosine(form: Format, x: Symbol) -> Symbol:
    """acos x."""
    z = x * x
    near = form.half_pi[0] - (x + fma(x * z, _polynomial(form.asin, z), -form.half_pi[1]))
    s, rest = _half_angle(form, x)
    positive = 2.0 * (s + rest)
    negative = 2.0 * (form.half_pi[0] - (s + (rest - form.half_pi[1])))
    return where(abs(x) <= 0.5, near, where(x > 0.0, positive, negative))


EXPANSIONS: dict[str, Callable[..., Symbol]] = {
    "sin": sine, "cos": cosine, "tan": tangent, "exp": exponential, "tanh": hyperbolic_tangent,
    "log": logarithm, "atan": arc_tangent, "atan2": arc_tangent_2, "asin": arc_sine, "acos": arc_cosine,
}  # fmt: skip
