"""Where names of the reference are shown, on pages whose code uses them or whose text says them, and their equations.

The site's reference gets a line with links under every name; the file itself is not changed by them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from theory_places import section_of

HERE = Path(__file__).parent
MOST = 3  # links under a name
_SKIPPED = {"reference.md", "changelog.md", "benchmarks.md"}
_METHODS = ("um.System(", "um.Plant(", "um.Run(", "um.Stepper(", "um.Rollout(", "um.SystemBuilder(")


def pages() -> dict[str, tuple[str, str, set[str], set[str]]]:
    """{path: (title, path, words of its code, names in its text)} of all pages but the reference."""
    found = {}
    for page in sorted(HERE.rglob("*.md")):
        path = page.relative_to(HERE).as_posix()
        if path in _SKIPPED:
            continue
        text = page.read_text(encoding="utf-8")
        title = next(iter(re.findall(r"^# (.*)$", text, re.M)), page.stem)
        code = "\n".join(re.findall(r"```(?:python|yaml)\n(.*?)```", text, re.S))
        said = " ".join(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)))
        found[path] = (title, path, set(re.findall(r"\w+", code)), set(re.findall(r"\w+", said)))
    return found


def places(name: str, known: dict[str, tuple[str, str, set[str], set[str]]]) -> list[tuple[str, str]]:
    """[(title, path), …] of pages that show a name: by code first, else by text."""
    for k in (2, 3):
        found = [entry[:2] for entry in known.values() if name in entry[k]]
        if found:
            return found[:MOST]
    return []


def with_places(text: str) -> str:
    """The reference with links under every name, and behind every method: where it is shown, and its equation."""
    known, equations, lines, methods = pages(), section_of(), [], False
    for line in text.split("\n"):
        if heading := re.match(r"### `um\.(\w+)", line):
            methods = any(kind in line for kind in _METHODS)
            found = places(heading[1], known)
            links = ", ".join(f"[{title}]({path})" for title, path in found)
            told = [f"Shown on {links}."] if found else []
            told += [f"Equation: {_equation(*equations[heading[1]])}."] if heading[1] in equations else []
            lines += [line, "", f"*{' '.join(told)}*"] if told else [line]
        elif methods and (item := re.match(r"- `(\w+)", line)):
            found = places(item[1], known)[:1]
            links = [f"[shown]({path})" for _, path in found]
            links += [_equation(*equations[item[1]])] if item[1] in equations else []
            told, broken, _ = line.partition("\\")  # of the first of its lines
            lines.append(f"{told} ({', '.join(links)}){broken}" if links else line)
        else:
            lines.append(line)
    return "\n".join(lines)


def _equation(number: int, anchor: str) -> str:
    return f"[theory §{number}](theory.md#{anchor})"
