"""Methods have their order, on every subgroup with an arm on it (docs/theory.md §16); tests/long has every pair."""

import numpy as np
import pytest
from tests.support.random_trees import SUBGROUP_KINDS, random_tree

import unmoored as um
from unmoored.integrators import METHODS, ORDERS

KINDS = (*(kind for kind in SUBGROUP_KINDS if kind != "Fixed"), "Universal")
SAMPLES, SPEED = 32, 3.0
#: (duration (s), fewest steps, how many numbers of steps): the last four with errors between 1e-3 and 5e-12 count
TRIALS = {
    "euler": (0.1, 6000, 4),
    "heun": (0.25, 1000, 4),
    "rkmk4": (1.0, 60, 12),
    "dopri5": (3.0, 60, 13),
    "lie_midpoint": (0.25, 1000, 4),
    "variational": (0.25, 1000, 4),
}
COUNTED = 4
#: groups on which every method is tried; on each of the others dopri5 is, which gives the exact end too, and one more
ALL_TRIED = ("Free",)
OTHERS = tuple(method for method in TRIALS if method != "dopri5")


def tried_on(kind):
    """The methods that are tried on a group here."""
    return tuple(TRIALS) if kind in ALL_TRIED else ("dopri5", OTHERS[KINDS.index(kind) % len(OTHERS)])


def plant_of(kind):
    """A vehicle that moves in the group, with an arm, under gravity."""
    # on a vehicle that falls without turning, one hinged link only turns evenly
    seed, arm = (12, "Spherical") if kind == "Translation3" else (11, "Revolute")
    return um.Plant(um.System(random_tree(seed, [kind, arm], branching=False)), world=um.Earth())


def end(plant, method, duration, steps):
    """Final states of several samples, whose errors together are smoother than one's."""
    rng = np.random.default_rng(3)
    q = np.stack([plant.system.random_configuration(rng) for _ in range(SAMPLES)])
    v = rng.uniform(-SPEED, SPEED, (SAMPLES, plant.nv))
    run = um.simulate(
        plant,
        q,
        v,
        duration=duration,
        step=duration / steps,
        method=method,
        record_every=steps,
        tolerance=None,
    )
    return run.q[:, -1], run.v[:, -1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_has_its_order(kind):
    check_orders(kind, tried_on(kind))


def check_orders(kind, methods):
    plant, exact = plant_of(kind), {}
    for method in methods:
        duration, fewest, tried = TRIALS[method]
        if duration not in exact:
            exact[duration] = end(plant, "dopri5", duration, round(2000 * duration))
        q_end, v_end = exact[duration]
        found = []
        for k in range(tried):
            steps = round(fewest * 1.3**k)
            q, v = end(plant, method, duration, steps)
            off = np.concatenate([plant.system.local(q_end, q), v - v_end], axis=-1)
            error = np.sqrt((off**2).mean())
            if 5e-12 < error < 1e-3:
                found.append((steps, error))
        assert len(found) >= COUNTED, f"{method}: {found}"
        slope = -np.polyfit(*np.log(found[-COUNTED:]).T, 1)[0]
        assert abs(slope - ORDERS[method]) < 0.1, f"{method}: order {slope:.3f}, errors {found}"


def test_all_methods_are_tried():
    assert TRIALS.keys() == METHODS.keys() == ORDERS.keys()
    assert {method for kind in KINDS if kind not in ALL_TRIED for method in tried_on(kind)} == TRIALS.keys()
