"""Every public name, and every method of systems and plants, is shown on some page, in code that runs."""

import inspect
import re

import pytest
from tests.repo.test_docs import PAGES
from tests.repo.test_tutorials import run_page

import unmoored as um


@pytest.mark.parametrize("owner", [um.System, um.Plant, um.Rollout])
def test_every_method_is_in_some_code_of_the_pages(owner):
    pages = [page.read_text("utf-8") for page in PAGES if page.name != "reference.md"]
    code = "\n".join(block for page in pages for block in re.findall(r"```python\n(.*?)```", page, re.S))
    used = set(re.findall(r"\.(\w+)", code))
    assert not [name for name in dir(owner) if not name.startswith("_") and name not in used]


def test_every_public_name_is_in_some_code_of_the_pages():
    """But for errors and warnings, which code does not make, and rooms."""
    pages = [page.read_text("utf-8") for page in PAGES if page.name != "reference.md"]
    code = "\n".join(block for page in pages for block in re.findall(r"```python\n(.*?)```", page, re.S))
    used = set(re.findall(r"\bum\.(\w+)", code))
    names = [
        name for name in um.__all__ if not name.startswith("_") and not inspect.ismodule(getattr(um, name))
    ]
    told = [name for name in names if not name.endswith(("Error", "Warning"))]
    assert not [name for name in told if name not in used]


@pytest.mark.long
def test_parts_are_what_the_page_says(tmp_path, monkeypatch):
    assert "ten" in run_page("../parts", tmp_path, monkeypatch)


@pytest.mark.long
def test_methods_are_what_the_page_says(tmp_path, monkeypatch):
    assert "hull" in run_page("../methods", tmp_path, monkeypatch)
