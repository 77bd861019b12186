"""Damaged, cut, swapped and foreign shards: told when a campaign is opened or gone on with, never counted as done."""

import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import unmoored as um
from unmoored.campaigns.campaign_folder import CampaignFolder
from unmoored.cli.main import app

from .small_studies import study


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a campaign of 40 samples in shards of 8."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    study().run(folder, shard=8)
    return folder


@pytest.fixture
def place(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "study")
    return CampaignFolder(tmp_path / "study")


def content(place):
    return {number: place.shard_path(number).read_bytes() for number in place.done()}


def flipped(good, position, bit=0):
    bad = bytearray(good)
    bad[position] ^= 1 << bit
    return bytes(bad)


def inside(good, name):
    """A place in the numbers of an array."""
    return good.index(name) + len(name) + 5


def cut(good):
    return good[: len(good) // 2]


def without_a_middle(good):
    """Some numbers of an array are gone, everything after them is there."""
    first = inside(good, b"series/0.0.0")
    return good[:first] + good[first + 8 :]


MANIFEST, NUMBERS = b"unmoored-manifest.json", b"series/0.0.0"
#: how a shard may be damaged, and whether that is seen without reading all of it
DAMAGE = {
    "a bit of its numbers": (lambda good: flipped(good, inside(good, NUMBERS)), False),
    "a bit of its manifest": (lambda good: flipped(good, good.index(b"sha256") + 9), None),
    "cut": (cut, True),
    "cut by its seal": (lambda good: good[:-100], True),
    "cut by a byte": (lambda good: good[:-1], True),
    "longer": (lambda good: good + b"x", True),
    "a part gone": (without_a_middle, True),
    "empty": (lambda good: b"", True),
    "zeros": (lambda good: bytes(len(good)), True),
    "something else": (lambda good: b"PK" + b"?" * 3000, True),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_shard_is_told_and_made_anew(whole, place, damage):
    make, quickly = DAMAGE[damage]
    path, merged = place.shard_path(2), (place.path / "merged").read_bytes()
    good = content(place)
    path.write_bytes(make(good[2]))
    if quickly:
        with pytest.raises(um.DataError, match="shard-0000002"):
            um.load_campaign(place.path)
    with pytest.raises(um.DataError, match="shard-0000002") as told:
        um.load_campaign(place.path, check=False).verify()
    assert len(told.value.problems) == 1
    again = study()
    with pytest.warns(um.ModelWarning, match="shard 2 is damaged and is made anew"):
        results = again.run(place.path)
    assert content(place) == good
    assert (place.path / "merged").read_bytes() == merged
    assert results.complete
    again.verify()
    um.load_campaign(place.path).verify()
    assert path.with_name(path.name + ".damaged").read_bytes() == make(good[2])


def test_any_bit_is_seen(place):
    good, rng = place.shard_path(2).read_bytes(), np.random.default_rng(0)
    for position in rng.integers(0, len(good), 40).tolist():
        place.shard_path(2).write_bytes(flipped(good, position, int(rng.integers(8))))
        with pytest.raises(um.DataError, match="shard-0000002"):
            place.open(2).verify()


def test_all_damaged_shards_are_named_at_once_and_the_others_stay(place):
    good = content(place)
    for number in (1, 3):
        place.shard_path(number).write_bytes(cut(good[number]))
    with pytest.raises(um.DataError) as told:
        um.load_campaign(place.path)
    assert [problem.where.count("shard-000000") for problem in told.value.problems] == [1, 1]
    kept = um.load_campaign(place.path, check=False)
    assert kept.statistics().samples == 40  # the kept summary has its own seal
    with pytest.raises(um.DataError, match="shard-0000001"):
        kept.failures()
    before = place.shard_path(0).stat().st_mtime_ns
    with pytest.warns(um.ModelWarning) as warned:
        study().run(place.path)
    assert [str(w.message).split(" is ")[0] for w in warned if w.category is um.ModelWarning] == [
        "shard 1",
        "shard 3",
    ]
    assert content(place) == good
    assert place.shard_path(0).stat().st_mtime_ns == before


def test_damage_before_anything_was_merged_is_not_merged(whole, place):
    """Without the kept summary everything is merged anew: the damaged shard must not stop that, nor be left out."""
    (place.path / "merged").unlink()
    place.shard_path(0).write_bytes(b"")
    again = study()
    with pytest.warns(um.ModelWarning, match="shard 0"):
        again.run(place.path)
    first, second = um.load_campaign(whole).statistics(), again.statistics()
    for name in ("count", "mean", "covariance", "lowest", "highest"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_swapped_shards_are_refused_by_name_and_left_alone(place):
    one, two = (place.shard_path(number) for number in (1, 2))
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    for act in (lambda: um.load_campaign(place.path), lambda: study().run(place.path)):
        with pytest.raises(um.DataError) as told:
            act()
        assert [problem.given for problem in told.value.problems] == ["shard 2 of it", "shard 1 of it"]
        assert [problem.where for problem in told.value.problems] == [str(one), str(two)]
    assert one.read_bytes() == second


def test_shards_of_another_campaign_are_refused(place, tmp_path):
    study(seed=5).run(tmp_path / "other", shard=8)
    path = place.shard_path(4)
    shutil.copy(CampaignFolder(tmp_path / "other").shard_path(4), path)
    for act in (lambda: um.load_campaign(place.path), lambda: study().run(place.path)):
        with pytest.raises(um.DataError, match="a shard of another campaign"):
            act()


def test_files_that_are_called_like_shards_are_told(place):
    shutil.copy(place.shard_path(1), place.shard_path(1).with_name("shard-0000077.zarr.zip"))
    (place.path / "shards" / "001").mkdir()
    shutil.copy(place.shard_path(1), place.path / "shards" / "001")
    place.shard_path(1).unlink()
    assert 1 not in place.done()
    with pytest.raises(um.DataError) as told:
        um.load_campaign(place.path)
    assert len(told.value.problems) == 2


def test_the_command_checks_a_folder(place):
    ran = CliRunner().invoke(app, ["check", str(place.path)])
    assert ran.exit_code == 0, ran.output
    assert "40 of 40 samples" in " ".join(ran.output.split())
    path = place.shard_path(3)
    path.write_bytes(flipped(path.read_bytes(), inside(path.read_bytes(), NUMBERS)))
    ran = CliRunner().invoke(app, ["check", str(place.path)])
    assert ran.exit_code == 1
    assert "shard-0000003" in "".join(ran.output.split())
    ran = CliRunner().invoke(app, ["check", str(place.path.parent)])
    assert ran.exit_code == 1
    assert "campaign" in ran.output


def test_damage_of_numbers_is_told_where_they_are_read(place):
    path = place.shard_path(2)
    path.write_bytes(flipped(path.read_bytes(), inside(path.read_bytes(), NUMBERS)))
    with pytest.raises(um.DataError, match="shard-0000002"):
        um.load_campaign(place.path).dataset()["series"].load()


def test_another_plan_is_told(place):
    plan = place.path / "campaign.json"
    plan.write_bytes(plan.read_bytes().replace(b'"seed": 3', b'"seed": 5'))
    with pytest.raises(um.DataError, match="campaign"):
        um.load_campaign(place.path)
