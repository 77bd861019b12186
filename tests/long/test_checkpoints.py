"""A thousand damages of a checkpoint (`make long`)."""

from tests.simulation.test_checkpoints import check_damaged


def test_a_thousand_damages(tmp_path, monkeypatch):
    check_damaged(tmp_path, monkeypatch, count=1000)
