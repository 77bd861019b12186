"""Every method of System and Plant that can be traced has gradients through torch; methods are found, not listed."""

import numpy as np
import pytest
from tests.system.test_differentiated_methods import DIFFERENTIATED, tangent
from tests.system.test_refused_inputs import owner_of, values

import unmoored as um
from unmoored.dynamics.configuration_derivatives import tangent_of_numbers
from unmoored.system.argument_kinds import ArrayOf, Named
from unmoored.system.method import methods_of

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'unmoored[torch]'")
bridge = pytest.importorskip("unmoored.bridges.torch")

#: methods of a plant without an arm, actuators, closures or elements whose results have no entries
EMPTY = (
    "allocation_matrix",
    "closure_loads",
    "disturbance_jacobian",
    "element_loads",
    "generalized_jacobian",
    "lagrange_poincare",
    "operational_space",
)


@pytest.mark.parametrize(("kind", "name"), DIFFERENTIATED)
def test_gradients_agree_with_differences(kind, name):
    method = methods_of(getattr(um, kind))[name]
    owner, rng = owner_of(kind, method), np.random.default_rng(3)
    given = values(owner, method)
    names = {k: x for k, x in given.items() if isinstance(method.kinds[k], Named)}
    loose = [k for k, how in method.arrays.items() if isinstance(how, ArrayOf) and k != "passive"]
    names |= {"passive": given["passive"]} if "passive" in given else {}
    names |= {"wrenches": list(given["wrenches"])} if "wrenches" in given else {}
    given |= {f"wrench_{frame}": F for frame, F in given.get("wrenches", {}).items()}
    function = bridge.function(owner, name, arguments=loose, **names)
    x = [torch.tensor(np.asarray(given[k], dtype=float), requires_grad=True) for k in function.arguments]
    moves = [
        tangent(owner, np.asarray(given[k]), rng)
        if k in ("q", "q0", "q1")
        else rng.normal(size=np.shape(given[k]))
        for k in function.arguments
    ]

    def total(s):
        """A weighted sum of the results, at a small distance along the moves."""
        arrays = [_moved(owner, k, y, d, s) for k, y, d in zip(function.arguments, x, moves, strict=True)]
        found = function(*arrays)
        parts = [y for y in (found if isinstance(found, tuple) else (found,)) if y.numel()]
        weights = np.random.default_rng(4)
        return sum((y * torch.tensor(weights.normal(size=tuple(y.shape)))).sum() for y in parts)

    if kind == "Plant" and name in EMPTY:
        with pytest.raises(um.ModelError, match="that have entries"):
            total(0.0)
        return
    gradients = torch.autograd.grad(total(0.0), x)
    slope = sum(float((g * torch.tensor(d)).sum()) for g, d in zip(gradients, moves, strict=True))
    with torch.no_grad():
        h = 1e-3
        ends = {k: float(total(k * h)) for k in (-3, -2, -1, 1, 2, 3)}
    differences = sum(c * (ends[k] - ends[-k]) for k, c in ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))) / h
    size = sum(float((g * torch.tensor(d)).abs().sum()) for g, d in zip(gradients, moves, strict=True))
    assert abs(slope - differences) <= 1e-6 * max(size, 1.0)


def _moved(owner, name, x, d, s):
    """x at the distance s along d; configurations along the group."""
    if not s:
        return x
    if name not in ("q", "q0", "q1"):
        return x + s * torch.tensor(d)
    system = owner.system if isinstance(owner, um.Plant) else owner
    q = x.detach().numpy()
    return torch.tensor(system.retract(q, s * tangent_of_numbers(system.tree, q, np.asarray(d))))
