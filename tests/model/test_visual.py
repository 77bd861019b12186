"""Shapes that show a body: plain numbers, and what is refused."""

import numpy as np
import pytest

import unmoored as um


@pytest.mark.parametrize(
    ("shape", "numbers"),
    [
        (um.Box(np.array([1, 2, 3])), {"size": (1.0, 2.0, 3.0)}),
        (um.Sphere(np.int64(2)), {"radius": 2.0}),
        (um.Cylinder(np.int64(2), np.int64(3)), {"radius": 2.0, "length": 3.0}),
        (um.Capsule(np.int64(2), np.int64(3)), {"radius": 2.0, "length": 3.0}),
        (um.Mesh("a.stl", np.array([1, -2, 3])), {"scale": (1.0, -2.0, 3.0)}),
        (um.Sphere(1.0, rgba=np.array([0, 1, 0, 1])), {"rgba": (0.0, 1.0, 0.0, 1.0)}),
    ],
    ids=lambda x: getattr(x, "kind", ""),
)
def test_numbers_are_plain_and_exact(shape, numbers):
    for name, expected in numbers.items():
        found = getattr(shape, name)
        assert found == expected
        assert type(found) is type(expected)
        assert {type(x) for x in np.ravel(found).tolist()} == {float}


NONSENSE = [
    (lambda: um.Box((1, 0, 1)), "Box: size: expected > 0"),
    (lambda: um.Sphere(0), "Sphere: radius: expected > 0"),
    (lambda: um.Cylinder(0, 1), "Cylinder: radius: expected > 0"),
    (lambda: um.Cylinder(1, 0), "Cylinder: length: expected > 0"),
    (lambda: um.Capsule(1, 0), "Capsule: length: expected > 0"),
    (lambda: um.Cylinder(1, "a"), "Cylinder: length"),
    (lambda: um.Mesh("a.stl", (1, 0, 1)), "Mesh: scale: expected non-zero"),
    (lambda: um.Mesh(""), "Mesh: path: expected a file path"),
    (lambda: um.Sphere(1, rgba=(0, 0, 0, 1.1)), "Sphere: rgba: expected four numbers"),
    (lambda: um.Sphere(1, rgba=(0, 0, -0.1, 1)), "Sphere: rgba: expected four numbers"),
]


def test_nonsense_is_refused():
    for make, match in NONSENSE:
        with pytest.raises(um.ModelError, match=match):
            make()
