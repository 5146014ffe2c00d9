"""Rotation matrices and vectors, for arrays [..., 3] and [..., 3, 3]."""
import numpy as np


def skew(a):
    a = np.asarray(a, float)
    S = np.zeros(a.shape + (3,))
    S[..., 2, 1], S[..., 0, 2], S[..., 1, 0] = a[..., 0], a[..., 1], a[..., 2]
    return S - np.swapaxes(S, -1, -2)


def coefficients(a):
    """sin a/a, (1 - cos a)/a^2, (a - sin a)/a^3."""
    small = a < 1e-2
    x = np.where(small, 1, a)
    series = lambda c: c[0] - a**2 * (c[1] - a**2 * (c[2] - a**2 * c[3]))
    return (np.where(small, series((1, 1 / 6, 1 / 120, 1 / 5040)), np.sin(x) / x),
            np.where(small, series((1 / 2, 1 / 24, 1 / 720, 1 / 40320)), (1 - np.cos(x)) / x**2),
            np.where(small, series((1 / 6, 1 / 120, 1 / 5040, 1 / 362880)), (x - np.sin(x)) / x**3))


def exp_so3(w):
    w = np.asarray(w, float)
    s, c, _ = coefficients(np.linalg.norm(w, axis=-1)[..., None, None])
    S = skew(w)
    return np.eye(3) + s * S + c * S @ S


def log_so3(Q):
    """Of a single rotation by less than half a turn."""
    w = np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) / 2
    sine = np.linalg.norm(w)
    angle = np.arctan2(sine, (np.trace(Q) - 1) / 2)
    return w if sine < 1e-12 else w * angle / sine


def left_curvature(w, dw):
    """Axial vector of exp(w)^T exp(w)', from w and w'."""
    _, c, d = coefficients(np.linalg.norm(w, axis=-1)[..., None])
    twice = np.cross(w, np.cross(w, dw))
    return dw - c * np.cross(w, dw) + d * twice


def section_axes(direction, y_axis):
    """x along the direction, y as near to y_axis as can be."""
    e = np.array(direction) / np.linalg.norm(direction)
    z = np.cross(e, y_axis)
    z /= np.linalg.norm(z)
    return np.column_stack([e, np.cross(z, e), z])
