"""`unmoored run`, `convert` and `check` as a person uses them."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.support.interrupted_runs import interrupted_runs
from tests.support.processes import run_python

import unmoored as um

BOX = """<robot name="box"><link name="box"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
ENVIRONMENT = {**os.environ, "COLUMNS": "200", "PYTHONWARNINGS": "ignore"}


def call(*arguments, cwd=None):
    return run_python("-m", "unmoored", *arguments, env=ENVIRONMENT, cwd=cwd)


def test_run_without_a_file_lists_the_built_in_scenarios():
    assert "station_keeping" in call("run").stdout
    assert json.loads(call("run", "--json").stdout) == um.scenarios()


def test_run_writes_results_and_tells_them(tmp_path):
    result = call("run", "gantry_crane", "-o", "crane", "--set", "duration=2", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["completed"]
    assert told["duration_s"] == 2.0
    assert told["invariants"]["on_group_error"] < 1e-14
    kept = json.loads((tmp_path / "crane" / "summary.json").read_text(encoding="utf-8"))
    assert kept["channels"] == told["channels"]
    run = um.load_run(tmp_path / "crane" / "run.zarr")
    with (tmp_path / "crane" / "channels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["t"]) for row in rows] == run.t.tolist()
    assert np.allclose(
        [float(row["tool.x"]) for row in rows], run.system.pose(run.q, "tool")[:, 0, 3], atol=1e-15
    )


def test_run_shows_tables_for_people(tmp_path):
    result = call("run", "gantry_crane", "--set", "duration=1", cwd=tmp_path)
    assert result.returncode == 0
    for words in ("completed", "tool.x", "energy balance", "out/gantry_crane/summary.json"):
        assert words in result.stdout


def test_samples_make_a_batch(tmp_path):
    sweep = "sweeps={initial.velocities.payload: {type: Normal, mean: [0, 0, 0], deviation: [0.1, 0.1, 0]}}"
    result = call(
        "run", "gantry_crane", "--set", "duration=1", "--set", sweep, "--samples", "5", "--json", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["samples"] == 5
    assert um.load_run(tmp_path / "out" / "gantry_crane" / "run.zarr").q.shape[0] == 5


def test_a_report_can_be_had(tmp_path):
    result = call("run", "gantry_crane", "--set", "duration=1", "--report", "page.html", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")[:500].lower()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gantry",), "gantry_crane"),
        (("nowhere.yaml",), "no such file"),
        (("gantry_crane", "--set", "duration=-1"), "gantry_crane.yaml:12: duration"),
        (("gantry_crane", "--set", "nonsense"), "key=value"),
        (("gantry_crane", "--backend", "abacus"), "numpy"),
    ],
)
def test_errors_are_told_in_a_line(tmp_path, arguments, words):
    result = call("run", *arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert words in result.stderr
    assert "Traceback" not in result.stderr + result.stdout


def test_a_blow_up_is_told_and_kept(tmp_path):
    settings = (
        "duration=20",
        "integrator.step=0.5",
        "integrator.method=euler",
        "initial.velocities={payload: [9, 5, 40]}",
    )
    options = [word for setting in settings for word in ("--set", setting)]
    result = call("run", "gantry_crane", *options, "--set", "outputs.record_every=1", cwd=tmp_path)
    assert result.returncode == 3, result.stdout + result.stderr
    assert "blew up at t=" in result.stdout
    assert (tmp_path / "out" / "gantry_crane" / "summary.json").exists()


#: the command line, which writes a line when its first steps are made
_TELLS_STEPS = """
import sys
from unmoored.cli.main import main
from unmoored.simulation import fixed_steps
advance = fixed_steps._advance
def told(*arguments):
    print("stepping", file=sys.stderr, flush=True)
    fixed_steps._advance = advance
    advance(*arguments)
fixed_steps._advance = told
main()
"""


@pytest.mark.long
def test_ctrl_c_keeps_what_was_computed(tmp_path):
    """In a process of its own, a second after its first step; at random moments below."""
    settings = ("--set", "duration=100000", "--set", "outputs.record_every=1000", "--json")
    process = subprocess.Popen(
        [sys.executable, "-c", _TELLS_STEPS, "run", "gantry_crane", *settings],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == b"stepping\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    told = json.loads(out)
    assert not told["completed"]
    assert next(iter(told["status"])).startswith("interrupted at t=")
    assert len(um.load_run(tmp_path / "out" / "gantry_crane" / "run.zarr").t) > 1


def test_check_accepts_scenario_files(tmp_path):
    text = (Path(um.__file__).parent / "simulation" / "library" / "gantry_crane.yaml").read_text(
        encoding="utf-8"
    )
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(text, encoding="utf-8")
    bad.write_text(text.replace("duration: 12", "duration: soon"), encoding="utf-8")
    assert call("check", str(good)).returncode == 0
    result = call("check", str(bad))
    assert result.returncode == 1
    assert "bad.yaml:12: duration" in result.stdout


def test_convert_goes_between_formats(tmp_path):
    assert call("convert", "spart_sc_3dof", str(tmp_path / "a.yaml")).returncode == 0
    assert um.load(tmp_path / "a.yaml") == um.load("spart_sc_3dof")
    assert call("convert", str(tmp_path / "a.yaml"), str(tmp_path / "a.urdf")).returncode == 0
    assert call("convert", str(tmp_path / "a.urdf"), str(tmp_path / "b.yaml")).returncode == 0
    a, b = um.load(tmp_path / "a.yaml"), um.load(tmp_path / "b.yaml")
    q = a.random_configuration(3)
    assert np.allclose(a.mass_matrix(q), b.mass_matrix(q), rtol=1e-12)


def test_convert_puts_a_urdf_file_on_a_base(tmp_path):
    (tmp_path / "box.urdf").write_text(BOX, encoding="utf-8")
    result = call("convert", "box.urdf", "box.yaml", "--base", "Free", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert um.load(tmp_path / "box.yaml").nv == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.yaml", "b.yaml"), "no such file"),
        (("ets_vii", "b.txt"), ".urdf"),
        (("ets_vii", "here.yaml"), "--overwrite"),
        (("a.urdf", "b.yaml", "--base", "Frei"), "Free"),
    ],
)
def test_convert_tells_mistakes(tmp_path, arguments, words):
    (tmp_path / "here.yaml").write_text("")
    result = call("convert", *arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_ctrl_c_while_results_are_written_keeps_what_was_computed(tmp_path, monkeypatch, capsys):
    from rich.console import Console

    from unmoored.cli.run_command import INTERRUPTED, run_scenario
    from unmoored.simulation.scenario import summary as results

    written = results.table

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return written(*arguments)

    monkeypatch.setattr(results, "table", interrupted)
    report = tmp_path / "page.html"
    code = run_scenario(
        Console(), "gantry_crane", tmp_path / "out", settings=("duration=1",), report=report, as_json=True
    )
    assert code == INTERRUPTED
    assert "Ctrl-C" in capsys.readouterr().err
    assert len(um.load_run(tmp_path / "out" / "run.zarr").t) == len(
        (tmp_path / "out" / "channels.csv").read_text().splitlines()[1:]
    )
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["completed"]
    assert not report.exists()


def test_ctrl_c_at_random_moments_keeps_what_was_computed(tmp_path, monkeypatch):
    found = interrupted_runs(tmp_path, 6, 1, monkeypatch)
    assert set(found) <= {"whole", "part"}, found


def test_ctrl_c_while_the_run_is_put_together(tmp_path, monkeypatch, capsys):
    """Between the last step and the first file, too."""
    from rich.console import Console

    from unmoored.cli.run_command import INTERRUPTED, run_scenario
    from unmoored.simulation import task

    together = task.run_of

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return together(*arguments)

    monkeypatch.setattr(task, "run_of", interrupted)
    assert (
        run_scenario(Console(), "gantry_crane", tmp_path / "out", settings=("duration=1",), as_json=True) == 0
    )
    assert um.load_run(tmp_path / "out" / "run.zarr").completed
    monkeypatch.setattr(task, "run_of", together)
    run = um.Scenario.run

    def late(*arguments, **options):
        found = run(*arguments, **options)
        os.kill(os.getpid(), signal.SIGINT)
        return found

    monkeypatch.setattr(um.Scenario, "run", late)
    code = run_scenario(Console(), "gantry_crane", tmp_path / "out", settings=("duration=1",), as_json=True)
    assert code == INTERRUPTED
    assert um.load_run(tmp_path / "out" / "run.zarr").completed
    capsys.readouterr()


def test_ctrl_c_before_the_first_step_stops_at_once(tmp_path, monkeypatch):
    from rich.console import Console

    from unmoored.cli.run_command import run_scenario
    from unmoored.simulation import task

    monkeypatch.setattr(task, "drive", lambda *arguments: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run_scenario(Console(), "gantry_crane", tmp_path / "out", settings=("duration=1",), as_json=True)
    assert not (tmp_path / "out").exists()
