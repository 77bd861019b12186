"""Broken and hostile URDF files: each family makes one from a random generator, and none of them is sound."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path

from .hostile_yaml import binary, replaced

Family = Callable[[random.Random, Path], str | bytes]

LINK = """  <link name="{name}">
    <inertial><origin xyz="0 0 0.2" rpy="0 0.3 0"/><mass value="5.5"/>
      <inertia ixx="1.5" iyy="1.5" izz="1.5" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.5"/><geometry><box size="1 2 3"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material></visual>
  </link>
"""
JOINT = """  <joint name="{name}" type="revolute">
    <origin xyz="0 0 0.5" rpy="0 0.3 0"/><parent link="{parent}"/><child link="{child}"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="7" velocity="8"/><dynamics damping="0.5"/>
  </joint>
"""


def robot(content: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="r">\n{content}</robot>\n'


def links(count: int) -> str:
    return "".join(LINK.format(name=f"link{i}") for i in range(count))


def joints(*pairs: tuple[int, int]) -> str:
    return "".join(
        JOINT.format(name=f"j{k}", parent=f"link{a}", child=f"link{b}") for k, (a, b) in enumerate(pairs)
    )


def chain(count: int) -> str:
    return robot(links(count) + joints(*((i, i + 1) for i in range(count - 1))))


def truncated(rng, folder):
    text = chain(rng.randrange(2, 6))
    return text[: rng.randrange(0, len(text) - len("</robot>\n"))]


def junk(rng, folder):
    return rng.choice(["", "<", "<robot>"]) + "".join(
        rng.choices(string.printable, k=rng.randrange(1, 3_000))
    )


def laughs(rng, folder):
    width, depth = rng.randrange(2, 12), rng.randrange(2, 40)
    entities = ['<!ENTITY e0 "ha">']
    entities += [f'<!ENTITY e{i} "{f"&e{i - 1};" * width}">' for i in range(1, depth)]
    return f'<!DOCTYPE r [{"".join(entities)}]><robot name="&e{depth - 1};"/>'


def external_entities(rng, folder):
    secret = folder.parent / "secret.stl"
    declared = rng.choice(
        [
            '<!ENTITY x SYSTEM "file:///etc/passwd">',
            f'<!ENTITY x SYSTEM "{secret}">',
            '<!ENTITY % x SYSTEM "http://example.org/x"> %x;',
            '<!ENTITY x PUBLIC "a" "../secret.stl">',
            '<!ENTITY x "y">',
            "<!ELEMENT robot ANY>",
            '<!ATTLIST robot name CDATA "r">',
            '<!NOTATION n SYSTEM "x">',
        ]
    )
    return f"<!DOCTYPE robot [{declared}]>" + chain(2).partition("\n")[2].replace('name="r"', 'name="&x;"')


def doctypes(rng, folder):
    kind = rng.choice(
        [
            "<!DOCTYPE robot>",
            '<!DOCTYPE robot SYSTEM "../secret.stl">',
            '<!DOCTYPE robot PUBLIC "a" "http://x/y.dtd">',
            "<!DOCTYPE html>",
            '<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
            "<!DOCTYPE robot [ ]>",
        ]
    )
    return kind + chain(rng.randrange(1, 4)).partition("\n")[2]


def bad_numbers(rng, folder):
    word = rng.choice(
        [
            "nan",
            "NaN",
            "inf",
            "-inf",
            "Infinity",
            "1_0",
            "0x10",
            "1,5",
            "١",
            "1e",
            "--1",
            "",
            "five",
            "1.2.3",
            "$" + "{x}",
            "1e999",
        ]
    )
    return replaced(rng, chain(3), rng.choice(["0.5", "5.5", "1.5", "0.3"]), word)


def huge_numbers(rng, folder):
    word = rng.choice(["1e31", "-1e308", "1e400", "9" * rng.randrange(40, 90_000), "1e" + "9" * 30])
    return replaced(rng, chain(3), rng.choice(["5.5", "1.5", "0.3"]), word)


def wrong_counts(rng, folder):
    old = rng.choice(['xyz="0 0 0.5"', 'rpy="0 0.3 0"', 'size="1 2 3"', 'rgba="1 0 0 1"', 'xyz="0 0 1"'])
    new = rng.choice(['"1"', '"1 2"', '"1 2 3 4 5"', '""', '"a b c"', f'"{"1 " * 50_000}"'])
    return replaced(rng, chain(3), old, old.partition("=")[0] + "=" + new)


def missing_attributes(rng, folder):
    old = rng.choice(
        [
            ' name="r"',
            ' name="link1"',
            ' name="j0"',
            ' value="5.5"',
            ' ixx="1.5"',
            ' iyz="0"',
            ' size="1 2 3"',
            ' rgba="1 0 0 1"',
            ' type="revolute"',
            ' link="link1"',
        ]
    )
    return replaced(rng, chain(4), old, "")


def missing_elements(rng, folder):
    old = rng.choice(
        [
            '<mass value="5.5"/>',
            '<parent link="link0"/>',
            '<child link="link2"/>',
            '<box size="1 2 3"/>',
            '<geometry><box size="1 2 3"/></geometry>',
        ]
    )
    return replaced(rng, chain(4), old, "")


def cycles(rng, folder):
    n = rng.randrange(1, 40)
    ring = [(i, (i + 1) % n) for i in range(n)]
    tail = [(n, n + 1)] if rng.random() < 0.5 else []
    return robot(links(n + 2 * len(tail)) + joints(*ring, *tail))


def loops(rng, folder):
    n = rng.randrange(3, 20)
    tree = [(i, i + 1) for i in range(n - 1)]
    a, b = rng.sample(range(1, n), 2)
    return robot(links(n) + joints(*tree, (a, b)))


def several_roots(rng, folder):
    n = rng.randrange(2, 20)
    return robot(links(n) + joints(*((i, i + 1) for i in range(rng.randrange(0, n - 1)))))


def missing_links(rng, folder):
    old = rng.choice(['link="link1"', 'link="link2"'])
    return replaced(
        rng,
        chain(4),
        old,
        rng.choice(['link="moon"', 'link=""', 'link="LINK1"', 'link="world"', 'link="link1 "']),
    )


def duplicate_names(rng, folder):
    return robot(
        links(3) + rng.choice([links(2), joints((0, 1)), ""]) + joints((0, 1), (1, 2)) + joints((0, 1))
    )


def path_escapes(rng, folder):
    paths = (
        "../secret.stl",
        "meshes/../../secret.stl",
        str(folder.parent / "secret.stl"),
        "/etc/passwd",
        "link.stl",
        "linked/secret.stl",
        "file:///etc/passwd",
        f"file://{folder.parent}/secret.stl",
        "package://../secret.stl",
        "package://x/../../secret.stl",
        "http://example.org/a.stl",
        "package://linked/secret.stl",
        "package://./../secret.stl",
        "file://../secret.stl",
        "ftp://x/y",
        "linked/../secret.stl",
        "//etc/passwd",
        "package:///../secret.stl",
        "package://models/../../secret.stl",
        "data://x",
    )
    return replaced(rng, chain(3), '<box size="1 2 3"/>', f'<mesh filename="{rng.choice(paths)}"/>')


def deep(rng, folder):
    n = rng.choice([100, 1_000, 100_000, 1_000_000])
    return '<robot name="r">' + rng.choice(["<a>", "<link>", "<link name='x'>"]) * n


def giants(rng, folder):
    kind = rng.randrange(6)
    if kind == 0:
        return b" " * (17 * 2**20)
    if kind == 1:
        return robot("<a/>" * 1_000_000)
    if kind == 2:
        return robot("".join(f'<link name="l{i}"/>' for i in range(20_000)))
    if kind == 3:
        return robot("<!--" + "x" * 15_000_000 + "-->")
    if kind == 4:
        return robot(f'<link name="{"n" * 5_000_000}"/>')
    pairs = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="a"/><child link="a"/></joint>' for i in range(20_000)
    )
    return robot('<link name="a"/>' + pairs)


def mimics(rng, folder):
    mimic = f'<mimic joint="{rng.choice(["none", "", "link0", "j0 "])}" multiplier="{rng.uniform(-2, 2)}"/>'
    return replaced(rng, chain(4), '<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/>' + mimic)


def joint_types(rng, folder):
    kind = rng.choice(
        ["hinge", "Revolute", "", "ball", "screw", "fixed ", "REVOLUTE", "spherical", "universal"]
    )
    return replaced(rng, chain(3), 'type="revolute"', f'type="{kind}"')


def nonsense(rng, folder):
    old, new = rng.choice(
        [
            ('value="5.5"', 'value="-5.5"'),
            ('izz="1.5"', 'izz="-1.5"'),
            ('ixy="0"', 'ixy="9"'),
            ('axis xyz="0 0 1"', 'axis xyz="0 0 0"'),
            ('size="1 2 3"', 'size="1 0 3"'),
            ('size="1 2 3"', 'size="1 -2 3"'),
            ('rgba="1 0 0 1"', 'rgba="255 0 0 1"'),
            ('lower="-1"', 'lower="2"'),
            ('effort="7"', 'effort="-7"'),
            ('damping="0.5"', 'damping="-0.5"'),
            ('<box size="1 2 3"/>', '<cone radius="1"/>'),
            ('<box size="1 2 3"/>', '<sphere radius="0"/>'),
            ('<box size="1 2 3"/>', '<mesh filename=""/>'),
            ('<mass value="5.5"/>', '<mass value="5.5"/><mass value="1"/>'),
        ]
    )
    return replaced(rng, chain(3), old, new)


def empty(rng, folder):
    return rng.choice(
        [
            "",
            " ",
            "\n" * 99,
            "<?xml version='1.0'?>",
            "<!-- x -->",
            "<robot/>",
            '<robot name="r"/>',
            robot(""),
            "\ufeff",
            robot("<gazebo/>"),
            '<robot name=""/>',
            robot("<link/>"),
        ]
    )


def other_formats(rng, folder):
    return rng.choice(
        [
            "<html><body>404</body></html>",
            '{"robot": 1}',
            "unmoored: 1\nname: x\n",
            "<mujoco/>",
            "<sdf/>",
            "PK\x03\x04",
            "\x7fELF",
            '<svg xmlns="http://www.w3.org/2000/svg"/>',
            "robot,link\n1,2",
            "<Robot name='r'/>",
            "<xacro:robot name='r'/>",
            robot('<xacro:include filename="/etc/passwd"/>'),
        ]
    )


def strange_text(rng, folder):
    strange = rng.choice(
        [
            "&#x202E;",
            "&#10;",
            "&#9;",
            "&#x200D;",
            "&#1;",
            "&#0;",
            "&#xD800;",
            "&#x110000;",
            "&#x2028;",
            "&#xFFFE;",
            "\x07",
            "\x00",
        ]
    )
    return replaced(rng, chain(2), 'name="link', f'name="{strange}link')


def encodings(rng, folder):
    text = chain(2)
    declared = rng.choice(
        ["utf-7", "martian", "utf-16", "ucs-4", "idna", "rot13", "zlib", "unicode_escape", "punycode", ""]
    )
    return rng.choice(
        [
            text.replace('version="1.0"', f'version="1.0" encoding="{declared}"').encode(),
            text.encode("utf-16")[:-3],
            text.encode("utf-32"),
            text.encode("cp500"),
        ]
    )


def bad_syntax(rng, folder):
    broken = rng.choice(
        [
            "</link>",
            "<link name='a' name='b'/>",
            "&foo;",
            "<![CDATA[",
            "<a b=c/>",
            "<a b/>",
            "< link/>",
            "<a:b:c",
            "<?xml?>",
            "<!-- -- -->",
            "]]>",
            "<a b='<'/>",
            "<1/>",
            "<a>",
            "<!ENTITY x 'y'>",
            "<?xml version='1.0'?>",
        ]
    )
    return robot(links(1) + broken)


def worlds(rng, folder):
    world = LINK.format(name="world")
    on_top = JOINT.format(name="moor", parent="world", child="link0")
    below = JOINT.format(name="moor", parent="link0", child="world")
    return robot(links(rng.randrange(1, 2)) + world + rng.choice([on_top, below]))


FAMILIES: tuple[Family, ...] = (
    truncated, binary, junk, laughs, external_entities, doctypes, bad_numbers, huge_numbers, wrong_counts,
    missing_attributes, missing_elements, cycles, loops, several_roots, missing_links, duplicate_names,
    path_escapes, deep, giants, mimics, joint_types, nonsense, empty, other_formats, strange_text, encodings,
    bad_syntax, worlds,
)  # fmt: skip
