"""Workspaces and capability against closed forms."""

import numpy as np
import pytest

import unmoored as um
from unmoored import planning

# Papadopoulos and Dubowsky's planar example: masses (kg), moments of inertia (kg m²), link halves (m)
M = np.array([40.0, 4.0, 3.0])
I = np.array([6.667, 0.333, 0.25])
R0, L1, R1, L2, R2 = 0.5, 0.5, 0.5, 0.5, 0.5
TOTAL = M.sum()


def barycentric():
    """Constant vectors of the centres of mass and of the tool, along the three bodies' own x axes, from the common one.

    Written down from the definition of the centre of mass; nothing of the package is used.
    """
    base, one, two = np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0])
    c0 = np.zeros(3)
    c1 = R0 * base + L1 * one
    c2 = R0 * base + (L1 + R1) * one + L2 * two
    tool = c2 + R2 * two
    mean = (M[0] * c0 + M[1] * c1 + M[2] * c2) / TOTAL
    return np.array([c0 - mean, c1 - mean, c2 - mean]), tool - mean


def determinant(q1, q2):
    """Of the tool's velocity about the centre of mass by (q̇1, q̇2), with angular momentum zero; in world axes."""
    bodies, tool = barycentric()
    angles = np.array([0.0, q1, q1 + q2])
    axes = np.stack([np.cos(angles), np.sin(angles)], axis=-1)  # (3, 2)
    places, tip = bodies @ axes, tool @ axes
    turned = np.stack([-axes[:, 1], axes[:, 0]], axis=-1)  # derivative by the body's own angle
    by_angle = bodies[:, :, None] * turned  # (body, angle, 2)
    # L = Σ I_i θ̇_i + Σ m_i r_i × ṙ_i, linear in the rates of the bodies' angles
    L = I + np.einsum("i,ia,ika->k", M, np.stack([-places[:, 1], places[:, 0]], axis=-1), by_angle)
    rates = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])  # of (θ̇0, q̇1, q̇2)
    own = rates @ L
    jacobian = []
    for k in (1, 2):
        body_rates = rates[k] - own[k] / own[0] * rates[0]
        jacobian.append((tool * body_rates) @ turned)
    return np.linalg.det(np.array(jacobian)), np.linalg.norm(tip)


class TestFloatingWorkspace:
    SYSTEM = um.load("papadopoulos_dubowsky")
    FOUND = planning.floating_workspace(SYSTEM, "tool", rows=(0, 1), samples=121)

    def test_reach_is_that_of_the_barycentric_links(self):
        _, tool = barycentric()
        np.testing.assert_allclose(self.FOUND.reach[1], np.abs(tool).sum(), atol=1e-9)
        least = max(0.0, 2 * np.abs(tool).max() - np.abs(tool).sum())
        np.testing.assert_allclose(self.FOUND.reach[0], least, atol=1e-6)

    def test_singular_shapes_are_roots_of_the_closed_form(self):
        shapes = np.concatenate(self.FOUND.branches)
        assert len(shapes) > 200
        step = 1e-7
        for q1, q2 in shapes[::37]:
            slope = (determinant(q1, q2 + step)[0] - determinant(q1, q2 - step)[0]) / (2 * step)
            assert abs(determinant(q1, q2)[0]) < 1e-9 * max(1.0, abs(slope))
        radii = np.array([determinant(*shape)[1] for shape in shapes[::37]])
        np.testing.assert_allclose(np.concatenate(self.FOUND.radii)[::37], radii, atol=1e-12)

    def test_spans_are_those_of_a_fine_search_of_the_closed_form(self):
        """Radii at which the determinant changes sign, over a grid of its own: no singular shape in the rest."""
        q1, q2 = (np.linspace(-np.pi, np.pi, n, endpoint=False) + 0.003 for n in (40, 240))
        values = np.array([[determinant(a, b) for b in q2] for a in q1])
        signs = np.signbit(values[..., 0])
        radii = values[:, 1:, 1][signs[:, 1:] != signs[:, :-1]]
        lows, highs = np.array(self.FOUND.dependent).T
        inside = (radii[:, None] > lows - 0.05) & (radii[:, None] < highs + 0.05)
        assert inside.any(1).all()
        for a, b in self.FOUND.dependent:
            assert radii.min() < a + 0.05 or np.any(np.abs(radii - a) < 0.05)
            assert np.any(np.abs(radii - b) < 0.05)
        assert self.FOUND.independent  # there is some

    def test_spans_do_not_overlap_and_fill_the_reach(self):
        edges = sorted([*self.FOUND.dependent, *self.FOUND.independent])
        lengths = sum(b - a for a, b in edges)
        np.testing.assert_allclose(lengths, self.FOUND.reach[1] - self.FOUND.reach[0], atol=1e-5)

    def test_rows_must_make_it_square(self):
        with pytest.raises(um.ModelError, match="square"):
            planning.floating_workspace(self.SYSTEM, "tool", rows=(0, 1, 2))


def planar_arm():
    b = um.SystemBuilder("planar")
    one = b.vehicle("one", um.Revolute((0, 0, 1)), inertia=um.Inertia(1.0, (0.5, 0, 0), np.eye(3)))
    b.link("two", parent=one, joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(1.0, 0, 0)),
           inertia=um.Inertia(1.0, (0.3, 0, 0), np.eye(3)))  # fmt: skip
    b.frame("tip", parent="two", at=um.Pose(xyz=(0.6, 0, 0)))
    return b.build()


