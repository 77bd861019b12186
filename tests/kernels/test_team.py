"""Threads that share the samples of a job: every sample once, whoever takes it, and the same bits."""

import ctypes
import math
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import unmoored as um
from unmoored import kernels
from unmoored.kernels import processors, team, threads
from unmoored.kernels.processors import share_of_container
from unmoored.kernels.team import Team, team_code

_Function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


@pytest.fixture(autouse=True)
def _several(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_SHARING", 1)
    monkeypatch.setattr(threads, "_SLOT", 200)
    monkeypatch.setenv("UNMOORED_THREADS", "3")


@pytest.mark.parametrize("futexes", sorted({False, sys.platform == "linux"}))
@pytest.mark.parametrize("members", [2, 3, 5])
@pytest.mark.parametrize(
    ("samples", "chunk", "slots"), [(1, 1, 1), (1000, 13, 20), (1000, 8, 63), (64, 64, 1)]
)
def test_every_sample_is_computed_once(members, samples, chunk, slots, futexes):
    """By whoever takes it, in jobs one right after the other and in jobs that find all others asleep."""
    team, seen = Team(members, team_code(futexes)), []
    note = _Function(lambda context, first, last: seen.append((first, last)))
    for k in range(60):
        seen.clear()
        slots = max(slots, -(-samples // (chunk * members)))
        assert team.run(address(note), 0, samples, chunk, slots, members)
        taken = sorted(seen)
        assert taken == [(low, min(low + chunk, samples)) for low in range(0, samples, chunk)]
        if k % 20 == 0:
            time.sleep(2e-3)
    team.retire()


@pytest.mark.parametrize("futexes", sorted({False, sys.platform == "linux"}))
def test_others_take_part(futexes):
    team, who = Team(3, team_code(futexes)), set()

    def noted(context, first, last):
        who.add(threading.get_ident())
        time.sleep(1e-3)

    function = _Function(noted)
    for _ in range(20):
        team.run(address(function), 0, 60, 1, 20, 3)
    assert len(who) == 3
    team.retire()


def test_ctrl_c_waits_for_the_others(monkeypatch):
    """They write into arrays of the caller: its call ends when they are ready, and not before."""
    main, done, several = threading.get_ident(), [], Team(2)

    def slow(context, first, last):
        if threading.get_ident() == main:
            while not begun.is_set():
                time.sleep(1e-3)
        else:
            begun.set()
            time.sleep(0.1)
        done.append(first)

    def interrupted():
        raise KeyboardInterrupt

    begun, function = threading.Event(), _Function(slow)
    monkeypatch.setattr(team, "_give_way", interrupted)
    with pytest.raises(KeyboardInterrupt):
        several.run(address(function), 0, 2, 1, 1, 2)
    assert sorted(done) == [0, 1]
    several.retire()


def test_a_team_at_work_is_left_alone():
    """A job that comes from another thread meanwhile is done by that thread itself."""
    begun, go, ranges = threading.Event(), threading.Event(), []

    def slow(context, first, last):
        begun.set()
        assert go.wait(10)

    function = _Function(slow)
    worker = threading.Thread(target=threads.share, args=(address(function), 0, 4, 1000, 1))
    worker.start()
    assert begun.wait(10)
    note = _Function(lambda context, first, last: ranges.append((first, last)))
    threads.share(address(note), 0, 100, 1000, 1)
    assert ranges == [(0, 100)]
    go.set()
    worker.join()


@pytest.mark.parametrize("futexes", sorted({False, sys.platform == "linux"}))
@pytest.mark.parametrize("idle", [0.0, 0.02])
def test_threads_of_a_team_that_is_gone_end(futexes, idle):
    others = set(threading.enumerate())  # which may end meanwhile
    team = Team(4, team_code(futexes))
    time.sleep(idle)
    own = set(threading.enumerate()) - others
    assert len(own) == 3
    team.retire()
    for thread in own:
        thread.join(30.0)  # a busy machine takes its time
    assert not any(thread.is_alive() for thread in own)


def function(x, y):
    return np.cos(x) @ y[:2] + x, np.outer(y, x)


@pytest.fixture(scope="module")
def kernel():
    made = kernels.compile(function, [(2,), (3,)], name="for threads")
    made._lanes = made._for_batches()._replace(large=0)
    return made


def arrays(x_batch, y_batch, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*x_batch, 2)), rng.normal(size=(*y_batch, 3))


BATCHES = [
    ((1000,), (1000,)), ((7, 150), (7, 150)), ((1, 150), (7, 1)), ((150,), (7, 1)), ((), (999,)), ((999,), (1,)),
    ((5, 1, 40), (6, 40)), ((1,), (1,)), ((0,), (0,)), ((3, 0), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("x_batch", "y_batch"), BATCHES)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_bits_do_not_depend_on_the_number_of_threads(kernel, monkeypatch, x_batch, y_batch, count):
    x, y = arrays(x_batch, y_batch)
    expected = kernel.ufunc(x, y)
    monkeypatch.setenv("UNMOORED_THREADS", str(count))
    for given in (None, tuple(np.full_like(part, np.nan) for part in expected)):
        found = kernel(x, y, out=given)
        assert [a.tobytes() for a in found] == [a.tobytes() for a in expected]


def test_arrays_that_do_not_lie_in_order(kernel):
    """Rows backwards, with gaps, transposed batches and entries apart from one another; results too."""
    x, y = arrays((400, 12), (400, 12))
    wide = np.zeros((400, 12, 6))
    wide[..., ::2] = y
    pairs = [
        (x[::-1, ::3], y[::-1, ::3]),
        (x.transpose(1, 0, 2), y.transpose(1, 0, 2)),
        (x[:, :7], wide[:, :7, ::2]),
    ]
    for a, b in pairs:
        expected = kernel.ufunc(np.ascontiguousarray(a), np.ascontiguousarray(b))
        first = np.zeros((2 * a.shape[0], a.shape[1], 2))[::2]
        found = kernel(a, b, out=(first, np.empty_like(expected[1])))
        assert found[0] is first
        assert [np.array_equal(p, q) for p, q in zip(found, expected, strict=True)] == [True, True]


def test_results_into_arrays_of_the_inputs(kernel):
    """What would be written while others still read it goes the careful way."""
    x, y = arrays((1000,), (1000,))
    expected = kernel.ufunc(x.copy(), y.copy())
    first, _ = kernel(x, y, out=(x, np.empty((1000, 3, 2))))
    assert first is x
    assert np.array_equal(x, expected[0])


def test_results_that_cannot_be_written(kernel):
    x, y = arrays((1000,), (1000,))
    fixed = np.zeros((1000, 2))
    fixed.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        kernel(x, y, out=(fixed, np.empty((1000, 3, 2))))


def test_a_method_in_threads_of_its_own():
    """Eight threads of the user's, each with batches: one has the team, the others work alone."""
    system = um.load("free_flyer_arm7")
    rng = np.random.default_rng(0)
    q = np.stack([system.random_configuration(rng) for _ in range(300)])
    wrong = []
    expected = np.concatenate([system.mass_matrix(row[None]) for row in q])

    def call():
        for _ in range(20):
            wrong.append(system.mass_matrix(q).tobytes() != expected.tobytes())

    many = [threading.Thread(target=call) for _ in range(8)]
    for thread in many:
        thread.start()
    for thread in many:
        thread.join()
    assert len(wrong) == 160
    assert not any(wrong)


def test_a_number_of_threads_that_is_none(monkeypatch):
    monkeypatch.setenv("UNMOORED_THREADS", "many")
    with pytest.raises(um.ArrayError, match="UNMOORED_THREADS must be a whole number, got 'many'"):
        threads.available()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, math.inf),
        ({"cpu.max": "max 100000"}, math.inf),
        ({"cpu.max": "250000 100000"}, 2.5),
        ({"cpu.max": "max 100000", "a/cpu.max": "400000 100000", "a/b/cpu.max": "50000 100000"}, 0.5),
        ({"a/cpu.max": "100000 100000", "a/b/cpu.max": "max 100000", "c/cpu.max": "1 100000"}, 1.0),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, math.inf),
        ({"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"}, 3.0),
        ({"cpu.max": "nonsense"}, math.inf),
    ],
)
def test_a_container_may_use_its_share_of_the_processors(tmp_path, files, expected):
    """More threads than that would wait for one another, and spend the share on waiting."""
    own = tmp_path / "own"
    own.write_text("12:cpu:/other\n0::/a/b\n")
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert share_of_container(tmp_path / "groups", own) == expected
    assert share_of_container(tmp_path / "groups", tmp_path / "none") == math.inf


