"""SPART's own functions, run once under GNU Octave 7.3 on its example spacecraft with tensors of no symmetry.

The numbers are what `GIM`, `FD`, `CIM` and `Jacob` gave, to twelve decimals; SPART's velocities are (ω in the base's
axes, ṙ in inertial ones, joints). docs/coming-from/spart.md has the example as SPART ships it.
"""

import numpy as np

import unmoored as um

ANGLES = {"shoulder_yaw": 0.4, "shoulder_pitch": -0.9, "elbow_pitch": 1.3}
U = np.array([0.1, -0.2, 0.3, 0.05, 0.02, -0.04, 0.5, -0.3, 0.2])
TAU = np.array([0.2, -0.1, 0.05, 1, -2, 0.5, 0.3, -0.6, 0.4])
GIM_DIAGONAL = [53.83183326557, 50.732394106855, 10.806784322436, 130, 130, 130,
                3.061784322436, 10.142180911013, 1.50625]  # fmt: skip
GIM_COUPLING = [[4.034222051421, 17.27327933034, 4.702064213788], [-9.525720544083, 7.32191255457, 1.995886897567],
                [3.061784322436, 3.774269138181e-3, 8.499488393101e-3], [-3.910409073075, 10.729046467, 2.011247143609],
                [-6.107391896043, -6.292982994391, -1.802771374963],
                [1.209119976228, 2.912239792049, -2.601422744757]]  # fmt: skip
FD = [-0.123488705568, 0.041493727676, -0.038031073019, 0.009787484798, -0.009779616106, 0.043019225599,
      0.050298504209, -0.051929806422, -0.520296659524]  # fmt: skip
CIM_TIMES_U = [9.736537182848, -0.269456194575, 1.086706253436, 2.562066637252, -6.122669718233, -6.363798327047,
               1.087026253436, 2.639178082213, 1.873311506637]  # fmt: skip
J_STAR = [[0.214826971053, 0.347447990765, 0.481000031868], [0.036399329483, 0.543447015096, 0.751672651704],
          [0.879381514977, -0.117475396636, -0.152458752441], [0.053263243454, 0.420817444874, 0.254708199795],
          [0.083577327869, -0.27988393937, -0.255692803735],
          [-0.016471280903, -0.032201368789, -0.460959150303]]  # fmt: skip


def spacecraft():
    """SPART's SC_3DoF with tensors about the centres of mass that have products and three principal moments."""
    builder = um.SystemBuilder.of(um.load("spart_sc_3dof"))
    shape = np.array([[1.0, 0.1, 0.05], [0.1, 1.2, -0.08], [0.05, -0.08, 0.9]])
    bus = np.array([[9.3, 0.4, -0.3], [0.4, 8.1, 0.2], [-0.3, 0.2, 7.7]])
    for body in um.load("spart_sc_3dof").tree.bodies:
        given = body.inertia
        tensor = bus if body.name == "bus" else given.tensor[0, 0] * shape
        builder.change(body.name, inertia=um.Inertia(given.mass, given.com, tensor))
    return builder.build()


def test_inertia_accelerations_and_generalized_jacobian_are_sparts():
    system = spacecraft()
    R0 = um.lie.so3.exp(0.7 * np.array([1, 2, 3]) / np.sqrt(14))
    q = system.pack({"bus": um.lie.se3.pose(R0, np.array([0.3, -0.2, 0.5])), **ANGLES})
    X = np.zeros((9, 9))
    X[:3, 3:6], X[3:6, :3], X[6:, 6:] = R0.T, np.eye(3), np.eye(3)
    v, H = X @ U, X.T @ system.mass_matrix(q) @ X
    np.testing.assert_allclose(np.diag(H), GIM_DIAGONAL, rtol=0, atol=1e-11)
    np.testing.assert_allclose(H[:6, 6:], GIM_COUPLING, rtol=0, atol=1e-11)
    a = system.forward_dynamics(q, v, np.linalg.solve(X.T, TAU))
    udot = np.r_[a[3:6], R0 @ (a[:3] + np.cross(v[3:6], v[:3])), a[6:]]
    np.testing.assert_allclose(udot, FD, rtol=0, atol=1e-12)
    np.testing.assert_allclose(TAU - H @ udot, CIM_TIMES_U, rtol=0, atol=1e-11)
    J = system.mixed_generalized_jacobian(q, "tool", passive=["bus"])
    np.testing.assert_allclose(np.vstack([J[3:], J[:3]]), J_STAR, rtol=0, atol=1e-12)
