"""The disk cache: used without tracing, private, rebuilt when damaged, trusting only the user's files."""

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from unmoored import kernels
from unmoored.kernels import disk_cache

X = np.array([0.5, 2.0, 3.0])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def compiled(calls, key="key", **options):
    def function(x):
        calls.append(1)
        return np.sin(x) * 2.0

    return kernels.compile(function, [(3,)], name="cached", key=key, **options)


def entries(folder):
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def test_the_second_time_nothing_is_traced(folder):
    calls = []
    first, second = compiled(calls), compiled(calls)
    assert len(calls) == 1
    assert second.operations == first.operations
    np.testing.assert_array_equal(first(X), second(X))
    np.testing.assert_array_equal(first(np.tile(X, (9, 1))), second(np.tile(X, (9, 1))))


def test_what_the_code_depends_on_is_in_the_key(folder):
    calls = []
    for options in ({}, {"key": "other"}, {"dtype": "float32"}, {"width": 2}):
        compiled(calls, **options)
    assert len(calls) == len(entries(folder)) == 4


def test_without_a_key_it_is_traced_and_the_graph_is_the_key(folder):
    calls = []
    for _ in range(2):
        compiled(calls, key=None)
    assert len(calls) == 2
    assert len(entries(folder)) == 1


def test_folder_and_files_are_private(folder):
    compiled([])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in entries(folder)] == [0o600]


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "other"])
def test_a_damaged_entry_is_rebuilt(folder, damage):
    compiled([])
    (path,) = entries(folder)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(
        {"cut": content[:-1], "changed": content, "empty": b"", "other": b"\x00\xff\n\n"}[damage]
    )
    calls = []
    np.testing.assert_allclose(compiled(calls)(X), 2.0 * np.sin(X), rtol=1e-15)
    assert calls == [1]
    compiled(calls)
    assert calls == [1]


def test_entries_that_others_may_write_are_not_used(folder):
    compiled([])
    (path,) = entries(folder)
    path.chmod(0o666)
    calls = []
    compiled(calls)
    assert calls == [1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_links_are_not_followed(folder, tmp_path):
    compiled([])
    (path,) = entries(folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    calls = []
    compiled(calls)
    assert calls == [1]
    assert not path.is_symlink()


def test_entries_and_folders_of_others_are_not_used(folder, monkeypatch):
    compiled([])
    stranger = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: stranger)
    calls = []
    with pytest.warns(kernels.CacheWarning, match="belongs to another user"):
        compiled(calls)
    assert calls == [1]


def test_a_folder_that_others_may_write_is_not_used(folder):
    compiled([])
    folder.chmod(0o777)
    calls = []
    with pytest.warns(kernels.CacheWarning, match="others may write"):
        compiled(calls)
    assert calls == [1]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(kernels.CacheWarning, match="not cached"):
        np.testing.assert_allclose(compiled([])(X), 2.0 * np.sin(X), rtol=1e-15)


def test_places(monkeypatch, tmp_path):
    monkeypatch.delenv("UNMOORED_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert disk_cache.folder() == tmp_path / "unmoored"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert disk_cache.folder() == tmp_path / ".cache" / "unmoored"


WORKER = textwrap.dedent("""
    import numpy as np
    from unmoored import kernels
    for k in range(12):
        kernel = kernels.compile(lambda x, k=k: np.sin(x) + k % 3, [(3,)], name="shared", key=str(k % 3))
        assert np.allclose(kernel(np.ones(3)), np.sin(1.0) + k % 3, rtol=1e-15)
""")


def test_processes_share_the_folder(folder):
    environment = {**os.environ, "UNMOORED_CACHE_DIR": str(folder)}
    workers = [subprocess.Popen([sys.executable, "-c", WORKER], env=environment) for _ in range(3)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
    assert len(entries(folder)) == len(list(folder.iterdir())) == 3


def test_folders_and_pipes_among_the_entries_do_no_harm(folder):
    calls = []
    kernel = compiled(calls)
    (entry,) = entries(folder)
    for make in (os.mkdir, os.mkfifo):
        entry.unlink() if entry.is_file() else entry.rmdir()
        make(entry)
        with pytest.warns(kernels.CacheWarning) if make is os.mkdir else contextlib.nullcontext():
            np.testing.assert_array_equal(compiled(calls)(X), kernel(X))
    assert len(calls) == 3


@pytest.mark.skipif(os.getuid() == 0, reason="root may enter every folder")
def test_a_folder_that_cannot_be_entered_is_a_warning(tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(closed / "cache"))
    with pytest.warns(kernels.CacheWarning):
        compiled([])


def test_a_user_without_a_home_has_a_cache_too(tmp_path, monkeypatch):
    for name in ("UNMOORED_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    calls = []
    compiled(calls)
    compiled(calls)
    assert len(calls) == 1
    assert stat.S_IMODE((tmp_path / f"unmoored-{os.getuid()}").stat().st_mode) == 0o700


def test_the_cache_is_bounded_and_what_was_used_last_stays(folder, monkeypatch):
    calls = []
    compiled(calls, key="0")
    (first,) = entries(folder)
    size = first.stat().st_size
    monkeypatch.setenv("UNMOORED_CACHE_BYTES", str(int(3.5 * size)))
    for key in ("1", "2"):
        compiled(calls, key=key)
    for path, age in zip(
        sorted(entries(folder), key=lambda p: p.stat().st_mtime_ns), (300, 200, 100), strict=True
    ):
        then = time.time() - age
        os.utime(path, (then, then))
    compiled(calls, key="0")  # used again, so it is not the oldest any more
    assert len(calls) == 3
    compiled(calls, key="3")
    assert len(entries(folder)) == 3
    compiled(calls, key="0")
    assert len(calls) == 4
    compiled(calls, key="1")
    assert len(calls) == 5


def test_a_file_that_another_process_puts_in_place_meanwhile_does_no_harm(folder, monkeypatch):
    """Its temporary name is in the listing and gone when it is looked at."""
    compiled([], key="first")
    scandir = os.scandir

    def listing(path):
        (folder / ".new-elsewhere").touch()
        found = list(scandir(path))
        (folder / ".new-elsewhere").unlink()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", listing)
        patch.setattr(disk_cache, "_room", {})
        compiled([], key="second")
    assert len(entries(folder)) == 2


def test_a_folder_is_measured_now_and_then_and_not_for_every_entry(folder, monkeypatch):
    measured, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: measured.append(path) or scandir(path))

    def write(numbers):
        for number in numbers:
            disk_cache.write(f"{number:04d}", disk_cache.Entry({}, bytes(1000)))

    write(range(10))
    assert len(measured) == 1
    size = (folder / "0000").stat().st_size
    monkeypatch.setenv("UNMOORED_CACHE_BYTES", str(100 * size))
    write(range(10, 100))
    assert len(os.listdir(folder)) == 100
    assert 90 / 6 <= len(measured) - 1 <= 90 / 5  # a twentieth of the bound is five entries
    write(range(100, 300))
    assert 95 <= len(os.listdir(folder)) <= 100
    assert len(measured) < 80
