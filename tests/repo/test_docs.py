"""The pages of docs/: their links lead somewhere, and the code on the pages that no other test runs does run."""

import re
import runpy
from pathlib import Path

import pytest

import unmoored as um
from unmoored.system.method import methods_of

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = ("laws", "coming-from", "tutorials", "papers", "how-to")
PAGES = sorted([*DOCS.glob("*.md"), *(page for folder in FOLDERS for page in DOCS.glob(f"{folder}/*.md"))])
LAWS = [page for page in PAGES if page.parent.name == "laws"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert not [target for target in local if not (page.parent / target).exists()]


def test_pages_that_the_code_cites_are_there():
    """A reader of the source finds the equations in docs/."""
    pages = {page.name for page in DOCS.rglob("*.md")} | {
        "README.md",
        "CONTRIBUTING.md",
        "RESULTS.md",
        "CHANGELOG.md",
    }
    source = DOCS.parent / "src"
    cited = {
        (path.name, name)
        for path in source.rglob("*.py")
        for name in re.findall(r"\b([\w-]+\.md)\b|\b(theory-\w+) §", path.read_text(encoding="utf-8"))
    }
    assert not [(path, *names) for path, names in cited if not set(filter(None, names)) <= pages]


def test_index_names_every_page():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    named = {page.name: page.relative_to(DOCS).as_posix() for page in PAGES}
    assert not [name for name, path in named.items() if name != "index.md" and f"({path})" not in index]


@pytest.mark.parametrize("page", LAWS, ids=lambda page: page.name)
def test_code_of_the_pages_on_laws_runs(page):
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        exec(code, scope)


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("conventions.md", ("pinocchio", "mujoco", "scipy")),
        ("coming-from/pinocchio.md", ("pinocchio",)),
        ("coming-from/spart.md", ()),
        ("coming-from/mss.md", ()),
    ],
)
def test_conventions_and_comparisons_with_others_run(name, needs, tmp_path, monkeypatch):
    """Every block of these pages ends in assertions of its own."""
    for package in needs:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.S)
    assert sum("assert " in block for block in blocks) >= 2
    scope: dict = {}
    for code in blocks:
        exec(code, scope)


def test_every_section_on_conventions_has_a_check():
    text = (DOCS / "conventions.md").read_text(encoding="utf-8")
    sections = text.split("\n## ")[1:]
    assert len(sections) == 8
    for section in sections:
        name, _, body = section.partition("\n")
        (code,) = re.findall(r"```python\n(.*?)```", body, re.S)[:1]
        checks = len(re.findall(r"^ *assert ", body, re.M))
        rows = len(re.findall(r"^\| (?!\||-)", body, re.M)) - 1  # without the head
        assert checks >= max(3, 0.6 * rows), name
        assert "assert " in code


def test_a_law_of_ones_own_tells_its_goals_as_the_page_on_views_says():
    text = (DOCS / "views.md").read_text(encoding="utf-8")
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "class Push" in block]
    scope: dict = {"um": um}
    exec(code, scope)
    plant = um.Plant(um.load("free_flyer_arm7"))
    assert [goal.name for goal in scope["Push"](plant).goals()] == ["pose of bus"]


def test_the_page_on_trust_names_tests_that_are_there():
    folder = ""
    for name in re.findall(r"`(tests/[^`]*|test_\w+\.py)`", (DOCS / "trust.md").read_text(encoding="utf-8")):
        path = name if name.startswith("tests/") else f"{folder}/{name}"
        folder = path.rpartition("/")[0]
        assert (DOCS.parent / path).exists(), path


def test_the_gallery_has_every_scenario_and_example():
    """Its page is what `make gallery` writes, with the films that were made, and the files beside them."""
    made = runpy.run_path(str(DOCS / "gallery" / "make_gallery.py"))
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert text == made["page"](), "run `make gallery`, or docs/gallery/make_gallery.py --missing"
    assert not [name for name in re.findall(r"\((gallery/\w+\.webp)\)", text) if not (DOCS / name).exists()]
    named = re.findall(r"<\.\./([^>]+)>", text)
    assert not [name for name in named if not (DOCS.parent / name).exists()]
    scripts = {path.name for path in (DOCS.parent / "examples").glob("[0-9]*.py")}
    assert scripts <= {Path(name).name for name in named}


