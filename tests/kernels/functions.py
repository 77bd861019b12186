"""Functions that use every operation, for the tests of kernels."""

import numpy as np

from unmoored import trace as T


def everything(x, y):
    """All operations of the graph on a vector of 5 and one of 3; outputs of several shapes."""
    a = np.sin(x) + np.cos(2.0 * x) * np.tan(0.3 * x) + np.exp(-0.1 * x * x) + np.tanh(x)
    b = np.log(1.0 + y * y) + np.arcsin(np.tanh(y)) + np.arccos(np.sin(y)) + np.arctan(y) + np.sqrt(np.abs(y))
    c = T.arctan2(a[:3], b) + T.where(T.less(y, 0.1), y, -(y**3)) + T.maximum(y, 0.2) - T.minimum(y, x[0])
    d = np.floor(x) + np.rint(3.0 * x) + T.sign(x) + T.clip(x, -0.5, 0.5) + T.copysign(x, x[0])
    M = np.outer(c, c) + (1.0 + a[0] * a[0]) * np.eye(3)
    return T.solve_spd(M, b), np.outer(a, d), (a @ a) / (1.0 + b @ b), c


def polynomial(x):
    return x[0] * x[1] + x[2] * x[2] - 0.5, x[0] / (1.0 + x[1] * x[1])
