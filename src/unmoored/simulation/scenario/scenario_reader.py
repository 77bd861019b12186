"""Scenario file → `Scenario`: every problem of the file at once, each with its line and the path of its key."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...model.errors import unknown_name
from ...model.files.file_problems import Problems, file_error
from ...model.files.file_text import decode, read_file
from ...model.files.yaml.validation_errors import add_complaints
from ...model.files.yaml.yaml_document import Document, parse_document
from ...system import System
from .building import build
from .overrides import overridden, sabotaged
from .registry import RENAMED_TYPES
from .scenario import Scenario
from .scenario_file import ScenarioFile

LIBRARY = resources.files("unmoored.simulation") / "library"
_SUFFIXES = (".yaml", ".yml")


def scenarios() -> dict[str, str]:
    """Names of the built-in scenarios, each with one line that says what happens."""
    found = {
        path.name.removesuffix(".yaml"): path for path in LIBRARY.iterdir() if path.name.endswith(".yaml")
    }
    described = {name: parse_document(path.read_text(encoding="utf-8"), name) for name, path in found.items()}
    return {name: str(described[name].data.get("description", "")) for name in sorted(found)}


#: files of other kinds, by their first key
_OTHER_KINDS = {
    "unmoored_campaign": "a campaign: um.load_campaign, unmoored campaign",
    "unmoored": "a system: um.load, or `system:` in a scenario",
}


def load_scenario(
    source: str | os.PathLike[str], *, settings: Sequence[str] = (), sabotage: str | None = None
) -> Scenario:
    """A scenario from a .yaml file, or a built-in one by name, ready to run.

    settings: "key=value" texts that replace values of the file, such as "duration=5" or "world.current=[1, 0, 0]";
    keys are joined by dots, values are YAML.  sabotage: one of those that the file states, by name, with which its job
    must fail.  A `ModelError` lists all problems.
    """
    name = os.fspath(source)
    if Path(name).suffix.lower() in _SUFFIXES:
        return _scenario(decode(read_file(name), name), name, Path(name).parent, settings, sabotage)
    path = LIBRARY / f"{name}.yaml"
    if not name.isidentifier() or not path.is_file():
        raise unknown_name("load_scenario", "scenario", name, [*scenarios(), "or a path that ends in .yaml"])
    with resources.as_file(LIBRARY) as folder:
        return _scenario(path.read_text(encoding="utf-8"), f"{name}.yaml", folder, settings, sabotage)


def parse_scenario(
    text: str,
    source: str = "<text>",
    *,
    folder: str | os.PathLike[str] = ".",
    settings: Sequence[str] = (),
    sabotage: str | None = None,
) -> Scenario:
    """The scenario in the text of a scenario file; errors call it `source`, files lie in `folder`."""
    return _scenario(text, source, Path(folder), settings, sabotage)


def scenario_from_data(data: Mapping[str, Any], source: str, system: System | None = None) -> Scenario:
    """The scenario again from its `data`, with its system given if that is known already."""
    return _built(Document(dict(data), {}), source, Path("."), system)


def is_scenario(text: str) -> bool:
    """Whether the text is that of a scenario file, not of a system file."""
    return any(line.startswith("unmoored_scenario") for line in text.splitlines())


def _scenario(
    text: str, source: str, folder: Path, settings: Sequence[str], sabotage: str | None
) -> Scenario:
    document = overridden(sabotaged(parse_document(text, source), sabotage), settings)
    return _built(document, source, folder)


def _built(document: Document, source: str, folder: Path, system: System | None = None) -> Scenario:
    if not isinstance(document.data, dict):
        raise file_error(source, "content", expected="a YAML mapping", given=type(document.data).__name__)
    if "unmoored_scenario" not in document.data:
        for key, kind in _OTHER_KINDS.items():
            if key in document.data:
                raise file_error(
                    source, "kind", expected="a scenario file (unmoored_scenario: 1)", given=kind
                )
    problems = Problems(source)
    entry = _validated(document, problems)
    problems.raise_any()
    assert entry is not None
    return build(entry, document, problems, folder, system)


def _validated(document: Document, problems: Problems) -> ScenarioFile | None:
    try:
        return ScenarioFile.model_validate(document.data)
    except ValidationError as error:
        add_complaints(problems, document, error, ScenarioFile, renamed_types=RENAMED_TYPES)
        return None
