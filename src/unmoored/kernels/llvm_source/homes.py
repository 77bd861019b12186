"""Arrays that are used where they lie, and need not be copied into the scratch array or out of it.

Programs and sub-functions take pointers to arrays. An argument that only they and straight-line code read stays where
it is, and what one of them computes goes right into an output that is all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..memory_plan import Plan

#: first place, number of places, and the array where they lie instead of in the scratch array
Home = tuple[int, int, str]


def homes(plan: Plan, inputs: Iterable[Home], outputs: Sequence[tuple[str, list[int]]]) -> list[Home]:
    """Which places lie elsewhere, of the inputs' and of the outputs' (the array, its places in the scratch array)."""
    nodes, parts = plan.traced.graph.nodes, plan.traced.graph.parts
    results = {plan.results[k]: parts[nodes[k][1]].size for k in plan.programs}
    results |= {plan.results[k]: len(parts[nodes[k][1]].flat_outputs) for k in plan.calls}
    found = list(inputs)
    scratch = np.zeros(plan.size + 1, dtype=bool)  # what must be there, since it is read by its place
    for array, places in outputs:
        whole = bool(places) and places == list(range(places[0], places[0] + len(places)))
        if whole and results.pop(places[0], 0) == len(places):
            found.append((places[0], len(places), array))
        else:
            scratch[places] = True
    for index in plan.scans:
        scratch[[plan.place(k) for k in plan.variables(index)]] = True
    for index in plan.programs:
        for _, places in plan.collected[index].values():
            scratch[places] = True
    arrays = [
        array
        for index in plan.programs
        for array in zip(plan.arrays(index), parts[nodes[index][1]].groups, strict=True)
    ]
    starts = [(plan.whole_arguments(index), len(nodes[index]) - 2) for index in plan.calls]
    arrays += [(first, count) for first, count in starts if first is not None]
    before = -1
    while before != scratch.sum():  # an array of a program lies whole in one place
        before = scratch.sum()
        found = [home for home in found if not scratch[home[0] : home[0] + home[1]].any()]
        for first, count in arrays:
            meets = [h for h in found if count and first < h[0] + h[1] and h[0] < first + count]
            if meets and not (meets[0][0] <= first and first + count <= meets[0][0] + meets[0][1]):
                scratch[first : first + count] = True
    return found
