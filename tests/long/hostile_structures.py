"""Hostile files made from sound ones by changing their structure: values, keys, elements, references, paths.

`made(kind, number, folder)` writes a file of a kind into a folder (with ways out of it beside it) and returns its
path. The same number gives the same file, so that every find can be made again.
"""

import contextlib
import copy
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import trimesh
from ruamel.yaml import YAML
from tests.model.files import hostile_urdf, hostile_yaml
from tests.model.files.test_mjcf import ARM, SPACECRAFT
from tests.support.hostile_names import NAMES

import unmoored as um

KINDS = ("system", "scenario", "urdf", "mjcf", "mesh")
TETRAHEDRON = "v 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
#: written as they are in flow style, where JSON has no word for them
RAW = (
    ".nan",
    ".inf",
    "-.inf",
    "1e400",
    "-1e400",
    "1e-400",
    "0x7fffffffffffffffff",
    "1_000",
    "*a",
    "&a 1",
    "!!binary x",
    "!!python/object/apply:os.system [x]",
    "? 1",
    "<<",
    "2001-01-01",
    "0o17",
    "~",
    "yes",
)
NUMBERS = (
    0,
    -1,
    1e308,
    -1e308,
    1e-320,
    2**63,
    2**64,
    -(2**70),
    10**400,
    1.0000001,
    0.5,
    -0.0,
    1e9,
    12345678901234567890,
)
PATHS = (
    "../outside/secret.xml",
    "..\\outside\\secret.xml",
    "/etc/passwd",
    "file:///etc/passwd",
    "package://../outside/x.obj",
    "package://x/../../outside/x.obj",
    "link.obj",
    "linked/x.obj",
    "loop.obj",
    "fifo.obj",
    "folder.obj",
    "x.obj",
    "X.OBJ",
    "./././x.obj",
    "x.obj\x00",
    "http://localhost:1/x.obj",
    "C:\\x.obj",
    "\\\\server\\share",
    "~/x.obj",
    "$HOME/x.obj",
    "",
    ".",
    "..",
    "a" * 300,
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
    "//etc/passwd",
    "x.obj/",
    "model://../outside/x.obj",
)
TEXTS = (
    "",
    " ",
    "\t",
    "world",
    "null",
    "\u202e",
    "\u0000",
    "\x1b[31m",
    "\ufeff",
    "é" * 500,
    "𝔘",
    "a\nb",
    "-",
    "'",
    '"',
    "%n%s",
    "x" * 5000,
    "🤖",
    "\ud800",
    "\u2028",
    "../x",
    "a/b",
    ".hidden",
    "a\\b",
    "con",
    "name ",
    "b.vx",
    "1",
    "true",
    *NAMES,
)


def prepare(top: Path) -> Path:
    """A folder for files with a folder beside it that must not be read, and links, pipes and folders in it."""
    inside, outside = top / "models", top / "outside"
    for folder in (inside, outside, inside / "folder.obj"):
        folder.mkdir(parents=True, exist_ok=True)
    (outside / "x.obj").write_text(TETRAHEDRON)
    (outside / "secret.xml").write_text(
        "<mujoco><worldbody><body name='stolen'><geom size='1'/></body></worldbody></mujoco>"
    )
    (inside / "x.obj").write_text(TETRAHEDRON)
    for name, target in (
        ("link.obj", outside / "x.obj"),
        ("linked", outside),
        ("loop.obj", inside / "loop.obj"),
    ):
        if not (inside / name).is_symlink():
            (inside / name).symlink_to(target)
    if not (inside / "fifo.obj").exists():
        os.mkfifo(inside / "fifo.obj")
    (inside / "again.xml").write_text('<mujoco><include file="again2.xml"/></mujoco>')
    (inside / "again2.xml").write_text('<mujoco><include file="again.xml"/></mujoco>')
    return inside


def made(kind: str, number: int, folder: Path) -> Path:
    """The file with this number."""
    rng = random.Random(f"{kind} structure {number}")
    with _deep_copies():
        suffix, content = _MAKERS[kind](rng, folder)
    path = folder / f"{kind}_{number}{suffix}"
    way = rng.random()
    if way < 0.01:
        path.mkdir()
    elif way < 0.02:
        os.mkfifo(path)
    elif way < 0.03:
        path.symlink_to(rng.choice([path, folder / "missing", "/dev/zero", "/dev/full", folder]))
    else:
        path.write_bytes(content)
    return path


