"""Threads that want the same kernel compile it once; the log says what was compiled and what came from the cache."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import unmoored as um
from unmoored.kernels import compile, disk_cache, kernel, machine_code
from unmoored.kernels.compile_once import compiled_once


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def counted(monkeypatch):
    """The kernels that were compiled, by name."""
    names, original = [], kernel._compiled

    def counting(traced, *options):
        names.append(traced.name)
        return original(traced, *options)

    monkeypatch.setattr(kernel, "_compiled", counting)
    return names


def test_many_threads_compile_a_kernel_once(cache, monkeypatch):
    names = counted(monkeypatch)
    together = threading.Barrier(8)

    def wanted(_):
        together.wait()
        return compile(lambda x: np.sin(x) @ np.cos(x), [(40,)], name="shared", key="shared by threads")

    with ThreadPoolExecutor(8) as pool:
        kernels = list(pool.map(wanted, range(8)))
    x = np.linspace(0, 1, 40)
    assert len({k(x).tobytes() for k in kernels}) == 1
    assert names == ["shared"]


def test_threads_that_wait_share_the_work_even_without_a_cache(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG, logger="unmoored")
    monkeypatch.setattr(disk_cache, "read", lambda place: None)
    monkeypatch.setattr(disk_cache, "write", lambda *entry: None)
    made, arrived, go = [], threading.Event(), threading.Event()

    def slow():
        arrived.set()
        assert go.wait(10)
        made.append(1)
        return disk_cache.Entry({"operations": 1}, b"code")

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(compiled_once, "place", "slow", slow)
        assert arrived.wait(10)
        others = [pool.submit(compiled_once, "place", "slow", slow) for _ in range(3)]
        while sum("wait slow" in record.getMessage() for record in caplog.records) < 3:
            time.sleep(0.01)
        go.set()
        entries = [future.result(10) for future in (first, *others)]
    assert made == [1]
    assert {entry.code for entry in entries} == {b"code"}


def test_an_error_reaches_every_thread_and_is_not_kept(cache):
    def broken():
        raise ValueError("no such code")

    for _ in range(2):
        with pytest.raises(ValueError, match="no such code"):
            compiled_once("broken", "broken", broken)


def test_methods_from_many_threads_have_the_same_bits(cache):
    system = um.load("free_flyer_arm7")
    q = system.random_configuration(np.random.default_rng(0))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: system.mass_matrix(q).tobytes(), range(8)))
    assert len(set(found)) == 1


def test_the_log_tells_compiling_from_the_cache(cache, caplog):
    caplog.set_level(logging.DEBUG, logger="unmoored")
    for _ in range(2):
        compile(lambda x: x * x, [(3,)], name="squares", key="logged squares")
    told = [(record.levelname, record.getMessage().split(":")[0]) for record in caplog.records]
    assert told == [
        ("DEBUG", "cache miss squares"),
        ("INFO", "compiled squares"),
        ("DEBUG", "cache hit squares"),
    ]
    assert {record.name for record in caplog.records} == {"unmoored"}


def test_a_processor_without_fma_is_told():
    with pytest.warns(um.UnmooredWarning, match="no fused multiply-add"):
        machine_code.warn_without_fma("x86_64", {"fma": False, "avx": True})
    machine_code.warn_without_fma("x86_64", {"fma": True})
    machine_code.warn_without_fma("aarch64", {})
