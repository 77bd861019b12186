"""Names and texts that mean harm on a terminal, and other ways to surprise the command line."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.hostile_names import NAMES, hostile_system
from tests.support.processes import run_python
from tests.support.thinning import one_in

import unmoored as um
from unmoored.cli import show
from unmoored.cli.printing import escape, json_text
from unmoored.cli.render_command import _pixels
from unmoored.cli.view_command import distinct_names
from unmoored.model.names import printable

BALL = """unmoored: 1
name: ball
bodies:
  - {name: ball, parent: world, joint: {type: Free}, inertia: {mass: 1.0, tensor: [1, 1, 1]}}
"""


def test_names_are_printed_letter_by_letter():
    system = hostile_system()
    stream = io.StringIO()
    Console(file=stream, width=400).print(show.system_tree(system))
    for name in NAMES:
        assert name.split("\u0301")[0] in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b2J", "a\u202eb", "\r", "\x07", "\u2028"])
def test_what_controls_a_terminal_is_written_out(text):
    assert printable(text).isprintable()
    assert escape(text).isprintable()
    assert json.loads(json_text({text: text})) == {text: text}
    assert json_text({text: text}).replace("\n", "").isprintable()
    problem = str(um.ModelError.single(text, text, expected=text, given=text))
    assert problem.isprintable()


HOSTILE = {
    "key": BALL + '"\\e[2Jx": 1\n',
    "name": BALL.replace("name: ball\n", 'name: "\\e[2J"\n', 1),
    "description": BALL + 'description: "\\e]0;owned\\a"\n',
    "source": BALL + 'sources: ["\\x9b2J"]\n',
    "joint": BALL.replace("parent: world", 'parent: "\\e[31m"'),
}


@pytest.mark.parametrize("what", one_in(2, HOSTILE))
def test_files_cannot_drive_the_terminal(tmp_path, what):
    path = tmp_path / "bad\x1b[2J.yaml"
    path.write_text(HOSTILE[what], encoding="utf-8")
    for command in ("check", "info"):
        result = run_python("-m", "unmoored", command, path)
        assert result.returncode == 1
        assert "Traceback" not in result.stderr
        said = result.stdout + result.stderr
        assert said.replace("\n", "").isprintable(), ascii(said)


def test_a_terminal_without_unicode(tmp_path):
    command = [sys.executable, "-c", "from unmoored.cli import main; main()", "info", "free_flyer_arm7"]
    result = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0, result.stderr
    assert result.stdout.isascii()


def test_runs_with_equal_names_are_told_apart():
    assert distinct_names(Path("a/run.zarr"), Path("b/run.zarr")) == ("a/run", "b/run")
    assert distinct_names(Path("a/x.zarr"), Path("b/y.zarr")) == ("x", "y")
    assert len(set(distinct_names(Path("a/run.zarr"), Path("a/run.zarr")))) == 2


def test_sizes_are_plain_numbers():
    assert _pixels("960x540") == (960, 540)
    with pytest.raises(um.ModelError, match="WIDTHxHEIGHT"):
        _pixels("²x²")
