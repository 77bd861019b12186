"""The two floating-point formats of kernels, with the constants that elementary functions need in each.

The polynomials are Chebyshev fits over the reduced range, computed with 60 digits, whose error is below a
quarter of a unit in the last place of the function; coefficients are listed from the lowest power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..error_roots import ArrayError


@dataclass(frozen=True)
class Format:
    """A floating-point format: names, sizes, and constants split into parts for exact products."""

    name: str
    llvm: str
    bytes: int
    mantissa_bits: int
    exponent_bias: int
    #: pi/2 as an unevaluated sum, for the reduction of angles
    half_pi: tuple[float, float, float]
    #: largest |angle| that is reduced correctly
    angle_limit: float
    #: ln 2 as an unevaluated sum: for exp, and for log (whose first part has trailing zero bits)
    ln2: tuple[float, float]
    ln2_short: tuple[float, float]
    #: arguments beyond which exp underflows and overflows, and tanh is one
    exp_range: tuple[float, float]
    tanh_limit: float
    #: (sin r / r - 1) / r^2 and (cos r - 1 + r^2/2) / r^4 as polynomials in r^2
    sin: tuple[float, ...]
    cos: tuple[float, ...]
    #: (exp r - 1 - r) / r^2 in r
    exp: tuple[float, ...]
    #: (log((1+s)/(1-s)) - 2s) / s^3 in s^2
    log: tuple[float, ...]
    #: (atan t / t - 1) / t^2 and (asin t / t - 1) / t^2 in t^2
    atan: tuple[float, ...]
    asin: tuple[float, ...]

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of the format."""
        return np.dtype(self.name)


FLOAT64 = Format(
    name="float64", llvm="double", bytes=8, mantissa_bits=52, exponent_bias=1023,
    half_pi=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    angle_limit=2.0**50,
    ln2=(0.6931471805599453, 2.3190468138462996e-17),
    ln2_short=(0.6931471805598903, 5.497923018708371e-14),
    exp_range=(-746.0, 710.0), tanh_limit=20.0,
    sin=(-0.16666666666666666, 0.0083333333333307, -0.00019841269836385435, 2.7557315910939e-06,
         -2.5051092308431318e-08, 1.5915309183057952e-10),
    cos=(0.041666666666666664, -0.0013888888888887241, 2.480158729853226e-05, -2.7557317151858866e-07,
         2.0876121534608454e-09, -1.1380868171449914e-11),
    exp=(0.5000000000000001, 0.16666666666666669, 0.04166666666662064, 0.008333333333329793,
         0.0013888888918939168, 0.00019841269864380513, 2.4801518641395993e-05, 2.75572664186123e-06,
         2.7621338669142925e-07, 2.510134692835034e-08),
    log=(0.6666666666666666, 0.4000000000000094, 0.2857142857076445, 0.2222222240054776, 0.181817947008978,
         0.15386290534658992, 0.13267418596474884, 0.1310072138350349),
    atan=(-0.3333333333333333, 0.19999999999995438, -0.14285714284649173, 0.11111111013860688,
          -0.0909090452147169, 0.07692181876036845, -0.06664492945806264, 0.05857988350245762,
          -0.05084610357631765, 0.03920743321261196, -0.019147248964611764),
    asin=(0.16666666666666669, 0.07499999999998425, 0.04464285714637338, 0.030381944137085216,
          0.022372173002005596, 0.017352391265909227, 0.013971235301124539, 0.011478952690257387,
          0.010324318288744113, 0.00545087818772055, 0.017419357964884856, -0.014881409392818066,
          0.02877844261259304),
)  # fmt: skip

FLOAT32 = Format(
    name="float32", llvm="float", bytes=4, mantissa_bits=23, exponent_bias=127,
    half_pi=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    angle_limit=2.0**20,
    ln2=(0.6931471824645996, -1.9046542121259336e-09),
    ln2_short=(0.693115234375, 3.1946184945309415e-05),
    exp_range=(-105.0, 89.0), tanh_limit=10.0,
    sin=(-0.1666666716337204, 0.008333331905305386, -0.00019840039021801203, 2.724378191487631e-06),
    cos=(0.0416666641831398, -0.0013888279208913445, 2.4542870960431173e-05),
    exp=(0.5, 0.1666666716337204, 0.04166645556688309, 0.00833331048488617, 0.0013934541493654251,
         0.00019891980628017336),
    log=(0.6666666865348816, 0.40000125765800476, 0.28550398349761963, 0.23341943323612213),
    atan=(-0.3333333134651184, 0.19999536871910095, -0.14263838529586792, 0.10742466896772385,
          -0.06447741389274597),
    asin=(0.1666666567325592, 0.07500094920396805, 0.044599320739507675, 0.031101727858185768,
          0.017143717035651207, 0.03370072692632675),
)  # fmt: skip

FORMATS = {"float64": FLOAT64, "float32": FLOAT32}


def format_of(dtype: object) -> Format:
    """The format of a NumPy dtype, or an error that lists the valid ones."""
    name = np.dtype(dtype).name  # type: ignore[arg-type]
    if name not in FORMATS:
        raise ArrayError(f"kernels compute in {' or '.join(FORMATS)}, not in {name}")
    return FORMATS[name]
