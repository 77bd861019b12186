"""Whether the shards of a campaign are whole and its own; what is not never counts as done."""

from __future__ import annotations

from ..error_roots import warn
from ..model import DataError, ModelWarning
from .campaign_folder import CampaignFolder, ForeignShard

_DAMAGED = ".damaged"


def check_shards(folder: CampaignFolder, *, whole: bool) -> None:
    """Raise a `DataError` that names every shard that is damaged, or is not the one that its name says.

    whole: read every byte; else sizes, and the digest of every manifest, which is a third of a millisecond a shard.
    """
    problems = [problem for error in _damage(folder, whole=whole).values() for problem in error.problems]
    for path in folder.strays():
        expected = f"shards 0 … {folder.shards - 1} of the campaign"
        problems += DataError.single(str(path), "number", expected=expected, given="another one").problems
    if problems:
        raise DataError(problems)


def sound_shards(folder: CampaignFolder) -> set[int]:
    """Numbers of the shards that are done, every byte of them checked, for a campaign that goes on.

    A damaged one is told by a warning and put aside, so that it is made anew. One that is whole, but another one than
    its name says, may be somebody's: it is refused by a `DataError`.
    """
    found = _damage(folder, whole=True)
    foreign = [
        problem for error in found.values() if isinstance(error, ForeignShard) for problem in error.problems
    ]
    if foreign:
        raise DataError(foreign)
    for number, error in found.items():
        path = folder.shard_path(number)
        aside = path.with_name(path.name + _DAMAGED)
        path.replace(aside)
        text = f"shard {number} is damaged and is made anew; it lies in {aside} now: {error}"
        warn(text, ModelWarning)
    return set(folder.done())


def _damage(folder: CampaignFolder, *, whole: bool) -> dict[int, DataError]:
    """What is wrong with shards that are there, by their numbers."""
    found: dict[int, DataError] = {}
    for number in folder.done():
        try:
            shard = folder.open(number)
            if whole:
                shard.verify()
        except DataError as error:
            found[number] = error
    return found
