"""Every block of code on every page is run by some test: here, or in the file that is named here."""

import functools
import io
import logging
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
from ruamel.yaml import YAML

import unmoored as um
from unmoored.cli.main import app
from unmoored.simulation.scenario import parse_scenario

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: pages whose Python is run below, one page after the other in a folder of its own; long: more than a second or two
HERE = (
    "c-export.md",
    "identification.md",
    "laws.md",
    "simulation.md",
    "stability.md",
    "system-files.md",
    "viewer.md",
    "views.md",
)
LONG = ("views.md",)
#: what a page would take too long for, and what it is run with
SHORTER = {"simulation.md": ("duration=1e5", "duration=0.2")}
#: pages whose Python other tests run, by folder or name
ELSEWHERE = {
    "tutorials": "tests/repo/test_tutorials.py",
    "how-to": "tests/repo/test_how_to.py",
    "papers": "tests/repo/test_papers.py",
    "laws": "tests/repo/test_docs.py",
    "coming-from": "tests/repo/test_docs.py",
    "bridges.md": "tests/repo/test_docs.py",
    "conventions.md": "tests/repo/test_docs.py",
    "filters.md": "tests/repo/test_docs.py",
    "free-floating.md": "tests/repo/test_docs.py",
    "inverse-kinematics.md": "tests/repo/test_docs.py",
    "jobs.md": "tests/repo/test_docs.py",
    "kernels.md": "tests/repo/test_docs.py",
    "moving-bases.md": "tests/repo/test_docs.py",
    "optimize.md": "tests/repo/test_docs.py",
    "programs.md": "tests/repo/test_docs.py",
    "sensors.md": "tests/repo/test_docs.py",
    "step.md": "tests/repo/test_docs.py",
    "workspace.md": "tests/repo/test_docs.py",
    "campaigns.md": "tests/campaigns/test_campaigns_page.py",
    "formulations.md": "tests/repo/test_formulations_page.py",
    "methods.md": "tests/repo/test_methods_page.py",
    "parts.md": "tests/repo/test_methods_page.py",
    "scenarios.md": "tests/scenarios/test_pages.py",
    "worlds.md": "tests/worlds/test_page.py",
}
IMU, DVL = (
    {"type": "Imu", "name": "imu", "frame": "rov"},
    {"type": "Dvl", "name": "dvl", "frame": "rov", "rate": 5},
)
DEPTH = {"type": "DepthGauge", "name": "depth", "frame": "rov", "noise": 0.01, "rate": 5}
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
WHEELS = [
    {"type": "ReactionWheel", "frame": "bus", "inertia": 0.1, "axis": list(a), "name": f"w{a}"} for a in AXES
]
JETS = [
    {"type": "Thruster", "frame": "bus", "at": list(a), "direction": list(d), "name": f"{a} {d}"}
    for a in AXES
    for d in AXES
]
#: parts of scenario files on pages, a built-in scenario that they fit into, and what must be changed or not be there
PARTS = {
    "filters.md": (
        "station_keeping",
        {
            "system": "bluerov2_heavy",
            "initial": {},
            "outputs": {},
            "prescribed": {},
            "sensors": [IMU, DVL, DEPTH],
        },
    ),
    "laws/allocation.md": ("station_keeping", {}),
    "laws/holding.md": ("station_keeping", {"prescribed": {}}),
    "laws/references.md": ("station_keeping", {}),
    "laws/task-priority.md": ("station_keeping", {"prescribed": {}}),
    "laws/tracking.md": ("station_keeping", {}),
    "sensors.md": ("station_keeping", {}),
    "free-floating.md": ("reaction_mode", {"actuators": [*WHEELS, *JETS]}),
    "jobs.md": ("gantry_crane", {"actuators": [{"type": "JointMotor", "joint": "cart", "limits": [-9, 9]}]}),
}


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.S | re.M)


def pages_with(language):
    pages = (path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md")))
    return [page for page in pages if blocks(page, language)]


def test_no_page_with_python_is_left_out():
    for page in pages_with("python"):
        where = ELSEWHERE.get(page.split("/")[0])
        assert (page in HERE) != bool(where), page
        if where:
            text = (ROOT / where).read_text(encoding="utf-8")
            assert Path(page).stem in text or f'"{page.split("/")[0]}"' in text, page


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A folder with what pages expect there, a viewer that neither waits nor minds who else serves, quiet logs."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("viser")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    Path("servicer.yaml").write_text(blocks("system-files.md", "yaml")[0], encoding="utf-8")
    arm = um.SystemBuilder("arm")
    arm.vehicle("mount", um.Fixed(), inertia=um.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    arm.link(
        "elbow", parent="mount", joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.box(1.0, (0.1, 0.1, 0.1))
    )
    arm.build().save("arm.urdf")
    opened, view = [], um.view

    def once(*what, **options):
        opened.append(view(*what, **options, port=0, wait=False))

    monkeypatch.setattr(um, "view", once)
    monkeypatch.setattr(um.Run, "view", lambda run, **options: once(run, **options))
    monkeypatch.setattr(logging, "basicConfig", lambda: None)
    level = logging.getLogger("unmoored").level
    yield
    logging.getLogger("unmoored").setLevel(level)
    for viewer in opened:
        viewer.close()


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.long) if page in LONG else page for page in HERE]
)
def test_python_of_the_page_runs(page):
    old, new = SHORTER.get(page, ("", ""))
    code = "\0".join(blocks(page, "python"))
    assert old in code
    scope: dict = {}
    for block in code.replace(old, new).split("\0") if old else code.split("\0"):
        if "import cupy" not in block or _gpu():
            exec(block, scope)
    if "plt" in scope:
        scope["plt"].close("all")


@functools.cache
def _gpu() -> bool:
    try:
        import cupy

        return bool(cupy.cuda.runtime.getDeviceCount())
    except Exception:  # no package, no driver, no device
        return False


@pytest.mark.parametrize("page", PARTS)
def test_parts_of_scenario_files_are_read(page):
    yaml, (name, changes) = YAML(), PARTS[page]
    for part in blocks(page, "yaml"):
        whole = yaml.load(
            (Path(um.__file__).parent / f"simulation/library/{name}.yaml").read_text(encoding="utf-8")
        )
        whole |= changes | yaml.load(part.replace("channel: cart,", "channel: cart.x,"))
        out = io.StringIO()
        yaml.dump(whole, out)
        assert parse_scenario(out.getvalue()).name == name


def test_every_part_of_a_scenario_file_is_tried():
    others = {
        "campaigns.md",
        "scenarios.md",
        "system-files.md",
    }  # tests/campaigns, tests/scenarios, tests/model/files
    assert set(pages_with("yaml")) == set(PARTS) | others


def test_commands_on_pages_have_the_arguments_that_they_take():
    command = typer.main.get_command(app)
    found = 0
    for page in [*pages_with("sh"), "../README.md"]:
        for line in "".join(blocks(page, "sh")).splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["unmoored"] and "[" not in line:
                command.commands[words[1]].make_context(words[1], words[2:]).close()
                found += 1
    assert found >= 6


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_c_of_the_page_on_export_compiles(prepared, tmp_path):
    exec(blocks("c-export.md", "python")[0], {})
    head, body = re.split(r"\n\n", blocks("c-export.md", "c")[0], maxsplit=1)
    (tmp_path / "main.c").write_text(f"{head}\nint main(void) {{\n{body}return 0; }}\n", encoding="utf-8")
    subprocess.run(["gcc", "-std=c99", "-fsyntax-only", "-Wall", "main.c"], cwd=tmp_path, check=True)
