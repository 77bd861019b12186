"""Many runs of one thing: what varies, how many, what is kept; run anywhere, stopped anywhere, resumed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.limits import limits
from ..model.names import check_plain_name
from ..simulation import Run
from ..simulation.scenario import load_scenario
from .campaign_folder import CampaignFolder
from .campaign_progress import CampaignProgress
from .keeping import Keeping
from .kept import Keep, as_keep
from .local_engine import run_here
from .merging import summary_of
from .plan import Plan, plan_of
from .plan_words import compare, said_by
from .results import CampaignResults
from .shard_checks import sound_shards

ENGINES = ("threads", "cuda")
#: samples whose drawn values are looked at before any of them runs
_CHECKED = 2**22


class Campaign:
    """A study of many samples of a scenario or plant.

    source: a `Scenario` of one sample, its name or file, a `Plant`, or a `System`.
    vary: {name: distribution or list}: any free number of the plant ("elbow.mass", "ocean.current[0]",
    "thruster_3.fails_at"), gains ("controller.stiffness"), the state at the start ("initial.joints.elbow",
    "initial.velocities.rov.vx"), numbers of sensors ("sensors.imu.…"), the sea ("sea.seed"); see `docs/campaigns.md`.
    A name may be several, "a.mass, b.mass", whose values come together (`Correlated`).
    samples: how many, of every combination where lists (`Values`, `Range`) are among what varies.
    seed: of what is drawn, and of noise and sensors, which differ from sample to sample.
    design: "random", "latin_hypercube" or "sobol".
    keep: what is kept, a `Keep`, or names of channels.
    success: names of events that end a sample well; samples that any other event ends count as failures.
    options: of `simulate` (q0, v0, duration, step, controller, control_step, …); those of a scenario are its own.

    Every sample depends on the seed and its number alone, so it can be run again by itself, to the bit.
    """

    def __init__(
        self,
        source: Any,
        *,
        vary: Mapping[Any, Any],
        samples: int = 1,
        seed: int = 0,
        design: str = "random",
        keep: Keep | Sequence[str] | None = None,
        success: Sequence[str] = (),
        name: str | None = None,
        **options: Any,
    ):
        if isinstance(source, str | os.PathLike):
            source = load_scenario(source)
        if not isinstance(vary, Mapping):
            raise ModelError.single("Campaign", "vary", expected="{name: distribution}", given=repr(vary))
        self.plan: Plan = plan_of(source, vary, samples, seed, design, as_keep(keep), name, options)
        check_plain_name("Campaign", self.plan.name)
        try:
            self.success: tuple[str, ...] = (success,) if isinstance(success, str) else tuple(success)
        except TypeError:
            expected = "names of events"
            raise ModelError.single("Campaign", "success", expected=expected, given=repr(success)) from None
        for event in self.success:
            if event not in self.plan.endings:
                expected = f"events that end samples: {', '.join(self.plan.endings) or 'there are none'}"
                raise ModelError.single("Campaign", "success", expected=expected, given=repr(event))
        self.description: str = ""
        self.shard: int | None = None
        self._results: CampaignResults | None = None

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Campaign:
        """The campaign in a .yaml file; see docs/campaigns.md. A `ModelError` lists all problems with their lines."""
        from .campaign_file import read_campaign

        return read_campaign(file)

    def _from_file(self, data: Mapping[str, Any], description: str, shard: int | None) -> Campaign:
        """This campaign, which came from the file with this content."""
        self.plan = replace(self.plan, file=data)
        self.description, self.shard = description, shard
        return self

    @property
    def name(self) -> str:
        """Its name."""
        return self.plan.name

    @property
    def samples(self) -> int:
        """Number of samples, all combinations counted."""
        return self.plan.total

    def values(self, samples: Any = None) -> dict[str, np.ndarray]:
        """{name: values (S, ...)} that the samples with these numbers have; of all if none are given."""
        numbers = np.arange(self.samples) if samples is None else np.atleast_1d(np.asarray(samples))
        if numbers.dtype.kind not in "iu" or np.any((numbers < 0) | (numbers >= self.samples)):
            raise ModelError.single(
                "Campaign", "samples", expected=f"0 … {self.samples - 1}", given=repr(samples)
            )
        return self.plan.variables.values(numbers)

    def sample(self, number: int, **options: Any) -> Run:
        """The run of one sample, with every row: to the bit what it was in the campaign.

        options: of `simulate`, in the place of the campaign's own, such as record_every.
        """
        numbers = np.array([_number(number, self.samples)])
        backend = options.pop("backend", None) or (
            "cpu" if self._results is None else self._results.folder.backend
        )
        values = None if self._results is None else self._results._drawn(int(numbers[0]))
        drawn = self.plan.variables.values(numbers) if values is None else self.plan.variables.shaped(values)
        return self.plan.run(numbers, drawn, backend, **options).sample(0)

    def run(
        self,
        folder: str | Path,
        on: Any = "threads",
        *,
        shard: int | None = None,
        progress: bool | None = None,
        any_version: bool = False,
    ) -> CampaignResults:
        """Run all samples that are not in the folder yet, and give what is there then.

        Stopped anywhere, by Ctrl-C, a crash or kill −9, the same call goes on: nothing is lost and nothing is done
        twice but the shards under way. Every byte that is there is checked first: a damaged shard is told by a warning,
        put aside and made anew; a whole one that is not what its name says is refused.

        on: "threads" (all cores), "cuda" (the GPU), a Dask client, or the address of a Dask scheduler ("tcp://…").
        shard: samples of a shard, the unit that is computed and kept at once; chosen if None.
        progress: a line on standard error; None: if that is a terminal.
        any_version: go on with a campaign of another version of the package, NumPy or SciPy; the bits may differ.
        """
        backend = "cuda" if on == "cuda" else "cpu"
        if isinstance(on, str) and on not in ENGINES and "://" not in on:
            expected = (
                f"{', '.join(map(repr, ENGINES))}, a Dask client or an address such as 'tcp://host:8786'"
            )
            raise ModelError.single("Campaign", "on", expected=expected, given=repr(on))
        place = self._begun(Path(folder), backend, self.shard if shard is None else shard, any_version)
        if not place.done():
            self.plan.check_values(_CHECKED)
        with place.locked():
            self._go_on(place, on, backend, progress)
        self._results = CampaignResults(place, self)
        return self._results

    def _begun(self, path: Path, backend: str, shard: int | None, any_version: bool) -> CampaignFolder:
        if shard is not None and (isinstance(shard, bool) or not isinstance(shard, int) or shard < 1):
            raise ModelError.single("Campaign", "shard", expected="a whole number ≥ 1", given=repr(shard))
        said = said_by(self.plan, backend, shard or min(self.plan.shard_size(backend), self.samples))
        said["success"] = list(self.success)
        limits.check("shards", -(-self.samples // said["shard"]), "Campaign", "number of shards")
        place = CampaignFolder.begun(path, said)
        compare(place.said, said, str(path), any_version)
        if shard is not None and place.shard != shard:
            raise ModelError.single(str(path), "shard", expected=str(place.shard), given=str(shard))
        return place

    def _go_on(self, place: CampaignFolder, on: Any, backend: str, progress: bool | None) -> None:
        done = sound_shards(place)
        todo = [number for number in range(place.shards) if number not in done]
        keeping = Keeping(place)
        counts, before = Counter(keeping.merged.counts), keeping.merged.samples
        for number in sorted(n for n in done if n >= keeping.merged.upto):
            own = summary_of(place.open(number))[1]
            counts.update(own)
            before += sum(own.values())
        told = CampaignProgress(progress, self.name, self.samples, before, counts)
        try:
            if todo and isinstance(on, str) and on in ENGINES:
                run_here(self.plan, place, todo, backend, keeping, told)
            elif todo:
                from .dask_engine import run_on_dask

                run_on_dask(self.plan, place, todo, on, keeping, told)
        finally:
            told.close()
            keeping.save()

    @property
    def results(self) -> CampaignResults:
        """What the folder has that this campaign last ran in."""
        if self._results is None:
            expected = "a campaign that has run: campaign.run(folder)"
            raise ModelError.single("Campaign", "results", expected=expected, given="one that has not")
        return self._results

    def failures(self, cause: str | None = None) -> Any:
        """Samples that did not come to a good end; see `CampaignResults.failures`."""
        return self.results.failures(cause)

    def worst(self, channel: str, count: int = 10, by: str = "magnitude") -> Any:
        """The samples with the largest values of a channel; see `CampaignResults.worst`."""
        return self.results.worst(channel, count, by)

    def statistics(self, confidence: float = 0.95) -> Any:
        """Means, covariances, quantiles and extremes; see `Statistics` and `CampaignResults.statistics`."""
        return self.results.statistics(confidence)

    def plot(self, what: str = "fan", path: str | Path | None = None, **options: Any) -> Any:
        """A figure of what was found; see `CampaignResults.plot`."""
        return self.results.plot(what, path, **options)

    def report(self, path: str | Path, **options: Any) -> Path:
        """One page of HTML about what was found; see `CampaignResults.report`."""
        return self.results.report(path, **options)

    def verify(self) -> None:
        """Check every byte of every shard; see `CampaignResults.verify`."""
        self.results.verify()

    def dataset(self) -> Any:
        """Everything that was kept, as a lazy `xarray.Dataset`."""
        return self.results.dataset()

    def __repr__(self) -> str:
        return (
            f"<Campaign {self.name!r}: {self.samples:,} samples of {', '.join(self.plan.variables.columns)}>"
        )


def _number(number: Any, total: int) -> int:
    number = getattr(number, "sample", number)
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < total:
        raise ModelError.single("Campaign", "sample", expected=f"0 … {total - 1}", given=repr(number))
    return int(number)
