"""The architecture: data flows one way, so a room imports only rooms above it."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "unmoored"
ROOMS = (
    "trace", "kernels", "lie", "model", "dynamics", "system", "integrators", "worlds", "control", "simulation",
    "views", "cli",
)  # fmt: skip
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
        else:
            continue
        for name in names:
            if name[0] == "unmoored" and len(name) > 1 and name[1] not in ("version",):
                yield node.lineno, name[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_above_it(path):
    room = path.relative_to(PACKAGE).parts[0]
    assert room in ROOMS
    allowed = ROOMS[: ROOMS.index(room) + 1]
    wrong = [f"line {line}: {other}" for line, other in imported_rooms(path) if other not in allowed]
    assert not wrong


def test_the_check_sees_imports():
    found = {room for path in FILES for _, room in imported_rooms(path)}
    assert {"lie", "model", "dynamics"} <= found


def test_files_stay_small():
    lengths = {
        str(path.relative_to(PACKAGE)): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES
    }
    assert not {name: length for name, length in lengths.items() if length > 400}
