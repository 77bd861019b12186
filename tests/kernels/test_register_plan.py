"""Long code that is told which values stay in registers: the plan is sound, and the bits stay the same."""

import numpy as np
import pytest
from tests.support.thinning import pairs

from unmoored import kernels
from unmoored import trace as T
from unmoored.kernels import machine_code
from unmoored.kernels.llvm_source import lane_samples
from unmoored.kernels.llvm_source.register_plan import Fetch, Keep, RegisterPlan
from unmoored.kernels.lower import lowered
from unmoored.kernels.number_formats import format_of
from unmoored.trace.graph import CONDITIONS, LEAVES, operands


def tangled(x):
    """A matrix (9, 10) and a row of 5 of values that need each other over long ways, with every kind of operand."""
    rng = np.random.default_rng(3)
    values = list(x)
    for k in range(300):
        a, b, c = (values[i] for i in rng.integers(max(0, len(values) - 120), len(values), 3))
        new = (a * b - c, c - a * b, a - b, -(a * b) - c, T.where(a > b, a, b * c), 0.3 * a + c * c)[k % 6]
        values.append(new / (1.0 + new * new) if k % 3 == 0 else 0.7 * new)
    return np.array(values[-90:]).reshape(9, 10), np.array(values[4:9])


def plan_of(registers):
    plain = lowered(T.trace(tangled, (21,)), format_of("float64"))
    events = lane_samples._events(plain, 8)
    return plain.graph.nodes, events, RegisterPlan(plain.graph.nodes, events, registers)


@pytest.mark.parametrize("registers", [12, 24])
def test_every_value_is_where_the_plan_says(registers):
    nodes, events, plan = plan_of(registers)
    held, memory, where = set(), {}, {}
    once = None
    computed = []
    for step in plan.steps:
        if isinstance(step, Keep):
            assert step.node in where or step.node in held
            place = plan.places[step.node]
            memory[place] = step.node
            held.discard(step.node)
        elif isinstance(step, Fetch):
            assert memory[plan.places[step.node]] == step.node
            once = step.node if step.once else once
            held.add(step.node)
        else:
            given = operands(nodes[step]) if isinstance(step, int) else step.nodes
            for k in (plan.turned.get(k, k) for k in given):
                assert nodes[k][0] in (LEAVES | CONDITIONS) - {"input"} or k in held
            held.discard(once)
            once = None
            computed.append(step)
            if isinstance(step, int):
                held.add(step)
    assert computed == [event for event in events if event not in plan.turned]
    assert plan.turned
    assert any(isinstance(step, Fetch) and step.once for step in plan.steps)


def few(x):
    """Numbers as a recursion leaves them: few, of many."""
    matrix, row = tangled(x)
    return matrix[:5].sum(axis=0), row


@pytest.mark.parametrize("function", [tangled, few])
@pytest.mark.parametrize(("dtype", "watched"), pairs(["float64", "float32"], [False, True]))
def test_bits_do_not_depend_on_the_plan(monkeypatch, function, dtype, watched):
    x = np.random.default_rng(0).normal(size=(19, 21)).astype(dtype)
    options = {"dtype": dtype, "watched": watched}
    plain = kernels.compile(function, [(21,)], name="plain", **options)(x)
    monkeypatch.setattr(lane_samples, "_LONG", 10)
    monkeypatch.setattr(lane_samples, "_RECURSION", 10)
    processor = machine_code.host()
    for registers in (20, 24):
        told = machine_code.Processor(
            processor.name, processor.features, processor.vector_bytes, processor.architecture, registers
        )
        monkeypatch.setattr(machine_code, "host", lambda told=told: told)
        kernel = kernels.compile(function, [(21,)], name=f"planned{registers}", **options)
        for one, other in zip(kernel(x), plain, strict=True):
            np.testing.assert_array_equal(one, other)
        for one, other in zip(kernel(x[3]), plain, strict=True):
            np.testing.assert_array_equal(one, other[3])
    assert "samples_in" in kernels.source(T.trace(function, (21,)), dtype)


def test_places_are_asked_for_before_they_are_written():
    plain = lowered(T.trace(tangled, (21,)), format_of("float64"))
    events = list(lane_samples._announced(lane_samples._events(plain, 8)))
    told: set[tuple[int, int]] = set()
    for event in events:
        if isinstance(event, lane_samples.Soon):
            told.add((event.array, event.last))
        elif isinstance(event, lane_samples.Store):
            assert (event.array, event.start + len(event.nodes) - 1) in told
    assert [event for event in events if not isinstance(event, lane_samples.Soon)] == lane_samples._events(
        plain, 8
    )
    asked = kernels.source(T.trace(tangled, (21,))).count("llvm.prefetch.p0(ptr %") - 8 * len(told)
    assert asked in (0, 9)  # where results can go past the caches, the ends of the large one's rows too
    assert kernels.source(T.trace(few, (21,))).count("llvm.prefetch.p0(ptr %") == 0
