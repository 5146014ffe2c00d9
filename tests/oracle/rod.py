"""A clamped rod in space by shooting: Reissner's equations, which share nothing with src.

    x' = R (e1 + C_n^-1 R^T n),   R' = R [C_m^-1 R^T m]x,   n' = -rhoA g,   m' = -x' x n

along straight segments that are welded at corners, from the clamp, where n and m are unknown, to the end,
where they are the load: dead, or following the end section. C_n = diag(EA, GAy, GAz), C_m = diag(GJ, EIy, EIz),
functions of s = 0 .. 1. The loads grow together, from rest.
"""
import numpy as np
from scipy.integrate import solve_ivp

X, R, N, M, SIZE = 0, 3, 12, 15, 18


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def exp_so3(w):
    a = np.linalg.norm(w)
    S = skew(w)
    if a < 1e-12:
        return np.eye(3) + S
    return np.eye(3) + np.sin(a) / a * S + (1 - np.cos(a)) / a**2 * S @ S


def log_so3(Q):
    """Of a rotation by less than half a turn."""
    a = np.arccos(np.clip((np.trace(Q) - 1) / 2, -1, 1))
    w = np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) / 2
    return w if a < 1e-9 else w * a / np.sin(a)


def section_axes(direction, y_axis):
    """x along the segment, y as near to y_axis as can be."""
    e = direction / np.linalg.norm(direction)
    z = np.cross(e, y_axis)
    z /= np.linalg.norm(z)
    return np.column_stack([e, np.cross(z, e), z])


class Rod:
    """points [n, 3]; y_axis; stiffness(s): EA, GAy, GAz, GJ, EIy, EIz (inf: rigid); rhoA(s);
    loads at the end: force, torque, in global axes or, if they follow, those of the section; gravity."""

    def __init__(self, points, y_axis, stiffness, rhoA=lambda s: 0 * s, force=(0, 0, 0),
                 torque=(0, 0, 0), follow=False, gravity=(0, 0, 0)):
        self.points = np.asarray(points, float)
        self.y_axis = np.asarray(y_axis, float)
        self.stiffness, self.rhoA, self.follow = stiffness, rhoA, follow
        self.force, self.torque = np.asarray(force, float), np.asarray(torque, float)
        self.gravity = np.asarray(gravity, float)
        side = np.diff(self.points, axis=0)
        self.length = np.linalg.norm(side, axis=1)
        self.axes = [section_axes(d, self.y_axis) for d in side]
        self.L = self.length.sum()

    def _rates(self, s, flat, load):
        y = flat.reshape(-1, SIZE)
        Q = y[:, R:N].reshape(-1, 3, 3)
        flex = 1 / np.asarray(self.stiffness(s / self.L), float)
        gamma = flex[:3] * np.einsum('kij,ki->kj', Q, y[:, N:M])
        gamma[:, 0] += 1
        kappa = flex[3:] * np.einsum('kij,ki->kj', Q, y[:, M:])
        out = np.empty_like(y)
        out[:, X:R] = np.einsum('kij,kj->ki', Q, gamma)
        S = np.zeros_like(Q)
        S[:, 2, 1], S[:, 0, 2], S[:, 1, 0] = kappa.T
        S[:, 1, 2], S[:, 2, 0], S[:, 0, 1] = -kappa.T
        out[:, R:N] = (Q @ S).reshape(-1, 9)
        out[:, N:M] = -load * self.rhoA(s / self.L) * self.gravity
        out[:, M:] = -np.cross(out[:, X:R], y[:, N:M])
        return out.ravel()

    def _shoot(self, roots, load, tol, at=()):
        """From forces and moments at the clamp [k, 6] to the end [k, 18]; of the first also at lengths `at`."""
        y = np.zeros((len(roots), SIZE))
        y[:, X:R] = self.points[0]
        y[:, R:N] = self.axes[0].ravel()
        y[:, N:] = roots
        s, seen = 0.0, []
        for k, length in enumerate(self.length):
            if k:
                corner = self.axes[k - 1].T @ self.axes[k]
                y[:, R:N] = (y[:, R:N].reshape(-1, 3, 3) @ corner).reshape(-1, 9)
            inside = sorted(a for a in at if s - 1e-12 <= a < s + length - 1e-12)
            sol = solve_ivp(self._rates, (s, s + length), y.ravel(), 'DOP853', inside + [s + length],
                            args=(load,), rtol=tol, atol=tol)
            if not sol.success:
                raise ArithmeticError(sol.message)
            seen += [sol.y[:SIZE, i] for i in range(len(inside))]
            y, s = sol.y[:, -1].reshape(-1, SIZE), s + length
        return y, seen

    def _miss(self, y, load):
        F, T = load * self.force, load * self.torque
        if self.follow:
            Q = y[:, R:N].reshape(-1, 3, 3)
            F, T = Q @ F, Q @ T
        return np.hstack([y[:, N:M] - F, y[:, M:] - T])

    def _newton(self, root, load, tol, turns=12):
        size = np.array([self.F_size] * 3 + [self.M_size] * 3)
        for _ in range(turns):
            h = 1e-7 * size
            out = self._miss(self._shoot(np.vstack([root, root + np.diag(h)]), load, tol)[0], load)
            J = ((out[1:] - out[0]) / h[:, None]).T
            step = np.linalg.solve(J, -out[0])
            if np.abs(step / size).max() > 1:
                return None
            root = root + step
            if np.abs(step / size).max() < 1e-9:
                return root
        return None

    def solve(self, at=()):
        """End state, and states at shares `at` of the length; the root: force and moment there."""
        weight = np.linalg.norm(self.gravity) * self.rhoA(0.5) * self.L
        self.F_size = np.linalg.norm(self.force) + weight + np.linalg.norm(self.torque) / self.L
        self.M_size = self.F_size * self.L
        root, last, load, part = np.zeros(6), np.zeros(6), 0.0, 0.1
        before = 0.0
        while load < 1:
            to = min(1, load + part)
            guess = root + (root - last) * ((to - load) / (load - before) if load > before else 0)
            found = self._newton(guess, to, 1e-8)
            if found is None or np.abs((found - guess) / ([self.F_size] * 3 + [self.M_size] * 3)).max() > 0.2:
                part /= 2
                if part < 1e-4:
                    raise ArithmeticError('no way on at load factor %g' % load)
                continue
            last, before, root, load, part = root, load, found, to, min(part * 1.5, 0.1)
        root = self._newton(root, 1, 1e-12)
        y, seen = self._shoot(root[None, :], 1, 1e-12, [a * self.L for a in at])
        return y[0], seen, root


def section_forces(y):
    """N, Vy, Vz, T, My, Mz in the section's axes."""
    Q = y[R:N].reshape(3, 3)
    return np.concatenate([Q.T @ y[N:M], Q.T @ y[M:]])
