"""Where names of the reference are shown: on pages whose code uses them, or whose text says them.

The site's reference gets a line with links under every name; the file itself is not changed by them.
"""

from __future__ import annotations

import re
from pathlib import Path

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
    """The reference with a line of links under every name, and a link behind every method that is shown."""
    known, lines, methods = pages(), [], False
    for line in text.split("\n"):
        if heading := re.match(r"### `um\.(\w+)", line):
            methods = any(kind in line for kind in _METHODS)
            found = places(heading[1], known)
            links = ", ".join(f"[{title}]({path})" for title, path in found)
            lines += [line, "", f"*Shown on {links}.*"] if found else [line]
        elif methods and (item := re.match(r"- `(\w+)", line)) and (found := places(item[1], known)[:1]):
            told, broken, _ = line.partition("\\")  # of the first of its lines
            lines.append(f"{told} ([shown]({found[0][1]})){broken}")
        else:
            lines.append(line)
    return "\n".join(lines)
