"""Compiled time loops against the same loop in Python, bit for bit."""

from itertools import pairwise

import numpy as np
import pytest
from tests.kernels.loop_functions import (
    INPUTS,
    PARAMETERS,
    STATE,
    PythonLoop,
    compiled,
    record,
    samples,
    step,
)
from tests.support.thinning import pairs
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import kernels
from unmoored import trace as T

H, STEPS = 0.02, 60


def assert_same(result, expected):
    for got, true in zip(result, expected, strict=True):
        np.testing.assert_array_equal(got, true)
        if np.asarray(true).dtype.kind == "f":
            real = ~np.isnan(true)
            np.testing.assert_array_equal(np.signbit(got)[real], np.signbit(true)[real])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("with_update", [True, False])
def test_bits_of_the_loop_in_python(dtype, with_update):
    y, p, u = samples(11, STEPS // 3, dtype)
    options = {"t0": 0.7, "h": H, "steps": STEPS, "record_every": 4, "update_every": 5, "hold": 3}
    result = compiled(dtype, with_update)(y, p, inputs=u, **options)
    expected = PythonLoop(dtype, with_update)(y, p, inputs=u, **options)
    assert_same(result, expected)
    assert result.status[[3, 5, 6, 7]].tolist() == [2, -3, kernels.NOT_FINITE, kernels.NOT_FINITE]
    assert not result.status[[0, 1, 2, 4, 8, 9, 10]].any()
    assert 0 < result.index[3] < STEPS
    assert result.index[[0, 6]].tolist() == [STEPS, 0]
    assert result.records.dtype == result.state.dtype == dtype


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_width_batch_size_and_position_do_not_matter(dtype):
    y, p, u = samples(19, STEPS, dtype)
    options = {"h": H, "steps": STEPS, "record_every": 7}
    whole = compiled(dtype, width=8)(y, p, inputs=u, **options)
    for width in (2, 4, 16):
        assert_same(compiled(dtype, width=width)(y, p, inputs=u, **options), whole)
    for code in ("any", "one", "many"):
        loop = compiled(dtype, width=8, samples=code)
        for start, size in ((0, 1), (3, 1), (2, 2), (1, 7), (5, 9), (0, 17)):
            part = slice(start, start + size)
            assert_same(loop(y[part], p[part], inputs=u[part], **options), [x[part] for x in whole])
    for k in range(8):
        assert_same(loop(y[k], p[k], inputs=u[k], **options), [x[k] for x in whole])


@pytest.mark.parametrize("cuts", [(1,), (30,), (7, 8, 31), (25, 26, 27)])
def test_chunks_give_the_bits_of_one_call(cuts):
    loop, hold = compiled(), 5
    y, p, u = samples(13, STEPS // hold)
    options = {"t0": 0.3, "h": H, "record_every": 3, "update_every": 4, "hold": hold}
    whole = loop(y, p, inputs=u, steps=STEPS, **options)
    edges, records, status, index = [0, *cuts, STEPS], [], None, None
    for low, high in pairwise(edges):
        rows = u[:, low // hold : (high - 1) // hold + 1]
        part = loop(
            y, p, inputs=rows, steps=high - low, first_index=low, status=status, index=index,
            end=high == STEPS, **options,
        )  # fmt: skip
        records.append(part.records)
        y, status, index = part.state, part.status, part.index
    assert_same((np.concatenate(records, axis=1), y, status, index), whole)


def test_stopping_anywhere_in_a_chunk_is_recorded_once():
    """The event at step 8: recorded by the call that goes on from there, and by the one that ends there."""
    loop = kernels.compile_loop(
        lambda t, h, y, p, u: (y + 1.0, T.where(T.greater(y[0], 6.5), 1.0, 0.0)),
        lambda t, y, p, u: y,
        state=1,
    )
    start = np.zeros((1, 1))
    first = loop(start, h=1.0, steps=8, end=False)
    assert [x.item() for x in first[1:]] == [8.0, 1, 8]
    assert first.records[0, :, 0].tolist() == list(range(8))
    second = loop(first.state, h=1.0, steps=3, first_index=8, status=first.status, index=first.index)
    np.testing.assert_array_equal(second.records[0, :, 0], [8.0, np.nan, np.nan, np.nan])
    assert [x.item() for x in second[1:]] == [8.0, 1, 8]
    np.testing.assert_array_equal(loop(start, h=1.0, steps=8).records[0, :, 0], range(9))


def test_threads_give_the_same_bits(monkeypatch):
    loop = compiled()
    count = 61
    y, p, u = samples(count, 1)
    options = {
        "h": 1e-4,
        "steps": 2 * kernels.WORTH_SHARING // (loop.operations * count),
        "record_every": 500,
    }
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("UNMOORED_THREADS", threads)
        results.append(loop(y, p, inputs=u, hold=10**6, **options))
    assert_same(results[1], results[0])
    assert_same(results[2], results[0])


def test_a_sample_that_fails_leaves_the_others_alone():
    y, p, u = samples(9, STEPS)
    good = y.copy()
    good[6:8], p[5] = 0.1, p[0]
    good[5], u[7] = 0.1, 0.0
    loop, options = compiled(), {"h": H, "steps": STEPS}
    alone = loop(good, p, inputs=u, **options)
    assert not alone.status[[0, 1, 2, 4, 5, 6, 7, 8]].any()
    bad = good.copy()
    bad[6] = np.nan
    for got, true in zip(loop(bad, p, inputs=u, **options), alone, strict=True):
        np.testing.assert_array_equal(np.delete(got, 6, axis=0), np.delete(true, 6, axis=0))


@pytest.mark.parametrize("place", range(STATE))
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_every_entry_that_is_not_finite_is_seen(place, value):
    def jump(t, h, y, p, u):
        bad = T.where(T.greater(t, 2.5), p[0], 0.0)
        return np.concatenate([y[:place], y[place : place + 1] + bad, y[place + 1 :]]), 0.0

    loop = kernels.compile_loop(jump, lambda t, y, p, u: y, state=STATE, parameters=1)
    for shape in ((STATE,), (3, STATE)):
        result = loop(np.ones(shape), [value], h=1.0, steps=6)
        assert np.all(result.status == kernels.NOT_FINITE)
        assert np.all(result.index == 3)
        assert np.all(result.state == 1.0)
        assert np.all(result.records[..., :4, :] == 1.0)
        assert np.all(np.isnan(result.records[..., 4:, :]))


def test_a_verdict_that_is_not_finite_stops_and_large_ones_are_kept():
    loop = kernels.compile_loop(
        lambda t, h, y, p, u: (y + 1.0, T.where(T.greater(t, 1.5), p[0], 0.0)), lambda t, y, p, u: y, state=1,
        parameters=1,
    )  # fmt: skip
    p = np.array([[np.nan], [np.inf], [1e6], [-7.0], [0.0], [0.5]])
    result = loop(np.zeros((6, 1)), p, h=1.0, steps=5)
    assert result.status.tolist() == [-1, -1, 10**6, -7, 0, 0]
    assert result.index.tolist() == [2, 2, 3, 2, 5, 5]
    assert result.state[:, 0].tolist() == [2, 2, 3, 2, 5, 5]


def test_time_is_exact_in_single_precision():
    loop = kernels.compile_loop(
        lambda t, h, y, p, u: (y, 0.0), lambda t, y, p, u: np.array([t]), state=1, dtype="float32"
    )
    result = loop(np.zeros(1, "float32"), t0=0.1, h=1e-3, steps=10, first_index=10**7)
    expected = (0.1 + np.arange(10**7, 10**7 + 11) * 1e-3).astype("float32")
    np.testing.assert_array_equal(result.records[:, 0], expected)


def test_batches_of_any_shape_broadcast():
    y, p, u = samples(12, STEPS)
    loop, options = compiled(), {"h": H, "steps": STEPS}
    shared = loop(y, p[0], inputs=u[0], **options)
    full = loop(y, np.tile(p[0], (12, 1)), inputs=np.tile(u[0], (12, 1, 1)), **options)
    assert_same(shared, full)
    grid = loop(y[:, None], p[None, :3], inputs=u[0], **options)
    assert grid.records.shape == (12, 3, STEPS + 1, STATE + 3)
    assert grid.status.shape == (12, 3)
    assert_same([x[:, 1] for x in grid], loop(y, p[1], inputs=u[0], **options))
    out = np.empty((12, STEPS + 1, STATE + 3))
    assert loop(y, p[0], inputs=u[0], out=out, **options).records is out
    np.testing.assert_array_equal(out, shared.records)


def test_no_steps_and_no_samples():
    loop = compiled()
    y, p, _ = samples(2, 0)
    none = loop(y, p, inputs=np.zeros((0, INPUTS)), h=H, steps=0, end=False)
    assert none.records.shape == (2, 0, STATE + 3)
    np.testing.assert_array_equal(none.state, y)
    empty = loop(np.zeros((0, STATE)), np.zeros(PARAMETERS), inputs=np.zeros((3, INPUTS)), h=H, steps=3)
    assert empty.records.shape == (0, 4, STATE + 3)


def test_loops_over_tables_inside_sub_functions():
    """A right-hand side whose recursion is a loop: the same bits in one kernel and step by step."""
    tree = T.trace(recursion(*random_tree(20)), (20,), (20,), loops_beyond=5, name="tree")

    def drift(t, h, y, p, u):
        rates = T.call_traced(tree, y[:20], y[20:])
        moved = np.concatenate([y[:20] + h * y[20:], y[20:] + h * np.tanh(np.ravel(rates[0])[:1]) * y[:20]])
        return moved, 0.0

    loop = kernels.compile_loop(drift, lambda t, y, p, u: y, state=40)
    one = kernels.compile(lambda t, h, y: drift(t, h, y, None, None)[0], [(), (), (40,)])
    y = 0.3 * np.random.default_rng(0).normal(size=(11, 40))
    result = loop(y, h=H, steps=6)
    for k in range(6):
        y = one(k * H, H, y)
        np.testing.assert_array_equal(result.records[:, k + 1], y)
    np.testing.assert_array_equal(loop(result.records[3, 0], h=H, steps=6).records, result.records[3])


def test_what_sub_functions_do_not_use_is_not_computed():
    @T.outlined
    def first(x):
        return x[:1] * 2.0

    plain = kernels.lowered(T.trace(lambda x: first(np.sin(x)), (9,)), kernels.FLOAT64)
    alone = kernels.lowered(T.trace(lambda x: np.sin(x) * 2.0, (1,)), kernels.FLOAT64)
    assert plain.operations == alone.operations


def test_the_disk_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path / "cache"))
    y, p, u = samples(5, 10)
    first = compiled(key="one")(y, p, inputs=u, h=H, steps=10)

    def refuses(*_):
        raise AssertionError("traced again")

    again = kernels.compile_loop(
        refuses, refuses, state=STATE, parameters=PARAMETERS, inputs=INPUTS, update=refuses, key="one"
    )
    assert_same(again(y, p, inputs=u, h=H, steps=10), first)
    with pytest.raises(AssertionError, match="traced again"):
        kernels.compile_loop(refuses, record, state=STATE, parameters=PARAMETERS, inputs=INPUTS, key="two")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": -1}, "steps must be a whole number, at least 0, got -1"),
        ({"steps": 2.0}, "steps must be a whole number"),
        ({"record_every": 0}, "record_every must be a whole number, at least 1"),
        ({"hold": True}, "hold must be a whole number"),
        ({"inputs": None}, r"inputs \(..., 10, 2\) must be given"),
        ({"inputs": np.zeros((9, 2))}, r"inputs must be numbers of shape \(..., 10, 2\), got float64"),
        ({"state": np.zeros((4, 6))}, r"state must be numbers of shape \(..., 5\), got float64 of shape \(4, 6\)"),
        ({"state": ["a"] * 5}, "state must be numbers"),
        ({"parameters": np.zeros((3, 3))}, "do not broadcast"),
        ({"status": np.zeros(4)}, r"status must be integers of shape \(4,\), got float64"),
        ({"out": np.zeros((4, 11, 7))}, r"out must be a contiguous array \(4, 11, 8\) of float64"),
    ],
)  # fmt: skip
def test_wrong_arguments(change, message):
    y, p, u = samples(4, 10)
    given = {"state": y, "parameters": p, "inputs": u, "h": H, "steps": 10, **change}
    with pytest.raises(ValueError, match=message):
        compiled()(given.pop("state"), given.pop("parameters"), **given)


