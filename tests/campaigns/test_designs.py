"""Designs: numbers of a sample depend on nothing but the seed, the variable and the sample."""

import numpy as np
import pytest
from scipy import stats

import unmoored as um
from unmoored.campaigns.designs import DESIGNS, uniforms

from .small_studies import plant

SIZES = {"a": 1, "b": 5, "c": 2}


@pytest.mark.parametrize("design", DESIGNS)
def test_parts_are_the_whole(design):
    whole = uniforms(design, 7, SIZES, 300, np.arange(300))
    places = np.array([3, 4, 5, 299, 17, 18, 0])
    for part in (np.arange(100, 200), places):
        for name, numbers in uniforms(design, 7, SIZES, 300, part).items():
            assert np.array_equal(numbers, whole[name][part])
    every = np.concatenate(list(whole.values()), axis=1)
    assert every.shape == (300, 8)
    assert every.min() > 0
    assert every.max() < 1
    other = uniforms(design, 8, SIZES, 300, np.arange(300))
    assert not np.array_equal(every, np.concatenate(list(other.values()), axis=1))


def test_random_numbers_do_not_change_with_other_variables_or_more_samples():
    few = uniforms("random", 7, {"b": 5}, 10, np.arange(10))["b"]
    many = uniforms("random", 7, SIZES, 1000, np.arange(1000))["b"]
    assert np.array_equal(few, many[:10])
    assert stats.kstest(many.ravel(), "uniform").pvalue > 0.01
    assert np.abs(np.corrcoef(many.T) - np.eye(5)).max() < 0.15


def test_each_strip_of_a_latin_hypercube_is_met_once():
    rows = np.concatenate(list(uniforms("latin_hypercube", 1, SIZES, 64, np.arange(64)).values()), axis=1)
    assert np.array_equal(
        np.sort((rows * 64).astype(int), axis=0), np.repeat(np.arange(64)[:, None], 8, axis=1)
    )


def test_a_sobol_sequence_of_a_power_of_two_is_balanced():
    rows = np.concatenate(list(uniforms("sobol", 1, SIZES, 256, np.arange(256)).values()), axis=1)
    assert np.array_equal(
        np.sort((rows * 256).astype(int), axis=0), np.repeat(np.arange(256)[:, None], 8, axis=1)
    )


def test_lists_go_through_all_combinations():
    campaign = um.Campaign(
        plant(),
        vary={
            "swing.mass": um.Values([1.0, 2.0]),
            "initial.joints.swing": um.Range(0.0, 0.2, 3),
            "swing.damping": um.Uniform([0.0], [1.0]),
        },
        samples=2,
        duration=0.1,
    )
    values = campaign.values()
    assert campaign.samples == 12
    assert values["swing.mass"].tolist() == [1.0] * 6 + [2.0] * 6
    np.testing.assert_allclose(values["initial.joints.swing"], [0, 0, 0.1, 0.1, 0.2, 0.2] * 2)
    assert len(np.unique(values["swing.damping"])) == 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"design": "clever"}, "latin_hypercube"),
        ({"design": "latin_hypercube", "samples": 10**9}, "at most"),
        ({"design": "sobol", "samples": 2**31}, "at most"),
        ({"samples": 0}, "whole number"),
        ({"vary": {"swing.mess": um.Normal(1, 1)}}, "swing.mass"),
        ({"vary": {"swing.mass": 3.0}}, "distribution"),
        ({"vary": {"swing.com": um.Normal(1, 1)}}, "shape"),
        ({"vary": {"swing.com[3]": um.Normal(1, 1)}}, "vary"),
        ({"vary": {"controller.stiffness": um.Normal(1, 1)}}, "law"),
        ({"vary": {"initial.joints.tip": um.Normal(1, 1)}}, "swing"),
        ({"vary": {"swing.mass, swing.armature": um.Correlated([1, 1, 1], np.eye(3))}}, "2 numbers"),
        ({"backend": "cpu"}, "decides"),
        ({"q0": np.zeros((4, 1))}, "in vary"),
        ({"keep": um.Keep(channels=("elbow",))}, "channel"),
        ({"keep": um.Keep(every=0.015)}, "multiple"),
        ({"seed": -1}, "seed"),
        ({"name": "../x"}, "name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_once(change, words):
    given = {"vary": {"swing.mass": um.Uniform(1, 2)}, "samples": 10, "duration": 0.1, "step": 0.01}
    with pytest.raises(um.ModelError, match=words):
        um.Campaign(plant(), **(given | change))
