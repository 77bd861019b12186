"""A recursion over a random tree, as Python loops or as scans: a chain of planar transforms with inertias."""

import numpy as np

from unmoored import trace as T


def random_tree(count, seed=0):
    """Parents, kinds and constants of a tree with turning and sliding items."""
    rng = np.random.default_rng(seed)
    parents = [-1] + [int(rng.integers(max(0, i - 3), i)) for i in range(1, count)]
    kinds = ["slides" if i % 3 == 0 else "turns" for i in range(count)]
    return parents, kinds, list(rng.normal(size=(count, 3))), list(rng.uniform(1.0, 2.0, count))


def transform(kind, q, p):
    if kind == "turns":
        c, s = np.cos(q), np.sin(q)
        return np.array([[c, -s, 0.0, p[0]], [s, c, 0.0, p[1]], [0.0, 0.0, 1.0, p[2]], [0.0, 0.0, 0.0, 1.0]])
    return np.array(
        [[1.0, 0.0, 0.0, p[0]], [0.0, 1.0, 0.0, p[1] + q], [0.0, 0.0, 1.0, p[2]], [0.0, 0.0, 0.0, 1.0]]
    )


def recursion(parents, kinds, offsets, masses):
    """A function of (count,) positions and (count,) speeds that uses all three scans."""
    count = len(parents)

    def prepare(i, q, p):
        return transform(kinds[i], q, p), p

    def outward(_, g, x):
        return g @ x[0]

    def inward(_, message, x, m, u):
        F, S = message
        S = S + m * np.outer(x[1], x[1])
        F = F + u * m * x[0][:3, 3]
        return (F, 0.9 * S), (F @ F + S[0, 1], u)

    def function(q, u):
        qs, us = [q[i] for i in range(count)], [u[i] for i in range(count)]
        zero = (np.zeros(3), np.zeros((3, 3)))
        if T.loops(count, q):
            xs = T.scan_each(prepare, kinds, qs, offsets)
            gs = T.scan_outward(outward, parents, kinds, np.eye(4), xs)
            kept, total = T.scan_inward(inward, parents, kinds, zero, xs, masses, us)
        else:
            xs = [prepare(i, qs[i], offsets[i]) for i in range(count)]
            gs, kept, arriving = [], [None] * count, [zero] * (count + 1)
            for i in range(count):
                gs.append(outward(i, gs[parents[i]] if parents[i] >= 0 else np.eye(4), xs[i]))
            for i in reversed(range(count)):
                message, kept[i] = inward(i, arriving[i], xs[i], masses[i], us[i])
                arriving[parents[i]] = tuple(
                    a + b for a, b in zip(arriving[parents[i]], message, strict=True)
                )
            total = arriving[-1]
        scale = np.sin(q[0])
        return (
            gs[-1] * scale,
            np.stack([k[0] + k[1] for k in kept]),
            total[0],
            total[1],
            np.stack([g[:3, 3] for g in gs]),
        )

    return function
