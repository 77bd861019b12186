"""The search for the zero of an event inside a step: how near it ends, and after how many tries."""

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.event_search import root

#: functions of the step's size with a sign change in (0, 1), their zeros, and tries that are enough
FUNCTIONS = {
    "straight": (lambda h: 3.0 * h - 1.0, 1 / 3, 3),
    "falling": (lambda h: 0.7 - h, 0.7, 3),
    "bent": (lambda h: np.exp(3.0 * h) - 2.0, np.log(2.0) / 3.0, 13),
    "steep": (lambda h: (h - 0.1) ** 3 + 0.01 * (h - 0.1), 0.1, 15),
    "flat": (lambda h: (h - 0.3) ** 3, 0.3, 64),
    "flatter": (lambda h: (h - 0.7) ** 5, 0.7, 64),
    "jump": (lambda h: np.sign(h - 0.123456), 0.123456, 45),
    "not finite": (lambda h: np.where(h > 0.5, np.inf, h - 0.2), 0.2, 4),
    "from its start": (lambda h: 1.0 * h, 0.0, 2),
    "to its end": (lambda h: h - 1.0, 1.0, 2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.whole
def test_the_zero_is_met_from_behind_in_few_tries(name):
    """Halving alone takes 44; what no straight line tells anything of takes some more than that."""
    g, zero, enough = FUNCTIONS[name]
    sizes = []

    def tried(h):
        sizes.append(h)
        return h, g(h)

    found = root(tried, g(np.zeros(1)), np.ones(1))
    assert zero - 1e-15 <= found[0] <= zero + 1.001e-13
    assert np.sign(g(found))[0] in (0.0, np.sign(g(np.ones(1)))[0])
    assert len(sizes) <= enough


def test_every_sample_has_what_it_has_alone():
    zeros, step = np.array([0.01, 0.3, 0.99]), np.array([1.0, 0.5, 2.0])

    def together(h):
        return h, np.expm1(2.0 * (h - zeros))

    found = root(together, together(np.zeros(3))[1], step)
    for k in range(3):
        alone = root(
            lambda h, k=k: (h, np.expm1(2.0 * (h - zeros[k]))),
            np.expm1(-2.0 * zeros[k : k + 1]),
            step[k : k + 1],
        )
        assert alone[0] == found[k]


def test_a_function_that_takes_something_else_is_refused_when_the_event_is_made():
    for function in (lambda t, q: t, lambda seen: 1.0, lambda t, q, v, u: t):
        with pytest.raises(um.ModelError, match=r"Event: function: expected g\(t, q, v\)"):
            um.Event(function)
    um.Event(lambda *state: state[0] - 1.0)
