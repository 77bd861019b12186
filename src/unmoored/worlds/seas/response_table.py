"""Tables of a ship's response in files: a CSV of our own, `.re1` of VERES (ShipX), `.4` of WAMIT (docs/worlds.md)."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...model.errors import ModelError
from ...model.files.file_problems import Problems, file_error
from ...model.files.file_text import decode, is_number_text, read_file

DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
#: headings (rad) that are one, and operators, as parts of the largest of a motion
SAME_HEADING, _SAME_OPERATOR = 1e-4, 1e-6
#: signs from the axes of a file to forward-left-up
_AXES = {
    "forward-left-up": (1, 1, 1, 1, 1, 1),
    "forward-right-down": (1, -1, -1, 1, -1, -1),
    "aft-right-up": (-1, -1, 1, -1, -1, 1),
}


class ResponseTable(NamedTuple):
    """headings_rad (h,) clockwise from above, π a head sea; frequencies (n,) [rad/s]; operators (h, n, 6), FLU."""

    headings_rad: np.ndarray
    frequencies: np.ndarray
    operators: np.ndarray
    source: str


@dataclass(frozen=True)
class _Row:
    """One heading (rad, as it is written) and frequency (rad/s) of a file, from a line, with motions {k: operator}."""

    line: int
    heading: float
    frequency: float
    motions: dict[int, complex]


def read_response(path: str | os.PathLike[str], zero: tuple[str, ...] = ()) -> ResponseTable:
    """The table in a file, by its ending; `zero`: motions that it may lack."""
    source = str(path)
    for name in zero:
        if name not in DOFS:
            raise ModelError.single(
                "ShipResponse", "zero", expected=f"some of {', '.join(DOFS)}", given=repr(name)
            )
    ending = Path(source).suffix.lower()
    readers: dict[str, Callable[[str, list[str]], tuple[list[_Row], str]]] = {
        ".csv": _of_csv,
        ".re1": _of_veres,
        ".4": _of_wamit,
    }
    if ending not in readers:
        raise file_error(
            source, "format", expected=f"a name that ends in {', '.join(readers)}", given=repr(ending)
        )
    rows, told = readers[ending](source, decode(read_file(path), source).splitlines())
    return _tabulated(source, rows, tuple(map(DOFS.index, zero)), told or f"file {Path(source).name}")


def response_of_csv(text: str) -> ResponseTable:
    """The table in the text of a CSV file."""
    rows, told = _of_csv("<text>", text.splitlines())
    return _tabulated("<text>", rows, (), told)


def _tabulated(source: str, rows: Sequence[_Row], zero: tuple[int, ...], told: str) -> ResponseTable:
    """A full grid of the rows, in increasing order; a `ModelError` names what is twice there or lacks."""
    problems = Problems(source)
    if not rows:
        raise file_error(source, "table", expected="rows of a response", given="none")
    headings = np.array(sorted({row.heading for row in rows}))
    ω = np.array(sorted({row.frequency for row in rows}))
    if len(ω) < 2:
        raise file_error(source, "frequencies", expected="two or more", given=str(len(ω)))
    operators = np.full((len(headings), len(ω), 6), np.nan, dtype=complex)
    for row in rows:
        h, n = int(np.searchsorted(headings, row.heading)), int(np.searchsorted(ω, row.frequency))
        for k, operator in row.motions.items():
            if not np.isnan(operators[h, n, k]):
                place = f"heading {np.degrees(row.heading):g}°, {row.frequency:g} rad/s"
                problems.add(DOFS[k], place, expected="one value", given="a second one", line=row.line)
            operators[h, n, k] = operator
    problems.raise_any()
    operators[..., list(zero)] = np.where(
        np.isnan(operators[..., list(zero)]), 0.0, operators[..., list(zero)]
    )
    for k, name in enumerate(DOFS):
        lacking = np.argwhere(np.isnan(operators[..., k]))
        if len(lacking):
            h, n = lacking[0]
            expected = f"a value at every heading and frequency (or zero=({name!r},): it does not move so)"
            given = f"none at heading {np.degrees(headings[h]):g}°, {ω[n]:g} rad/s ({len(lacking)} in all)"
            problems.add(name, "table", expected=expected, given=given)
    problems.raise_any()
    headings, operators = once_around(source, headings, operators)
    return ResponseTable(headings, ω, operators, told)


def once_around(where: str, headings: np.ndarray, operators: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(headings (h,) [rad], operators (h, n, 6)) without those that are others' a turn on, as 360° is 0°.

    They must have the same operators, to 1e-6 of the largest of a motion; a `ModelError` names headings that do not.
    """
    kept: list[int] = []
    largest = np.nan_to_num(np.abs(operators)).max(axis=(0, 1), initial=0.0)
    for i, heading in enumerate(headings):
        apart = np.abs((headings[kept] - heading + np.pi) % (2 * np.pi) - np.pi)
        same = [kept[k] for k in np.flatnonzero(apart < SAME_HEADING)]
        for j in same:
            off = np.abs(operators[i] - operators[j]) > _SAME_OPERATOR * largest
            off |= np.isnan(operators[i]) != np.isnan(operators[j])
            if np.count_nonzero(off):
                a, b = (f"{np.degrees(headings[k]):g}°" for k in (j, i))
                expected = (
                    f"the same {DOFS[int(np.argwhere(off)[0, 1])]} at {a} and {b}, which are one heading"
                )
                raise ModelError.single(where, "headings", expected=expected, given="others")
        if not same:
            kept.append(i)
    return headings[kept], operators[kept]


