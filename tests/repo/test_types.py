"""Types as a user's editor sees them: a program in pyright's strict mode, and how many types are known."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


def pyright(*arguments, cwd):
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    return json.loads(result.stdout)


def strict_complaints(folder, programs):
    """What pyright says of programs in strict mode, by their names."""
    settings = {
        "include": ["*.py"],
        "extraPaths": [str(SOURCE)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    found = pyright("-p", str(folder), cwd=folder)
    assert found["summary"]["filesAnalyzed"] == len(programs)
    said = {name: [] for name in programs}
    for d in found["generalDiagnostics"]:
        said[Path(d["file"]).stem].append(f"{d['range']['start']['line'] + 1}: {d['message']}")
    return said


def test_a_users_program_passes_in_strict_mode(tmp_path):
    text = (ROOT / "tests" / "repo" / "consumer.py").read_text(encoding="utf-8")
    wrong = text.replace("system.nv)", "system.number_of_speeds)", 1)
    said = strict_complaints(tmp_path, {"right": text, "wrong": wrong})
    assert said["right"] == []
    assert any("number_of_speeds" in line for line in said["wrong"])


def test_the_users_program_runs():
    from tests.repo import consumer

    system = consumer.servicer()
    assert consumer.dynamics(system).shape == (6,)
    assert set(consumer.results(consumer.simulated(system))) == {"bus.z", "arm"}
    own = consumer.own_parts(system)
    assert own.v[-1, 0] > 0.0
    assert own.memory["sum"].shape == (11, 7)
    assert "gantry_crane" in consumer.from_files()


@pytest.mark.long
def test_types_of_the_package_are_known(tmp_path):
    report = pyright("--verifytypes", "unmoored", "--ignoreexternal", cwd=tmp_path)["typeCompleteness"]
    assert Path(report["packageRootDirectory"]).resolve() == (SOURCE / "unmoored").resolve()
    assert report["completenessScore"] >= 0.95
