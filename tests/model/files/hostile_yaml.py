"""Broken and hostile system files: each family makes one from a random generator, and none of them is sound."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path

Family = Callable[[random.Random, Path], str | bytes]

HEAD = "unmoored: 1\nname: {name}\nbodies:\n"
BODY = """  - name: {name}
    parent: {parent}
    joint: {{type: Revolute, axis: [0, 0, 1], limits: [-1, 1], damping: 0.5}}
    at: {{xyz: [0.1, 0, 0.5], rpy: [0, 0.3, 0]}}
    inertia: {{mass: 5.5, com: [0, 0, 0.2], tensor: [1, 1, 1]}}
    visuals: [{{type: Box, size: [1, 2, 3], rgba: [1, 0, 0, 1]}}]
"""


def chain(count: int, parent=lambda i: f"link{i - 1}" if i else "world", name=lambda i: f"link{i}") -> str:
    bodies = "".join(BODY.format(name=name(i), parent=parent(i)) for i in range(count))
    return (
        HEAD.format(name="chain")
        + bodies
        + "frames:\n  - {name: tool, parent: link0, at: {xyz: [0, 0, 1]}}\n"
    )


def replaced(rng: random.Random, text: str, old: str, new: str) -> str:
    """One of the places where `old` stands, chosen at random, says `new`."""
    parts = text.split(old)
    at = rng.randrange(1, len(parts))
    return old.join(parts[:at]) + new + old.join(parts[at:])


def truncated(rng, folder):
    text = chain(rng.randrange(1, 5))
    inside = [i for i in range(len(text)) if text.count("{", 0, i) > text.count("}", 0, i)]
    return text[: rng.choice(inside)]


def binary(rng, folder):
    return rng.randbytes(rng.randrange(1, 5_000)) + b"\xff" + rng.randbytes(50)


def junk(rng, folder):
    return "".join(rng.choices(string.printable, k=rng.randrange(1, 3_000)))


def alias_bomb(rng, folder):
    width, depth = rng.randrange(2, 20), rng.randrange(3, 60)
    levels = ["a0: &a0 [x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, depth)]
    return "\n".join(levels) + "\n" + chain(1)


def recursive_alias(rng, folder):
    return rng.choice(
        ["&a [*a]", "a: &a {b: *a}", "&a {? *a : 1}", "<<: &a {<<: *a}\n" + chain(1), "bodies: &b [*b, *b]"]
    )


def tags(rng, folder):
    names = (
        "!!python/object/apply:os.system [echo]",
        "!!python/name:os.system x",
        "!include /etc/passwd",
        "!!binary aGk=",
        "!!set {a}",
        "!!omap [a: 1]",
        "!<tag:yaml.org,2002:str> x",
        "! x",
        "!!float 1",
        "!!timestamp 2001-01-01",
    )
    return replaced(rng, chain(2), "0.5", rng.choice(names))


def duplicate_keys(rng, folder):
    key = rng.choice(["parent: world\n    ", "mass: 5.5, ", "type: Revolute, ", "xyz: [0.1, 0, 0.5], "])
    return replaced(rng, chain(3).replace("link0\n    joint", "world\n    joint"), key, key + key)


def not_finite(rng, folder):
    word = rng.choice([".nan", ".NaN", ".inf", "-.inf", "+.Inf", "nan", "inf", "-Infinity", "NaN"])
    return replaced(rng, chain(3), rng.choice(["0.5", "5.5", "0.2"]), word)


def huge_numbers(rng, folder):
    words = [
        "1e999",
        "-1e400",
        "9" * rng.randrange(32, 9_000),
        "1e31",
        "0x" + "f" * 300,
        "1" + "0" * 400 + ".5",
    ]
    return replaced(rng, chain(3), rng.choice(["0.5", "5.5", "0.2"]), rng.choice(words))


def wrong_types(rng, folder):
    old = rng.choice(["5.5", "[0, 0, 1]", "[1, 2, 3]", "{xyz: [0, 0, 1]}", "world", "Revolute", "0.3"])
    return replaced(rng, chain(2), old, rng.choice(["true", "{a: b}", "[[1]]", "null", "[]", "[a, b, c]"]))


def missing_keys(rng, folder):
    old = rng.choice(
        [
            "unmoored: 1\n",
            "name: chain\n",
            "type: Revolute, ",
            "axis: [0, 0, 1], ",
            "mass: 5.5, ",
            "size: [1, 2, 3], ",
            "type: Box, ",
            "    parent: world\n",
            "name: tool, ",
        ]
    )
    return replaced(rng, chain(3), old, "")


def unknown_keys(rng, folder):
    key = "".join(rng.choices(string.ascii_letters, k=rng.randrange(12, 60)))
    return replaced(rng, chain(3), "mass: 5.5", f"{key}: 1, mass: 5.5")


def cycles(rng, folder):
    n = rng.randrange(1, 60)
    return chain(n, parent=lambda i: f"link{(i + 1) % n}")


def missing_parents(rng, folder):
    lost = rng.choice(["moon", "LINK0", "link99", "link0 ", "tool", "''", '"0"'])
    return replaced(rng, chain(rng.randrange(2, 20)), "parent: link0", f"parent: {lost!r}")


def duplicate_names(rng, folder):
    n = rng.randrange(2, 30)
    return chain(n, parent=lambda i: "world", name=lambda i: f"link{i % (n - 1)}")


def deep(rng, folder):
    n = rng.choice([20, 100, 1_000, 9_000, 19_000, 400_000])
    return rng.choice(
        ["[" * n, "{a: " * (n // 4), "- " * (n // 2), "? " * (n // 2), "[{" * (n // 2), "a: [" + "[" * n]
    )


def nested_lines(rng, folder):
    depth = rng.randrange(20, 600)
    return "\n".join(" " * i + rng.choice(["a:", "- a:", "? a"]) for i in range(depth))


def giants(rng, folder):
    kind = rng.randrange(8)
    if kind == 0:
        return b"#" * (17 * 2**20)
    if kind == 1:
        return b"a: " + b"x" * 2_000_000
    if kind == 2:
        return "\n" * 900_000
    if kind == 3:
        return "[" + "1,\n" * 200_000 + "]"
    if kind == 4:
        return "name: !<" + "a" * 900_000 + "> x"
    if kind == 5:
        return "".join(f"key{i}: 1\n" for i in range(100_000))
    if kind == 6:
        return "a: |\n" + "  x\n" * 220_000
    return "%YAML " + "1" * 19_000 + "\n---\na"


def path_escapes(rng, folder):
    paths = (
        "../secret.stl",
        "../../secret.stl",
        "meshes/../../secret.stl",
        str(folder.parent / "secret.stl"),
        "/etc/passwd",
        "link.stl",
        "linked/secret.stl",
        "file:///etc/passwd",
        f"file://{folder.parent}/secret.stl",
        "loop.stl/../../secret.stl",
        "package://../secret.stl",
        "package://models/../../secret.stl",
        "http://example.org/a.stl",
        "./././../secret.stl",
        "linked/../secret.stl",
        "package:///../secret.stl",
        "//etc/passwd",
        "file://../secret.stl",
        "ftp://x/y",
        "linked/.",
    )
    return replaced(
        rng, chain(2), "{type: Box, size: [1, 2, 3], ", f'{{type: Mesh, path: "{rng.choice(paths)}", '
    )


def strange_text(rng, folder):
    strange = rng.choice(
        [
            "\\u202E",
            "\\u0000",
            "\\n",
            "\\t",
            "\\u200D",
            "\\uFFFE",
            "\\uD800",
            "\\x07",
            "\\U000E0001",
            "\\u2028",
        ]
    )
    return replaced(rng, chain(2), "name: link", f'name: "{strange}link"\n    joint_name: link')


def strange_characters(rng, folder):
    return replaced(
        rng, chain(2), "name: link", "name: " + rng.choice("\x00\x07\x1b\x7f\x85\u2028\ufffe\u202e\ud800"[:8])
    )


def empty(rng, folder):
    return rng.choice(
        [
            "",
            " ",
            "\n" * 50,
            "# comment",
            "---",
            "...",
            "---\n---",
            "null",
            "~",
            "\ufeff",
            "{}",
            "[]",
            "--- # x",
            "%YAML 1.2\n---\n",
            '""',
            "0",
        ]
    )


def nonsense(rng, folder):
    old, new = rng.choice(
        [
            ("mass: 5.5", "mass: -5.5"),
            ("tensor: [1, 1, 1]", "tensor: [1, 1, -1]"),
            ("axis: [0, 0, 1]", "axis: [0, 0, 0]"),
            ("tensor: [1, 1, 1]", "tensor: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]"),
            ("limits: [-1, 1]", "limits: [1, -1]"),
            ("damping: 0.5", "damping: -0.5"),
            ("size: [1, 2, 3]", "size: [1, -2, 3]"),
            ("rgba: [1, 0", "rgba: [2, 0"),
            ("rpy: [0, 0.3, 0]", "quaternion_wxyz: [1, 2, 3, 4]"),
            ("rpy: [0, 0.3, 0]", "rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"),
            ("rpy: [0, 0.3, 0]", "rpy: [0, 0, 0], quaternion_wxyz: [1, 0, 0, 0]"),
            ("damping: 0.5", "damping: [0.5, 0.5]"),
            ("type: Revolute", "type: Helical"),
            ("type: Revolute", "type: CustomJoint"),
            ("name: tool", "name: world"),
        ]
    )
    return replaced(rng, chain(2), old, new)


def encodings(rng, folder):
    text = chain(rng.randrange(1, 4)).replace("chain", "chaîne")
    return text.encode(rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp500"]))


def documents(rng, folder):
    return rng.choice(
        [
            chain(1) + "---\n" + chain(1),
            "%YAML 1.1\n---\n" + chain(1),
            "%TAG ! tag:x,2000:\n---\n" + chain(1),
            "%FOO\n" + chain(1),
            "--- 1\n--- 2\n",
            "%YAML 9.9\n---\n" + chain(1),
            "...\n---\n" + chain(1) + "---",
        ]
    )


def bad_syntax(rng, folder):
    broken = rng.choice(
        [
            "'",
            '"',
            "@",
            "`",
            "%",
            "- a",
            "[}",
            "\t- x",
            '"\\q"',
            "&",
            "*",
            "!",
            "a: b: c",
            "{a, b",
            "|3x",
            ">+-",
        ]
    )
    return chain(rng.randrange(1, 3)) + rng.choice(["", "x: "]) + broken + "\n"


def bad_keys(rng, folder):
    key = rng.choice(
        ["1", "null", "1.5", "true", "[a]", "{a: b}", "? [a, b]\n", "~", "''", "k" * 300, "1e3", "0x1"]
    )
    return f"{key}: 1\n" + chain(1)


FAMILIES: tuple[Family, ...] = (
    truncated, binary, junk, alias_bomb, recursive_alias, tags, duplicate_keys, not_finite, huge_numbers,
    wrong_types, missing_keys, unknown_keys, cycles, missing_parents, duplicate_names, deep, nested_lines,
    giants, path_escapes, strange_text, strange_characters, empty, nonsense, encodings, documents, bad_syntax,
    bad_keys,
)  # fmt: skip
