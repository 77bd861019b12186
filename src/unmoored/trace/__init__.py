"""The scalar tracer: NumPy code over symbols becomes an expression graph.

Also the few array functions that work on numbers and symbols alike, for code that is written once.
"""

from .array_functions import (
    arctan2,
    clip,
    copysign,
    equal,
    fma,
    greater,
    greater_equal,
    is_symbolic,
    is_zero,
    less,
    less_equal,
    made_of_symbols,
    maximum,
    minimum,
    sign,
    where,
)
from .dependencies import Fingerprint, fingerprint
from .derivative_rule import custom_derivative
from .differentiate import gradient, jacobian, jvp, vjp
from .evaluate import evaluate
from .fuse import fuse, operations_of
from .graph import Graph
from .graph_digest import graph_digest
from .linear import cholesky, determinant, inverse, matmul, qr, solve
from .lookup import interp, table
from .loop_program import LoopPart
from .node_order import live_nodes, operation_count, scheduled

# here and not when it is first needed: the child of a fork would wait for ever for a thread that was importing it
from .numpy_functions import wrapped as _wrapped
from .object_walk import looks_inside
from .outline import Part, call_traced, inlined, outlined, unfused
from .plain_array import plain_array, plain_numbers
from .positive_definite import inverse_spd, solve_spd
from .prune import pruned
from .recent import Recent, keep_within
from .repeat import repeat, repeat_rows, repeat_until
from .rewrite import rewrite
from .scan import Scan
from .scan_tracing import LOOPS_BEYOND, loops, loops_from, scan_each, scan_inward, scan_outward
from .symbol import Condition, Symbol
from .traced import Traced, trace
from .tracing_error import FallbackWarning, RetraceWarning, SharedMemoryWarning, TracingError, announce
from .user_trace import ImpureFunctionError, trace_twice
from .users_line import failing_line

__all__ = [
    "Condition",
    "FallbackWarning",
    "ImpureFunctionError",
    "RetraceWarning",
    "SharedMemoryWarning",
    "Symbol",
    "Traced",
    "TracingError",
    "arctan2",
    "cholesky",
    "clip",
    "copysign",
    "custom_derivative",
    "determinant",
    "equal",
    "evaluate",
    "fma",
    "gradient",
    "greater",
    "greater_equal",
    "interp",
    "inverse",
    "inverse_spd",
    "is_symbolic",
    "is_zero",
    "jacobian",
    "jvp",
    "less",
    "less_equal",
    "matmul",
    "maximum",
    "minimum",
    "outlined",
    "qr",
    "repeat",
    "repeat_rows",
    "repeat_until",
    "sign",
    "solve",
    "solve_spd",
    "table",
    "trace",
    "vjp",
    "where",
]
