"""docs/scenarios.md and docs/examples.md: what they print is true."""

import re
from pathlib import Path

import unmoored as um
from unmoored.simulation.scenario import parse_scenario

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


def test_the_complete_file_is_one():
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    scenario = parse_scenario(text)
    assert scenario.samples == 100
    assert len(scenario.parameters["ocean.current"]) == 100


def test_the_code_runs_as_printed(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    exec(code, {})
    assert "completed" in capsys.readouterr().out


def test_every_example_and_scenario_is_listed():
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("[0-9]*.py"):
        assert f"`{path.name}`" in page
    for name in um.scenarios():
        assert f"`{name}`" in page
