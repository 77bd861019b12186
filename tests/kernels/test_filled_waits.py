"""The order in which others are done while a result is waited for: sound, and with the waits gone that it is for."""

import numpy as np
import pytest

from unmoored import trace as T
from unmoored.kernels.llvm_source import filled_waits
from unmoored.kernels.lower import lowered
from unmoored.kernels.number_formats import format_of
from unmoored.trace.graph import LEAVES, operands

#: cycles until a result is there, of the processor that the order is made for, which starts two in each
_CYCLES = 3
#: as many chains as it has operations under way
_CHAINS, _LENGTH = 2 * _CYCLES, 100


def chains(x, y):
    """Chains of fused operations that do not need each other: depth first they follow one another."""
    found = []
    for k in range(_CHAINS):
        value = x[k]
        for _ in range(_LENGTH):
            value = value * y[k] - y[k + 1]
        found.append(value)
    return np.array(found)


def in_depth_first_order(function, *shapes):
    plain = lowered(T.trace(function, *shapes), format_of("float64"))
    return plain.graph.nodes, T.scheduled(plain.graph, plain.flat_outputs)


def cycles_of(nodes, order):
    """Cycles in which the nodes start one after the other, two at a time, each when its operands are there."""
    there, cycle, slots = {}, 0, 0
    for k in order:
        ready = max((there[x] for x in operands(nodes[k])), default=0)
        if nodes[k][0] in LEAVES or nodes[k][0] == "neg":
            there[k] = ready
            continue
        if ready > cycle or slots == 2:
            cycle, slots = max(ready, cycle + (slots == 2)), 0
        slots += 1
        there[k] = cycle + (24 if nodes[k][0] == "div" else _CYCLES)
    return cycle


def test_independent_chains_run_side_by_side():
    nodes, order = in_depth_first_order(chains, (_CHAINS,), (_CHAINS + 1,))
    assert cycles_of(nodes, order) > 0.98 * _CYCLES * _CHAINS * _LENGTH
    filled = filled_waits.with_waits_filled(nodes, order)
    assert cycles_of(nodes, filled) < 1.02 * _CHAINS * _LENGTH / 2


@pytest.mark.parametrize("window", [1, 7, 40])
def test_operands_come_first_and_no_more_are_overtaken_than_the_window_has(window):
    def function(x):
        values = list(x)
        rng = np.random.default_rng(5)
        for k in range(200):
            a, b, c = (values[i] for i in rng.integers(0, len(values), 3))
            values.append((a * b - c, -(a + b), a / (2.0 + b * b), T.where(a > b, a, c))[k % 4])
        return np.array(values[-9:])

    nodes, order = in_depth_first_order(function, (6,))
    place = {k: i for i, k in enumerate(k for k in order if nodes[k][0] not in LEAVES | {"neg"})}
    started, cycles = filled_waits._Work(nodes, order).started(window)
    assert cycles >= len(started) / 2
    not_yet = sorted(place.values())
    for k in started:
        assert place[k] < not_yet[0] + window
        not_yet.remove(place[k])
    assert not not_yet
    whole = filled_waits.with_waits_filled(nodes, order)
    assert sorted(whole) == sorted(order)
    done: set[int] = set()
    for k in whole:
        assert done.issuperset(operands(nodes[k]))
        done.add(k)
