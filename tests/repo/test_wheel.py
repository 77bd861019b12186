"""The wheel, installed into an empty environment, brings the built-in systems along."""

import importlib.util
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMOKE = """
import unmoored as um
names = list(um.systems())
assert "free_flyer_arm7" in names, names
for name in names:
    system = um.load(name)
    assert system.mass > 0
print(len(names), "systems", um.__file__)
"""


def test_wheel_has_the_systems_and_works_when_installed(tmp_path):
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("library/free_flyer_arm7.yaml") for name in names)
    for needed in ("py.typed", "simulation/library/station_keeping.yaml", "views/report/page.js"):
        assert any(name.endswith(needed) for name in names)
    assert not any(name.startswith("tests") for name in names)
    environment = tmp_path / "empty"
    here = (
        importlib.util.find_spec("pip") is not None
    )  # it can install elsewhere; environments of uv have none
    venv.create(environment, with_pip=not here)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python] if here else [python, "-m", "pip"]
    install = [*pip, "install", "--quiet", "--no-compile", "--disable-pip-version-check", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    run = [python, "-I", "-W", "ignore", "-c", SMOKE]
    result = subprocess.run(run, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert str(environment) in result.stdout
    command = [python, "-I", environment / "bin" / "unmoored", "systems"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "free_flyer_arm7" in shown.stdout
