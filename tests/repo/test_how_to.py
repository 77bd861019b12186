"""The how-to pages: their blocks run, and what would be submitted to a queue says what the page says."""

import shutil
from pathlib import Path

import pytest
from tests.repo.test_tutorials import run_page

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def test_a_world_of_ones_own(tmp_path, monkeypatch):
    assert run_page("../how-to/your-own-world", tmp_path, monkeypatch)["total"].size == 51


@pytest.mark.long
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_controllers_in_c_and_from_c(tmp_path, monkeypatch):
    assert "from_c" in run_page("../how-to/controller-in-c", tmp_path, monkeypatch)


@pytest.mark.long
def test_a_study_on_a_cluster(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    scope = run_page("../how-to/on-a-cluster", tmp_path, monkeypatch)
    pytest.importorskip("dask_jobqueue")
    with scope["slurm"]() as cluster:
        script = cluster.job_script()
    for words in ("#SBATCH -p cpu", "#SBATCH -t 04:00:00", "export UNMOORED_THREADS=1", "--lifetime 230m"):
        assert words in script


def test_every_page_is_tested():
    assert {page.stem for page in HOW_TO.glob("*.md")} == {
        "your-own-world",
        "controller-in-c",
        "on-a-cluster",
    }
