"""Which links and joints a URDF has and how they hang together: one tree from one root link."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import some_of
from ...names import WORLD
from ..file_problems import Problems, short
from ..xml_elements import Element

MOST_LINKS = 2_000


@dataclass(frozen=True)
class Structure:
    """Links and joints by name in the order of the file; `ends` holds (parent, child) of each joint."""

    root: str | None
    links: dict[str, Element]
    joints: dict[str, Element]
    ends: dict[str, tuple[str, str]]

    def ordered_joints(self) -> list[Element]:
        """The joint above each link, both of its ends known, in the order of the file."""
        above: dict[str, Element] = {}
        for name, (_, child) in self.ends.items():
            above.setdefault(child, self.joints[name])
        return list(above.values())

    def line(self, name: str) -> int | None:
        """Line of the link, else of the joint, with this name."""
        element = self.links.get(name) or self.joints.get(name)
        return element.line if element else None


def read_structure(robot: Element, problems: Problems) -> Structure:
    """The structure of a `<robot>`; what breaks the rules of a tree is noted."""
    links = _by_name(robot, "link", problems)
    joints = _by_name(robot, "joint", problems)
    if not links:
        problems.add("robot", "links", expected="at least one <link>", given="none", line=robot.line)
    for what, count in (("links", len(links)), ("joints", len(joints))):
        if count > MOST_LINKS:
            expected = f"at most {MOST_LINKS:,}"
            problems.add("robot", what, expected=expected, given=f"{count:,}", line=robot.line)
            raise problems.error()
    ends = {name: pair for name, joint in joints.items() if (pair := _ends(name, joint, links, problems))}
    root = _root(links, joints, ends, problems)
    return Structure(root, links, joints, ends)


def _by_name(robot: Element, tag: str, problems: Problems) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        name = element.attributes.get("name", "")
        if not name:
            problems.add(
                f"<{tag}>", "name", expected="an attribute name", given=repr(name), line=element.line
            )
        elif name in found:
            given = f"again (first in line {found[name].line})"
            problems.add(f"{tag} {name}", "name used twice", expected="once", given=given, line=element.line)
        else:
            found[name] = element
    return found


def _ends(name: str, joint: Element, links: dict[str, Element], problems: Problems) -> tuple[str, str] | None:
    pair: list[str] = []
    for tag in ("parent", "child"):
        end = joint.first(tag)
        link = end.attributes.get("link") if end is not None else None
        if link in links:
            pair.append(link)
        else:
            known = f"one of the links {some_of(list(links), 100)}"
            line = (end or joint).line
            problems.add(f"joint {name}", f"<{tag}>", expected=known, given=short(link), line=line)
    return (pair[0], pair[1]) if len(pair) == 2 else None


def _root(
    links: dict[str, Element],
    joints: dict[str, Element],
    ends: dict[str, tuple[str, str]],
    problems: Problems,
) -> str | None:
    """The one link that is nobody's child, and from which all others hang."""
    joint_above: dict[str, str] = {}
    for name, (_, child) in ends.items():
        if child in joint_above:
            given = f"also the child of joint {joint_above[child]} (a closed loop)"
            line = joints[name].line
            problems.add(
                f"joint {name}", f"child link {child}", expected="one joint above", given=given, line=line
            )
        joint_above.setdefault(child, name)
    if WORLD in joint_above:
        expected = f"any name but {WORLD!r}, except for the root"
        problems.add(f"link {WORLD}", "name", expected=expected, given=repr(WORLD), line=links[WORLD].line)
    roots = [link for link in links if link not in joint_above]
    if len(roots) == 1 and not problems:
        _check_reached(roots[0], links, ends, problems)
    elif len(roots) != 1 and links and len(ends) == len(joints):
        given = ", ".join(roots) or "none (the joints form a ring)"
        problems.add("robot", "root link", expected="exactly one link without a joint above", given=given)
    return roots[0] if len(roots) == 1 else None


def _check_reached(
    root: str, links: dict[str, Element], ends: dict[str, tuple[str, str]], problems: Problems
) -> None:
    children: dict[str, list[str]] = {}
    for parent, child in ends.values():
        children.setdefault(parent, []).append(child)
    reached, waiting = {root}, [root]
    while waiting:
        found = children.get(waiting.pop(), [])
        reached.update(found)
        waiting += found
    lost = [link for link in links if link not in reached]
    if lost:
        problems.add(
            f"link {lost[0]}",
            "cycle",
            expected=f"links that hang from {root}",
            given=", ".join(lost),
            line=links[lost[0]].line,
        )