def _of_csv(source: str, lines: list[str]) -> tuple[list[_Row], str]:
    told = {"source": "", "axes": "forward-left-up", "phase": "lead"}
    body: list[tuple[int, list[str]]] = []
    problems, seen = Problems(source), set[str]()
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            key, found, value = (part.strip() for part in line[1:].partition(":"))
            if found and key in told:
                if key in seen:
                    problems.add(
                        "file",
                        f"# {key}:",
                        expected="one line",
                        given=f"a second one, {value!r}",
                        line=number,
                    )
                seen.add(key)
                told[key] = value
        elif line.strip():
            body.append((number, [cell.strip() for cell in next(csv.reader([line]))]))
    for key, known in (("axes", tuple(_AXES)), ("phase", ("lead", "lag"))):
        if told[key] not in known:
            problems.add("file", f"# {key}:", expected=f"one of {', '.join(known)}", given=repr(told[key]))
    problems.raise_any()
    if not body:
        raise file_error(source, "table", expected="a line of column names", given="nothing")
    first, names = body[0]
    columns = _columns(source, first, names)
    sign, rows = np.array(_AXES[told["axes"]]), []
    for number, cells in body[1:]:
        if len(cells) != len(names):
            problems.add("row", "cells", expected=str(len(names)), given=str(len(cells)), line=number)
            continue
        numbers = _numbers(cells, number, problems)
        if numbers is None:
            continue
        at = dict(zip(names, numbers, strict=True))
        frequency = (
            at["frequency"] if "frequency" in at else 2 * np.pi / at["period"] if at["period"] else 0.0
        )
        if not frequency > 0:
            problems.add(
                "row", "frequency (rad/s) or period (s)", expected="> 0", given=str(frequency), line=number
            )
            continue
        motions = {}
        for k, (a, b, polar) in columns.items():
            value = at[a] * np.exp(1j * np.radians(at[b])) if polar else at[a] + 1j * at[b]
            motions[k] = sign[k] * (np.conj(value) if told["phase"] == "lag" else value)
        heading = at["heading_rad"] if "heading_rad" in at else float(np.radians(at["heading_deg"]))
        rows.append(_Row(number, heading, frequency, motions))
    problems.raise_any()
    return rows, told["source"]


def _columns(source: str, line: int, names: list[str]) -> dict[int, tuple[str, str, bool]]:
    """{motion: (column, column, whether they are amplitude and phase)}; a `ModelError` if the names are others."""
    problems = Problems(source)
    for name in {name for name in names if names.count(name) > 1}:
        problems.add("columns", "names", expected="different ones", given=f"{name!r} twice", line=line)
    twice = [
        ("heading_deg" in names) == ("heading_rad" in names),
        ("frequency" in names) == ("period" in names),
    ]
    if any(twice):
        expected = "heading_deg or heading_rad, and either frequency (rad/s) or period (s)"
        problems.add("columns", "names", expected=expected, given=", ".join(names), line=line)
    found: dict[int, tuple[str, str, bool]] = {}
    for k, dof in enumerate(DOFS):
        for a, b, polar in (
            (f"{dof}_re", f"{dof}_im", False),
            (f"{dof}_amplitude", f"{dof}_phase_deg", True),
        ):
            if (a in names) != (b in names):
                problems.add(dof, "columns", expected=f"{a} and {b}", given="one of them", line=line)
            elif a in names and k in found:
                problems.add(dof, "columns", expected="one pair", given="both pairs", line=line)
            elif a in names:
                found[k] = (a, b, polar)
    known = {
        "heading_deg",
        "heading_rad",
        "frequency",
        "period",
        *(name for a, b, _ in found.values() for name in (a, b)),
    }
    for name in names:
        if name not in known and not len(problems):
            expected = (
                "heading_deg, frequency or period, MOTION_re, MOTION_im or MOTION_amplitude, MOTION_phase_deg"
            )
            problems.add("columns", "names", expected=expected, given=repr(name), line=line)
    problems.raise_any()
    return found


