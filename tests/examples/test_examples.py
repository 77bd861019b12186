"""Every example runs in a process of its own and leaves its figure; those that take seconds do so in `make long`.

`unmoored demo`, which is tested, runs the scenarios of examples 01, 04 and 05.
"""

import os
from pathlib import Path

import pytest
from tests.support.processes import run_python
from tests.support.thinning import without

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9][0-9]_*.py"))
#: the cheap ones; scenarios of the demo, large arms, fits, searches and plans are long
ORDINARY = {"02", "07", "08", "10", "12", "14", "15", "18"}


def test_examples_are_numbered_without_gaps():
    assert [path.name[:2] for path in EXAMPLES] == [f"{i + 1:02d}" for i in range(len(EXAMPLES))]
    assert len(EXAMPLES) >= 15


@pytest.mark.parametrize(
    "path", without(lambda path: path.name[:2] not in ORDINARY, EXAMPLES), ids=lambda path: path.stem
)
def test_example_leaves_its_figure(path, tmp_path):
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "default"}
    result = run_python(path, cwd=tmp_path, env=environment)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert (tmp_path / "out" / f"{path.stem}.png").read_bytes()[:4] == b"\x89PNG"
    assert f"out/{path.stem}.png" in result.stdout