def test_equations_of_the_theory_are_typeset():
    """None is left in code type, and each is one that the site can typeset."""
    converter = pytest.importorskip("latex2mathml.converter")
    text = (DOCS / "theory.md").read_text(encoding="utf-8")
    assert "```" not in text
    formulas = [a or b for a, b in re.findall(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", text, re.S)]
    assert len(formulas) > 700
    for formula in formulas:
        assert "<math" in converter.convert(formula)


@pytest.mark.parametrize("name", ["kernels.md"])
def test_code_on_the_page_runs(name):
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.S):
        exec(code, scope)
    assert (scope["a"] == scope["out"]).all()
    assert abs(scope["a"] - scope["same"]).max() < 1e-11


def test_code_of_the_page_on_programs_runs():
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", (DOCS / "programs.md").read_text(encoding="utf-8"), re.S):
        exec(code, scope)
    assert (scope["k"] == 1.0).all()


def test_code_of_the_page_on_bridges_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "bridges.md").read_text(encoding="utf-8")
    scope: dict = {}
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        if section.startswith(("CasADi", "C\n")):
            for code in re.findall(r"```python\n(.*?)```", section, re.S):
                exec(code, scope)
    assert scope["A"].shape == (18, 18)
    assert "void rov_law(" in scope["header"].read_text()


def test_code_of_the_page_on_steps_runs():
    """On the vehicle without its arm, whose derivatives compile in a fifth of the time; as printed in tests/long."""
    text = (DOCS / "step.md").read_text(encoding="utf-8")
    assert text.count("bluerov2_heavy_alpha5") == 1
    run_code_on_steps(text.replace("bluerov2_heavy_alpha5", "bluerov2_heavy"))


def run_code_on_steps(text):
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(code, scope)
    assert not scope["stepper"].state.status.any()


def test_code_of_the_page_on_optimisation_runs():
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", (DOCS / "optimize.md").read_text(encoding="utf-8"), re.S):
        exec(code, scope)
    assert scope["run"].memory["u"].shape == (61, 10, 3)


@pytest.mark.parametrize("page", ["inverse-kinematics", "workspace", "free-floating", "moving-bases", "jobs"])
def test_code_of_the_pages_on_planning_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, scope = (DOCS / f"{page}.md").read_text(encoding="utf-8"), {}
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(code, scope)
    assert "um" in scope


@pytest.mark.parametrize(
    ("section", "needs"), [("Gymnasium", "gymnasium"), ("PyTorch", "torch"), ("JAX", "jax")]
)
def test_code_of_the_bridges_for_learning_runs(section, needs):
    pytest.importorskip(needs, reason=f"{needs} is not installed: pip install 'unmoored[{needs}]'")
    page = (DOCS / "bridges.md").read_text(encoding="utf-8")
    part = re.search(rf"## {section}\n(.*?)(?=\n## |\Z)", page, re.S)
    assert part is not None
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", part[1], re.S):
        exec(code, scope)


def test_code_of_the_page_on_sensors_runs():
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", (DOCS / "sensors.md").read_text(encoding="utf-8"), re.S):
        exec(code, scope)
    assert scope["state"].y["depth"].value.shape == (4, 1)


def test_code_of_the_page_on_filters_runs():
    scope: dict = {}
    for code in re.findall(r"```python\n(.*?)```", (DOCS / "filters.md").read_text(encoding="utf-8"), re.S):
        exec(code, scope)
    assert scope["squares"].shape == (201,)
    assert scope["low"] < 15.0 < scope["high"]


def test_the_reference_leads_to_pages_that_show_its_names():
    """Public names are used or named on some page, but for a few that just came, and the site links there."""
    shown = runpy.run_path(str(DOCS / "shown_where.py"))
    known = shown["pages"]()
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    names = re.findall(r"^### `um\.(\w+)", text, re.M)
    nowhere = [name for name in names if not shown["places"](name, known)]
    assert len(nowhere) < 6, nowhere
    linked = shown["with_places"](text)
    assert linked.count("*Shown on ") == len(names) - len(nowhere)
    assert re.search(
        r"^- `mass_matrix\(.*\(\[shown\]\(.*\[theory §4\]\(theory.md#4-mass-matrix", linked, re.M
    )


def test_every_method_that_is_a_kernel_leads_to_its_equation():
    """By one section each, which is there; and every section of equations is led to."""
    theory = runpy.run_path(str(DOCS / "theory_places.py"))
    named = [name for names in theory["SECTIONS"].values() for name in names.split()]
    assert len(named) == len(set(named))
    kernels = {name for owner in (um.System, um.Plant) for name in methods_of(owner)}
    assert kernels <= set(named), sorted(kernels - set(named))
    public = {*um.__all__, *dir(um.System), *dir(um.Plant)}
    assert set(named) <= public, sorted(set(named) - public)
    text = (DOCS / "theory.md").read_text(encoding="utf-8")
    sections = {int(number) for number in re.findall(r"^## (\d+)\.", text, re.M)}
    assert sections - set(theory["SECTIONS"]) == {0, 22}  # symbols, axes of others
