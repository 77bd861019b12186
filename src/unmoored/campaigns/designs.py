"""Where the samples of a campaign lie: uniform numbers for every variable, of any samples, in any order.

random            numbers that depend on (seed, variable, sample) and nothing else: a sample more, a variable more or
                  another shard changes no other number
latin_hypercube   each variable's range is cut into as many strips as there are samples, and each strip is met once
sobol             a scrambled Sobol sequence; its balance is best for a power of two of samples
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..error_roots import optional
from ..model import ModelError

DESIGNS = ("random", "latin_hypercube", "sobol")
_BLOCK = 4  # Philox makes four 64-bit numbers per count
_SOBOL_BITS = 30
#: numbers of a Latin hypercube, which every process makes whole
_LARGEST_HYPERCUBE = 2**27
_LEAST, _MOST = 2.0**-54, 1.0 - 2.0**-53


def uniforms(
    design: str, seed: int, sizes: Mapping[str, int], total: int, samples: np.ndarray
) -> dict[str, np.ndarray]:
    """{variable: numbers (S, size) in (0, 1)} of the samples (S,) of a campaign with `total` of them."""
    if design == "random":
        return {name: counted(seed, name, samples, size) for name, size in sizes.items()}
    columns = sum(sizes.values())
    rows = (
        _hypercube(columns, total, seed)[samples]
        if design == "latin_hypercube"
        else _sobol(columns, seed, samples)
    )
    rows = np.minimum(np.maximum(rows, _LEAST), _MOST)  # an end of the range has no normal number
    ends = np.cumsum(list(sizes.values()))
    return {name: rows[:, end - size : end] for (name, size), end in zip(sizes.items(), ends, strict=True)}


def check_design(design: Any, columns: int, total: int) -> None:
    """Refuse a design that is not known, or too large for its kind."""
    if design not in DESIGNS:
        raise ModelError.single("Campaign", "design", expected=" or ".join(DESIGNS), given=repr(design))
    if design == "latin_hypercube" and columns * total > _LARGEST_HYPERCUBE:
        expected = f"at most {_LARGEST_HYPERCUBE:,} numbers in a Latin hypercube; sobol and random have no such bound"
        raise ModelError.single("Campaign", "design", expected=expected, given=f"{columns} × {total:,}")
    if design == "sobol" and total > 2**_SOBOL_BITS:
        raise ModelError.single(
            "Campaign",
            "samples",
            expected=f"at most {2**_SOBOL_BITS:,} in a Sobol sequence",
            given=f"{total:,}",
        )


def counted(seed: int, name: str, samples: np.ndarray, size: int) -> np.ndarray:
    """Numbers (S, size) in (0, 1) from Philox 4×64 counters: key (seed, name), one range of counters per sample."""
    blocks = -(-size // _BLOCK)
    found = np.empty((len(samples), blocks * _BLOCK), dtype=np.uint64)
    key = np.array(
        [seed, int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")], dtype=np.uint64
    )
    for first, last in _runs(samples):
        counter = np.array([int(samples[first]) * blocks, 0, 0, 0], dtype=np.uint64)
        raw = np.random.Philox(key=key, counter=counter).random_raw((last - first) * blocks * _BLOCK)
        found[first:last] = raw.reshape(last - first, -1)
    return ((found[:, :size] >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53


def _runs(samples: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of places in which the samples' numbers follow one another."""
    cuts = [0, *(np.flatnonzero(np.diff(samples) != 1) + 1).tolist(), len(samples)]
    return [(first, last) for first, last in pairwise(cuts) if last > first]


@lru_cache(maxsize=2)
def _hypercube(columns: int, total: int, seed: int) -> np.ndarray:
    rng = np.random.Generator(np.random.PCG64(seed))
    return _qmc().LatinHypercube(d=columns, rng=rng).random(total)


def _sobol(columns: int, seed: int, samples: np.ndarray) -> np.ndarray:
    """Points (S, columns), in the middle of their cells."""
    found = np.empty((len(samples), columns))
    for first, last in _runs(samples):
        rng = np.random.Generator(np.random.PCG64(seed))
        engine = _qmc().Sobol(d=columns, scramble=True, bits=_SOBOL_BITS, rng=rng)
        if samples[first]:
            engine.fast_forward(int(samples[first]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # parts of a balanced whole
            found[first:last] = engine.random(last - first)
    return found + 2.0 ** -(_SOBOL_BITS + 1)


def _qmc() -> Any:
    return optional("scipy.stats.qmc", "campaigns", "a Latin hypercube or a Sobol sequence")
