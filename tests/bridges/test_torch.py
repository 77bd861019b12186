"""Gradients of methods and rollouts through torch, against differences along the group, and what it refuses."""

import numpy as np
import pytest
from tests.bridges.test_episodes import task
from tests.support.random_trees import random_tree

import unmoored as um
from unmoored.bridges.episodes import Episodes

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'unmoored[torch]'")
bridge = pytest.importorskip("unmoored.bridges.torch")
TorchEnvironment = pytest.importorskip("unmoored.bridges.torch_environment").TorchEnvironment

ARM = um.System(random_tree(21, ("Free", "Revolute", "Prismatic"), branching=False))
PLANT = um.Plant(
    um.load("bluerov2_heavy"),
    um.Ocean(),
    [um.Thruster(f"thruster_{k}", limits=(-40.0, 40.0), lag=0.1) for k in (1, 2, 3, 5)],
    free=["ocean.current", "rov.mass"],
)
retracted = bridge.function(ARM, "retract")


def tensor(x, grad=True):
    return torch.tensor(np.asarray(x, dtype=float), requires_grad=grad)


def near(system, seed):
    """A configuration, and a small tangent there that gradients are taken by."""
    rng = np.random.default_rng(seed)
    return tensor(system.random_configuration(rng), False), tensor(0.1 * rng.normal(size=system.nv))


@pytest.mark.parametrize(
    ("name", "static", "others"),
    [
        ("pose", (ARM.names[-1],), ()),
        ("forward_dynamics", (), ("nv", "nv")),
        ("generalized_jacobian", (ARM.names[-1], [ARM.names[0]]), ()),
        ("energy", (), ("nv",)),
    ],
)
def test_gradients_of_methods_of_a_system(name, static, others):
    q, x = near(ARM, 1)
    rng = np.random.default_rng(2)
    given = [tensor(rng.normal(size=(2, getattr(ARM, size)))) for size in others]
    method = bridge.function(ARM, name, *static)

    def moved(x, *given):
        found = method(retracted(q, x), *given)
        return tuple(found) if isinstance(found, tuple) else found

    assert torch.autograd.gradcheck(moved, (x, *given))


def test_gradients_between_configurations():
    q0, x = near(ARM, 3)
    local, y = bridge.function(ARM, "local"), tensor(np.random.default_rng(4).normal(size=(3, ARM.nv)))
    assert torch.autograd.gradcheck(lambda x, y: local(retracted(q0, x), retracted(q0, y)), (x, y))


def test_gradients_of_a_step_by_all_that_it_depends_on():
    system, rng = PLANT.system, np.random.default_rng(5)
    q, x = near(system, 5)
    move, step = (
        bridge.function(system, "retract"),
        bridge.function(PLANT, "step", method="heun"),
    )
    assert step.arguments == ("t", "q", "v", "u", "step", "x", "p")
    v, u, a = (tensor(rng.normal(size=n)) for n in (PLANT.nv, (2, PLANT.nu), PLANT.nx))
    p = tensor(PLANT.nominal_parameters)
    assert torch.autograd.gradcheck(
        lambda x, v, u, a, p: tuple(step(0.0, move(q, x), v, u, 0.05, a, p)), (x, v, u, a, p)
    )


def test_a_gradient_by_a_configuration_is_on_its_tangent():
    rng = np.random.default_rng(6)
    q = tensor(ARM.random_configuration(rng))
    weights = rng.normal(size=(4, 4))
    method = bridge.function(ARM, "pose", ARM.names[-1])
    (method(q) * torch.tensor(weights)).sum().backward()
    slope, found = np.empty(ARM.nv), q.grad.numpy()
    for k, e in enumerate(np.eye(ARM.nv)):
        ends = [ARM.pose(ARM.retract(q.detach().numpy(), s * 1e-5 * e), ARM.names[-1]) for s in (1.0, -1.0)]
        slope[k] = (weights * (ends[0] - ends[1])).sum() / 2e-5
    np.testing.assert_allclose(ARM.pull_back(q.detach().numpy(), found), slope, atol=1e-8)
    # along any motion on the group the stored gradient times the rate of the numbers is the rate of the result
    d = rng.normal(size=ARM.nv)
    rate = (ARM.retract(q.detach().numpy(), 1e-5 * d) - ARM.retract(q.detach().numpy(), -1e-5 * d)) / 2e-5
    assert abs(found @ rate - slope @ d) < 1e-8
    # and nothing of it is off the tangent: lengths of a rotation's columns do not change
    R, G = q.detach().numpy()[:9].reshape(3, 3), found[:9].reshape(3, 3)
    np.testing.assert_allclose(R.T @ G + G.T @ R, 0.0, atol=1e-12)


