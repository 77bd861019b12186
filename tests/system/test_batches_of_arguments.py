"""Any argument alone may have a batch, and every result then has it: in NumPy as in the kernels. Methods are found."""

import numpy as np
import pytest
from tests.support.thinning import without
from tests.system.test_refused_inputs import ARM, CALLS, DRIVE, ROVER, values

import unmoored as um
from unmoored.system.argument_kinds import WrenchesOn
from unmoored.system.method import methods_of

BLUE = um.load("bluerov2_heavy")
PLANT = um.Plant(
    BLUE,
    um.Ocean(current=(0.1, 0.2, 0.0)),
    actuators=[um.Thruster(BLUE.names[0], name="bow", direction=(1, 0, 0), lag=0.2)],
    free=["ocean.current", f"{BLUE.names[0]}.mass"],
)
TIED = um.Plant(ROVER, um.Earth(), constraints=[DRIVE])
#: methods that have no form for constraints
NOT_TIED = {"disturbance_jacobian", "generalized_jacobian", "hybrid_dynamics", "operational_space"}
KERNELS = [(kind, name) for kind, name in CALLS if not methods_of(getattr(um, kind))[name].numpy_only]

#: their other walks (NaN, derivatives) are ordinary
LONG = {("Plant", name) for name in ("linear_system", "forward_dynamics_jacobian", "step_jacobian", "step")}


def owners(kind, method):
    if kind == "System":
        return [ROVER if "constraints" in method.kinds else ARM]
    return [PLANT] if method.name in NOT_TIED else [PLANT, TIED]


def parts(x):
    return [np.asarray(part) for part in (x if isinstance(x, tuple) else (x,))]


def batch_of(owner, name, x, rng):
    if name in ("q", "q0", "q1"):
        system = owner.system if isinstance(owner, um.Plant) else owner
        return np.stack([system.random_configuration(k) for k in (10, 11)])
    return np.asarray(x, dtype=float) * rng.uniform(0.9, 1.1, (2, *np.shape(x)))


@pytest.mark.parametrize("lag", [None, 0.2])
def test_results_with_one_entry_and_with_none_have_their_places(lag):
    """The states of actuators, one or none, behind a step."""
    jet = um.Thruster("brick", name="jet", direction=(1, 0, 0), lag=lag)
    plant = um.Plant(um.load("tumbling_brick"), actuators=[jet])
    q, v, x = plant.system.random_configuration(1), np.arange(6.0), np.full(plant.nx, 0.3)
    for batch in ((), (3,)):
        given = (
            0.0,
            *(np.broadcast_to(part, (*batch, *part.shape)) for part in (q, v, np.array([2.0]))),
            0.01,
        )
        found = plant.step(*given, x=np.broadcast_to(x, (*batch, plant.nx)), method="heun")
        expected = plant.step(
            *given, x=np.broadcast_to(x, (*batch, plant.nx)), method="heun", backend="numpy"
        )
        assert [part.shape for part in found] == [
            (*batch, 12),
            (*batch, 6),
            (*batch, 0 if lag is None else 1),
        ]
        for mine, right in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, right, rtol=1e-12, atol=1e-14)


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "name"), without(lambda case: case in LONG, KERNELS))
def test_one_argument_with_a_batch(kind, name):
    method, rng = methods_of(getattr(um, kind))[name], np.random.default_rng(7)
    for owner in owners(kind, method):
        good = values(owner, method)
        if "p" in good:
            good["p"] = owner.nominal_parameters
        if "step" in good:
            good["step"] = 0.01  # a longer one would be unstable, and rounding with it

        def call(changed, owner=owner, good=good):
            return parts(getattr(owner, name)(**(good | changed), backend="numpy"))

        for argument, argument_kind in method.arrays.items():
            if argument == "passive" or not np.size(good[argument]):
                continue
            if isinstance(argument_kind, WrenchesOn):
                (frame,) = good[argument]
                batch = batch_of(owner, argument, good[argument][frame], rng)
                every = [{frame: batch}, {frame: batch[:1]}, {frame: batch[0]}, {frame: batch[1]}]
            else:
                batch = batch_of(owner, argument, good[argument], rng)
                every = [batch, batch[:1], *batch]
            both, one, first, second = (call({argument: x}) for x in every)
            for got, single, *alone in zip(both, one, first, second, strict=True):
                assert got.shape == (2, *alone[0].shape)
                assert single.shape == (1, *alone[0].shape)
                assert np.abs(single - alone[0]).max(initial=0.0) <= 1e-11 * (
                    1.0 + np.abs(alone[0]).max(initial=0.0)
                )
                assert np.abs(got - alone).max(initial=0.0) <= 1e-11 * (1.0 + np.abs(alone).max(initial=0.0))
        for place in {"q", "q0"} & good.keys():
            nothing = call({place: np.zeros((0, owner.tree.nq))})
            assert [x.shape for x in nothing] == [(0, *x.shape) for x in call({})]
