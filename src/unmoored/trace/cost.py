"""What a traced result costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .fuse import fuse
from .scanning import graph_among
from .symbol import node_of
from .traced import Traced


def operations_of(result: Any) -> int:
    """Operations that a traced array (...) takes, products fused; 0 for numbers."""
    array = np.asarray(result, dtype=object)
    graph = graph_among((array,))
    if graph is None:
        return 0
    nodes = tuple(node_of(graph, entry) for entry in array.ravel())
    return fuse(Traced(graph, (), (nodes,), (array.shape,))).operations
