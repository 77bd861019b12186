"""Campaigns on a GPU: the statistics of the processor to rounding, its own samples to the bit."""

import numpy as np
import pytest

import unmoored as um
from unmoored.kernels.cuda import device

from .small_studies import study
from .test_campaigns import falls
from .test_told_by_laws import study as told_study

try:
    device.cupy()
except (ImportError, um.CudaError) as error:
    pytest.skip(f"no GPU: {error}", allow_module_level=True)


def test_a_gpu_gives_the_processors_results_to_rounding(tmp_path):
    here, there = study(100), study(100)
    here.run(tmp_path / "cpu", shard=32)
    there.run(tmp_path / "cuda", on="cuda", shard=32)
    a, b = here.dataset(), there.dataset()
    np.testing.assert_array_equal(a["values"], b["values"])
    for name in ("series", "lowest", "highest", "last", "end_q", "end_v"):
        np.testing.assert_allclose(a[name], b[name], rtol=1e-9, atol=1e-11)
    first, second = here.statistics(), there.statistics()
    np.testing.assert_allclose(first.mean, second.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(first.covariance, second.covariance, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(
        first.quantiles([0.1, 0.5]), second.quantiles([0.1, 0.5]), rtol=1e-7, atol=1e-9
    )
    np.testing.assert_array_equal(first.highest_sample, second.highest_sample)


def test_samples_on_a_gpu_are_found_again_and_shards_made_anew_have_the_same_bytes(tmp_path):
    campaign = study(70)
    results = campaign.run(tmp_path / "g", on="cuda", shard=16)
    run = campaign.sample(33)
    np.testing.assert_array_equal(
        run.q[::10, 0], campaign.dataset()["series"].sel(sample=33, channel="swing")
    )
    path = results.folder.shard_path(2)
    before = path.read_bytes()
    path.unlink()
    campaign.run(tmp_path / "g", on="cuda")
    assert path.read_bytes() == before
    with pytest.raises(um.ModelError, match="engine"):
        study(70).run(tmp_path / "g")


def test_events_on_a_gpu_go_by_the_host(tmp_path):
    campaign = study(20, events=[um.Event(falls, "fell", "rising")])
    campaign.run(tmp_path / "e", on="cuda", shard=10)
    alone = study(20, events=[um.Event(falls, "fell", "rising")])
    alone.run(tmp_path / "c", shard=10)
    assert [f.sample for f in campaign.failures()] == [f.sample for f in alone.failures()]


def test_what_laws_tell_on_a_gpu(tmp_path):
    here, there = told_study(), told_study()
    here.run(tmp_path / "cpu", shard=6)
    there.run(tmp_path / "cuda", on="cuda", shard=6)
    for name in ("series", "last", "highest"):
        np.testing.assert_allclose(here.dataset()[name], there.dataset()[name], rtol=1e-8, atol=1e-9)
