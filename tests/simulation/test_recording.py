"""What is recorded of a run, and the memory that it is recorded in."""

import sys

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.simulation import row_memory, run_kernels
from unmoored.simulation.fixed_steps import advance
from unmoored.simulation.task import Task
from unmoored.simulation.trajectories import rows_of_states

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=5)
LAW = um.JointPD(um.Plant(SYSTEM), {"arm2": 0.3}, stiffness=5.0, damping=1.0)
GO = {"duration": 0.1, "step": 0.01}


def tied():
    plant = um.Plant(SYSTEM, prescribed={"arm1": um.Quintic([0.0, 1.0], [0.1, 0.4])})
    q = plant.configuration(0.0, Q)
    return plant, q, plant.full_velocity(0.0, q, plant.independent_velocity(q, V))


NOISE = um.Noise(velocity=0.1, input=0.1)


@pytest.mark.parametrize(
    ("dtype", "noise", "control_step"),
    [("float64", None, None), ("float32", NOISE, None), ("float64", NOISE, 0.02)],
)
def test_rows_of_the_loop_are_those_of_every_state_alone(monkeypatch, dtype, noise, control_step):
    """The loop records what observing its states afterwards gives, bit for bit."""
    plant, q, v = tied()
    tasks = []
    module = sys.modules["unmoored.simulation.simulate"]
    monkeypatch.setattr(module, "Task", lambda *given: tasks.append(Task(*given)) or tasks[-1])
    run = um.simulate(
        plant, q, v, controller=LAW, control_step=control_step, noise=noise, dtype=dtype, **GO
    )  # fmt: skip
    task = tasks[0]
    state, states_ = task._placed(task.state), []
    params = task._placed(task.params)
    for k in range(task.schedule.steps):
        draws = task.draws.periods(k // task.schedule.update_every, 1).astype(dtype)
        if task.kernels.update is not None and k % task.schedule.update_every == 0:
            clock = task.schedule.clock(k).astype(dtype)
            state = task.kernels.update(clock, state, params, draws[:, 0])
        states_.append(state)
        state = advance(task.kernels, task.schedule, state, params, draws, k, k + 1)[0]
    rows = rows_of_states(task, np.stack(states_, axis=1), 0)
    shown = task.time_step.shown(rows)
    for name, part in zip(("q", "v", "u"), (shown[0], shown[1], shown[3]), strict=True):
        np.testing.assert_array_equal(getattr(run, name)[:, :-1], part)
    later = rows_of_states(task, np.stack(states_[4:], axis=1), 4)
    np.testing.assert_array_equal(later, rows[:, 4:])


def test_rows_hold_no_more_than_a_reader_sees():
    """Neither events nor the account of steps; a law in every stage adds its inputs, prescribed joints q and v."""
    plant, q, v = tied()
    nq, nv, nu = SYSTEM.nq, SYSTEM.nv, plant.nu

    def event(t, q, v):
        return q[12] - 100.0

    for given, width in [
        ((SYSTEM, Q, V, {"events": event}), nq + nv),
        ((SYSTEM, Q, V, {"controller": LAW, "control_step": 0.02}), nq + nv + nu),
        ((SYSTEM, Q, V, {"controller": LAW}), nq + nv + nu),
        ((plant, q, v, {}), nq + plant.nw + nq + nv),
    ]:
        *state, options = given
        run = um.simulate(*state, **GO, **options)
        assert width <= run.q.strides[-2] // 8 <= max(width, 1.125 * width)


def test_rows_are_filled_to_whole_cache_lines_unless_that_is_an_eighth_more():
    """Lines of 64 bytes: eight numbers, or sixteen single ones."""
    for size, item, filled in (
        (8, 8, 8), (7, 8, 7), (9, 8, 9), (14, 8, 14), (15, 8, 16), (16, 8, 16), (22, 8, 24), (21, 8, 21), (45, 8, 48),
        (16, 4, 16), (15, 4, 16), (14, 4, 14), (29, 4, 32), (28, 4, 28), (100, 4, 112), (0, 8, 0),
    ):  # fmt: skip
        assert run_kernels._filled(size, item) == filled


def test_memory_of_a_run_that_is_gone_is_taken_again():
    row_memory._forget()
    shape, dtype = (4, 100, 120), np.dtype(float)
    array = row_memory.row_memory(shape, dtype)
    assert array.shape == shape
    assert array.ctypes.data % 64 == 0
    place, view = array.ctypes.data, array[1:, ::7, 3:]
    view[...] = 7.0
    del array
    other = row_memory.row_memory(shape, dtype)
    assert not np.shares_memory(other, view)
    assert other.ctypes.data != place
    assert np.all(view == 7.0)
    del view
    again = row_memory.row_memory((4, 99, 120), dtype)
    assert again.ctypes.data == place
    small = row_memory.row_memory((2, 3), dtype)
    assert small.flags.owndata
    del other, again
    assert len(row_memory._free) == 1
    row_memory.row_memory((4, 30, 120), dtype)  # of which the block would be more than twice
    assert len(row_memory._free) == 1


def test_memory_over_the_bound_is_not_kept(monkeypatch):
    row_memory._forget()
    monkeypatch.setattr(row_memory, "MOST", 1 << 19)
    for count in (1 << 16, 1 << 17):  # half a megabyte, a megabyte
        row_memory.row_memory((count,), np.dtype(float))
        kept = [block.nbytes for block in row_memory._free]
        assert kept == [(1 << 19) + 64]


def test_a_block_is_taken_that_has_room_and_is_not_twice_as_large(monkeypatch):
    """Room for 64 bytes more, as rows begin on a cache line; the largest of two blocks that come back is kept."""
    for size, taken in ((1064, True), (1063, False), (2000, True), (2001, False)):
        row_memory._free[:] = [block := np.empty(size, np.uint8)]
        found = row_memory._taken(1000)
        assert (found is block) == taken
        assert found.nbytes == (size if taken else 1064)
        assert [one is block for one in row_memory._free] == [] if taken else [True]
    row_memory._forget()
    assert row_memory._taken(1000).nbytes == 1064
    for sizes, kept in (((10, 20), 1), ((20, 10), 0), ((10, 10), 1)):
        blocks = [np.empty(size, np.uint8) for size in sizes]
        row_memory._forget()
        for block in blocks:
            row_memory._give_back(block)
        assert len(row_memory._free) == 1
        assert row_memory._free[0] is blocks[kept]
    row_memory._forget()
    monkeypatch.setattr(row_memory, "LEAST", 800)
    assert row_memory.row_memory((9, 11), np.dtype(float)).flags.owndata
    assert not row_memory.row_memory((10, 10), np.dtype(float)).flags.owndata
    assert not row_memory.row_memory((20, 10), np.dtype("float32")).flags.owndata
    row_memory._forget()


def test_rows_begin_on_a_cache_line_wherever_their_block_does(monkeypatch):
    monkeypatch.setattr(row_memory, "LEAST", 0)
    for shift in (0, 1, 63):
        buffer = np.empty(2048, np.uint8)
        first = -buffer.ctypes.data % 64 + shift
        monkeypatch.setattr(
            row_memory, "_taken", lambda count, at=first, own=buffer: own[at : at + count + 64]
        )
        array = row_memory.row_memory((10, 11), np.dtype(float))
        assert array.ctypes.data == buffer.ctypes.data + first + (-shift % 64)
        assert array.nbytes == 880


def test_two_runs_never_share_their_rows():
    big = {"duration": 1.0, "step": 0.001}
    first = um.simulate(SYSTEM, Q, V, **big)
    kept = first.q[:, ::100].copy()
    seen, base = first.q[:, ::100], first.q.base.ctypes.data
    del first
    second = um.simulate(SYSTEM, Q, 2.0 * V, **big)
    assert not np.shares_memory(second.q, seen)
    assert np.array_equal(seen, kept)
    del seen
    third = um.simulate(SYSTEM, Q, V, **big)
    assert third.q.base.ctypes.data == base
    assert np.array_equal(third.q[:, ::100], kept)
