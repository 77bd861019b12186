"""Public is what is in `unmoored.__all__` and on the reference page; a change of it is seen and said."""

import inspect
from types import ModuleType

import pytest
from tests.repo.public_surface import lines, public_names
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


def test_every_public_name_says_what_it_is():
    untold = [n.name for n in public_names() if not n.text]
    untold += [f"{n.name}.{m.name}" for n in public_names() for m in n.members if not m.text]
    assert untold == []


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
