"""One straight piece of a beam as a finite element of high order: Reissner's rod, unknowns in global axes.

The displacement u and the increment theta of the rotation are polynomials through Gauss-Lobatto nodes;
rotation R and curvature K are kept at the points of integration. With x' = x0' + u', per length

    U = 1/2 G C_n G + 1/2 K C_m K,     G = R^T x' - e1,   R^T R' = [K]
    dG = R^T (u' - theta x x'),        dK = R^T theta'
    d2U = (dG, dK) C (dG, dK) + 2 n.(-theta x u' + 1/2 theta x (theta x x')) - m.(theta x theta')

where n = R C_n G and m = R C_m K. Nothing is condensed and no shape function solves the equations: the error
falls exponentially with the order.
"""
import numpy as np
from numpy.polynomial import legendre

from rotations import exp_so3, left_curvature, skew


def lobatto(order):
    inner = legendre.Legendre.basis(order).deriv().roots()
    return np.concatenate([[0], (np.sort(inner.real) + 1) / 2, [1]])


def basis(nodes, points):
    """Lagrange's polynomials through the nodes and their derivatives, [points, nodes] each, as products."""
    n = len(nodes)
    N, dN = np.ones((len(points), n)), np.zeros((len(points), n))
    for i in range(n):
        for k in [k for k in range(n) if k != i]:
            factor, slope = (points - nodes[k]) / (nodes[i] - nodes[k]), 1 / (nodes[i] - nodes[k])
            dN[:, i] = dN[:, i] * factor + N[:, i] * slope
            N[:, i] *= factor
    return N, dN


class RodElement:
    """From start to end; axes E; section(x) at shares x of the piece gives a dict of arrays EA .. rhoIz;
    `seen`: shares at which section forces are wanted."""

    def __init__(self, start, end, axes, section, order=9, seen=()):
        self.start, self.axes = np.array(start, float), axes
        self.length = np.linalg.norm(np.array(end) - start)
        self.nodes = lobatto(order)
        x, w = legendre.leggauss(order)  # one point less than would be exact: no locking
        self.x = np.concatenate([(x + 1) / 2, seen])
        self.w = np.concatenate([w, np.zeros(len(seen))]) * self.length / 2
        self.between = basis((x + 1) / 2, np.array(seen))[0]
        self.N, self.dN = basis(self.nodes, self.x)
        self.dN /= self.length
        s = section(self.x)
        self.C = np.stack([s[k] for k in ("EA", "GAy", "GAz", "GJ", "EIy", "EIz")], axis=1)
        self.rho = np.stack([s["rhoA"], s["rhoIy"] + s["rhoIz"], s["rhoIy"], s["rhoIz"]], axis=1)
        self._operators()
        self.reset()

    def reset(self):
        """As drawn."""
        g = len(self.x)
        self.dx = np.tile(self.axes[:, 0], (g, 1))
        self.R = np.tile(self.axes, (g, 1, 1))
        self.K = np.zeros((g, 3))
        self.u = np.zeros((len(self.nodes), 3))

    def _operators(self):
        """(u', theta, theta') and (u, theta) of the unknowns, 6 a node."""
        g, n = self.N.shape
        self.D, self.P = np.zeros((g, 9, n, 6)), np.zeros((g, 6, n, 6))
        for c in range(3):
            self.D[:, c, :, c] = self.dN
            self.D[:, 3 + c, :, 3 + c] = self.N
            self.D[:, 6 + c, :, 3 + c] = self.dN
            self.P[:, c, :, c] = self.P[:, 3 + c, :, 3 + c] = self.N
        self.D, self.P = self.D.reshape(g, 9, -1), self.P.reshape(g, 6, -1)

    def forces(self):
        """Section forces N, Vy, Vz, T, My, Mz in the section's axes, at all points."""
        strain = np.einsum("gji,gj->gi", self.R, self.dx) - [1, 0, 0]
        return self.C * np.hstack([strain, self.K])

    def seen_forces(self, k):
        """Section forces at the k-th place seen: those of the Gauss points in global axes, interpolated."""
        g = self.between.shape[1]
        f, R = self.forces()[:g].reshape(g, 2, 3), self.R[g + k]
        return (np.einsum("g,gij,gkj->ki", self.between[k], self.R[:g], f) @ R).ravel()

    def tangent(self):
        """Gradient and second derivative of the elastic energy, and the part of it that C makes."""
        f = self.forces()
        n, m = np.einsum("gij,gj->gi", self.R, f[:, :3]), np.einsum("gij,gj->gi", self.R, f[:, 3:])
        Cn = np.einsum("gia,ga,gja->gij", self.R, self.C[:, :3], self.R)
        Cm = np.einsum("gia,ga,gja->gij", self.R, self.C[:, 3:], self.R)
        X, I = skew(self.dx), np.eye(3)
        B = np.zeros((len(f), 3, 9))
        B[:, :, :3], B[:, :, 3:6] = I, X
        A = np.einsum("gia,gij,gjb->gab", B, Cn, B)
        A[:, 6:, 6:] = Cm
        elastic = A.copy()
        nx = np.einsum("gi,gj->gij", n, self.dx)
        A[:, :3, 3:6] -= skew(n)
        A[:, 3:6, :3] += skew(n)
        A[:, 3:6, 3:6] += (nx + np.swapaxes(nx, 1, 2)) / 2 - np.einsum("gii->g", nx)[:, None, None] * I
        A[:, 3:6, 6:] += skew(m) / 2
        A[:, 6:, 3:6] -= skew(m) / 2
        r = np.hstack([n, np.cross(n, self.dx), m])
        return np.einsum("g,gi,gia->a", self.w, r, self.D), self._sum(self.D, A), self._sum(self.D, elastic)

    def _sum(self, D, A):
        return np.tensordot(D * self.w[:, None, None], A @ D, ((0, 1), (0, 1)))

    def mass(self):
        """Of the velocities (u', omega)."""
        J = np.einsum("gia,ga,gja->gij", self.R, self.rho[:, 1:], self.R)
        A = np.zeros((len(self.x), 6, 6))
        A[:, :3, :3] = self.rho[:, 0, None, None] * np.eye(3)
        A[:, 3:, 3:] = J
        return self._sum(self.P, A)

    def weight(self, gravity):
        """Force of gravity on the unknowns."""
        f = np.zeros((len(self.x), 6))
        f[:, :3] = self.rho[:, :1] * gravity
        return np.einsum("g,gi,gia->a", self.w, f, self.P)

    def move(self, q):
        z = np.einsum("gia,a->gi", self.D, q)
        self.dx = self.dx + z[:, :3]
        self.K = self.K + np.einsum("gji,gj->gi", self.R, left_curvature(z[:, 3:6], z[:, 6:]))
        self.R = exp_so3(z[:, 3:6]) @ self.R
        self.u = self.u + q.reshape(-1, 6)[:, :3]

    def save(self):
        return self.dx, self.R, self.K, self.u

    def restore(self, state):
        self.dx, self.R, self.K, self.u = state
