"""What was used last is kept, from any number of threads."""

import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import unmoored as um
from unmoored.trace import Recent, keep_within
from unmoored.trace.recent import _lock


def test_the_least_recently_used_goes():
    kept = Recent(2)
    assert kept.keep("a", 1) == 1
    kept.keep("b", 2)
    assert kept.find("a") == 1
    kept.keep("c", 3)
    assert (kept.find("a"), kept.find("b"), kept.find("c")) == (1, None, 3)
    assert kept.shared("a", 7) == 1
    assert kept.shared("d", 7) == 7
    assert list(kept) == ["a", "d"]
    assert kept.keep("a", 9) == kept.find("a") == 9


def test_of_a_plain_dictionary_the_oldest_goes():
    kept = {}
    for k in range(5):
        keep_within(3, kept, k, str(k))
    assert kept == {2: "2", 3: "3", 4: "4"}


@pytest.fixture
def many_switches():
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_threads_may_look_keep_and_push_out_at_once(many_switches):
    kept, plain = Recent(3), {}

    def work(k):
        kept.keep(k % 7, k)
        kept.find((k + 3) % 7)
        kept.shared((k + 5) % 7, k)
        keep_within(3, plain, k % 7, k)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(4000)))
    assert len(kept) == len(plain) == 3


def test_methods_take_more_values_than_are_kept_from_many_threads(many_switches):
    """Each gravity is an entry of its own; one that another thread had just pushed out was a KeyError."""
    brick = um.load("tumbling_brick")
    q, v = brick.neutral(), np.zeros(6)

    def falling(k):
        return brick.forward_dynamics(q, v, v, gravity=(0.0, 0.0, -float(k)))[2]

    falling(0)
    with ThreadPoolExecutor(8) as pool:
        assert np.allclose(list(pool.map(falling, range(1500))), -np.arange(1500.0), rtol=1e-14)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_while_another_thread_keeps_something_goes_on():
    held, done = threading.Event(), threading.Event()

    def hold():
        with _lock:
            held.set()
            done.wait(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    child = multiprocessing.get_context("fork").Process(target=Recent(2).keep, args=("a", 1))
    child.start()
    child.join(30)
    done.set()
    thread.join()
    assert child.exitcode == 0
