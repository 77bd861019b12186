"""Campaign files, format version 1: a scenario, what varies in it, how many samples, and what is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, ValidationError

from ..model import ModelError, Pose
from ..model.files import yaml
from ..model.files.file_problems import Problems, file_error
from ..model.files.file_text import decode, read_file
from ..model.files.yaml.schema import Entry, Name, PoseEntry, Text, Version
from ..model.files.yaml.schema import _without_noise as without_noise
from ..model.files.yaml.validation_errors import add_complaints
from ..model.files.yaml.yaml_document import Document, parse_document, path_text
from ..simulation.scenario import load_scenario
from ..simulation.scenario.class_entries import ClassEntry, entry_of, one_of
from ..simulation.scenario.registry import SWEEPS
from ..simulation.scenario.scenario import Scenario
from ..simulation.scenario.scenario_file import Seed
from ..simulation.scenario.scenario_reader import scenario_from_data
from ..system import System
from .campaign import Campaign
from .campaign_folder import CampaignFolder
from .designs import DESIGNS
from .kept import Keep
from .results import CampaignResults
from .shard_checks import check_shards

_SUFFIXES = (".yaml", ".yml")
_MOST = 10**12
if TYPE_CHECKING:  # made from the classes at run time
    SweepEntry: TypeAlias = Any
    KeepEntry: TypeAlias = Any
else:
    SweepEntry, KeepEntry = one_of(SWEEPS), entry_of(Keep, tagged=False)


class CampaignFile(Entry):
    """A study of many samples of a scenario. SI units."""

    unmoored_campaign: Version
    name: Name
    scenario: Annotated[str, Field(min_length=1, max_length=4096)]
    vary: dict[str, SweepEntry]
    description: Text = ""
    settings: list[Text] = Field(default_factory=list)
    samples: Annotated[int, Field(ge=1, le=_MOST)] = 1
    seed: Seed = 0
    design: Literal[DESIGNS] = "random"  # type: ignore[valid-type]
    keep: KeepEntry = None
    success: list[Name] = Field(default_factory=list)
    shard: Annotated[int, Field(ge=1, le=10**7)] = None  # type: ignore[assignment]


def read_campaign(source: str | os.PathLike[str]) -> Campaign:
    """The campaign in a .yaml file. A `ModelError` lists all problems with their lines."""
    name = os.fspath(source)
    if Path(name).suffix.lower() not in _SUFFIXES:
        raise ModelError.single("Campaign", "file", expected="a path that ends in .yaml", given=repr(name))
    return parse_campaign(decode(read_file(name), name), name, folder=Path(name).parent)


def parse_campaign(text: str, source: str = "<text>", *, folder: str | os.PathLike[str] = ".") -> Campaign:
    """The campaign in the text of a campaign file; errors call it `source`, scenarios lie in `folder`."""
    document = parse_document(text, source)
    return _built(document, source, lambda entry: _scenario(entry, Path(folder)))


def load_campaign(
    folder: str | os.PathLike[str], campaign: Campaign | None = None, *, check: bool = True
) -> CampaignResults:
    """What a campaign has found so far, from its folder.

    campaign: the one that ran there; it is needed to run samples again, unless that came from a campaign file.
    check: look at every shard's size, manifest and number first; a `DataError` names those that are damaged. False: a
    damaged shard is told where it is read. `results.verify()` looks at every byte.
    """
    place = CampaignFolder(Path(folder))
    if check:
        check_shards(place, whole=False)
    if campaign is None and place.said.get("file"):
        campaign = _from_folder(place)
    results = CampaignResults(place, campaign)
    if campaign is not None:
        campaign._results = results
    return results


def is_campaign(text: str) -> bool:
    """Whether the text is that of a campaign file."""
    return any(line.startswith("unmoored_campaign") for line in text.splitlines())


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a campaign file, for editors that check while one types."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "unmoored campaign file, version 1",
        **without_noise(CampaignFile.model_json_schema()),
    }


def _from_folder(place: CampaignFolder) -> Campaign:
    said, where = place.said, str(place.path)
    system = System(yaml.parse_kept_yaml(said["system"], where)) if said.get("system") else None
    scenario = scenario_from_data(said["scenario"], where, system)
    return _built(Document(dict(said["file"]), {}), where, lambda entry: scenario)


def _built(document: Document, source: str, scenario_of: Any) -> Campaign:
    data = document.data
    if not isinstance(data, dict):
        raise file_error(source, "content", expected="a YAML mapping", given=type(data).__name__)
    problems = Problems(source)
    try:
        entry = CampaignFile.model_validate(data)
    except ValidationError as error:
        add_complaints(problems, document, error, CampaignFile)
        raise problems.error() from None
    vary = {}
    for key, value in entry.vary.items():
        path = ("vary", key)
        with problems.of(path_text(path), document.line(path)):
            vary[key] = _made(value)
    keep = None
    with problems.of("keep", document.line(("keep",))):
        keep = None if entry.keep is None else _made(entry.keep)
    problems.raise_any()
    scenario = scenario_of(entry)
    try:
        campaign = Campaign(
            scenario,
            vary=vary,
            samples=entry.samples,
            seed=entry.seed,
            design=entry.design,
            keep=keep,
            success=entry.success,
            name=entry.name,
        )
    except ModelError as error:
        for problem in error.problems:
            _note(problems, document, problem)
        raise problems.error() from None
    return campaign._from_file(data, entry.description, entry.shard)


def _note(problems: Problems, document: Document, problem: Any) -> None:
    """A problem of the campaign at the line of its key."""
    key = problem.rule.partition(": ")[2]
    path = ("vary", key) if key in document.data.get("vary", {}) else (problem.rule,)
    where = path_text(path) if document.line(path) is not None else problem.where
    problems.add(
        where, problem.rule, expected=problem.expected, given=problem.given, line=document.line(path)
    )


def _scenario(entry: CampaignFile, folder: Path) -> Scenario:
    name = entry.scenario
    path = Path(name) if Path(name).is_absolute() else folder / name
    return load_scenario(path if Path(name).suffix else name, settings=entry.settings)


def _made(value: Any) -> Any:
    """What an entry stands for."""
    if isinstance(value, PoseEntry):
        return Pose(**value.given())
    if isinstance(value, ClassEntry):
        return value.stands_for(**{key: _made(x) for key, x in value.given().items() if key != "type"})
    return value
