"""Ctrl-C at a hundred random moments (`make long`)."""

from tests.support.interrupted_runs import interrupted_runs


def test_ctrl_c_keeps_what_was_computed(tmp_path, monkeypatch):
    found = interrupted_runs(tmp_path, 100, 2, monkeypatch)
    assert set(found) <= {"whole", "part"}, found
