"""`unmoored check`: read a file and report everything that is wrong with it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from ..model import ModelError, ModelWarning, Problem
from ..model.files.text import decode, read_file
from ..simulation.scenario import is_scenario, load_scenario
from ..system import load

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
    """Load the file as a system or a scenario and collect all errors and warnings."""
    problems: tuple[Problem, ...] = ()
    summary = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        try:
            if file.suffix.lower() not in _SUFFIXES:
                expected = f"a file that ends in {', '.join(_SUFFIXES)}"
                raise ModelError.single(str(file), "file type", expected=expected, given=repr(file.suffix))
            summary = repr(_loaded(file))
        except ModelError as error:
            problems = error.problems
    lines = tuple(str(w.message) for w in caught if issubclass(w.category, ModelWarning))
    return Report(str(file), problems, lines, summary)


def _loaded(file: Path) -> Any:
    """The system or the scenario in a file."""
    if file.suffix.lower() in (".yaml", ".yml") and is_scenario(decode(read_file(file), str(file))):
        return load_scenario(file)
    return load(file)
