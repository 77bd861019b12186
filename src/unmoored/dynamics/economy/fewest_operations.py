"""Several ways to one result: while a kernel is traced, the one with the fewest operations is taken.

Which that is depends on the joints, on the frames that the model was drawn with, and on what is zero: so it is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...model import Tree
from ...trace import operations_of
from ..mass_matrix import mass_matrix
from ..recursive import forward_dynamics, forward_dynamics_composite
from ..vehicle_frame import mass_matrix_in_vehicle_frame

Function = Callable[..., Any]

#: For a function of (tree, *arrays), others with the same result.
OTHERS: dict[Function, tuple[Function, ...]] = {
    forward_dynamics: (forward_dynamics_composite,),
    mass_matrix: (mass_matrix_in_vehicle_frame.mass_matrix,),
}
#: Counting takes time, and in larger trees the recursions win.
_LARGEST = 15
#: Another way must save this part of the operations: results of the first are those that NumPy gives, to rounding.
_WORTH_IT = 0.1


def cheapest(function: Function, tree: Tree, *arguments: Any) -> Any:
    """function(tree, *arguments) of traced arrays, or what takes fewer operations to the same result.

    In large trees it is always the function itself, whose work grows with the joints only.
    """
    result = function(tree, *arguments)
    others = OTHERS.get(function, ())
    if not others or len(tree.links) > _LARGEST:
        return result
    results = [other(tree, *arguments) for other in others]
    counts = [operations_of(other) for other in results]
    least = int(np.argmin(counts))
    return results[least] if counts[least] <= (1.0 - _WORTH_IT) * operations_of(result) else result
