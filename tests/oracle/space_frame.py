"""Frames of beams in space, rigid bodies, joints and springs: equilibrium, linear statics and vibrations.

Beams are rod elements of high order (rod_element.py), joints are constraints with multipliers (joint_rows.py).
Every node has six unknowns: increments of its place and a rotation vector, in global axes. With the energy's
gradient g and second derivative H along straight rotation vectors, the derivative of g by small rotations is

    K = H - 1/2 [g_theta]      (a moment g_theta that stays in space is no gradient)

At equilibrium all moments but those of loads cancel, so that K is symmetric without torques and followers.
"""
import numpy as np
import scipy.linalg

from joint_rows import angle_row, distance_row, point_row, turned_twice
from rod_element import RodElement
from rotations import exp_so3, log_so3, section_axes, skew

SECTION = ("EA", "GAy", "GAz", "GJ", "EIy", "EIz", "rhoA", "rhoIy", "rhoIz")
STIFF = 3e4  # GA of Euler-Bernoulli beams, in EI over the square of the length; the driver extrapolates

LARGE = 0.8  # rad: rotations beyond are left to rods, where there is one equilibrium


class NoEquilibrium(ArithmeticError):
    """Newton's method does not arrive, or far away."""


def vector(x):
    return np.array(x, float)


def orientation_of(s):
    o = s.get("orientation")
    if not o:
        return np.eye(3)
    axis = vector(o["axis"])
    return exp_so3(o["angle"] * axis / np.linalg.norm(axis))


class Node:
    def __init__(self, place, axes, first):
        self.place0, self.axes0, self.dofs = place, axes, slice(first, first + 6)
        self.reset()

    def reset(self):
        self.place, self.turn = self.place0.copy(), np.eye(3)


class Frame:
    """On a node (None: the ground): offset and axes in those of the node as drawn."""

    def __init__(self, node, offset=(0, 0, 0), place=None):
        self.node, self.offset, self.ground = node, vector(offset), place

    def at(self):
        return self.ground if self.node is None else self.node.place + self.arm()

    def turn(self):
        return np.eye(3) if self.node is None else self.node.turn

    def arm(self):
        return np.zeros(3) if self.node is None else self.node.turn @ self.offset


