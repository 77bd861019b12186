"""The wheel, installed into an environment of its own, brings all it needs along; tests/long installs the rest, too."""

import importlib.util
import json
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
SMOKE = """
import sys
import unmoored as um
names = list(um.systems())
assert "free_flyer_arm7" in names, names
for name in names:
    system = um.load(name)
    assert system.mass > 0
assert system.mass_matrix(system.neutral()).shape == (system.nv, system.nv)
print(len(names), "systems", um.__file__)
"""
#: which distributions the imported modules are from
IMPORTED = """
import json
from importlib.metadata import packages_distributions
owners = packages_distributions()
print(json.dumps(sorted({d for m in list(sys.modules) for d in owners.get(m.partition(".")[0], ())})))
"""


def built_wheel(folder):
    """The wheel of this repository, and the names of its files."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, check=True, capture_output=True, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel, zipfile.ZipFile(wheel).namelist()


def installed(wheel, environment, *options):
    """Install a wheel into a new environment; its Python."""
    # this pip can install elsewhere; environments of uv have none
    here = importlib.util.find_spec("pip") is not None
    venv.create(environment, with_pip=not here)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python] if here else [python, "-m", "pip"]
    install = [
        *pip,
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
        *options,
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    return python


def check_it_runs(environment, python, code=SMOKE):
    """What the smoke test prints, with the command line tried, too."""
    run = [python, "-I", "-W", "ignore", "-c", code]
    result = subprocess.run(run, check=True, capture_output=True, text=True, cwd=environment)
    assert str(environment) in result.stdout
    command = [python, "-I", environment / "bin" / "unmoored", "systems"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "free_flyer_arm7" in shown.stdout
    return result.stdout


def declared(name, found=frozenset()):
    """The distributions that a distribution requires without extras, and those that these require."""
    for text in requires(name) or []:
        requirement = Requirement(text)
        needed = canonicalize_name(requirement.name)
        if needed not in found and (not requirement.marker or requirement.marker.evaluate({"extra": ""})):
            found = declared(needed, found | {needed})
    return found


@pytest.mark.long
def test_wheel_has_the_systems_and_works_when_installed(tmp_path):
    wheel, names = built_wheel(tmp_path)
    assert any(name.endswith("library/free_flyer_arm7.yaml") for name in names)
    for needed in (
        "py.typed",
        "unmoored/__init__.pyi",
        "simulation/library/station_keeping.yaml",
        "views/report/page.js",
    ):
        assert any(name.endswith(needed) for name in names)
    assert not any(name.startswith("tests") for name in names)
    environment = tmp_path / "empty"
    python = installed(wheel, environment, "--no-deps")
    (packages,) = environment.glob("lib/python*/site-packages")
    packages.joinpath("others.pth").write_text(
        sysconfig.get_path("purelib")
    )  # after its own, and without editables
    imported = json.loads(check_it_runs(environment, python, SMOKE + IMPORTED).splitlines()[-1])
    assert {"numpy", "llvmlite"} <= set(imported)
    assert {canonicalize_name(name) for name in imported} - declared("unmoored") == {"unmoored"}