def test_reach_of_a_planar_arm_is_a_ring():
    x = np.linspace(-1.8, 1.8, 13)
    points = np.stack(np.meshgrid(x, x, [0.0], indexing="ij"), axis=-1)
    found = planning.reach_map(planar_arm(), "tip", points, directions=2, rolls=1, starts=8)
    r = np.linalg.norm(points, axis=-1)
    inside = (r > 0.4 + 1e-3) & (r < 1.6 - 1e-3)
    outside = (r < 0.4 - 1e-3) | (r > 1.6 + 1e-3)
    assert found.reached.shape == (13, 13, 1)
    assert found.reached[inside].all()
    assert not found.reached[outside].any()


def test_dexterity_is_one_where_every_orientation_is_met():
    """A ball joint at the wrist: inside of the arm's reach every orientation is possible."""
    b = um.SystemBuilder("gantry")
    post = b.vehicle(
        "post", um.Translation(3, limits=([-1, -1, -1], [1, 1, 1])), inertia=um.Inertia.box(1.0, (1, 1, 1))
    )
    b.link("wrist", parent=post, joint=um.Spherical(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    b.frame("tool", parent="wrist", at=um.Pose(xyz=(0.2, 0, 0)))
    found = planning.reach_map(
        b.build(), "tool", [[0, 0, 0], [1.1, 0, 0], [1.3, 0, 0]], passive={}, directions=12, rolls=2
    )
    assert found.dexterity[0] == 1.0
    assert 0.0 < found.dexterity[1] < 1.0
    assert found.dexterity[2] == 0.0
    share = np.mean(found.orientations[:, 0, 0] >= 0.5)  # the x axis must point away by at least 0.1 of 0.2 m
    assert found.dexterity[1] == share


class TestCapability:
    @staticmethod
    def plant(drag=20.0, thrust=(-30.0, 40.0)):
        b = um.SystemBuilder("box")
        b.vehicle("hull", um.Free(), inertia=um.Inertia.box(10.0, (1, 1, 1)),
                  fluid=um.Fluid(quadratic_drag=[drag, 2 * drag, drag, 1, 1, 1], volume=10.0 / 1000.0))  # fmt: skip
        b.frame("tool", parent="hull", at=um.Pose(xyz=(1.0, 0, 0)))
        thrusters = [
            um.Thruster("hull", limits=thrust, name="surge"),
            um.Thruster("hull", (0.5, 0, 0), (0, 1, 0), limits=(-20, 20), name="bow"),
            um.Thruster("hull", (-0.5, 0, 0), (0, 1, 0), limits=(-20, 20), name="stern"),
        ]
        return um.Plant(
            b.build(), world=um.Ocean(density=1000.0), actuators=thrusters, free=["ocean.current"]
        )

    DOFS = ("hull.vx", "hull.vy", "hull.wz")

    def test_current_by_heading_is_the_closed_form(self):
        plant = self.plant()
        found = planning.current_capability(
            plant, plant.system.neutral(), [0.0, np.pi, 0.5 * np.pi], dofs=self.DOFS
        )
        # drag 20 U² along x against 30 N back or 40 N ahead; 40 U² along y against twice 20 N
        np.testing.assert_allclose(found.largest, [np.sqrt(30 / 20), np.sqrt(40 / 20), 1.0], rtol=1e-6)
        assert found.limiting[0] == ("surge",)
        assert set(found.limiting[2]) == {"bow", "stern"}

    def test_a_weaker_thruster_lowers_what_it_limits_and_nothing_else(self):
        weak, whole = (planning.current_capability(p, p.system.neutral(), [0.0, 0.5 * np.pi], dofs=self.DOFS)
                       for p in (self.plant(thrust=(-15.0, 40.0)), self.plant()))  # fmt: skip
        assert weak.largest[0] < whole.largest[0]
        assert np.isclose(weak.largest[1], whole.largest[1], rtol=1e-9)

    def test_force_of_the_tool_is_the_closed_form(self):
        """Sideways at 1 m from tunnels at ±0.5 m: f_b + f_s = F and (f_b − f_s)/2 = F, so f_b = 1.5 F."""
        plant = self.plant()
        found = planning.force_capability(
            plant, plant.system.neutral(), "tool", [[1, 0, 0], [-2, 0, 0], [0, 1, 0]], dofs=self.DOFS
        )
        np.testing.assert_allclose(found.largest, [40.0, 30.0, 20.0 / 1.5], rtol=1e-6)

    def test_what_cannot_rest_is_refused_and_named(self):
        plant = self.plant()
        heavy = um.Plant(plant.system, world=um.Earth(), actuators=plant.actuators)
        with pytest.raises(um.ModelError, match=r"hull\.vz"):
            planning.force_capability(heavy, heavy.system.neutral(), "tool", [[1, 0, 0]])
        with pytest.raises(um.ModelError, match="free"):
            planning.current_capability(heavy, heavy.system.neutral(), [0.0])


def test_figures(tmp_path):
    plant = TestCapability.plant()
    found = planning.current_capability(
        plant, plant.system.neutral(), np.linspace(0, 6, 9), dofs=TestCapability.DOFS
    )
    points = np.stack(np.meshgrid([0.2, 1.0], [0.5, 2.0], [0.0]), axis=-1)
    reach = planning.reach_map(planar_arm(), "tip", points, directions=2, rolls=1)
    for k, thing in enumerate((found, TestFloatingWorkspace.FOUND, reach)):
        path = tmp_path / f"{k}.png"
        um.views.plan_figure(thing, path)
        assert path.stat().st_size > 5000
    with pytest.raises(um.ModelError, match="FloatingWorkspace"):
        um.views.plan_figure(3.0)
