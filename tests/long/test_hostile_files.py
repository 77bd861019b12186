"""Thousands of damaged and hostile files of every kind: a `ModelError` or a good reading, soon (`make long`)."""

import os
import random
import re
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.model.files import hostile_urdf, hostile_yaml
from tests.model.files.test_mjcf import ARM, SPACECRAFT
from tests.support.hostile_names import NAMES

import unmoored as um
from unmoored.model import files
from unmoored.views.shapes.mesh_files import mesh_shape

SECONDS = 2.5  # at the size limits; on an idle core nothing else takes one
EACH = int(os.environ.get("UNMOORED_HOSTILE", "1000"))
WORDS = [
    "1e308", "-1e400", ".nan", "nan", ".inf", "-0.0", "0", "-1", "1e-320", "999999999999999999999", "true", "null", "~",
    "[]", "{}", "[[]]", "''", "world", "../../etc/passwd", "/etc/passwd", "..\\..\\x", "a/b", "file:///etc/passwd",
    "package://../x", "\x00", "\x1b[2J", "\u202e", "é", "𝔘", "!!python/object:os.system", "&a", "*a", "<<: *a",
    "<!-- -->", "]]>", "&lt;", "&#0;", "%s%n", "{{7*7}}", "${HOME}", "1 2 3 4 5 6 7", "x" * 3000, *NAMES,
]  # fmt: skip


def mutated(text: str, rng: random.Random) -> bytes:
    """The text with one to four random changes."""
    for _ in range(rng.randint(1, 4)):
        kind, n = rng.randrange(9), max(len(text), 1)
        at = rng.randrange(n)
        if kind == 0:  # a number or word replaced
            words = list(re.finditer(r"[\w.+-]+", text))
            if words:
                word = rng.choice(words)
                text = text[: word.start()] + rng.choice(WORDS) + text[word.end() :]
        elif kind == 1:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at + rng.randint(1, 40) :]
        elif kind == 3:  # a piece twice
            end = at + rng.randint(1, 300)
            text = text[:end] + text[at:end] + text[end:]
        elif kind == 4:
            text = text[:at]
        elif kind == 5:
            lines = text.split("\n")
            i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[k] = lines[k], lines[i]
            text = "\n".join(lines)
        elif kind == 6:
            text = (
                text[:at] + chr(rng.choice([0, 9, 10, 13, 27, 0x85, 0x2028, 0xFEFF, 0xFFFF])) + text[at + 1 :]
            )
        elif kind == 7:
            text = text[:at] + rng.choice("{}[]<>&*!|>'\"%@`,:?-#/=\\") * rng.randint(1, 200) + text[at:]
        else:
            text = text.replace(
                rng.choice(re.findall(r"\w+", text) or ["a"]), rng.choice(WORDS), rng.randint(1, 3)
            )
    content = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1 and content:
        flipped = bytearray(content)
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        content = bytes(flipped)
    return content


def survive(path: Path, content: bytes, read) -> None:
    path.write_bytes(content)
    started = time.process_time()
    refusal = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(path)
        except um.ModelError as error:
            refusal = error
        except Exception as error:
            kept = Path("out") / "hostile"
            kept.mkdir(parents=True, exist_ok=True)
            (kept / path.name).write_bytes(content)
            pytest.fail(f"{type(error).__name__}: {error} ({kept / path.name})")
    assert time.process_time() - started < SECONDS
    if refusal is not None:
        assert refusal.problems
        assert str(refusal).replace("\n", "").isprintable()


def library_texts(folder: str) -> list[str]:
    found = sorted((Path(um.__file__).parent / folder).glob("*.yaml"))
    return [path.read_text(encoding="utf-8") for path in found]


def test_system_files(tmp_path):
    texts = library_texts("system/library")
    for i in range(8 * EACH):
        rng = random.Random(f"system {i}")
        survive(tmp_path / f"{i % 100}.yaml", mutated(rng.choice(texts), rng), files.read_yaml)


def test_scenario_files(tmp_path):
    texts = library_texts("simulation/library")
    for i in range(4 * EACH):
        rng = random.Random(f"scenario {i}")
        survive(tmp_path / f"{i % 100}.yaml", mutated(rng.choice(texts), rng), um.load_scenario)


def test_urdf_files(tmp_path):
    texts = [hostile_urdf.chain(n) for n in (1, 4, 9)]
    for i in range(8 * EACH):
        rng = random.Random(f"urdf {i}")
        survive(tmp_path / f"{i % 100}.urdf", mutated(rng.choice(texts), rng), files.read_urdf)


def test_families_of_broken_files(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    for module, suffix, read in (
        (hostile_yaml, ".yaml", files.read_yaml),
        (hostile_urdf, ".urdf", files.read_urdf),
    ):
        for family in module.FAMILIES:
            for i in range(EACH // 10):
                rng = random.Random(f"long {family.__name__} {i}")
                content = family(rng, folder)
                content = content if isinstance(content, bytes) else content.encode(errors="surrogatepass")
                survive(folder / f"{family.__name__}{suffix}", content, read)


def test_mjcf_files(tmp_path):
    (tmp_path / "x.obj").write_text(
        "v 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    mesh = """<mujoco><asset><mesh name="m" file="x.obj"/><texture name="t" type="2d" file="t.png"/></asset><worldbody>
      <replicate count="3" offset="1 0 0"><body name="b"><joint/><geom type="mesh" mesh="m"/></body></replicate>
      </worldbody></mujoco>"""
    for i in range(EACH):
        rng = random.Random(f"mjcf {i}")
        survive(
            tmp_path / f"{i % 50}.xml", mutated(rng.choice([ARM, SPACECRAFT, mesh]), rng), files.read_mjcf
        )


def meshes() -> dict[str, bytes]:
    import trimesh

    box = trimesh.creation.icosphere(subdivisions=2)
    return {
        kind: _bytes(box.export(file_type=kind)) for kind in ("stl", "obj", "ply", "off", "glb", "stl_ascii")
    }


def _bytes(content) -> bytes:
    return content.encode() if isinstance(content, str) else bytes(content)


def test_mesh_files(tmp_path):
    found = meshes()
    grey = (0.5, 0.5, 0.5, 1.0)

    def read(path):
        shape = mesh_shape(um.Mesh(str(path)), grey)
        assert shape is None or np.all(np.isfinite(shape.vertices))

    for i in range(6 * EACH):
        rng = random.Random(f"mesh {i}")
        kind = rng.choice(list(found))
        content = bytearray(found[kind])
        for _ in range(rng.randint(1, 30)):
            at = rng.randrange(len(content))
            match rng.randrange(4):
                case 0:
                    content[at] ^= 1 << rng.randrange(8)
                case 1:
                    content[at : at + 8] = rng.randbytes(8)
                case 2:
                    content[at : at + 4] = rng.choice(
                        [b"\xff\xff\xff\xff", b"\0\0\xc0\x7f", b"9999", b"nan "]
                    )
                case _:
                    del content[at : at + rng.randint(1, 50)]
        survive(tmp_path / f"{i % 50}.{kind.removesuffix('_ascii')}", bytes(content), read)