def test_what_is_broadcast_is_summed():
    rng = np.random.default_rng(7)
    method = bridge.function(ARM, "inverse_dynamics")
    q = tensor(ARM.random_configuration(rng))
    v, a = tensor(rng.normal(size=(5, 1, ARM.nv))), tensor(rng.normal(size=(3, ARM.nv)))
    found = torch.autograd.grad(method(q, v, a).sin().sum(), (q, v, a))
    full = [x.detach().expand(5, 3, x.shape[-1]).contiguous().requires_grad_() for x in (q, v, a)]
    expected = torch.autograd.grad(method(*full).sin().sum(), full)
    for g, e, x in zip(found, expected, (q, v, a), strict=True):
        assert g.shape == x.shape
        torch.testing.assert_close(g, e.sum_to_size(x.shape), rtol=1e-12, atol=1e-12)


class Damper(um.Law):
    """A damper with a gain."""

    gain: np.ndarray

    def __call__(self, t, q, v):
        return self.gain * v[:4]


class BiasedDamper(um.Law):
    """A damper with a gain, about a force."""

    gain: np.ndarray
    bias: np.ndarray

    def __call__(self, t, q, v):
        return self.gain * v[:4] + self.bias


def test_gains_are_told_by_their_names():
    """In whatever order they are given."""
    rollout = bridge.rollout(um.Rollout(PLANT, 2, 0.02, controller=BiasedDamper(np.ones(4), np.zeros(4))))
    q, gain, bias = tensor(PLANT.system.neutral()), tensor(np.full(4, -3.0)), tensor(np.arange(4.0))
    ways = [{"gain": gain, "bias": bias}, {"bias": bias, "gain": gain}]
    (_, first), (_, second) = (rollout(q, gains=way) for way in ways)
    assert torch.equal(first, second)
    assert not torch.equal(first, rollout(q, gains={"gain": bias, "bias": gain})[1])


def test_gradients_of_a_rollout():
    system, rng = PLANT.system, np.random.default_rng(8)
    rollout = bridge.rollout(um.Rollout(PLANT, 4, 0.02, control_step=0.04, controller=Damper(np.ones(4))))
    move, local = bridge.function(system, "retract"), bridge.function(system, "local")
    q, x = near(system, 8)
    target = tensor(system.random_configuration(rng), False)
    v, u, a = (tensor(rng.normal(size=n)) for n in ((2, PLANT.nv), (2, 2, PLANT.nu), PLANT.nx))
    p, gain = tensor(PLANT.nominal_parameters), tensor(np.full(4, -0.7))

    def ends(x, v, u, a, p, gain):
        Q, V = rollout(move(q, x), v, u, p, x0=a, gains={"gain": gain})
        assert Q.shape == (2, 5, PLANT.nq)
        return local(target, Q), V

    assert torch.autograd.gradcheck(ends, (x, v, u, a, p, gain))


def test_memory_is_shared_and_formats_kept():
    v = torch.zeros(3, ARM.nv, dtype=torch.float32)
    assert bridge._array(v).__array_interface__["data"][0] == v.data_ptr()
    q = torch.tensor(ARM.neutral(), dtype=torch.float32).requires_grad_()
    energy = bridge.function(ARM, "energy")(q, v)
    energy.kinetic.sum().backward()
    assert energy.kinetic.dtype == q.grad.dtype == torch.float32
    assert energy.kinetic.shape == (3,)


def refused(call, *words):
    with pytest.raises(um.ModelError) as found:
        call()
    assert all(word in str(found.value) for word in words), str(found.value)


