"""The architecture: data flows one way, so a room imports only rooms above it."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "unmoored"
ROOMS = (
    "trace", "kernels", "lie", "model", "dynamics", "system", "integrators", "worlds", "sensing", "planning", "control",
    "simulation", "identification", "campaigns", "bridges", "views", "cli",
)  # fmt: skip
#: the files that call upward: how a run, an identification and a campaign show themselves
UPWARD = {
    "simulation/run_views.py": ("views",),
    "identification/fit_views.py": ("views",),
    "campaigns/campaign_views.py": ("views",),
}
#: files beside the rooms that all may import; `notebook_views` calls upward too, when a notebook shows something
OPEN = ("version", "error_roots", "notebook_views")
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def imported_rooms(path: Path):
    """(line, room) of every import of another room."""
    inside = ("unmoored", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) - node.level + 1] if node.level else ()
            target = (*base, *(node.module.split(".") if node.module else ()))
            names = [(*target, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.Call) and (text := imported_text(node)):
            level = len(text) - len(text.lstrip("."))
            base = inside[: len(inside) - level + 1] if level else ()
            names = [(*base, *text.lstrip(".").split("."))]
        else:
            continue
        for name in names:
            if name[0] == "unmoored" and len(name) > 1 and name[1] not in OPEN:
                yield node.lineno, name[1]


def imported_text(call: ast.Call):
    """The name in import_module("…") and __import__("…"); None for other calls."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = call.args[0] if call.args else None
    if function in ("import_module", "__import__") and isinstance(given, ast.Constant):
        return str(given.value)
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_above_it(path):
    room = path.relative_to(PACKAGE).parts[0]
    assert room in ROOMS
    allowed = ROOMS[: ROOMS.index(room) + 1] + UPWARD.get(path.relative_to(PACKAGE).as_posix(), ())
    wrong = [f"line {line}: {other}" for line, other in imported_rooms(path) if other not in allowed]
    assert not wrong


@pytest.mark.long
def test_the_check_sees_imports():
    found = {room for path in FILES for _, room in imported_rooms(path)}
    assert {"lie", "model", "dynamics"} <= found


@pytest.mark.parametrize(
    "line",
    [
        'importlib.import_module("unmoored.views")',
        'import_module("...views", __package__)',
        '__import__("unmoored.views.plots")',
        "from ...views import plot",
        "import unmoored.views",
    ],
)
def test_the_check_sees_every_way_to_import(tmp_path, monkeypatch, line):
    monkeypatch.setattr("tests.repo.test_rooms.PACKAGE", tmp_path)
    path = tmp_path / "simulation" / "scenario" / "sly.py"
    path.parent.mkdir(parents=True)
    path.write_text(f"def later():\n    {line}\n")
    assert "views" in {room for _, room in imported_rooms(path)}


def test_no_name_of_a_file_is_there_twice():
    """But for what parallel folders have: a reader and a writer per format, the same parts in C and in LLVM."""
    places = {}
    for path in FILES:
        if path.name != "__init__.py":
            places.setdefault(path.name, []).append(path.parent.parent)
    assert not {name: found for name, found in places.items() if len(found) > 1 and len(set(found)) > 1}


def test_files_stay_small():
    lengths = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES
    }
    assert not {name: length for name, length in lengths.items() if length > 400}
