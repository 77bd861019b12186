"""The scalar tracer: NumPy code over symbols becomes an expression graph.

Also the few array functions that work on numbers and symbols alike, for code that is written once.
"""

from .errors import TracingError
from .evaluate import evaluate
from .functions import (
    arctan2,
    clip,
    copysign,
    equal,
    fma,
    greater,
    greater_equal,
    is_symbolic,
    less,
    less_equal,
    maximum,
    minimum,
    sign,
    where,
)
from .graph import Graph
from .linear import inverse_spd, solve
from .symbol import Condition, Symbol
from .traced import Traced, trace

__all__ = [
    "Condition",
    "Graph",
    "Symbol",
    "Traced",
    "TracingError",
    "arctan2",
    "clip",
    "copysign",
    "equal",
    "evaluate",
    "fma",
    "greater",
    "greater_equal",
    "inverse_spd",
    "is_symbolic",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "sign",
    "solve",
    "trace",
    "where",
]
