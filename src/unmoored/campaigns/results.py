"""What a campaign has found so far: read from its folder, shard by shard, as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..error_roots import warn
from ..model import ModelError, ModelWarning
from ..model.errors import unknown_name
from ..simulation import Run
from ..simulation.status import Status
from .campaign_folder import CampaignFolder
from .campaign_views import CampaignViews
from .shard_checks import check_shards
from .shard_data import WRONG
from .shard_file import ShardFile
from .statistics import Statistics, statistics_of

if TYPE_CHECKING:
    from .campaign import Campaign

_BY = ("magnitude", "highest", "lowest")


class Failure(NamedTuple):
    """A sample that did not come to a good end, and why."""

    sample: int
    status: Status


class Extreme(NamedTuple):
    """A sample and the value for which it stands out."""

    sample: int
    value: float


class CampaignResults(CampaignViews):
    """The shards in a folder. campaign: the one that they belong to; None if it is not known (`load_campaign`)."""

    def __init__(self, folder: CampaignFolder, campaign: Campaign | None = None):
        self.folder = folder
        self.campaign = campaign

    @property
    def name(self) -> str:
        """The campaign's name."""
        return str(self.folder.said["name"])

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the kept channels."""
        return tuple(self.folder.said["channels"])

    @property
    def units(self) -> tuple[str, ...]:
        """Their units, "" where none is known."""
        return tuple(self.folder.said.get("units", [""] * len(self.channels)))

    @property
    def t(self) -> np.ndarray:
        """The kept times (T,) [s]."""
        return np.array(self.folder.said["times"], dtype=float)

    @property
    def total(self) -> int:
        """Samples of the campaign."""
        return self.folder.total

    @property
    def samples(self) -> int:
        """Samples that are there."""
        return sum(len(self.folder.samples(number)) for number in self.folder.done())

    @property
    def complete(self) -> bool:
        """Whether all samples are there."""
        return len(self.folder.done()) == self.folder.shards

    def ended(self) -> dict[str, int]:
        """{what became of samples: how many}, the most frequent first."""
        return dict(self.folder.merged(gaps=True).counts.most_common())

    def failures(self, cause: str | None = None) -> tuple[Failure, ...]:
        """Samples whose numbers went wrong, or that an event ended which is not a success.

        cause: only those with this in what became of them: a kind ("blew_up"), or part of the text ("elbow").
        """
        return tuple(
            failure
            for shard in self._shards()
            for failure in _failures(shard, self._success)
            if cause is None or cause == failure.status.kind or cause in str(failure.status)
        )

    def worst(self, channel: str, count: int = 10, by: str = "magnitude") -> tuple[Extreme, ...]:
        """The samples with the largest values of a channel over their time, the worst first.

        by: "magnitude", "highest" or "lowest". Samples whose numbers went wrong are not among them: see `failures`.
        """
        if channel not in self.channels:
            raise unknown_name("campaign", "channel", channel, self.channels)
        if by not in _BY:
            raise unknown_name("worst", "by", by, _BY)
        c, found = self.channels.index(channel), []
        for shard in self._shards():
            low, high = shard.array("lowest")[:, c], shard.array("highest")[:, c]
            value = {"highest": high, "lowest": low}.get(by, np.where(np.abs(low) > np.abs(high), low, high))
            size = {"highest": high, "lowest": -low}.get(by, np.abs(value))
            size = np.where(np.isnan(size) | _went_wrong(shard), -np.inf, size)
            order = np.argsort(-size, kind="stable")[:count]
            samples = shard.array("samples")
            found += [
                (float(-size[i]), int(samples[i]), float(value[i])) for i in order if np.isfinite(size[i])
            ]
            found = sorted(found)[:count]
        return tuple(Extreme(sample, value) for _, sample, value in found)

    def statistics(self, confidence: float = 0.95) -> Statistics:
        """Statistics of the samples that are there, merged in the order of the shards.

        Samples whose numbers went wrong (blew up, not converged) are left out wholly, and told by a warning.
        """
        merged = self.folder.merged(gaps=True)
        if merged.summary is None:
            raise ModelError.single("campaign", "statistics", expected="samples", given="none yet")
        design = str(self.folder.said["design"])
        found = statistics_of(
            merged.summary, self.channels, self.t, confidence, design, samples=merged.samples, total=self.total,
            ended=dict(merged.counts.most_common()), failed=self._failed(merged.counts), units=self.units,
        )  # fmt: skip
        if found.left_out:
            text = (
                f"campaign {self.name!r}: numbers of {found.left_out:,} of {found.samples:,} samples went wrong; "
                "they are in no mean, quantile or extreme (failures() says which, statistics().left_out how many)"
            )
            warn(text, ModelWarning)
        return found

    def dataset(self) -> Any:
        """Everything that was kept of the samples that are there, as an `xarray.Dataset` that reads when it is used.

        Each shard is checked as it is read (extra `campaigns`).
        """
        from .lazy_dataset import lazy_dataset

        return lazy_dataset(self.folder)

    def sample(self, number: Any, **options: Any) -> Run:
        """One sample run again with every row, to the bit; see `Campaign.sample`."""
        if self.campaign is None:
            expected = (
                "load_campaign(folder, campaign=…): only a campaign of a scenario file is known by its folder"
            )
            raise ModelError.single("campaign", "sample", expected=expected, given="no campaign")
        return self.campaign.sample(number, **options)

    def verify(self) -> None:
        """Check every byte of every shard; a `DataError` names those that are damaged or another than they say."""
        check_shards(self.folder, whole=True)

    def _drawn(self, sample: int) -> np.ndarray | None:
        """Drawn values (1, columns) of a sample, if its shard is there."""
        number = sample // self.folder.shard
        if not self.folder.shard_path(number).exists():
            return None
        place = sample - number * self.folder.shard
        return self.folder.open(number).array("values")[place : place + 1]

    def _shards(self) -> Iterator[ShardFile]:
        for number in self.folder.done():
            yield self.folder.open(number)

    @property
    def _success(self) -> tuple[str, ...]:
        return tuple(self.folder.said.get("success", ()))

    def _failed(self, counts: Any) -> int:
        good = {"completed", *(Status("event", where=name).title for name in self._success)}
        return sum(count for title, count in counts.items() if title not in good)

    def __repr__(self) -> str:
        return f"<Campaign {self.name!r}: {self.samples:,} of {self.total:,} samples in {str(self.folder.path)!r}>"


def is_failure(status: Status, success: tuple[str, ...]) -> bool:
    """Whether a sample did not come to a good end."""
    return status.kind in WRONG or (status.kind == "event" and status.where not in success)


def _went_wrong(shard: ShardFile) -> np.ndarray:
    """Which samples (S,) of a shard have numbers that went wrong."""
    wrong = [i for i, status in enumerate(shard.causes) if status.kind in WRONG]
    return np.isin(shard.array("cause"), wrong)


def _failures(shard: ShardFile, success: tuple[str, ...]) -> Iterator[Failure]:
    causes, cause = shard.causes, shard.array("cause")
    bad = [i for i, status in enumerate(causes) if is_failure(status, success)]
    places = np.flatnonzero(np.isin(cause, bad))
    if places.size:
        samples, times = shard.array("samples"), shard.array("stopped")
        for i in places.tolist():
            c = causes[cause[i]]
            yield Failure(int(samples[i]), Status(c.kind, float(times[i]), c.where, c.reason))