def test_wrong_functions():
    sizes = {"state": STATE, "parameters": PARAMETERS, "inputs": INPUTS}
    with pytest.raises(
        ValueError, match=r"step of a time loop must return a state \(5,\) and a verdict, got \(4,\)"
    ):
        kernels.compile_loop(lambda t, h, y, p, u: (y[:4], 0.0), record, **sizes)
    with pytest.raises(ValueError, match=r"record of a time loop must return a vector \(m,\)"):
        kernels.compile_loop(step, lambda t, y, p, u: y[0], **sizes)
    with pytest.raises(ValueError, match="update of a time loop must return a state"):
        kernels.compile_loop(step, record, update=lambda t, y, p, u: y[:3], **sizes)
    with pytest.raises(ValueError, match="one of cpu, cuda; got 'tpu'"):
        kernels.compile_loop(step, record, backend="tpu", **sizes)
    with pytest.raises(ValueError, match="one of any, one, many; got 'few'"):
        kernels.compile_loop(step, record, samples="few", **sizes)
    with pytest.raises(ValueError, match="needs a state"):
        kernels.compile_loop(step, record, state=0)


def test_records_may_lie_between_others():
    """`out` is a part of a longer record of every sample."""

    def step(t, h, y, p, u):
        return y + h * np.stack([y[1], -y[0]]), 0.0

    loop = kernels.compile_loop(step, lambda t, y, p, u: y, state=2)
    start = np.random.default_rng(0).normal(size=(11, 2))
    right = loop(start, h=0.1, steps=6).records
    place = np.full((11, 12, 2), 7.0)
    loop(start, h=0.1, steps=6, out=place[:, 3:10])
    assert np.array_equal(place[:, 3:10], right)
    assert np.all(place[:, :3] == 7.0)
    assert np.all(place[:, 10:] == 7.0)
    with pytest.raises(ValueError, match="out must be"):
        loop(start, h=0.1, steps=6, out=place[:, 3:10, ::-1])


