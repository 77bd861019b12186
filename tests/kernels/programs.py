"""Functions with loops of their own, for the tests of kernels: name → (function, shapes)."""

import numpy as np
from tests.trace.tree_recursion import random_tree, recursion

from unmoored import trace as T


def roots(x, z):
    """Square roots by Newton's method, and a sum that uses the number of the run and a value from around."""

    def step(i, carry):
        y, total = carry
        y = 0.5 * (y + (0.1 + x * x) / y)
        return y, total + i * np.sin(y[0]) * z

    return T.repeat(step, (np.ones(3), 0.0), 12)


def nested(x, z):
    """A loop in a loop, both of which read values from two levels around them, and a condition."""
    positive = T.greater(z, 0.0)

    def outer(i, y):
        def inner(k, w):
            return T.where(positive, 0.9 * w + 0.1 * x * np.cos(k * z), w - 0.01 * i)

        return T.repeat(inner, y, 5) + 0.01 * i

    return T.repeat(outer, x, 4)


def halvings(x, z):
    """A loop that ends where all samples side by side have arrived, which they do after different numbers of runs."""

    def step(i, carry):
        y, total, arrived = carry
        moves = T.less(arrived, 0.5)
        y = T.where(moves, 0.5 * y, y)
        total = T.where(moves, total + np.cos(y[0] + i) * z, total)
        return y, total, T.where(T.less((y * y).sum(), 1e-3), 1.0, 0.0)

    return T.repeat_until(step, (x, 0.0, 0.0), 20)[:2]


@T.outlined
def settled(x):
    return T.repeat(lambda i, y: np.cos(y) * x, x, 9)


def called(x, z):
    """A loop in a sub-function that is called twice."""
    return settled(settled(x) + z), z * x


def in_a_scan(x, z):
    """A loop in the steps of a loop over the bodies of a tree."""
    parents = [-1, 0, 1, 1, 3, 4, 0]
    offsets = np.linspace(0.1, 0.7, 7)

    def step(i, carry, own, offset):
        return T.repeat(lambda k, c: 0.5 * (c + own / (1.0 + c * c)) + offset * z, carry, 6)

    return np.stack(T.scan_outward(step, parents, ["same"] * 7, x[0], [x[k % 3] for k in range(7)], offsets))


def around_a_scan(x, z):
    """A loop over the bodies of a tree in the steps of a loop."""
    inner = recursion(*random_tree(9))

    def step(i, carry):
        a = inner(np.concatenate([carry, x, x]), np.concatenate([x, x, carry]))
        a = np.ravel(a[0] if isinstance(a, tuple) else a)
        return np.tanh(a[:3] + a[3] + z)

    return T.repeat(step, x, 3)


def products(x, y):
    """Products of matrices as they are, transposed, of numbers, of vectors, and of a product."""
    numbers = np.linspace(-1.0, 1.0, 99).reshape(9, 11)
    first = T.matmul(x, y)
    return first, T.matmul(y.T, x.T), T.matmul(x, numbers), T.matmul(T.matmul(first, first), x[:, 0])


def factors(x, y):
    """Cholesky's factor of a matrix that is positive definite, and QR of one that is not square."""
    S = T.matmul(x, x.T) + 0.5 * np.eye(10)
    return (T.cholesky(S), *T.qr(T.matmul(x, y)[:, :9]), *T.qr(x[:3, :3]))


def solutions(x, y):
    """Systems of equations: any, positive definite, with several right sides, large and small; an inverse."""
    A = T.matmul(x, y) + 3.0 * np.eye(10)
    S = T.matmul(A, A.T) + np.eye(10)
    b = np.concatenate([x[:, 0], y[0], np.arange(1.0, 7.0)])
    big = np.block([[S, np.zeros((10, 16))], [np.zeros((16, 10)), np.eye(16)]]) + np.outer(b, b)
    return (
        T.solve(A, x),
        T.solve(S, x[:, 0]),
        T.solve_spd(big, b),
        T.inverse(A[:4, :4]),
        T.solve_spd(S[:5, :5], x[:5]),
    )


def inverses(x, y):
    """The inverse of a matrix too large to be written out, exactly symmetric, and a product with its sign turned."""
    turned = T.matmul(x, y, negative=True)
    S = T.matmul(turned, turned.T) + np.eye(10)
    b = np.concatenate([x[:, 0], y[0], np.arange(1.0, 7.0)])
    big = np.block([[S, np.zeros((10, 16))], [np.zeros((16, 10)), 2.0 * np.eye(16)]]) + 0.1 * np.outer(b, b)
    return T.inverse_spd(big), turned


def look_ups(x, points, values):
    """Every kind of interpolation in run-time arrays, inside a loop too, and rows by their index."""
    points = np.cumsum(0.2 + points * points)
    place = 2.0 * x + 1.0
    found = [T.interp(place, points, values, kind) for kind in ("previous", "nearest", "linear", "cubic")]
    given = T.interp(place[0], points, values, "cubic", slopes=np.tanh(values))
    moved = T.repeat(lambda i, y: T.interp(y, points, values[:, 0]) + 0.1 * T.table(points, i), x[0], 4)
    return (*found, given, moved, T.table(values, 3.0 * x))


MATRICES = ((10, 9), (9, 10))
PROGRAMS = {
    "products": (products, MATRICES),
    "factors": (factors, MATRICES),
    "solutions": (solutions, MATRICES),
    "inverses": (inverses, MATRICES),
    "look_ups": (look_ups, ((3,), (9,), (9, 2))),
    "roots": (roots, ((3,), ())),
    "nested": (nested, ((3,), ())),
    "halvings": (halvings, ((3,), ())),
    "called": (called, ((3,), ())),
    "in_a_scan": (in_a_scan, ((3,), ())),
    "around_a_scan": (around_a_scan, ((3,), ())),
}


def traced(name):
    """The traced program; loops over trees begin with 5 bodies."""
    function, shapes = PROGRAMS[name]
    return T.trace(function, *shapes, name=name, loops_beyond=5)


def arguments(name, batch, dtype="float64", seed=0):
    """Random arguments (batch, *shape)."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, *shape)).astype(dtype) for shape in PROGRAMS[name][1]]
