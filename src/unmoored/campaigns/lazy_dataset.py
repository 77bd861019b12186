"""The shards of a campaign as one `xarray.Dataset` whose arrays are read, and checked, where they are looked at."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..error_roots import optional
from .campaign_folder import CampaignFolder

#: arrays over samples, with the names of the coordinates that go with their dimensions
_COORDINATES = {
    "channel": "channels", "time": "times", "value": "columns", "coordinate": "coordinates", "velocity": "velocities",
    "actuator_state": "actuator_states",
}  # fmt: skip


def lazy_dataset(folder: CampaignFolder) -> Any:
    """The dataset of all shards that are there."""
    xarray = optional("xarray", "campaigns", "a campaign as a dataset")
    done = folder.done()
    said = folder.said
    numbers = np.concatenate([np.zeros(0, np.int64), *(folder.samples(number) for number in done)])
    coordinates: dict[str, Any] = {
        "sample": numbers,
        **{dim: np.array(said[name]) for dim, name in _COORDINATES.items() if said.get(name)},
    }
    variables, used = {}, {"sample"}
    if done:
        first = folder.open(done[0])
        for name in first.names:
            dims = first.dimensions(name)
            if dims[:1] == ("sample",) and name != "samples":
                array = _Sharded(folder, tuple(done), name, len(numbers))
                lazy = xarray.core.indexing.LazilyIndexedArray(array)
                variables[name] = xarray.Variable(dims, lazy)
                used |= set(dims)
    causes = (
        [{"number": n, "causes": folder.open(n).about["causes"]} for n in done] if len(done) <= 64 else []
    )
    about = {"title": said["name"], "samples": len(numbers), "total": folder.total, "causes": str(causes)}
    kept = {dim: x for dim, x in coordinates.items() if dim in used}
    if "channel" in kept and "units" in said:
        kept["unit"] = ("channel", np.array(said["units"]))
    return xarray.Dataset(variables, kept, about)


class _Sharded(optional("xarray.backends", "campaigns", "a campaign as a dataset").BackendArray):
    """An array over all samples that lies in shards, one after the other."""

    def __init__(self, folder: CampaignFolder, done: tuple[int, ...], name: str, count: int):
        self._folder, self._done, self._name = folder, done, name
        first = folder.open(done[0]).array(name)
        self.shape, self.dtype = (count, *first.shape[1:]), first.dtype
        sizes = [len(folder.samples(number)) for number in done]
        self._ends = np.cumsum(sizes)
        self._read = lru_cache(maxsize=4)(self._array)

    def __getitem__(self, key: Any) -> np.ndarray:
        indexing = optional("xarray", "campaigns", "a campaign as a dataset").core.indexing
        support = indexing.IndexingSupport.OUTER
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._raw)

    def _raw(self, key: tuple[Any, ...]) -> np.ndarray:
        rows, rest = key[0], key[1:]
        places = np.atleast_1d(np.arange(self.shape[0])[rows])
        shards = np.searchsorted(self._ends, places, side="right")
        inner = tuple(np.asarray([k]) if isinstance(k, int | np.integer) else k for k in rest)
        parts = []
        for k in np.unique(shards).tolist():
            begin = 0 if k == 0 else self._ends[k - 1]
            own = self._read(self._done[k])[places[shards == k] - begin]
            parts.append((np.flatnonzero(shards == k), _outer(own, inner)))
        shape = (len(places), *(parts[0][1].shape[1:] if parts else self.shape[1:]))
        found = np.empty(shape, self.dtype)
        for where, part in parts:
            found[where] = part
        if isinstance(rows, int | np.integer):
            found = found[0]
        first = 0 if isinstance(rows, int | np.integer) else 1
        gone = tuple(first + i for i, k in enumerate(rest) if isinstance(k, int | np.integer))
        return np.squeeze(found, axis=gone) if gone else found

    def _array(self, number: int) -> np.ndarray:
        return self._folder.open(number).array(self._name)


def _outer(array: np.ndarray, key: tuple[Any, ...]) -> np.ndarray:
    """array[:, *key], each index on its own."""
    for axis, k in enumerate(key, start=1):
        array = array[(slice(None),) * axis + (k,)]
    return array
