"""What a release needs agrees: version, changelog, citation, and the workflow that builds, tests and publishes."""

import re
from pathlib import Path

from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from ruamel.yaml import YAML

import unmoored as um

ROOT = Path(__file__).parents[2]


def test_version_changelog_and_citation_agree():
    newest = re.search(
        r"^## (\d[^,\n]*), (\d{4}-\d{2}-\d{2})$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M
    )
    assert newest is not None
    assert newest[1] == um.__version__
    citation = YAML(typ="safe").load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == um.__version__
    assert str(citation["date-released"]) == newest[2]
    assert citation["cff-version"] == "1.2.0"
    assert len(citation["references"]) == 5


def test_an_index_shows_the_readme_without_links_that_lead_nowhere_there():
    shown = ProjectMetadata(str(ROOT), PluginManager()).core.readme
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "](docs/" in readme
    assert not [target for target in re.findall(r"\]\(([^)]*)\)", shown) if ":" not in target]
    assert "![" not in shown
    assert "<img" not in shown
    assert shown.count("\n## ") == readme.count("\n## ")
    for code in re.findall(r"```.*?```", readme, re.S):
        assert code in shown
    assert "([errata](docs/errata.md))" in readme
    assert "(errata)" in shown


def test_nothing_is_published_that_was_not_built_and_tested():
    release = YAML(typ="safe").load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
    jobs = release["jobs"]
    assert jobs["test"]["needs"] == "build"
    assert jobs["publish"]["needs"] == ["build", "test"]
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "id-token" not in release["permissions"]
    steps = str(jobs["publish"]["steps"])
    assert "pypa/gh-action-pypi-publish" in steps
    assert "password" not in steps
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    supported = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    assert jobs["test"]["strategy"]["matrix"]["python"] == supported
