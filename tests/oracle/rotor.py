"""A round shaft with rigid discs in bearings, turning at W, by finite elements of high order in fixed axes.

Unknowns of every node: deflections v, w along e2, e3 and rotations b, c about them, e1 along the shaft. With
the slopes v' = c, w' = -b of a section without shear,

    2 U = EI (b'^2 + c'^2) + GA ((v' - c)^2 + (w' + b)^2)
    2 T = rhoA (v.^2 + w.^2) + rhoI (b.^2 + c.^2),         gyroscopic moments  rhoIp W (c., -b.) on (b, c)

Damping of the material acts on rates seen from the shaft: beta K (q. - W S q), S a quarter turn about e1.
Roots s of s^2 M + s (C + W G) + K + W B; nothing turns with the shaft but that damping, B = -beta K S.
"""
import numpy as np
import scipy.linalg
from numpy.polynomial import legendre


def lobatto(order):
    inner = legendre.Legendre.basis(order).deriv().roots()
    return np.concatenate([[0], (np.sort(inner.real) + 1) / 2, [1]])


def lagrange(nodes, x):
    """Values and derivatives at the points x, by barycentric weights and the matrix of differentiation."""
    d = nodes[:, None] - nodes + np.eye(len(nodes))
    weight = 1 / d.prod(axis=1)
    D = weight / weight[:, None] / d
    np.fill_diagonal(D, 0)
    np.fill_diagonal(D, -D.sum(axis=1))
    t = weight / (x[:, None] - nodes)
    N = t / t.sum(axis=1, keepdims=True)
    return N, N @ D


QUARTER = np.array([[0, -1.0], [1, 0]])  # (v, w) -> e1 x (v, w), and of (b, c) alike


