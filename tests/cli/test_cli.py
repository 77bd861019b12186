"""The command line as a person uses it: through processes, with exit codes and without tracebacks."""

import json
import os
import subprocess
import sys

import pytest
from tests.support.processes import run_python

GOOD = """unmoored: 1
name: pendulum
bodies:
  - {name: bob, parent: world, joint: {type: Revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0, 0, -1]}}
"""
BAD = """unmoored: 1
name: pendulum
bodies:
  - {name: bob, parent: nowhere, joint: {type: Revolute, axis: [0, 0, 0]}, inertia: {mass: -1}}
"""


def run(*arguments, **options):
    environment = {**os.environ, "COLUMNS": "200", "PYTHONWARNINGS": "ignore"}
    return run_python("-m", "unmoored", *arguments, env=environment, **options)


def test_the_package_runs_as_a_module():
    found = subprocess.run([sys.executable, "-m", "unmoored", "version"], capture_output=True, text=True)
    assert found.returncode == 0
    assert found.stdout == run("version").stdout


def test_json_is_a_flag_everywhere():
    result = run("bench", "--json", "figures.json")
    assert result.returncode == 1
    assert "-o figures.json" in result.stderr
    assert "three scenarios" in run("demo", "--help").stdout


def test_systems_lists_all_with_a_line_each():
    result = run("systems", "--json")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert {"free_flyer_arm7", "ets_vii", "bluerov2_heavy_alpha5", "manisat"} <= found.keys()
    assert all(found.values())
    assert "ets_vii" in run("systems").stdout


def test_info_shows_tree_dofs_masses_and_conventions():
    text = run("info", "free_flyer_arm7").stdout
    for words in ("bus", "Free", "shoulder_yaw", "13 DoF", "235 kg", "linear first", "tool"):
        assert words in text
    data = json.loads(run("info", "free_flyer_arm7", "--json").stdout)
    assert data["nv"] == 13
    assert len(data["bodies"]) == 8


def test_unknown_system_is_told_with_the_names():
    result = run("info", "free_flyer")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "free_flyer_arm7" in result.stderr


def test_names_are_printed_letter_by_letter():
    """No pictures for what looks like the name of one, no markup."""
    for name in (":smile:", "[red]", "127.0.0.1:-1: x"):
        assert name in run("info", name).stderr


def test_check_accepts_and_refuses(tmp_path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(GOOD)
    bad.write_text(BAD)
    assert run("check", str(good)).returncode == 0
    result = run("check", str(bad))
    assert result.returncode == 1
    for words in ("bad.yaml:4", "nowhere", "axis", "mass"):
        assert words in result.stdout
    report = json.loads(run("check", str(bad), "--json").stdout)
    assert report["ok"] is False
    assert len(report["problems"]) >= 2


def test_check_refuses_times_that_a_run_would_refuse(tmp_path):
    text = "unmoored_scenario: 1\nname: s\nsystem: tumbling_brick\nduration: 1\nintegrator: {step: 0.03}\n"
    orbit = "world: {type: Space, orbit: {semi_major_axis: 7.5e+6, j2: 0.00108, duration: 20}}\n"
    path = tmp_path / "s.yaml"
    for content, told in (
        (text, "s.yaml:4: duration: value: expected a multiple of the step 0.03 s, given 1.0"),
        (
            text.replace("0.03", "0.5").replace(": 1\nint", ": 21\nint") + orbit,
            "from 0 to 20 s (Orbit's duration)",
        ),
    ):
        path.write_text(content)
        done = run("check", str(path))
        assert done.returncode == 1
        assert told in " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("name", ["missing.yaml", "thing.txt", "."])
def test_check_of_what_is_no_file(tmp_path, name):
    result = run("check", name, cwd=tmp_path)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr + result.stdout
    assert name in result.stdout + result.stderr


def test_demo_leaves_results_pictures_and_a_report(tmp_path):
    result = run("demo", "-o", str(tmp_path / "demo"))
    assert result.returncode == 0, result.stderr
    for name in ("free_floating_servicer", "station_keeping", "pitch_through_vertical"):
        for picture in ("picture.png", "overview.png"):
            assert (tmp_path / "demo" / name / picture).read_bytes()[:4] == b"\x89PNG"
        assert json.loads((tmp_path / "demo" / name / "summary.json").read_text())["completed"]
    assert str(tmp_path / "demo" / "report.html") in result.stdout
    assert "unmoored view" in result.stdout


def test_version_and_help():
    import unmoored

    assert run("version").stdout.strip() == unmoored.__version__
    assert "check" in run("--help").stdout
    assert run("nonsense").returncode == 2