def test_mismatches_are_refused():
    method = bridge.function(ARM, "forward_dynamics")
    q, v = tensor(ARM.neutral()), tensor(np.zeros(ARM.nv))
    refused(lambda: method(q, v, v.float()), "tau", "torch.float64 on cpu, as q is", "torch.float32")
    refused(lambda: method(q, v, v.to("meta")), "tau", "cpu or cuda", "meta")
    refused(lambda: method(q, v, v.detach().numpy()), "tau", "a tensor", "ndarray")
    refused(lambda: method(q, v, v.long()), "tau", "float64 or float32", "int64")
    refused(lambda: method(q, v), "q, v, tau", "2 arguments")
    refused(lambda: method(q, v, q), "tau", f"(..., {ARM.nv})")
    refused(lambda: method(q, v.expand(2, -1), v.expand(3, -1)), "broadcast")
    refused(lambda: method(q, v, v + torch.nan), "tau[0]", "nan")
    refused(lambda: bridge.function(ARM, "conditioning"), "unknown method")
    rollout = bridge.rollout(um.Rollout(PLANT, 2, 0.01, dtype="float32"))
    q = tensor(PLANT.system.neutral())
    refused(lambda: rollout(q), "dtype", "float32", "float64")
    refused(lambda: rollout(q.float(), gains={"gain": q.float()}), "gain")


def test_second_derivatives_are_refused():
    q, v = tensor(ARM.neutral()), tensor(np.ones(ARM.nv))
    kinetic = bridge.function(ARM, "energy")(q, v).kinetic
    (slope,) = torch.autograd.grad(kinetic, v, create_graph=True)
    refused(slope.sum().backward, "second derivative", "first derivatives only")


def test_environments_in_torch_are_the_episodes():
    settings = {"duration": 0.2, "control_step": 0.1, "step": 0.05, "terminated": {}}
    episodes = Episodes(task(**settings), 4, seed=3, dtype="float32")
    environment = TorchEnvironment(episodes.task, 4, seed=3)
    np.testing.assert_array_equal(environment.reset(), episodes.reset())
    actions = torch.randn(3, 4, 8, generator=torch.Generator().manual_seed(0))
    for row in actions:
        for one, other in zip(environment.step(row), episodes.step(row.numpy()), strict=True):
            np.testing.assert_array_equal(one, other)
    assert environment.action_high.tolist() == [40.0] * 8
    refused(lambda: environment.step(actions[0].double()), "actions", "torch.float32 on cpu")
    refused(lambda: TorchEnvironment(episodes.task, 4, device="meta"), "device")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_the_gpu_gives_the_gradients_of_the_cpu():
    rng, rollouts = np.random.default_rng(9), {}
    q, v = tensor(PLANT.system.random_configuration(rng)), tensor(rng.normal(size=(8, PLANT.nv)))
    u, gain = tensor(rng.normal(size=(8, 2, PLANT.nu))), tensor(np.full(4, -0.5))
    for place, backend in (("cpu", "cpu"), ("cuda", "cuda")):
        given = [x.detach().to(place).requires_grad_() for x in (q, v, u, gain)]
        rollout = bridge.rollout(
            um.Rollout(PLANT, 4, 0.02, control_step=0.04, controller=Damper(np.ones(4)), backend=backend)
        )
        Q, V = rollout(*given[:3], gains={"gain": given[3]})
        rest = [torch.zeros(PLANT.nx), torch.tensor(PLANT.nominal_parameters)]
        rest = [x.to(place, torch.float64) for x in rest]
        a = bridge.function(PLANT, "forward_dynamics")(0.0, given[0], given[1], given[2][:, 0], *rest)
        assert Q.device.type == a.device.type == place
        found = torch.autograd.grad(Q.sin().sum() + V.sin().sum() + a.sin().sum(), given)
        rollouts[place] = [x.cpu() for x in found]
    for one, other in zip(*rollouts.values(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_environments_on_the_gpu_are_those_of_the_cpu():
    own, rng = task(terminated={}), np.random.default_rng(10)
    both = [
        TorchEnvironment(own, 300, device=place, dtype=torch.float64, seed=5) for place in ("cpu", "cuda")
    ]
    mask = torch.arange(300) % 3 == 0
    starts = [environment.reset(mask.to(environment.device), spread=True).cpu() for environment in both]
    torch.testing.assert_close(*starts, rtol=1e-12, atol=1e-12)
    for row in rng.uniform(-20, 20, (7, 300, 8)):
        found = [environment.step(torch.tensor(row, device=environment.device)) for environment in both]
        assert found[1].observation.is_cuda
        for one, other in zip(*found, strict=True):
            torch.testing.assert_close(one, other.cpu(), rtol=1e-10, atol=1e-10)