class Rotor:
    """section: EI, GA, rhoA, rhoI, beta; places in 0 .. length, all of which are nodes.
    discs: (place, m, Id, Ip, offset of the mass centre along e1); bearings: (place, k [2, 2], c [2, 2]);
    held: (place, "pinned" or "clamped")."""

    def __init__(self, length, section, discs, bearings, held, order=7):
        cuts = sorted({0.0, length} | {x[0] for x in discs + bearings + held})
        nodes = lobatto(order)
        n = order * (len(cuts) - 1) + 1
        self.M, self.K, self.C, self.G, self.B = (np.zeros((n, 4, n, 4)) for _ in range(5))
        for k, (a, b) in enumerate(zip(cuts, cuts[1:])):
            self._element(slice(order * k, order * (k + 1) + 1), nodes, b - a, section)
        at = {x: order * k for k, x in enumerate(cuts)}
        for x, m, Id, Ip, ahead in discs:
            self._disc(at[x], m, Id, Ip, ahead)
        for x, k, c in bearings:
            self.K[at[x], :2, at[x], :2] += k
            self.C[at[x], :2, at[x], :2] += c
        free = np.ones((n, 4), bool)
        for x, how in held:
            free[at[x], :2 if how == "pinned" else 4] = False
        keep = np.flatnonzero(free.ravel())
        self.M, self.K, self.C, self.G, self.B = (
            A.reshape(4 * n, 4 * n)[np.ix_(keep, keep)] for A in (self.M, self.K, self.C, self.G, self.B))

    def _element(self, rows, nodes, length, s):
        def sums(points):
            x, w = legendre.leggauss(points)
            N, D = lagrange(nodes, (x + 1) / 2)
            w = w * length / 2
            D = D / length
            return [np.einsum("g,gi,gj->ij", w, p, q) for p, q in ((N, N), (D, D), (D, N))]
        NN, DD, DN = sums(len(nodes) - 1)  # one point less than would be exact: no locking
        full = sums(len(nodes) + 1)[0]
        K = np.zeros((len(nodes), 4, len(nodes), 4))
        for v, turn, sign in ((0, 3, -1), (1, 2, 1)):
            K[:, v, :, v] += s["GA"] * DD
            K[:, v, :, turn] += sign * s["GA"] * DN
            K[:, turn, :, v] += sign * s["GA"] * DN.T
            K[:, turn, :, turn] += s["EI"] * DD + s["GA"] * NN
            self.M[rows, v, rows, v] += s["rhoA"] * full
            self.M[rows, turn, rows, turn] += s["rhoI"] * full
        self.G[rows, 2, rows, 3] += 2 * s["rhoI"] * full
        self.G[rows, 3, rows, 2] -= 2 * s["rhoI"] * full
        self.K[rows, :, rows, :] += K
        self.C[rows, :, rows, :] += s["beta"] * K
        for i in (0, 2):  # -beta K S: columns of (v, w) and (b, c) turned by a quarter
            self.B[rows, :, rows, i:i + 2] -= s["beta"] * np.einsum("iajb,bc->iajc", K[:, :, :, i:i + 2], QUARTER)

    def _disc(self, n, m, Id, Ip, h):
        """Of its mass centre: v + h c, w - h b."""
        J = np.array([[1, 0, 0, h], [0, 1, -h, 0.0]])
        self.M[n, :, n, :] += m * J.T @ J + np.diag([0, 0, Id, Id])
        self.G[n, 2, n, 3] += Ip
        self.G[n, 3, n, 2] -= Ip

    def circles(self):
        """Of a rotor in equal bearings: the motions that go round with the shaft, (v, w) = z (1, -i)."""
        n = len(self.M)
        T = np.zeros((n, n // 2), complex)
        T[np.arange(0, n, 2), np.arange(n // 2)], T[np.arange(1, n, 2), np.arange(n // 2)] = 0.5**0.5, -1j * 0.5**0.5
        out = Rotor.__new__(Rotor)
        out.M, out.K, out.C, out.G, out.B = (T.conj().T @ A @ T for A in (self.M, self.K, self.C, self.G, self.B))
        return out

    def all_roots(self, W):
        K, C, n = self.K + W * self.B, self.C + W * self.G, len(self.M)
        back = scipy.linalg.lu_solve(scipy.linalg.lu_factor(K), np.hstack([C, self.M]))
        return 1 / np.linalg.eigvals(np.block([[-back], [np.eye(n), np.zeros((n, n))]]))

    def roots(self, W, most):
        """Those of positive frequency below `most` rad/s, by frequency."""
        s = self.all_roots(W)
        s = s[(s.imag > 1e-6 * np.abs(s)) & (np.abs(s) < most)]
        return s[np.argsort(np.abs(s))]

    def critical(self, most):
        """Speeds at which a root has the frequency W. Undamped: K q = W^2 (M - i G) q; else followed from there."""
        w2 = np.linalg.eigvals(np.linalg.solve(self.K, self.M - 1j * self.G))
        with np.errstate(divide="ignore"):
            w2 = 1 / w2[np.abs(w2.imag) < 1e-8 * np.abs(w2)].real
        out = np.sqrt(np.sort(w2[(w2 > 0) & (w2 < 1.3 * most**2)]))
        if self.C.any():
            out = np.array([self._damped(W, most) for W in out])
        return out[out < most]

    def _damped(self, W, most):
        miss = lambda W: min((s.imag - W for s in self.roots(W, 2 * most)), key=abs)
        a, b = W, W + miss(W) * 0.5
        fa = miss(a)
        for _ in range(30):
            if a == b or abs(fa) < 1e-11 * W:
                break
            fb = miss(b)
            if fa == fb:
                break
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        return a

    def unstable_from(self, speeds, most):
        """The speed at which the first root begins to grow; None."""
        grows = lambda W: max(s.real for s in self.roots(W, most))
        for a, b in zip(speeds, speeds[1:]):
            if grows(b) > 0:
                for _ in range(60):
                    c = (a + b) / 2
                    a, b = (a, c) if grows(c) > 0 else (c, b)
                return b
        return None
