"""Types as a user's editor sees them: a program in pyright's strict mode, and how many types are known."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


def pyright(*arguments, cwd):
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    return json.loads(result.stdout)


def strict_complaints(folder, text):
    """What pyright says of a program in strict mode."""
    settings = {
        "include": ["program.py"],
        "extraPaths": [str(SOURCE)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "program.py").write_text(text, encoding="utf-8")
    found = pyright("-p", str(folder), cwd=folder)
    assert found["summary"]["filesAnalyzed"] == 1
    return [f"{d['range']['start']['line'] + 1}: {d['message']}" for d in found["generalDiagnostics"]]


def test_a_users_program_passes_in_strict_mode(tmp_path):
    text = (ROOT / "tests" / "repo" / "consumer.py").read_text(encoding="utf-8")
    assert strict_complaints(tmp_path, text) == []
    wrong = text.replace("system.nv)", "system.number_of_speeds)", 1)
    assert any("number_of_speeds" in line for line in strict_complaints(tmp_path, wrong))


def test_the_users_program_runs():
    from tests.repo import consumer

    system = consumer.servicer()
    assert consumer.dynamics(system).shape == (6,)
    assert set(consumer.results(consumer.simulated(system))) == {"bus.z", "arm"}
    assert "gantry_crane" in consumer.from_files()


def test_types_of_the_package_are_known(tmp_path):
    report = pyright("--verifytypes", "unmoored", "--ignoreexternal", cwd=tmp_path)["typeCompleteness"]
    assert Path(report["packageRootDirectory"]).resolve() == (SOURCE / "unmoored").resolve()
    assert report["completenessScore"] >= 0.95
