"""Public is what is in `unmoored.__all__` and on the reference page; a change of it is seen and said."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import pytest
from tests.repo.public_surface import _stand_ins, lines, public_names
from tests.repo.regenerate import ROOT, generated

import unmoored as um

PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_what_is_generated_is_current(path):
    """If this fails: `python -m tests.repo.regenerate`, and say in CHANGELOG.md what changed for users."""
    assert path.read_text(encoding="utf-8").splitlines() == generated()[path].splitlines()


def test_no_public_name_is_missing_on_the_page():
    for name in um.__all__:
        assert f"`um.{name}" in PAGE, name


def test_texts_are_on_the_page_whole():
    """A method's parameters are explained behind its first sentence: that must not be lost."""

    def words(text):
        return "".join(re.split(r"[`*\\\s;]", text))

    page = words(PAGE)
    told = [(n, n.text) for n in public_names()] + [(m, m.text) for n in public_names() for m in n.members]
    assert not [n.name for n, text in told if words(text) not in page]


def test_every_public_name_says_what_it_is():
    untold = [n.name for n in public_names() if not n.text]
    untold += [f"{n.name}.{m.name}" for n in public_names() for m in n.members if not m.text]
    assert untold == []


#: classes of which users write their own
OPEN_CLASSES = (
    um.Actuator,
    um.Cost,
    um.Current,
    um.Element,
    um.Law,
    um.Limit,
    um.Reference,
    um.Sensor,
    um.World,
)


def test_what_methods_of_a_users_class_are_handed_is_public():
    """Else they could not be annotated, and what is in it would be told nowhere."""
    known = {name.name for name in public_names()} | {m.name for n in public_names() for m in n.members}
    handed = set()
    for cls in OPEN_CLASSES:
        for _, method in inspect.getmembers(cls, inspect.isfunction):
            for parameter in inspect.signature(method).parameters.values():
                handed |= {
                    word
                    for word in re.findall(r"[A-Z]\w+", str(parameter.annotation))
                    if str(getattr(sys.modules[method.__module__], word, "")).startswith("<class 'unmoored.")
                }
    assert {"Instant", "Now", "Scene", "Tree"} <= handed
    assert handed - known == set()


def test_what_is_not_public_is_not_in_the_namespace():
    """Submodules are there once they are imported; everything else that can be seen is public."""
    seen = {
        name for name, x in vars(um).items() if not name.startswith("_") and not isinstance(x, ModuleType)
    }
    assert seen - set(um.__all__) == set()
    assert um.__all__ == sorted(um.__all__)


def test_the_list_sees_names_signatures_and_methods():
    """A dropped keyword, another default or a lost method changes the list."""
    text = [line for name in public_names() for line in lines(name)]
    assert "System.mass_matrix(q, *, backend=None, out=None)" in text
    assert any(line.startswith("simulate(plant, q0, v0=None") for line in text)
    assert "Sea.phases_of(seed)" in text
    assert any(line.startswith("lie.se3.exp(") for line in text)
    assert len(text) > 500
    assert len(inspect.signature(um.Plant).parameters) < 12


def test_what_is_imported_for_the_list_stays_imported(tmp_path, monkeypatch):
    """torch and jaxlib do not survive a second import in one process: an abort, or methods with lost names."""
    (tmp_path / "imported_for_the_list.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with _stand_ins():
        module = import_module("imported_for_the_list")
    assert sys.modules.pop("imported_for_the_list", None) is module
    assert public_names()
    assert [n for n in ("jax", "torch") if find_spec(n) is not None and n not in sys.modules] == []


WITHOUT_LIBRARIES = """
import sys
from tests.repo import public_surface as surface
surface.find_spec = lambda name: None
text = [line for name in surface.public_names() for line in surface.lines(name)]
bridges = ("jax", "torch", "torch_environment")
left = [name for name in sys.modules if name.partition(".")[0] in ("jax", "torch")]
left += [name for name in bridges if f"unmoored.bridges.{name}" in sys.modules or name in vars(surface.um.bridges)]
assert left == [], left
print(*text, sep=chr(10))
"""


@pytest.mark.long
def test_the_list_is_the_same_without_the_libraries():
    """Stand-ins for jax and torch: the names of their bridges are there, and nothing of the stand-ins is left."""
    command = [sys.executable, "-X", "utf8", "-c", WITHOUT_LIBRARIES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    expected = (ROOT / "tests" / "repo" / "public-names.txt").read_text(encoding="utf-8")
    assert done.stdout.splitlines() == expected.splitlines()
