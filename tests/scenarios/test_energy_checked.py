"""The energy check that `unmoored run` prints: of every built-in scenario it is the method's own error."""

import numpy as np
import pytest

import unmoored as um

#: those that are cheap; all others run in `make long`
CHEAP = ("gantry_crane", "geometric_phase")


@pytest.mark.filterwarnings("ignore::unmoored.ModelWarning")  # ETS-VII's published inertias
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in CHEAP else (pytest.mark.long,)) for name in um.scenarios()],
)
def test_energy_is_explained(name):
    scenario = um.load_scenario(name)
    if scenario.method == "dopri5":
        pytest.skip("steps are its own")
    run = scenario.run(progress=False, balance=True)
    assert np.max(run.invariants()["energy_balance"]) < 2e-4
