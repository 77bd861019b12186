"""The scalar tracer: NumPy code over symbols becomes an expression graph.

Also the few array functions that work on numbers and symbols alike, for code that is written once.
"""

from .cost import operations_of
from .derivatives import gradient, jacobian, jvp, vjp
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
from .fuse import fuse
from .graph import Graph
from .linear import inverse_spd, solve
from .live import live_nodes, operation_count, scheduled
from .outline import call_traced, inlined, outlined
from .prune import pruned
from .rewrite import rewrite
from .scan import Scan
from .scanning import LOOPS_BEYOND, loops, scan_each, scan_inward, scan_outward
from .symbol import Condition, Symbol
from .traced import Traced, trace

__all__ = [
    "LOOPS_BEYOND",
    "Condition",
    "Graph",
    "Scan",
    "Symbol",
    "Traced",
    "TracingError",
    "arctan2",
    "call_traced",
    "clip",
    "copysign",
    "equal",
    "evaluate",
    "fma",
    "fuse",
    "gradient",
    "greater",
    "greater_equal",
    "inlined",
    "inverse_spd",
    "is_symbolic",
    "jacobian",
    "jvp",
    "less",
    "less_equal",
    "live_nodes",
    "loops",
    "maximum",
    "minimum",
    "operation_count",
    "operations_of",
    "outlined",
    "pruned",
    "rewrite",
    "scan_each",
    "scan_inward",
    "scan_outward",
    "scheduled",
    "sign",
    "solve",
    "trace",
    "vjp",
    "where",
]
