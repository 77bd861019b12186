"""Channels of a campaign have units, in what people see of it and in its dataset."""

import json

import numpy as np
import pytest

import unmoored as um
from unmoored.campaigns.campaign_folder import CampaignFolder

from . import test_told_by_laws
from .small_studies import study

CHANNELS = ("swing", "swing.rate", "tip.z", "time", "tip.speed", "tip.pitch", "tip.turning")
UNITS = ("rad", "rad/s", "m", "s", "m/s", "rad", "rad/s")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    keep = um.Keep(channels=CHANNELS, every=0.1)
    return study(16, keep=keep).run(tmp_path_factory.mktemp("units") / "c", shard=8)


def test_units_of_channels_and_labels_of_statistics(results):
    assert results.units == UNITS
    labels = results.statistics().labels
    assert labels[:4] == ("swing [rad]", "swing.rate [rad/s]", "tip.z [m]", "time [s]")


def test_units_of_what_a_law_tells():
    told = test_told_by_laws.study().plan.units
    assert told == ("rad", "N m", "1", "", "", "rad", "rad", "rad", "m")


def test_figures_and_the_report_have_them(results, tmp_path):
    fan = results.plot("fan")
    assert [cell.get_ylabel() for cell in fan.axes[:3]] == list(results.statistics().labels[:3])
    assert results.plot("last").axes[2].get_xlabel() == "tip.z [m] at the end"
    page = results.report(tmp_path / "r.html").read_text()
    assert page.count("<td>swing.rate [rad/s]</td>") == 2


def test_the_dataset_has_them(results):
    data = results.dataset()
    assert data.unit.dims == ("channel",)
    assert dict(zip(data.channel.values, data.unit.values, strict=True)) == dict(
        zip(CHANNELS, UNITS, strict=True)
    )


def test_a_folder_from_before_has_none_and_goes_on(tmp_path):
    whole = study(16).run(tmp_path / "whole", shard=8)
    expected = whole.statistics()
    said = dict(whole.folder.said)
    del said["units"]
    old = CampaignFolder.begun(tmp_path / "old", said)
    assert json.dumps(old.said) == json.dumps(said)
    found = study(16).run(tmp_path / "old", shard=8)
    assert found.units == ("", "", "")
    assert found.statistics().labels == found.channels
    np.testing.assert_array_equal(found.statistics().mean, expected.mean)