def _numbers(cells: Sequence[str], line: int, problems: Problems) -> list[float] | None:
    """The cells as finite numbers; the first that is none is noted."""
    found = []
    for cell in cells:
        try:
            number = float(cell.replace("D", "E").replace("d", "e"))
        except ValueError:
            number = np.nan
        if not abs(number) <= 1e30:
            problems.add("row", "cell", expected="a finite number", given=repr(cell), line=line)
            return None
        found.append(number)
    return found


def _of_veres(source: str, lines: list[str]) -> tuple[list[_Row], str]:
    """Motion transfer functions of VERES: axes aft, starboard, up; its heading 0 is a head sea, 90 goes to starboard.

    Six lines of text; density, g; length, breadth, draught; centre of gravity; numbers of speeds, headings,
    frequencies, motions; then for each speed a line, for each heading a line, for each frequency a line and those
    of the motions.
    """
    problems, at = Problems(source), [6]

    def numbers(count: int, what: str) -> list[float]:
        while at[0] < len(lines) and not lines[at[0]].strip():
            at[0] += 1
        if at[0] >= len(lines):
            raise file_error(
                source, what, expected=f"{count} numbers", given="the end of the file", line=len(lines)
            )
        cells, line = lines[at[0]].split(), at[0] + 1
        at[0] += 1
        found = _numbers(cells, line, problems)
        problems.raise_any()
        if found is None or len(found) < count:
            raise file_error(
                source, what, expected=f"{count} numbers", given=repr(" ".join(cells)), line=line
            )
        return found

    for count, what in ((2, "density, g"), (3, "length, breadth, draught"), (2, "centre of gravity")):
        numbers(count, what)
    speeds, headings, frequencies, dofs = map(
        int, numbers(4, "numbers of speeds, headings, frequencies, motions")
    )
    if dofs != 6 or min(speeds, headings, frequencies) < 1:
        expected = "one speed, heading and frequency or more, and 6 motions"
        raise file_error(
            source,
            "counts",
            expected=expected,
            given=f"{speeds}, {headings}, {frequencies}, {dofs}",
            line=at[0],
        )
    first = numbers(5, "speed, sinkage, trim, x and z of the reference point")
    if first[0] != 0.0:
        raise file_error(
            source, "speed", expected="0 (m/s) for the first one", given=str(first[0]), line=at[0]
        )
    sign, rows = np.array(_AXES["aft-right-up"]), []
    for _ in range(headings):
        heading = float(np.radians(180.0 - numbers(1, "heading (degrees)")[0]))
        for _ in range(frequencies):
            ω = numbers(1, "frequency (rad/s)")[0]
            line, motions = at[0], {}
            for k in range(6):
                number, re, im = numbers(3, f"{DOFS[k]}: its number, real and imaginary part")[:3]
                if number != k + 1:
                    raise file_error(source, "motion", expected=str(k + 1), given=f"{number:g}", line=at[0])
                motions[k] = sign[k] * complex(re, im)
            rows.append(_Row(line, heading, ω, motions))
    ship = lines[2].partition(":")[2].strip() or Path(source).name
    return (
        rows,
        f"{ship}, VERES; reference point {first[3]:g} m aft of midships, {first[4]:g} m above the base line",
    )


def _of_wamit(source: str, lines: list[str]) -> tuple[list[_Row], str]:
    """Motions in a `.4` of WAMIT with ULEN = 1: period, heading, motion, modulus, phase (deg), real, imaginary part.

    Axes forward, left, up; its heading 0 is a following sea and turns to the left. Only bodies one by one.
    """
    problems, rows = Problems(source), []
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells or (number == 1 and not is_number_text(cells[0])):
            continue
        found = _numbers(cells, number, problems)
        if found is None:
            continue
        if len(found) != 7 or found[2] not in range(1, 7) or not found[0] > 0:
            expected = "period > 0 (s), heading (deg), motion 1 … 6, modulus, phase, real, imaginary part"
            problems.add("row", "numbers", expected=expected, given=line.strip(), line=number)
            continue
        motions = {int(found[2]) - 1: complex(found[5], found[6])}
        rows.append(_Row(number, float(np.radians(-found[1])), 2 * np.pi / found[0], motions))
    problems.raise_any()
    return rows, f"{Path(source).name}, WAMIT"
