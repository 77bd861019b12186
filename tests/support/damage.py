"""Ways in which files on disk go wrong."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path


def damage(path: Path, rng: random.Random) -> str:
    """Do one random thing to a file, or to a file in a folder; words for what was done."""
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    victim = rng.choice(files)
    kinds = [_flip, _cut, _append, _zero]
    if path.is_dir():
        kinds += [_remove, _swap, _copy_over, _folder_instead]
    kind = rng.choice(kinds)
    return f"{kind.__name__} {victim.relative_to(path.parent)}: {kind(victim, files, rng)}"


def _flip(victim: Path, files: list[Path], rng: random.Random) -> str:
    content = bytearray(victim.read_bytes())
    at, bit = rng.randrange(len(content)), rng.randrange(8)
    content[at] ^= 1 << bit
    victim.write_bytes(content)
    return f"bit {bit} of byte {at} of {len(content)}"


def _cut(victim: Path, files: list[Path], rng: random.Random) -> str:
    content = victim.read_bytes()
    at = rng.randrange(len(content))
    victim.write_bytes(content[:at])
    return f"at {at} of {len(content)}"


def _append(victim: Path, files: list[Path], rng: random.Random) -> str:
    with victim.open("ab") as file:
        file.write(rng.randbytes(rng.randint(1, 200)))
    return ""


def _zero(victim: Path, files: list[Path], rng: random.Random) -> str:
    content = bytearray(victim.read_bytes())
    at = rng.randrange(len(content))
    end = min(len(content), at + rng.randint(1, 512))
    if not any(content[at:end]):
        content[at] = 1
    else:
        content[at:end] = bytes(end - at)
    victim.write_bytes(content)
    return f"bytes {at} to {end}"


def _remove(victim: Path, files: list[Path], rng: random.Random) -> str:
    victim.unlink()
    return ""


def _swap(victim: Path, files: list[Path], rng: random.Random) -> str:
    other = rng.choice([f for f in files if f.read_bytes() != victim.read_bytes()])
    a, b = victim.read_bytes(), other.read_bytes()
    victim.write_bytes(b)
    other.write_bytes(a)
    return f"with {other.name}"


def _copy_over(victim: Path, files: list[Path], rng: random.Random) -> str:
    other = rng.choice([f for f in files if f.read_bytes() != victim.read_bytes()])
    shutil.copyfile(other, victim)
    return f"from {other.name}"


def _folder_instead(victim: Path, files: list[Path], rng: random.Random) -> str:
    victim.unlink()
    os.mkdir(victim)
    return ""
