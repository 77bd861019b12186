"""Gradients of methods and rollouts through JAX, compiled and mapped, against differences along the group."""

import numpy as np
import pytest
from tests.support.random_trees import random_tree

import unmoored as um

jax = pytest.importorskip("jax", reason="jax is not installed: pip install 'unmoored[jax]'")
bridge = pytest.importorskip("unmoored.bridges.jax")
jnp = jax.numpy

ARM = um.System(random_tree(21, ("Free", "Revolute", "Prismatic"), branching=False))
PLANT = um.Plant(
    um.load("bluerov2_heavy"),
    um.Ocean(),
    [um.Thruster(f"thruster_{k}", limits=(-40.0, 40.0), lag=0.1) for k in (1, 2, 3, 5)],
    free=["ocean.current", "rov.mass"],
)


@pytest.fixture(autouse=True)
def double():
    """In double precision, as differences need it."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def slope(cost, x, h=1e-4, compiled=True):
    """The gradient by differences of fourth order."""
    cost = jax.jit(cost) if compiled else cost
    found = np.zeros(np.size(x))
    for k, e in enumerate(np.eye(np.size(x))):
        d = e.reshape(np.shape(x)) * h
        found[k] = (8 * (cost(x + d) - cost(x - d)) - (cost(x + 2 * d) - cost(x - 2 * d))) / (12 * h)
    return found.reshape(np.shape(x))


def test_gradients_along_the_group_compiled_and_mapped():
    rng = np.random.default_rng(1)
    q = ARM.random_configuration(rng)
    v, tau = rng.normal(size=(2, 5, ARM.nv))
    forward, move = bridge.function(ARM, "forward_dynamics"), bridge.function(ARM, "retract")
    weights = jnp.asarray(rng.normal(size=ARM.nv))

    def cost(x, v, tau):
        return jnp.sin(forward(move(q, x), v, tau)) @ weights

    x = 0.1 * rng.normal(size=ARM.nv)
    by_x, by_v, by_tau = jax.grad(cost, argnums=(0, 1, 2))(x, v[0], tau[0])
    np.testing.assert_allclose(by_x, slope(lambda x: cost(x, v[0], tau[0]), x), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(by_v, slope(lambda v: cost(x, v, tau[0]), v[0]), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(by_tau, slope(lambda tau: cost(x, v[0], tau), tau[0]), rtol=1e-6, atol=1e-7)
    mapped = jax.jit(jax.vmap(jax.grad(cost, argnums=(0, 1, 2)), in_axes=(None, 0, 0)))(x, v, tau)
    np.testing.assert_allclose(mapped[0][0], by_x, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        mapped[1][3], jax.grad(cost, argnums=1)(x, v[3], tau[3]), rtol=1e-12, atol=1e-14
    )
    # maps in maps, over arguments with batches of their own
    many = jax.vmap(lambda v: forward(q, v, tau))(v)
    np.testing.assert_allclose(many, ARM.forward_dynamics(q, v[:, None], tau), rtol=1e-12)
    twice = jax.vmap(lambda v: jax.vmap(lambda tau: forward(q, v, tau))(tau))(v)
    np.testing.assert_array_equal(twice, many)


def test_what_is_broadcast_is_summed_and_q_is_on_its_tangent():
    rng = np.random.default_rng(2)
    pose, q = bridge.function(ARM, "pose", ARM.names[-1]), ARM.random_configuration(rng)
    weights = rng.normal(size=(4, 4))
    found = jax.grad(lambda q: (pose(q) * weights).sum())(jnp.asarray(q))
    along = slope(
        lambda x: (ARM.pose(ARM.retract(q, x), ARM.names[-1]) * weights).sum(),
        np.zeros(ARM.nv),
        compiled=False,
    )
    np.testing.assert_allclose(ARM.pull_back(q, np.asarray(found)), along, atol=1e-9)
    R, G = q[:9].reshape(3, 3), np.asarray(found)[:9].reshape(3, 3)
    np.testing.assert_allclose(R.T @ G + G.T @ R, 0.0, atol=1e-12)
    energy, v = bridge.function(ARM, "energy"), rng.normal(size=(6, ARM.nv))
    by_q = jax.grad(lambda q: energy(q, v).kinetic.sum())(jnp.asarray(q))
    each = sum(jax.grad(lambda q, row=row: energy(q, row).kinetic)(jnp.asarray(q)) for row in v)
    np.testing.assert_allclose(by_q, each, rtol=1e-12, atol=1e-13)


def test_gradients_of_a_rollout():
    system, rng = PLANT.system, np.random.default_rng(3)

    class Damper(um.Law):
        gain: np.ndarray

        def __call__(self, t, q, v):
            return self.gain * v[:4]

    rollout = bridge.rollout(um.Rollout(PLANT, 4, 0.02, control_step=0.04, controller=Damper(np.ones(4))))
    q, target = system.random_configuration(rng), system.random_configuration(rng)
    move, local = bridge.function(system, "retract"), bridge.function(system, "local")

    def cost(x, v, u, p, gain):
        Q, V = rollout(move(q, x), v, u, p, gains={"gain": gain})
        return (local(target, Q) ** 2).sum() + (jnp.sin(V)).sum()

    given = (
        np.zeros(6),
        rng.normal(size=6),
        rng.normal(size=(2, 4)),
        PLANT.nominal_parameters,
        np.full(4, -0.7),
    )
    found = jax.jit(jax.grad(cost, argnums=(0, 1, 2, 3, 4)))(*given)
    for k in range(5):
        expected = slope(lambda y, k=k: cost(*given[:k], y, *given[k + 1 :]), given[k])
        np.testing.assert_allclose(found[k], expected, rtol=1e-6, atol=1e-7)
    us = rng.normal(size=(3, 2, 2, 4))  # two leading dimensions
    several = jax.vmap(jax.vmap(lambda u: rollout(q, None, u)[1]))(us)
    one, _ = um.Rollout(PLANT, 4, 0.02, control_step=0.04, controller=Damper(np.ones(4)))(q, None, us[2, 1])[
        ::-1
    ]
    np.testing.assert_allclose(several[2, 1], one, rtol=1e-12, atol=1e-14)


def test_refusals():
    method = bridge.function(ARM, "forward_dynamics")
    q, v = jnp.asarray(ARM.neutral()), jnp.zeros(ARM.nv)

    def refused(call, *words):
        with pytest.raises(um.ModelError) as found:
            call()
        assert all(word in str(found.value) for word in words), str(found.value)

    refused(lambda: method(q, v, v.astype("float32")), "tau", "float64, as q is", "float32")
    refused(lambda: method(q, v, v.astype(int)), "tau", "float32 or float64")
    refused(lambda: method(q, v), "q, v, tau", "2 arguments")
    refused(lambda: method(q, v, q), "tau", f"(..., {ARM.nv})")
    kinetic = bridge.function(ARM, "energy")
    refused(lambda: jax.grad(
        lambda v: jax.grad(lambda v: kinetic(q, v).kinetic)(v).sum())(v), "second derivative")  # fmt: skip
    refused(
        lambda: bridge.rollout(um.Rollout(PLANT, 2, 0.01, dtype="float32"))(PLANT.system.neutral()), "dtype"
    )
    jax.config.update("jax_enable_x64", False)
    refused(lambda: method(ARM.neutral(), 0.0, 0.0), "q", "jax_enable_x64", "NumPy's float64")
    single = kinetic(jnp.asarray(ARM.neutral(), "float32"), jnp.ones(ARM.nv, "float32"))
    assert single.kinetic.dtype == np.float32


def test_a_rollout_has_no_gradient_by_time():
    """Not a number, and not zero: it is not computed."""
    plant = um.Plant(um.load("spart_sc_3dof"))
    roll = bridge.rollout(um.Rollout(plant, steps=2, step=1e-2, dtype="float32"))
    q = jnp.asarray(plant.system.neutral(), dtype="float32")
    slope = jax.grad(lambda t0, q: roll(q, t0=t0)[1].sum(), argnums=(0, 1))(jnp.float32(0.0), q)
    assert np.isnan(slope[0])
    assert np.isfinite(slope[1]).all()
