"""Constraints between two frames as energies of a multiplier: value, gradient and second derivative.

A frame on a node has the offset r and the axes Q, both in global components and of now; the node moves by u
and turns by exp(theta). With theta x r + 1/2 theta x (theta x r) for the motion of r, the unknowns are
z = (u_a, theta_a, u_b, theta_b).
"""
import numpy as np

from rotations import skew

UA, TA, UB, TB = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)


def turned_twice(c, r):
    """Second derivative by theta of c . 1/2 theta x (theta x r)."""
    cr = np.outer(c, r)
    return (cr + cr.T) / 2 - np.dot(c, r) * np.eye(3)


def distance_row(n, ra, rb, apart):
    """n . (x_b + r_b - x_a - r_a), n fixed in a; apart: the vector from a to b."""
    g, H = np.zeros(12), np.zeros((12, 12))
    g[UA], g[UB] = -n, n
    g[TA] = np.cross(n, apart) - np.cross(ra, n)
    g[TB] = np.cross(rb, n)
    H[TA, TA] = turned_twice(apart, n) - turned_twice(n, ra)
    H[TB, TB] = turned_twice(n, rb)
    # (theta_a x n) . (u_b - u_a + theta_b x r_b - theta_a x r_a)
    N = skew(n)
    H[TA, UB], H[TA, UA] = N, -N
    H[TA, TB] = N @ -skew(rb)
    H[TA, TA] += -(N @ -skew(ra)) - (N @ -skew(ra)).T
    for i, j in ((TA, UB), (TA, UA), (TA, TB)):
        H[j, i] = H[i, j].T
    return np.dot(n, apart), g, H


def point_row(c, ra, rb, apart):
    """c . (x_b + r_b - x_a - r_a), c fixed in space."""
    g, H = np.zeros(12), np.zeros((12, 12))
    g[UA], g[UB], g[TA], g[TB] = -c, c, -np.cross(ra, c), np.cross(rb, c)
    H[TA, TA], H[TB, TB] = -turned_twice(c, ra), turned_twice(c, rb)
    return np.dot(c, apart), g, H


def angle_row(a, b):
    """a . b, a fixed in the first body, b in the second."""
    g, H = np.zeros(12), np.zeros((12, 12))
    g[TA], g[TB] = np.cross(a, b), np.cross(b, a)
    H[TA, TA], H[TB, TB] = turned_twice(b, a), turned_twice(a, b)
    # (theta_a x a) . (theta_b x b)
    H[TA, TB] = np.dot(a, b) * np.eye(3) - np.outer(b, a)
    H[TB, TA] = H[TA, TB].T
    return np.dot(a, b), g, H
