"""What `import unmoored` brings: its names. Rooms, NumPy, file readers and extras come when they are used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.thinning import one_in

import unmoored as um

PACKAGE = Path(um.__file__).parent
#: of other packages, and of this one
LATER = [
    "casadi", "cupy", "email", "gymnasium", "jax", "llvmlite", "matplotlib", "mujoco", "numpy", "pydantic", "rich",
    "ruamel.yaml", "scipy", "ssl", "torch", "trimesh", "typer", "viser", "xarray", "zarr",
]  # fmt: skip
IMPORTED = """
import sys
import unmoored as um
rooms = [name for name in sys.modules if name.startswith("unmoored.") and name != "unmoored.version"]
assert rooms == [], rooms
"""
LOADED = """
um.load("free_flyer_arm7")
assert "unmoored.views" not in sys.modules and "unmoored.planning" not in sys.modules
assert "llvmlite" not in sys.modules and "ruamel.yaml" not in sys.modules
assert um.load_scenario("actuator_failure").name
"""


def ran(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_that_is_not_used_yet():
    told = f"print([name for name in {LATER} if name in sys.modules])"
    assert ran(IMPORTED + told + LOADED) == "[]"


@pytest.mark.parametrize(
    "program",
    one_in(3, [
        "from unmoored import *; assert simulate and Plant and view and bridges",
        "from unmoored import simulate, comparisons, limits; import unmoored; assert unmoored.simulate is simulate",
        "import unmoored.worlds; import unmoored; assert unmoored.Plant is unmoored.worlds.Plant",
        "import unmoored; assert unmoored.simulation.Run is unmoored.Run and unmoored.dynamics and unmoored.model",
        "import unmoored; assert not hasattr(unmoored, 'nonsense') and not hasattr(unmoored, '_nonsense')",
        "import pickle, unmoored as um; assert pickle.loads(pickle.dumps(um.Pose((1, 2, 3)))) == um.Pose((1, 2, 3))",
    ]),
)  # fmt: skip
def test_names_are_there_in_whichever_order_they_are_asked_for(program):
    ran(program)


def stub():
    """(room by name, `__all__`) that type checkers and editors read."""
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    rooms = {
        alias.name: node.module or ""
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    (names,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    return rooms, ast.literal_eval(names)


def test_type_checkers_see_the_same_names_from_the_same_rooms():
    """If this fails: a new name goes into `__init__.py` (by room) and into `__init__.pyi` (import and `__all__`)."""
    rooms, names = stub()
    assert sorted(names) == um.__all__
    assert {name: room for name, room in rooms.items() if name in um._PLACES} == um._PLACES
    assert set(rooms) == set(names)


def test_all_names_are_listed():
    assert dir(um) == um.__all__
    assert all(getattr(um, name) is not None for name in um.__all__)


FORKED = """
import multiprocessing, threading
import unmoored as um

def used():
    um.simulate, um.Plant, um.view, um.comparisons

context = multiprocessing.get_context("fork")
threading.Thread(target=used).start()
children = [context.Process(target=used) for _ in range(3)]
for child in children:
    child.start()
for child in children:
    child.join(60)
    assert child.exitcode == 0, child.exitcode
"""


@pytest.mark.skipif(not hasattr(um._os, "fork"), reason="this system has no fork")
@pytest.mark.long
def test_a_fork_while_another_thread_imports():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert (done.returncode, done.stderr) == (0, "")
