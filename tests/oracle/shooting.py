"""Rods in space by shooting: a start that is clamped, an end that is loaded or clamped in another place.

    x' = R (e1 + G),   R' = R [k0 + K],   n' = -rhoA g,   m' = -x' x n,   (G, K) = F(s) (R^T n, R^T m)

with a flexibility F of the section that may be any 6 x 6 matrix, and a curvature k0 of the axis as drawn. Multiple shooting: unknowns are the states at the ends of all pieces, so that long and slender rods
need no good guess; Newton's method on the whole chain, loads grown from 0.
"""
import numpy as np
from scipy.integrate import solve_ivp

from rotations import exp_so3, log_so3, skew

SIZE = 18  # x, R by rows, n, m


class Chain:
    """Clamped at `start` with axes `axes`; F(s): 6 x 6 in the order N Vy Vz T My Mz, s from 0 to 1; weight per
    length; the end carries force and torque (in space or of its axes), or is clamped: `end` = (place, axes)."""

    def __init__(self, start, axes, length, F, curvature=(0, 0, 0), weight=(0, 0, 0), force=(0, 0, 0), torque=(0, 0, 0),
                 follow=False, end=None, pieces=4):
        self.start, self.axes, self.L, self.F = np.array(start, float), np.array(axes, float), length, F
        self.k0, self.weight = np.array(curvature, float), np.array(weight, float)
        self.force, self.torque, self.follow, self.end = np.array(force, float), np.array(torque, float), follow, end
        self.cuts = np.linspace(0, length, pieces + 1)

    def rates(self, s, y, load):
        y = y.reshape(-1, SIZE)
        R, n, m = y[:, 3:12].reshape(-1, 3, 3), y[:, 12:15], y[:, 15:]
        own = np.hstack([np.einsum("kij,ki->kj", R, n), np.einsum("kij,ki->kj", R, m)])
        strain = own @ self.F(s / self.L).T
        strain[:, 0] += 1
        out = np.empty_like(y)
        out[:, :3] = np.einsum("kij,kj->ki", R, strain[:, :3])
        out[:, 3:12] = (R @ skew(strain[:, 3:] + self.k0)).reshape(-1, 9)
        out[:, 12:15] = -load * self.weight
        out[:, 15:] = -np.cross(out[:, :3], n)
        return out.ravel()

    def go(self, states, k, load, tol=1e-11):
        s = solve_ivp(self.rates, self.cuts[k:k + 2], states.ravel(), "DOP853", args=(load,), rtol=tol, atol=tol)
        return s.y[:, -1].reshape(-1, SIZE)

    @staticmethod
    def moved(y, z):
        """State y after small motions z: (u, theta, n, m)."""
        out = y.copy()
        out[:3] += z[:3]
        out[3:12] = (exp_so3(z[3:6]) @ y[3:12].reshape(3, 3)).ravel()
        out[12:] += z[6:]
        return out

    @staticmethod
    def between(a, b):
        """From state b to a."""
        return np.concatenate([a[:3] - b[:3], log_so3(a[3:12].reshape(3, 3) @ b[3:12].reshape(3, 3).T), a[12:] - b[12:]])

    def residual_at_end(self, y, load):
        R = y[3:12].reshape(3, 3)
        if self.end is not None:
            return np.concatenate([y[:3] - self.end[0], log_so3(R @ np.array(self.end[1]).T)])
        Q = R if self.follow else np.eye(3)
        return np.concatenate([y[12:15] - load * Q @ self.force, y[15:] - load * Q @ self.torque])

    def straight(self):
        """Without loads: the chain of pieces as drawn."""
        y = np.concatenate([self.start, self.axes.ravel(), np.zeros(6)])
        out = [y]
        for k in range(len(self.cuts) - 1):
            out.append(self.go(out[-1][None], k, 0.0)[0])
        return np.array(out[:-1])

    def newton(self, states, load, turns=15):
        """Unknowns: (n, m) at the start, 12 at each further cut."""
        scale = np.concatenate([np.full(6, 1.0), np.full(3, self.size), np.full(3, self.size * self.L)])
        p, h = len(states), 1e-6
        for _ in range(turns):
            J, r = np.zeros((12 * p - 6, 12 * p - 6)), np.zeros(12 * p - 6)
            column = lambda k: slice(0, 6) if k == 0 else slice(12 * k - 6, 12 * k + 6)
            for k in range(p):
                which = range(6, 12) if k == 0 else range(12)
                trial = [self.moved(states[k], s * h * scale * (np.arange(12) == i)) for i in which for s in (1, -1)]
                after = self.go(np.array([states[k]] + trial), k, load)
                last = k == p - 1
                f = (lambda y: self.residual_at_end(y, load)) if last else (lambda y: self.between(y, states[k + 1]))
                row = slice(12 * k, 12 * k + (6 if last else 12))
                r[row] = f(after[0])
                for c, i in enumerate(which):
                    J[row, column(k).start + c] = (f(after[1 + 2 * c]) - f(after[2 + 2 * c])) / (2 * h)
                if not last:
                    J[row, column(k + 1)] -= np.diag(scale)
            z = np.linalg.solve(J, -r)
            if np.abs(z).max() > 2:
                return None
            for k in range(p):
                step = np.concatenate([np.zeros(6), z[:6]]) if k == 0 else z[column(k)]
                states[k] = self.moved(states[k], step * scale)
            if np.abs(z).max() < 1e-9:
                return states
        return None

    def solve(self, size):
        """States at all cuts under the whole load; `size`: of its forces."""
        self.size = size
        states, load, part = self.straight(), 0.0, 0.25
        if self.end is not None:
            self.end = tuple(map(np.array, self.end))
        while load < 1:
            to = min(1, load + part)
            found = self.newton(states.copy(), to)
            if found is None:
                part /= 2
                if part < 1e-3:
                    raise ArithmeticError("no way on at load factor %g" % load)
                continue
            states, load = found, to
        return np.vstack([states, self.go(states[-1:], len(states) - 1, 1.0)])
