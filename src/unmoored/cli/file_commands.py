"""`unmoored check` and `unmoored convert`: what is wrong with a file, and a file in another format."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..campaigns import CampaignResults
from ..campaigns.campaign_file import is_campaign, read_campaign
from ..campaigns.campaign_folder import CampaignFolder
from ..model import JOINTS, ModelError, ModelWarning, Problem
from ..model.errors import unknown_name
from ..model.files.file_text import decode, read_file
from ..simulation.scenario import is_scenario, load_scenario
from ..system import load
from .printing import escape

_SUFFIXES = (".yaml", ".yml", ".urdf", ".xml")


@dataclass(frozen=True)
class Report:
    """What was found in one file."""

    file: str
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]
    summary: str

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, for machines."""
        problems = [vars(problem) for problem in self.problems]
        return {
            "file": self.file,
            "ok": not self.problems,
            "problems": problems,
            "warnings": list(self.warnings),
        }

    def text(self) -> str:
        """The report for people."""
        lines = [f"[yellow]warning:[/] {escape(line)}" for line in self.warnings]
        lines += [f"[red]error:[/] {escape(str(problem))}" for problem in self.problems]
        lines.append(
            f"{escape(self.file)}: {len(self.problems)} error{'s' if len(self.problems) > 1 else ''}"
            if self.problems
            else f"[green]ok:[/] {escape(self.summary)}"
        )
        return "\n".join(lines)


def check_file(file: Path) -> Report:
    """Load the file as a system, scenario or campaign and collect all errors and warnings.

    Of the folder that a campaign ran in, every byte is checked.
    """
    problems: tuple[Problem, ...] = ()
    summary = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        try:
            if file.suffix.lower() not in _SUFFIXES and not file.is_dir():
                expected = f"a file that ends in {', '.join(_SUFFIXES)}, or the folder of a campaign"
                raise ModelError.single(str(file), "file type", expected=expected, given=repr(file.suffix))
            summary = repr(_loaded(file))
        except ModelError as error:
            problems = error.problems
    lines = tuple(str(w.message) for w in caught if issubclass(w.category, ModelWarning))
    return Report(str(file), problems, lines, summary)


def _loaded(file: Path) -> Any:
    """The system, scenario or campaign in a file, or what a campaign found in its folder."""
    if file.is_dir():
        results = CampaignResults(CampaignFolder(file))
        results.verify()
        return results
    if file.suffix.lower() in (".yaml", ".yml"):
        text = decode(read_file(file), str(file))
        if is_campaign(text):
            return read_campaign(file)
        if is_scenario(text):
            return load_scenario(file)
    return load(file)


_WRITTEN = (".yaml", ".yml", ".urdf")


def convert_file(source: str, target: Path, base: str | None, merge_fixed: bool, overwrite: bool) -> str:
    """Write the system `source` (a file or a built-in name) to `target`; one line about it."""
    if target.suffix.lower() not in _WRITTEN:
        expected = f"a file that ends in {', '.join(_WRITTEN)}"
        raise ModelError.single(str(target), "file type", expected=expected, given=repr(target.suffix))
    if target.exists() and not overwrite:
        raise ModelError.single(str(target), "target", expected="a new file, or --overwrite", given="a file")
    if base is not None and base not in JOINTS:
        raise unknown_name("convert", "joint for --base", base, JOINTS)
    joint = None if base is None else _joint(base)
    system = load(source, base=joint, merge_fixed=merge_fixed)
    system.save(target)
    return f"{target}: {system!r}"


def _joint(kind: str):
    try:
        return JOINTS[kind]()
    except TypeError:
        raise ModelError.single(
            "convert", "joint for --base", expected="one without an axis of its own", given=kind
        ) from None