@contextlib.contextmanager
def _deep_copies():
    """Structures hundreds of levels deep are copied and written by Python's recursive functions: in here only."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


def reader(kind: str) -> Callable[[Path], object]:
    """What reads files of a kind."""
    if kind == "mesh":
        from unmoored.views.shapes.mesh_files import mesh_shape

        return lambda path: mesh_shape(um.Mesh(str(path)), (0.5, 0.5, 0.5, 1.0))
    return um.load_scenario if kind == "scenario" else um.load


# --- data (YAML) ----------------------------------------------------------------------------------------------------


def _places(data, path=()):
    """Paths to all values, those deep inside of hostile ones left out."""
    yield path
    if len(path) > 12:
        return
    for key, value in (
        data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    ):
        yield from _places(value, (*path, key))


def _at(data, path):
    for key in path:
        data = data[key]
    return data


def _nested(rng, depth):
    value = rng.choice([1, "x", []])
    for _ in range(depth):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def _value(rng):
    match rng.randrange(9):
        case 0:
            return rng.choice(NUMBERS)
        case 1:
            return {"raw": rng.choice(RAW)}
        case 2:
            return rng.choice(TEXTS)
        case 3:
            return rng.choice(PATHS)
        case 4:
            return _nested(rng, rng.choice([1, 5, 40, 120, 1500]))
        case 5:
            return [rng.choice(NUMBERS)] * rng.choice([0, 1, 2, 7, 12, 4000])
        case 6:
            return {str(k): k for k in range(rng.choice([0, 1, 30, 3000]))}
        case 7:
            return rng.choice([None, True, False, [], {}, [[]], [{}], [None] * 3])
        case _:
            return {rng.choice(TEXTS): rng.choice(NUMBERS)}


def _changed(data, rng):
    """One change of the structure."""
    places = [path for path in _places(data) if path]
    if not places:
        return data
    path = rng.choice(places)
    parent, key = _at(data, path[:-1]), path[-1]
    match rng.randrange(8):
        case 0 | 1 | 2:
            parent[key] = _value(rng)
        case 3:
            del parent[key]
        case 4 if isinstance(parent, dict):
            parent[rng.choice(TEXTS)] = parent.pop(key)
        case 4 | 5 if isinstance(parent, list):
            parent[key:key] = [copy.deepcopy(parent[key])] * rng.choice([1, 2, 300])
        case 5:
            parent[rng.choice(["kind", "type", "name", "law", "world", "bodies", "system"])] = _value(rng)
        case 6:
            other = rng.choice(places)
            parent[key] = copy.deepcopy(_at(data, other))
        case _ if isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
            parent[key] = rng.choice(NUMBERS)
        case _:
            parent[key] = rng.choice(TEXTS) if isinstance(parent[key], str) else _value(rng)
    return data


def _flow(data):
    """Flow style; words of YAML as they are."""
    if isinstance(data, dict) and set(data) == {"raw"} and data["raw"] in RAW:
        return data["raw"]
    if isinstance(data, dict):
        return (
            "{" + ",\n".join(f"{json.dumps(str(key))}: {_flow(value)}" for key, value in data.items()) + "}"
        )
    if isinstance(data, list):
        return "[" + ", ".join(map(_flow, data)) + "]"
    if isinstance(data, float) and data in (float("inf"), -float("inf")):
        return ".inf"
    return json.dumps(data)


_FOLDERS = {"system": "system/library", "scenario": "simulation/library"}
_KNOWN: dict[str, list] = {}


def _library(kind):
    if kind not in _KNOWN:
        found = sorted((Path(um.__file__).parent / _FOLDERS[kind]).glob("*.yaml"))
        texts = sorted((path.read_text(encoding="utf-8") for path in found), key=len)
        _KNOWN[kind] = [
            YAML(typ="safe").load(text) for text in texts[:14]
        ]  # the largest ones take most of the time
    return _KNOWN[kind]


def _yaml(kind):
    def make(rng, folder):
        if kind == "system" and rng.random() < 0.2:
            return ".yaml", _bytes(rng.choice(hostile_yaml.FAMILIES)(rng, folder))
        data = copy.deepcopy(rng.choice(_library(kind)))
        for _ in range(rng.choice([1, 1, 2, 3, 8])):
            data = _changed(data, rng)
        try:
            text = _flow(data)
        except RecursionError:
            text = "[" * 3000
        if rng.random() < 0.1:
            text = (
                rng.choice(
                    ["%YAML 1.1\n---\n", "&a ", "--- \n", "\ufeff", "# " + "x" * 30000 + "\n", "a: &a [*a]\n"]
                )
                + text
            )
        if rng.random() < 0.05:
            text = text.replace("\n", rng.choice(["\r", "\r\n", "\u2028", "\x85", "\n\n\n"]))
        return ".yaml", _encoded(text, rng)

    return make


# --- XML ------------------------------------------------------------------------------------------------------------

_ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "'
    + "A" * 1000
    + '"><!ENTITY b "'
    + "&a;" * 50
    + '"><!ENTITY c "'
    + "&b;" * 50
    + '">]>',
    '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE x [<!ENTITY e SYSTEM "../outside/secret.xml">]>',
    '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    "<?xml-stylesheet href='/etc/passwd'?>",
)
_MJCF_PARTS = (
    '<include file="again.xml"/>',
    '<include file="{path}"/>',
    '<replicate count="{n}" offset="1 0 0"><geom size="1"/></replicate>',
    '<asset><mesh name="q" file="{path}"/></asset>',
    '<asset><hfield name="h" nrow="{n}" ncol="{n}" size="1 1 1 1"/></asset>',
    '<asset><texture type="2d" file="{path}"/></asset>',
    '<size nkey="{n}" nuser_body="{n}"/>',
    '<keyframe><key qpos="{n}"/></keyframe>',
    '<compiler meshdir="{path}" assetdir="{path}"/>',
    '<composite type="cable" count="{n} 1 1" size="1"/>',
    "<frame><frame/></frame>",
    '<asset><model name="m" file="{path}"/></asset>',
    '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
    '<default class="main"><default class="x"/></default>',
    '<deformable><skin name="s" file="{path}"/></deformable>',
    '<worldbody><flexcomp name="f" type="grid" count="{n} {n} 1"/></worldbody>',
    '<option timestep="{n}"/>',
    "<worldbody/>",
)


def _xml(kind):
    def make(rng, folder):
        if kind == "urdf" and rng.random() < 0.15:
            return ".urdf", _bytes(rng.choice(hostile_urdf.FAMILIES)(rng, folder))
        text = hostile_urdf.chain(rng.choice([1, 3, 8])) if kind == "urdf" else rng.choice([ARM, SPACECRAFT])
        root = ElementTree.fromstring(text)
        for _ in range(rng.choice([1, 1, 2, 4])):
            _changed_element(root, rng, kind)
        text = ElementTree.tostring(root, encoding="unicode")
        if rng.random() < 0.1:
            text = rng.choice(_ENTITIES) + text.replace('"0"', '"&c;"', 1)
        if rng.random() < 0.05:
            text = (
                f'<?xml version="1.0" encoding="{rng.choice(["utf-16", "utf-7", "latin-1", "x-evil", "UTF-8"])}"?>'
                + text
            )
        return ".urdf" if kind == "urdf" else ".xml", _encoded(text, rng)

    return make


def _changed_element(root, rng, kind):
    elements = list(root.iter())
    element = rng.choice(elements)
    match rng.randrange(7):
        case 0 | 1 if element.attrib:
            name = rng.choice(sorted(element.attrib))
            element.set(name, _attribute(element.attrib[name], rng))
        case 2:
            element.set(
                rng.choice(["name", "file", "filename", "mass", "count", "class", "xmlns", "rpy", "type"]),
                _attribute("", rng),
            )
        case 3:
            element.extend(copy.deepcopy([rng.choice(elements)]) * rng.choice([1, 2, 50]))
        case 4 if len(element):
            element.remove(rng.choice(list(element)))
        case 5:
            inner = element
            for _ in range(rng.choice([3, 30, 400])):
                inner = ElementTree.SubElement(inner, rng.choice([element.tag, "body", "link", "frame"]))
        case _:
            part = (
                rng.choice(_MJCF_PARTS)
                if kind == "mjcf"
                else '<link name="q"><visual><geometry><mesh filename="{path}"/></geometry></visual></link>'
            )
            path = _clean(rng.choice(PATHS))
            n = rng.choice(["3", "100000", "2000000000", "-1", "1e9", "nan", "1 2 3"])
            part = part.replace(
                "{path}", path.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
            ).replace("{n}", n)
            element.append(ElementTree.fromstring(part))


def _attribute(value, rng):
    match rng.randrange(6):
        case 0:
            return _clean(str(rng.choice(TEXTS)))
        case 1:
            return rng.choice(
                ["nan", "inf", "-inf", "1e400", "1e308", "-1e308", "1e-320", "0", "-1", "0x10", "1e", "١"]
            )
        case 2:
            return _clean(rng.choice(PATHS))
        case 3:
            return " ".join([rng.choice(["1", "0", "nan", "1e308"])] * rng.choice([0, 2, 3, 4, 7, 5000]))
        case 4:
            return value + value
        case _:
            return value[: len(value) // 2]


def _clean(text):
    """Without what no XML text can hold (bytes are spoilt elsewhere)."""
    return "".join(
        c for c in text if c in "\t\n" or (ord(c) >= 32 and not 0xD800 <= ord(c) < 0xE000 and ord(c) < 0xFFFE)
    )


# --- meshes ---------------------------------------------------------------------------------------------------------

_SURFACES: dict[str, bytes] = {}


def _mesh(rng, folder):
    if not _SURFACES:
        ball = trimesh.creation.icosphere(subdivisions=1)
        for kind in ("stl", "obj", "ply", "off", "glb", "stl_ascii", "dae"):
            _SURFACES[kind] = _bytes(ball.export(file_type=kind)) if kind != "dae" else b"<COLLADA/>"
    kind = rng.choice(list(_SURFACES))
    content = bytearray(_SURFACES[kind])
    for _ in range(rng.choice([0, 1, 2, 8, 40])):
        at = rng.randrange(len(content) + 1)
        piece = rng.choice(
            [
                b"\xff\xff\xff\xff",
                b"\0\0\xc0\x7f",
                b"\0\0\x80\x7f",
                b"nan ",
                b"1e400 ",
                b"-1 ",
                b"999999999 ",
                b"\0" * 64,
                b"PK\x03\x04",
                b"mtllib ../outside/secret.xml\n",
                b"element vertex 2000000000\n",
                b"f 1 1 1\n" * 3000,
                b"v nan inf 0\n",
                b'"uri":"../outside/x.obj"',
                b"\n",
                rng.randbytes(9),
            ]
        )
        if rng.random() < 0.7:
            content[at : at + len(piece)] = piece
        else:
            content[at:at] = piece
        if rng.random() < 0.2:
            del content[at : at + rng.choice([1, 50, 1000])]
    suffix = (
        kind.removesuffix("_ascii")
        if rng.random() < 0.9
        else rng.choice(["zip", "stl", "gltf", "x", "3mf", "obj"])
    )
    return "." + suffix, bytes(content)


def _bytes(content) -> bytes:
    return content.encode(errors="surrogatepass") if isinstance(content, str) else bytes(content)


def _encoded(text, rng):
    content = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.04:
        content = text.encode(rng.choice(["utf-16", "utf-32", "latin-1"]), "replace")
    if rng.random() < 0.05 and content:
        at = rng.randrange(len(content))
        content = (
            content[:at]
            + rng.choice([b"\0", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", rng.randbytes(3)])
            + content[at + 1 :]
        )
    return content


_MAKERS = {
    "system": _yaml("system"),
    "scenario": _yaml("scenario"),
    "urdf": _xml("urdf"),
    "mjcf": _xml("mjcf"),
    "mesh": _mesh,
}
