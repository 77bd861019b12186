"""A thousand broken and hostile files: each one a `ModelError` within a second, and nothing outside is opened."""

import os
import random
import sys
import time
import warnings
from pathlib import Path

import pytest
from tests.long.hostile_reading import read_many
from tests.long.hostile_structures import KINDS
from tests.model.files import hostile_urdf, hostile_yaml
from tests.support.thinning import without

from unmoored.model import ModelError, ModelWarning, files
from unmoored.model.files.yaml import parser_events

COUNT = 1_000
OUTSIDE = "secret.stl"
PARSER = parser_events  # there before the files, so that its own is not among those that they make us open
CASES = [(family, ".yaml", files.read_yaml) for family in hostile_yaml.FAMILIES]
CASES += [(family, ".urdf", files.read_urdf) for family in hostile_urdf.FAMILIES]


class OpenedFiles:
    """Every path that the process opens while `watching` (an audit hook cannot be taken away again)."""

    def __init__(self):
        self.watching, self.paths = False, []
        sys.addaudithook(self._hook)

    def _hook(self, event, arguments):
        if self.watching and event == "open":
            self.paths.append(arguments[0])


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Made after sound files were read once, so that all modules that reading needs are loaded."""
    sound = tmp_path_factory.mktemp("sound")
    for name, text, read in (
        ("a.yaml", hostile_yaml.chain(2), files.read_yaml),
        ("a.urdf", hostile_urdf.chain(2), files.read_urdf),
    ):
        (sound / name).write_text(text)
        assert len(read(sound / name).bodies) == 2
    return OpenedFiles()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with ways out of it: links to a file, to a folder, and to themselves."""
    folder = tmp_path_factory.mktemp("hostile") / "models"
    folder.mkdir()
    (folder.parent / OUTSIDE).write_text("secret")
    (folder / "link.stl").symlink_to(folder.parent / OUTSIDE)
    (folder / "linked").symlink_to(folder.parent)
    (folder / "loop.stl").symlink_to(folder / "loop.stl")
    return folder


def refuse(path: Path, read, opened: OpenedFiles) -> ModelError:
    """The error of reading the file; anything else that happens fails the test."""
    opened.paths.clear()
    started = time.process_time()
    opened.watching = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            with pytest.raises(ModelError) as error:
                read(path)
    finally:
        opened.watching = False
    assert time.process_time() - started < 1.0
    assert {os.fspath(name) for name in opened.paths if isinstance(name, str | os.PathLike)} <= {str(path)}
    return error.value


@pytest.mark.parametrize(
    ("family", "suffix", "read"),
    without(lambda case: case[0] == "giants", CASES),
    ids=lambda x: getattr(x, "__name__", x),
)
def test_every_broken_file_is_a_clear_error(family, suffix, read, folder, opened):
    share = -(-COUNT // len(CASES))
    for i in range(share):
        rng = random.Random(f"{family.__name__} {i}")
        content = family(rng, folder)
        path = folder / f"{family.__name__}{i}{suffix}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(errors="surrogatepass"))
        error = refuse(path, read, opened)
        assert error.problems
        for problem in error.problems:
            assert str(problem.location).startswith(str(path))
            assert all((problem.where, problem.rule, problem.expected, problem.given))
            assert len(str(problem)) < 2_000
        path.unlink()


def test_there_are_a_thousand():
    assert len(CASES) * -(-COUNT // len(CASES)) >= COUNT
    assert len({family.__name__ + suffix for family, suffix, _ in CASES}) == len(CASES)


@pytest.mark.parametrize("read", [files.read_yaml, files.read_urdf])
def test_what_is_no_file(read, tmp_path, opened):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    names = ("missing", ".", "pipe", "loop", "x" * 5_000, "nul\0byte")
    for path in [*(tmp_path / name for name in names), Path("/dev/zero")]:
        refuse(path, read, opened)


@pytest.mark.parametrize("kind", KINDS)
def test_a_slice_of_the_hostile_structures(tmp_path, kind):
    """tests/long reads them by the thousand."""
    assert not read_many(kind, 0, 4 if kind == "mjcf" else 25, tmp_path)