@pytest.mark.parametrize(("share", "expected"), [(0.2, 1), (2.5, 3), (math.inf, 64)])
def test_processors_are_those_one_may_run_on_or_the_share_of_a_container(monkeypatch, share, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setattr(processors, "_own_share", lambda: share)
    monkeypatch.delenv("UNMOORED_THREADS")
    assert processors.processors() == threads.available() == expected


FORKED = textwrap.dedent(
    """
    import os, threading
    import numpy as np
    from unmoored import kernels
    from unmoored.kernels import team, threads

    threads.WORTH_SHARING = 1
    kernel = kernels.compile(lambda x: np.sin(x), [(3,)], name="forked")
    x = np.linspace(0, 1, 3000).reshape(1000, 3)
    expected, going = kernel(x), True

    def busy():
        while going:
            kernel(x)

    thread = threading.Thread(target=busy)
    thread.start()
    for _ in range(10):
        child = os.fork()
        if not child:
            os._exit(0 if all(np.array_equal(kernel(x), expected) for _ in range(5)) else 1)
        assert os.waitpid(child, 0)[1] == 0
    going = False
    thread.join()
    print("all well")
    """
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_child_of_a_fork_has_a_team_of_its_own():
    environment = os.environ | {
        "UNMOORED_THREADS": "3",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.stdout.strip() == "all well", ran.stderr


def test_members_have_about_as_much_to_do_as_each_other():
    for units in (1, 5, 100, 2048, 2049, 5000, 131072):
        for members in (2, 3, 16):
            for wanted in (1, 2, 7, 9, 256):
                slots = threads.even_slots(units, members, wanted)
                assert wanted / 2 <= slots <= min(1.25 * wanted, 256)
                most = -(-units // (members * slots)) * slots
                assert most <= -(-units // (members * wanted)) * wanted
                assert most * members >= units
    assert threads.even_slots(2048, 16, 7) == 8  # 16 units in each of 128 slots, no more and no less