@pytest.mark.parametrize(("samples_", "dtype"), pairs([1, 3, 8, 13], ["float64", "float32"]))
def test_loops_over_hundreds_of_numbers(samples_, dtype):
    """States, parameters, inputs and records that are moved by loops; one sample runs into infinite numbers."""
    n, m, steps = 613, 301, 4
    rng = np.random.default_rng(2)
    y = rng.normal(size=(samples_, n)).astype(dtype)
    p, u = rng.normal(size=(samples_, m)).astype(dtype), rng.normal(size=(samples_, steps, n)).astype(dtype)
    if samples_ > 2:
        u[2, 2, 500] = np.inf

    def update(t, y, p, u):
        return y * 0.5

    def many(t, h, y, p, u):
        return y + u, 0.0

    def kept(t, y, p, u):
        return np.concatenate([p, y])

    loop = kernels.compile_loop(many, kept, state=n, parameters=m, inputs=n, update=update, dtype=dtype)
    found = loop(y, p, h=1.0, steps=steps, inputs=u)
    state, rows = y.copy(), []
    for k in range(steps + 1):
        half = state * np.asarray(0.5, dtype)
        rows.append(np.concatenate([p, half], axis=-1))
        if k < steps:
            new = half + u[:, k]
            fine = np.isfinite(new).all(-1, keepdims=True) & (found.index[:, None] > k)
            state = np.where(fine, new, state)
    ran = found.status == 0
    assert ran.sum() == samples_ - (samples_ > 2)
    np.testing.assert_array_equal(found.state, state)
    np.testing.assert_array_equal(found.records[ran], np.stack(rows, axis=1)[ran])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_program_on_hundreds_of_numbers_alone_and_with_inputs_that_samples_share(dtype):
    """Alone, its rows are on the lanes: states are checked and kept by whole vectors. Shared inputs are read once."""
    n = 18  # n² and the inputs are more than are moved one by one, and no multiple of the lanes
    rng = np.random.default_rng(0)

    def step(t, h, y, p, u):
        A, B = y.reshape(n, n), u.reshape(n, n)
        new = T.matmul(A, B).reshape(-1) * p[0]
        return new, T.where(T.greater(new[0], 50.0), 3.0, 0.0)

    loop = kernels.compile_loop(
        step, lambda t, y, p, u: y[:5], state=n * n, parameters=1, inputs=n * n, dtype=dtype, name="product"
    )
    y = (np.eye(n) + 0.1 * rng.normal(size=(9, n, n))).reshape(9, -1).astype(dtype)
    u = (np.eye(n) + 0.1 * rng.normal(size=(6, n, n))).reshape(6, -1).astype(dtype)
    p = np.array([[1.0], [1.0], [60.0], [np.inf], [1e30], [1.0], [0.9], [0.8], [0.0]], dtype=dtype)
    shared, own = (
        loop(y, p, h=1.0, steps=6, inputs=u),
        loop(y, p, h=1.0, steps=6, inputs=np.tile(u, (9, 1, 1))),
    )
    assert_same(shared, own)
    assert shared.status.tolist()[:4] == [0, 0, 3, kernels.NOT_FINITE]
    for k in range(9):
        assert_same(loop(y[k], p[k], h=1.0, steps=6, inputs=u), [x[k] for x in own])
    for place in (0, 7, 255, 256, n * n - 1):  # every entry is looked at
        broken = np.eye(n, dtype=dtype).reshape(-1)
        broken[place] = np.inf
        assert loop(broken, p[0], h=1.0, steps=6, inputs=u).status == kernels.NOT_FINITE