class SpaceFrame:
    def __init__(self, model, stiff=STIFF, order=8):
        self.model, self.stiff, self.order = model, stiff, order
        self.size, self.elements, self.beams, self.rigid = 0, [], {}, {}
        self.gravity = vector(model.get("gravity", [0, 0, 0]))
        self.seen = sorted({(t.split("(")[1].split(",")[0], float(t.split(",")[1].split(")")[0]))
                            for t in model.get("outputs", {}).values() if t.startswith("section")})
        for name, body in model["bodies"].items():
            self._beam(name, body) if body["type"] == "beam" else self._rigid(name, body)
        self._joints()
        self._forces()
        self.damping = self._damping()
        places = np.array([n.place for n in self.nodes()])
        self.extent = np.ptp(places, axis=0).max()

    # -- what there is -------------------------------------------------------------------------------

    def _node(self, place, axes=np.eye(3)):
        self.size += 6
        return Node(vector(place), axes, self.size - 6)

    def _section(self, body, points):
        s, length = self.model["sections"][body["section"]], np.linalg.norm(np.diff(points, axis=0), axis=1).sum()

        def at(x):
            out = {}
            for key in SECTION:
                v = s.get(key, 0)
                out[key] = np.broadcast_to(eval(v, {"s": x}) if isinstance(v, str) else v, x.shape) + 0.0
            for key, of in (("GAy", "EIz"), ("GAz", "EIy")):
                if key not in s or body.get("theory", "euler-bernoulli") != "timoshenko":
                    out[key] = self.stiff * out[of] / length**2
            return out
        return at

    def _beam(self, name, body):
        points = vector(body["points"] if "points" in body else [body["from"], body["to"]])
        section = self._section(body, points)
        along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        along /= along[-1]
        cuts = sorted(set(along) | set(self._cuts(name)))
        node, pieces, ends = None, [], {}
        for k in range(len(points) - 1):
            axes = section_axes(points[k + 1] - points[k], vector(body["y_axis"]))
            inner = [c for c in cuts if along[k] <= c <= along[k + 1]]
            place = lambda c: points[k] + (c - along[k]) / (along[k + 1] - along[k]) * (points[k + 1] - points[k])
            for a, b in zip(inner, inner[1:]):
                seen = [s for n, s in self.seen if n == name and a <= s < b]
                e = RodElement(place(a), place(b), axes, lambda x: section(a + (b - a) * x), self.order,
                               [(s - a) / (b - a) for s in seen])
                node = node or self._node(place(a))
                e.ends = [node, self._node(place(b))]
                ends[a], ends[b], node = e.ends[0], e.ends[1], e.ends[1]
                e.dofs = np.concatenate([np.arange(6) + e.ends[0].dofs.start, np.arange(6 * (self.order - 1)) + self.size,
                                         np.arange(6) + e.ends[1].dofs.start])
                self.size += 6 * (self.order - 1)
                e.rayleigh = self.model["sections"][body["section"]].get("damping", {})
                e.shares, e.beam = seen, name
                self.elements.append(e)
        self.beams[name] = ends

    def _cuts(self, name):
        """Shares at which something is attached."""
        out, begin = [], name + ".at("
        texts = [f for s in list(self.model.get("joints", {}).values()) + list(self.model.get("forces", {}).values())
                 for f in s["between"]] + [s["on"] for s in self.model.get("loads", {}).values()]
        return [float(t[len(begin):-1]) for t in texts if t.startswith(begin)]

    def _rigid(self, name, body):
        node = self._node(body.get("position", [0, 0, 0]), orientation_of(body))
        i = list(body.get("inertia", [0, 0, 0])) + [0, 0, 0]
        J = vector([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])
        self.rigid[name] = node, body["mass"], node.axes0 @ vector(body.get("com", [0, 0, 0])), node.axes0 @ J @ node.axes0.T

    def frame(self, text, other=None):
        """`other`: where ground lies."""
        if text.startswith("ground"):
            return Frame(None, place=vector(text[10:-1].split(",")) if "(" in text else other)
        body, _, part = text.partition(".")
        if body in self.rigid:
            node = self.rigid[body][0]
            f = self.model["bodies"][body]["frames"][part] if part else {}
            return Frame(node, node.axes0 @ vector(f["position"] if isinstance(f, dict) and part else f or [0, 0, 0]))
        ends = self.beams[body]
        share = {"start": 0.0, "end": 1.0}.get(part) if "(" not in part else float(part[3:-1])
        return Frame(ends[share])

    def _joints(self):
        self.joints = {}
        for name, s in self.model.get("joints", {}).items():
            b = self.frame(s["between"][1])
            a = self.frame(s["between"][0], b.at())
            axis = vector(s.get("axis", [1, 0, 0]))
            Q = section_axes(axis, np.eye(3)[np.argmin(np.abs(axis))])
            self.joints[name] = a, b, s, Q

    def _rows(self, name):
        """Value, gradient and second derivative of each row of a joint."""
        a, b, s, Q = self.joints[name]
        A, B, apart = a.turn() @ Q, b.turn() @ Q, b.at() - a.at()
        point = lambda: [point_row(c, a.arm(), b.arm(), apart) for c in np.eye(3)]
        same = [angle_row(A[:, 0], B[:, 1]), angle_row(A[:, 0], B[:, 2]), angle_row(A[:, 1], B[:, 2])]
        aside = lambda: [distance_row(A[:, k], a.arm(), b.arm(), apart) for k in (1, 2)]
        return {"fixed": lambda: point() + same, "revolute": lambda: point() + same[:2], "spherical": point,
                "cylindrical": lambda: aside() + same[:2], "prismatic": lambda: aside() + same,
                }[s["type"]]()

    def _forces(self):
        self.springs = []
        for s in self.model.get("forces", {}).values():
            b = self.frame(s["between"][1])
            a = self.frame(s["between"][0], b.at())
            self.springs.append((a, b, s, np.linalg.norm(b.at() - a.at())))

    # -- energy --------------------------------------------------------------------------------------

    def nodes(self):
        seen = {}
        for e in self.elements:
            for n in e.ends:
                seen[id(n)] = n
        for n, *_ in self.rigid.values():
            seen[id(n)] = n
        return list(seen.values())

    def reset(self):
        for x in self.nodes() + self.elements:
            x.reset()

    def move(self, q):
        for e in self.elements:
            e.move(q[e.dofs])
        for n in self.nodes():
            z = q[n.dofs]
            n.place = n.place + z[:3]
            n.turn = exp_so3(z[3:]) @ n.turn

    def save(self):
        return [e.save() for e in self.elements], [(n.place, n.turn) for n in self.nodes()]

    def restore(self, state):
        for e, s in zip(self.elements, state[0]):
            e.restore(s)
        for n, (n.place, n.turn) in zip(self.nodes(), state[1]):
            pass

    def _add(self, frames, g, H, out, by=1.0):
        """A function of the nodes of two frames, without those on the ground."""
        pick = [(6 * k, f.node.dofs) for k, f in enumerate(frames) if f.node is not None]
        for i, di in pick:
            out[0][di] += by * g[i:i + 6]
            for j, dj in pick:
                out[1][di, dj] += by * H[i:i + 6, j:j + 6]

    def energy(self, load):
        """Gradient, second derivative of all energies but reactions; loads that have none; K of these."""
        g, H = np.zeros(self.size), np.zeros((self.size, self.size))
        for e in self.elements:
            ge, He, _ = e.tangent()
            g[e.dofs] += ge - load * e.weight(self.gravity)
            H[np.ix_(e.dofs, e.dofs)] += He
        for node, m, com, _ in self.rigid.values():
            self._dead(node, load * m * self.gravity, node.turn @ com, g, H)
        for spring in self.springs:
            self._spring(*spring, load, (g, H))
        for a, b, s, Q in self.joints.values():
            if s.get("stiffness"):
                self._hinge_spring(a, b, s["stiffness"], Q, (g, H))
        f, K = np.zeros(self.size), np.zeros((self.size, self.size))
        for s in self.model.get("loads", {}).values():
            self._load(s, load, (g, H), (f, K))
        return g, H, f, K

    def _dead(self, node, F, arm, g, H):
        d = node.dofs.start
        g[d:d + 3] -= F
        g[d + 3:d + 6] -= np.cross(arm, F)
        H[d + 3:d + 6, d + 3:d + 6] -= turned_twice(F, arm)

    def _load(self, s, load, energy, other):
        at = self.frame(s["on"])
        F, T, arm, d = load * vector(s.get("force", [0] * 3)), load * vector(s.get("torque", [0] * 3)), at.arm(), at.node.dofs.start
        if s.get("axes") == "local":
            Q = at.turn() @ self._axes(s["on"])
            F, T = Q @ F, Q @ T
            other[1][d:d + 3, d + 3:d + 6] += skew(F)
            other[1][d + 3:d + 6, d + 3:d + 6] += skew(np.cross(arm, F) + T)
            other[0][d:d + 6] += np.concatenate([F, np.cross(arm, F) + T])
        else:
            self._dead(at.node, F, arm, *energy)
            other[0][d + 3:d + 6] += T

    def _axes(self, text):
        """Axes of a frame as drawn."""
        body, _, part = text.partition(".")
        if body in self.rigid:
            f = self.model["bodies"][body]["frames"][part] if part else {}
            return self.rigid[body][0].axes0 @ (orientation_of(f) if isinstance(f, dict) else np.eye(3))
        ends = self.frame(text).node
        own = [e.axes for e in self.elements if e.beam == body and ends in e.ends]
        return own[0] if len(own) == 1 else own[0] @ exp_so3(log_so3(own[0].T @ own[1]) / 2)

    def _spring(self, a, b, s, length, load, out):
        if s["type"] == "bushing":
            return self._bushing(a, b, s, out)
        apart = b.at() - a.at()
        l = np.linalg.norm(apart)
        e = apart / l
        N = s["stiffness"] * (l - length - load * (s.get("length", length) - length))
        J = np.hstack([-np.eye(3), skew(a.arm()), np.eye(3), -skew(b.arm())])
        grad = N * e @ J
        H = J.T @ (s["stiffness"] * np.outer(e, e) + N / l * (np.eye(3) - np.outer(e, e))) @ J
        H[3:6, 3:6] -= turned_twice(N * e, a.arm())
        H[9:, 9:] += turned_twice(N * e, b.arm())
        self._add((a, b), grad, H, out)

    def _bushing(self, a, b, s, out):
        """On the ground (a); d in global axes, the rotation vector of b."""
        if a.node is not None:
            raise NotImplementedError("a bushing between two bodies")
        k = vector(s["stiffness"])
        apart, J = b.at() - a.at(), np.hstack([np.zeros((3, 6)), np.eye(3), -skew(b.arm())])
        F = k[:3] * apart
        grad, H = F @ J, J.T @ (k[:3, None] * J)
        H[9:, 9:] += turned_twice(F, b.arm())
        g, h = derivatives(k[3:], lambda w: log_so3(exp_so3(w) @ b.turn()))
        grad[9:] += g
        H[9:, 9:] += h
        self._add((a, b), grad, H, out)

    def _angle(self, a, b, Q):
        """Of a revolute joint, with gradient and second derivative."""
        A, B = a.turn() @ Q, b.turn() @ Q
        sine, cosine = angle_row(A[:, 2], B[:, 1]), angle_row(A[:, 1], B[:, 1])
        s, c = sine[0], cosine[0]
        return np.arctan2(s, c), c * sine[1] - s * cosine[1], c * sine[2] - s * cosine[2]  # s^2 + c^2 = 1

    def _hinge_spring(self, a, b, k, Q, out):
        angle, g, H = self._angle(a, b, Q)
        self._add((a, b), k * angle * g, k * (np.outer(g, g) + angle * H), out)

    def rows(self):
        """Value and gradient of all constraints, and a function of the multipliers: second derivative."""
        value, grad, second = [], [], []
        for name, (a, b, *_) in self.joints.items():
            for v, g, H in self._rows(name):
                row = np.zeros((1, self.size))
                for k, f in enumerate((a, b)):
                    if f.node is not None:
                        row[0, f.node.dofs] += g[6 * k:6 * k + 6]
                value.append(v)
                grad.append(row[0])
                second.append((a, b, H))
        return np.array(value), np.array(grad).reshape(-1, self.size), second

    def system(self, load, lam):
        """Residual, stiffness, constraints."""
        g, H, f, K = self.energy(load)
        value, G, second = self.rows()
        out = g + G.T @ lam, H
        for (a, b, h), l in zip(second, lam):
            self._add((a, b), np.zeros(12), l * h, out)
        for n in self.nodes():
            t = slice(n.dofs.start + 3, n.dofs.stop)
            H[t, t] -= skew(out[0][t]) / 2
        return out[0] - f, H + K, value, G

    # -- statics -------------------------------------------------------------------------------------

    def step(self, load, lam):
        r, K, value, G = self.system(load, lam)
        n = len(value)
        big = np.block([[K, G.T], [G, np.zeros((n, n))]])
        x = np.linalg.solve(big, -np.concatenate([r, value]))
        return x[:self.size], lam + x[self.size:]

    def size_of(self, q):
        """The largest motion: in parts of the frame's size, or a rotation."""
        z = np.abs(q.reshape(-1, 6)).max(axis=0)
        return max(z[:3].max() / self.extent, z[3:].max())

    def newton(self, load, lam, turns=15):
        for _ in range(turns):
            q, lam = self.step(load, lam)
            size = self.size_of(q)
            if size > 1:
                return None
            self.move(q)
            if size < 1e-10:
                return lam
        return None

    def statics(self):
        """To the equilibrium under the whole load, in steps of it; the multipliers."""
        self.reset()
        lam, load, part = np.zeros(len(self.rows()[0])), 0.0, 0.5
        while load < 1:
            state, to = self.save(), min(1, load + part)
            found = self.newton(to, lam)
            if found is None:
                self.restore(state)
                part /= 2
                if part < 0.06:
                    raise NoEquilibrium("no equilibrium at load factor %g" % to)
                continue
            lam, load = found, to
        if max(np.arccos(np.clip((np.trace(n.turn) - 1) / 2, -1, 1)) for n in self.nodes()) > LARGE:
            raise NoEquilibrium("turns by more than %g rad" % LARGE)
        return lam

    def linear(self, texts):
        """Sensors in the state that the stiffness of the start gives: y(0) + dy."""
        self.reset()
        none = np.zeros(len(self.rows()[0]))
        r, (_, K, _, G) = self.system(1, none)[0], self.system(0, none)
        n = len(none)
        x = np.linalg.solve(np.block([[K, G.T], [G, np.zeros((n, n))]]), -np.concatenate([r, none]))
        state, at = self.save(), []
        step = 1e-3 / max(1, self.size_of(x[:self.size]))
        for h in np.multiply(step, (1, -1, 2, -2)):
            self.move(h * x[:self.size])
            at.append(np.concatenate([np.atleast_1d(self.sensor(t, h * x[self.size:])) for t in texts]))
            self.restore(state)
        start = np.concatenate([np.atleast_1d(self.sensor(t, none)) for t in texts])
        return start + (8 * (at[0] - at[1]) - at[2] + at[3]) / (12 * step)

    # -- vibrations ----------------------------------------------------------------------------------

    def mass(self):
        M = np.zeros((self.size, self.size))
        for e in self.elements:
            M[np.ix_(e.dofs, e.dofs)] += e.mass()
        for node, m, com, J in self.rigid.values():
            c, J = skew(node.turn @ com), node.turn @ J @ node.turn.T
            M[node.dofs, node.dofs] += np.block([[m * np.eye(3), -m * c], [m * c, J - m * c @ c]])
        return M

    def _damping(self):
        return any(e.rayleigh for e in self.elements) or any("damping" in s for _, _, s, _ in self.springs) or \
            any("damping" in s for _, _, s, _ in self.joints.values())

    def dampers(self):
        D = np.zeros((self.size, self.size))
        for e in self.elements:
            if e.rayleigh:
                D[np.ix_(e.dofs, e.dofs)] += e.rayleigh.get("mass", 0) * e.mass() + \
                    e.rayleigh.get("stiffness", 0) * e.tangent()[2]
        out = np.zeros(self.size), D
        for a, b, s, _ in self.springs:
            c = s.get("damping", 0)
            J = np.hstack([-np.eye(3), skew(a.arm()), np.eye(3), -skew(b.arm())])
            if s["type"] == "spring":
                e = b.at() - a.at()
                J = (e / np.linalg.norm(e) @ J)[None, :]
                self._add((a, b), np.zeros(12), c * J.T @ J, out)
            elif np.any(c):
                J = np.vstack([J, np.hstack([np.zeros((3, 9)), np.eye(3)])])
                self._add((a, b), np.zeros(12), J.T @ (vector(c)[:, None] * J), out)
        for a, b, s, Q in self.joints.values():
            if s.get("damping"):
                axis = a.turn() @ Q[:, 0]
                g = np.concatenate([np.zeros(3), -axis, np.zeros(3), axis])
                self._add((a, b), np.zeros(12), s["damping"] * np.outer(g, g), out)
        return D

    def modes(self, load, lam, count):
        """Roots s of (s^2 M + s D + K) x = 0 of what vibrates, by |s|."""
        _, K, _, G = self.system(load, lam)
        Z = scipy.linalg.null_space(G) if len(G) else np.eye(self.size)
        M, K = Z.T @ self.mass() @ Z, Z.T @ K @ Z
        potential = not load or not any("torque" in s or "axes" in s for s in self.model.get("loads", {}).values())
        if potential and not self.damping:
            K = (K + K.T) / 2
            shift = np.abs(scipy.linalg.eigh(K, M, eigvals_only=True, subset_by_index=[0, count - 1])).max()
            n = len(M)
            mu = scipy.linalg.eigh(M, K + shift * M, eigvals_only=True, subset_by_index=[n - count, n - 1])
            return 1j * np.sqrt((1 / mu - shift).astype(complex))[::-1]
        D, n = Z.T @ self.dampers() @ Z, len(M)
        back = scipy.linalg.lu_solve(scipy.linalg.lu_factor(K), np.hstack([D, M]))
        roots = 1 / np.linalg.eigvals(np.block([[-back], [np.eye(n), np.zeros((n, n))]]))
        roots = roots[roots.imag >= -1e-9 * np.abs(roots)]
        return roots[np.argsort(np.abs(roots))][:count]

    # -- sensors -------------------------------------------------------------------------------------

    def sensor(self, text, lam):
        kind, _, rest = text.partition("(")
        name, _, more = rest.rpartition(")")
        if kind == "section":
            beam, share = name.split(",")
            for e in self.elements:
                if e.beam == beam and float(share) in e.shares:
                    f = e.seen_forces(e.shares.index(float(share)))
                    return f[["N", "Vy", "Vz", "T", "My", "Mz"].index(more[1:])]
        if kind in ("pos", "rot"):
            frame = self.frame(name)
            return frame.at() if kind == "pos" else log_so3(frame.turn() @ self._axes(name))
        first = 0
        for joint, (a, b, s, Q) in self.joints.items():
            rows = self._rows(joint)
            if joint == name:
                g = -sum(l * g[6:] for l, (_, g, _) in zip(lam[first:first + len(rows)], rows))
                if s.get("stiffness"):
                    g = g - s["stiffness"] * self._angle(a, b, Q)[0] * np.append([0, 0, 0], a.turn() @ Q[:, 0])
                return g[:3] if kind == "force" else g[3:] - np.cross(b.arm(), g[:3])
            first += len(rows)
        raise KeyError(text)


def derivatives(k, at):
    """Gradient and second derivative at 0 of 1/2 v . k v, v = at(w), by central differences of fourth order."""
    h, I, v = 1e-2, np.eye(3), at(np.zeros(3))
    J = np.stack([(8 * (at(h * e) - at(-h * e)) - at(2 * h * e) + at(-2 * h * e)) / (12 * h) for e in I], axis=1)
    H = np.einsum("i,ij,ik->jk", k, J, J)
    for i in range(3):
        for j in range(3):
            two = lambda h: (at(h * (I[i] + I[j])) - at(h * (I[i] - I[j])) - at(h * (I[j] - I[i]))
                             + at(-h * (I[i] + I[j]))) / (4 * h * h)
            H[i, j] += k * v @ ((4 * two(h) - two(2 * h)) / 3)
    return k * v @ J, H
