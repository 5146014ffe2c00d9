"""Rigid mechanisms in absolute coordinates, which share nothing with src.

Every body has its mass centre x, a quaternion, v and omega in global axes:

    m a = f,   J alpha = m - omega x J omega,   G (a, alpha) = c

with the rows G of the joints, written here from their geometry, and multipliers. Accelerations are
integrated by DOP853 from row to row of the result; there the state is put back on the constraints, from
which it is off by what the integrator is. Angles that count turns are integrated beside it, and so is the
work, whose balance with the energy is a check of all forces.
"""
import numpy as np
from scipy.integrate import DOP853
from scipy.linalg import lu_factor, lu_solve, qr

from jets import SENSOR, function, in_time, split_sensor

NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])

# What a joint holds: T i, the way along axis i of a; D i j, the product of axis i of a and j of b; L, the distance.
# And its coordinates: T, L; A, the angle about axis 2; U, V, those of a cross with axis 0 in a and 1 in b.
POINT, LINE = [("T", 0, 0), ("T", 1, 0), ("T", 2, 0)], [("T", 0, 0), ("T", 1, 0)]
TILT, TURN = [("D", 0, 2), ("D", 1, 2)], [("D", 0, 1), ("D", 1, 2), ("D", 2, 0)]
HOLDS = {
    "fixed": POINT + TURN, "revolute": POINT + TILT, "prismatic": LINE + TURN, "cylindrical": LINE + TILT,
    "spherical": POINT, "universal": POINT + [("D", 0, 1)], "planar": [("T", 2, 0)] + TILT, "inline": LINE,
    "distance": [("L", 0, 0)],
}
COORDINATES = {
    "fixed": {}, "spherical": {}, "revolute": {"angle": ("A", 0, 0)}, "prismatic": {"displacement": ("T", 2, 0)},
    "cylindrical": {"angle": ("A", 0, 0), "displacement": ("T", 2, 0)},
    "universal": {"angle1": ("U", 0, 0), "angle2": ("V", 0, 0)},
    "planar": {"angle": ("A", 0, 0), "x": ("T", 0, 0), "y": ("T", 1, 0)},
    "inline": {"displacement": ("T", 2, 0)}, "distance": {"displacement": ("L", 0, 0)},
}
ANGLES = "AUV"
LATE = ("acc", "alpha", "accel", "force", "moment")  # sensors that the equations must be solved for


class NotComparable(Exception):
    """The motion comes where an answer is not unique or not well conditioned."""


class Contradiction(Exception):
    """What the start gives cannot be: the model is to be refused."""


def cross(a, b):
    return a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT]


def dot(a, b):
    return (a * b).sum(-1)


def unit(a):
    return np.asarray(a, float) / np.linalg.norm(a)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(q):
    """Of quaternions [n, 4], scalar first."""
    w, x, y, z = (q / np.sqrt((q * q).sum(-1, keepdims=True))).T
    R = np.empty((len(q), 3, 3))
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return R


def times(p, q):
    """p q of quaternions."""
    v = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + cross(p[..., 1:], q[..., 1:])
    return np.concatenate([p[..., :1] * q[..., :1] - dot(p[..., 1:], q[..., 1:])[..., None], v], -1)


def turned(q, psi):
    """q moved by rotation vectors in global axes."""
    a = np.linalg.norm(psi, axis=-1, keepdims=True)
    return times(np.concatenate([np.cos(a / 2), np.sinc(a / (2 * np.pi)) / 2 * psi], -1), q)


def quaternion(axis, angle):
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * unit(axis)])


def rotation_vector(Q):
    s = np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) / 2
    n = np.linalg.norm(s)
    a = np.arctan2(n, (np.trace(Q) - 1) / 2)
    if n > 1e-8:
        return s * a / n
    return s if a < 1 else np.full(3, np.pi)


def rates_of_vector(theta):
    """T^-1 of theta' = T^-1 omega, omega in the axes that stand still."""
    a2 = theta @ theta
    a = np.sqrt(a2)
    c = 1 / 12 + a2 / 720 if a < 1e-3 else (1 - a / 2 / np.tan(a / 2)) / a2
    S = skew(theta)
    return np.eye(3) - S / 2 + c * S @ S


def triad(axis):
    """e3 along the axis; e1 is the global axis after the one that e3 is nearest to, in the plane across."""
    e3 = unit(axis)
    size = np.abs(e3)
    first = 0 if size[2] >= max(size[0], size[1]) else 1 if size[0] >= size[1] else 2
    e1 = np.eye(3)[first]
    e1 = unit(e1 - (e1 @ e3) * e3)
    return np.column_stack([e1, np.cross(e3, e1), e3])


def orientation_of(entry):
    o = entry.get("orientation") if isinstance(entry, dict) else None
    return quaternion(o["axis"], o["angle"]) if o else np.array([1.0, 0, 0, 0])


def sensors_in(what):
    """All sensors in the expressions of an entry."""
    if isinstance(what, str):
        return [split_sensor(m[0]) for m in SENSOR.finditer(what)]
    parts = what.values() if isinstance(what, dict) else what if isinstance(what, list) else []
    return [found for part in parts for found in sensors_in(part)]


def text_of_sensor(what):
    kind, names, component = what
    return f"{kind}({', '.join(names)})" + (f".{component}" if component else "")


class Rows:
    """The rows of one kind, together: pair, axes, place among all rows."""

    def __init__(self, rows, kind):
        mine = [n for n, r in enumerate(rows) if r["kind"] == kind]
        self.at = np.array(mine, int)
        self.pair, self.i, self.j = (np.array([rows[n][k] for n in mine], int) for k in ("pair", "i", "j"))


class State:
    """A state with all that follows from it."""


class Mechanism:
    def __init__(self, model):
        self.model = model
        self.gravity = np.array(model.get("gravity", [0, 0, 0]), float)
        self._bodies()
        self._pairs()
        self._loads()
        self._implicit()
        self._coordinates()
        self._scales()

    # -- the model ---------------------------------------------------------------------------------

    def _bodies(self):
        bodies = self.model["bodies"]
        self.index = {name: k + 1 for k, name in enumerate(bodies)}
        n = self.n = len(bodies)
        self.x0, self.q0, self.mass = np.zeros((n + 1, 3)), np.tile([1.0, 0, 0, 0], (n + 1, 1)), np.zeros(n + 1)
        self.J, self.com = np.zeros((n + 1, 3, 3)), np.zeros((n + 1, 3))
        for name, b in bodies.items():
            k = self.index[name]
            self.mass[k], self.com[k], self.q0[k] = b["mass"], b.get("com", [0, 0, 0]), orientation_of(b)
            i = (list(b.get("inertia", [0, 0, 0])) + [0, 0, 0])[:6]
            self.J[k] = [[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]]
            self.x0[k] = np.array(b.get("position", [0, 0, 0])) + rotation(self.q0[k:k + 1])[0] @ self.com[k]
        self.R0 = rotation(self.q0)

    def frame(self, name):
        """Body, point from its mass centre and axes, in its axes."""
        if name.startswith("ground"):
            at = name[len("ground.at("):-1].split(",") if name != "ground" else [0, 0, 0]
            return 0, np.array([float(a) for a in at]), np.eye(3)
        body, _, part = name.partition(".")
        k = self.index[body]
        entry = self.model["bodies"][body]["frames"][part] if part else [0, 0, 0]
        point = entry.get("position", [0, 0, 0]) if isinstance(entry, dict) else entry
        return k, np.array(point, float) - self.com[k], rotation(orientation_of(entry)[None])[0]

    def drawn(self, frame):
        k, r, E = frame
        return self.x0[k] + self.R0[k] @ r, self.R0[k] @ E

    def _mark(self, body, point, axes):
        """A point and axes on a body, as drawn."""
        self.marks.append((body, self.R0[body].T @ (point - self.x0[body]), self.R0[body].T @ axes))
        return len(self.marks) - 1

    def _pair(self, between, at, axes):
        sides = [self.frame(f) for f in between]
        points = [self.drawn(s)[0] for s in sides]
        for k in (0, 1):
            if at is not None:
                points[k] = np.array(at, float)
            elif between[k] == "ground":
                points[k] = points[1 - k]
        axes = axes if axes is not None else self.drawn(sides[0])[1]
        self.pairs.append([self._mark(s[0], p, axes) for s, p in zip(sides, points)])
        return len(self.pairs) - 1

    def _row(self, pair, kind, i, j, **more):
        self.rows.append({"pair": pair, "kind": kind, "i": i, "j": j, "k": 0.0, "c": 0.0, "limit": 0.0,
                          "soft": 1.0, "rest": 0.0, "effort": None, "held": False, "drive": None, "joint": None,
                          "row": True, **more})
        return len(self.rows) - 1

    def _pairs(self):
        self.marks, self.pairs, self.rows, self.turns = [], [], [], []
        self.joint_pair, self.joint_rows, self.coordinate = {}, {}, {}
        for name, s in self.model.get("joints", {}).items():
            self._joint(name, s)
        for s in self.model.get("forces", {}).values():
            self._force(s)
        b, r, T = zip(*self.marks) if self.marks else ((), (), ())
        self.on = np.array(b, int)
        self.r, self.T = np.array(r).reshape(-1, 3), np.array(T).reshape(-1, 3, 3)
        self.pa, self.pb = np.array(self.pairs, int).reshape(-1, 2).T
        self.kinds = {k: Rows(self.rows, k) for k in "TDLAUV"}
        self.row_a = np.array([self.on[self.pairs[r["pair"]][0]] for r in self.rows], int)
        self.row_b = np.array([self.on[self.pairs[r["pair"]][1]] for r in self.rows], int)
        for key in ("k", "c", "limit", "soft"):
            setattr(self, "row_" + key, np.array([r[key] for r in self.rows], float))
        self.held = np.array([n for n, r in enumerate(self.rows) if r["held"]], int)
        self.driven = [(n, r["drive"]) for n, r in enumerate(self.rows) if r["drive"]]
        self.efforts = [(n, r["effort"]) for n, r in enumerate(self.rows) if r["effort"]]
        self.acting = np.array([n for n, r in enumerate(self.rows)
                                if r["k"] or r["c"] or r["limit"] or r["effort"]], int)

    def _joint(self, name, s):
        kind = s["type"]
        if kind == "universal":
            e1, e2 = unit(s["axes"][0]), unit(s["axes"][1])
            axes = np.column_stack([e1, e2, np.cross(e1, e2)])
        else:
            axes = triad(s["axis"]) if "axis" in s else np.eye(3)
        pair = self.joint_pair[name] = self._pair(s["between"], s.get("at"), axes)
        soft = s.get("compliant")
        both = lambda key: (lambda x: x if isinstance(x, list) else [x, x])(soft.get(key, 0.0))
        first = len(self.rows)
        several = len(COORDINATES[kind]) > 1
        of = lambda key, c: s.get(key, {}).get(c) if several else s.get(key)
        for c, row in COORDINATES[kind].items():
            friction = of("friction", c) or 0.0
            if not isinstance(friction, dict):
                friction = {"limit": friction}
            drive, effort = of("drive", c), of("effort", c)
            self.coordinate[name, c] = self._row(
                pair, *row, k=of("stiffness", c) or 0.0, c=of("damping", c) or 0.0, limit=friction["limit"],
                soft=friction.get("velocity", 0.01), drive=in_time(drive) if drive is not None else None,
                held=drive is not None, effort=function(effort) if effort is not None else None, joint=name, row=False)
        turn = [h for h in HOLDS[kind] if h[0] == "D"]
        for h in HOLDS[kind]:
            if kind == "distance" and self.rows[first]["drive"]:
                continue
            which = 1 if h[0] == "D" else 0
            vector = soft and len(turn) == 3 and which  # three angles yield as a rotation vector
            self._row(pair, *h, held=not soft, joint=name, **(
                {"k": both("stiffness")[which], "c": both("damping")[which]} if soft and not vector else {}))
        if soft and len(turn) == 3:
            self.turns.append((pair, np.full(3, both("stiffness")[1]), np.full(3, both("damping")[1]), name))
        self.joint_rows[name] = list(range(first, len(self.rows)))

    def _force(self, s):
        if s["type"] == "spring":
            pair = self._pair(s["between"], None, np.eye(3))
            d = np.subtract(*(self._drawn_mark(m) for m in self.pairs[pair]))
            self._row(pair, "L", 0, 0, k=s.get("stiffness", 0.0), c=s.get("damping", 0.0),
                      rest=s.get("length", np.linalg.norm(d)) - np.linalg.norm(d), row=False)
            return
        pair = self._pair(s["between"], None, None)
        k, c = (np.array(s.get(key, [0] * 6), float) for key in ("stiffness", "damping"))
        for i in range(3):
            self._row(pair, "T", i, 0, k=k[i], c=c[i], row=False)
        self.turns.append((pair, k[3:], c[3:], None))

    def _drawn_mark(self, mark):
        b, r, _ = self.marks[mark]
        return self.x0[b] + self.R0[b] @ r

    def _loads(self):
        self.loads = []
        for s in self.model.get("loads", {}).values():
            parts = [[function(e) for e in s[key]] if key in s else None for key in ("force", "torque")]
            self.loads.append((self.frame(s["on"]), parts, s.get("axes") == "local"))

    def _implicit(self):
        """Sensors of what is solved for in forces."""
        entries = list(self.model.get("loads", {}).values()) + list(self.model.get("joints", {}).values())
        found = {text_of_sensor(what) for what in sensors_in([{k: v for k, v in e.items() if k in (
            "force", "torque", "effort")} for e in entries]) if what[0] in LATE}
        self.implicit = sorted(found)

    def _coordinates(self):
        """What rows read as drawn; the angles that are counted."""
        self.row_zero = np.zeros(len(self.rows))
        self.angle_rows = np.array([n for n, r in enumerate(self.rows) if r["kind"] in ANGLES], int)
        s = self.place(self.x0[1:], self.q0[1:])
        self.geometry(s)
        self.row_zero = s.value.copy()
        for n, r in enumerate(self.rows):
            self.row_zero[n] += r["rest"]

    def _scales(self):
        points = np.array([self._drawn_mark(m) for p in self.pairs for m in p] + list(self.x0[1:]))
        inertia = np.trace(self.J[1:], axis1=1, axis2=2).max()
        self.size = max(np.ptp(points, axis=0).max(), np.sqrt(inertia / self.mass.max()))
        joints = [p for j in self.joint_pair.values() for p in map(self._drawn_mark, self.pairs[j])]
        self.length = max((np.linalg.norm(a - b) for a in joints for b in joints), default=0)
        self.length = self.length if self.length > 1e-9 * self.size else self.size
        mass = self.mass[1:].mean()
        inertia = max(np.trace(self.J[1:], axis1=1, axis2=2).mean() / 3, 1e-6 * mass * self.size**2)
        D = np.empty((self.n, 6))
        D[:, :3] = 1 / np.sqrt(np.maximum(self.mass[1:, None], 1e-3 * mass))
        D[:, 3:] = 1 / np.sqrt(np.maximum(np.trace(self.J[1:], axis1=1, axis2=2) / 3, 1e-3 * inertia))[:, None]
        self.D = D.ravel()
        self.until = self.model["analysis"]["until"]

    # -- geometry ----------------------------------------------------------------------------------

    def place(self, x, q, v=None, w=None):
        s = State()
        n = self.n
        ground = np.zeros((1, 3))
        s.x = np.concatenate([ground, x])
        s.q = np.concatenate([[[1.0, 0, 0, 0]], q])
        s.v = np.concatenate([ground, v]) if v is not None else np.zeros((n + 1, 3))
        s.w = np.concatenate([ground, w]) if w is not None else np.zeros((n + 1, 3))
        s.R = rotation(s.q)
        return s

    def geometry(self, s):
        """Of every row: value, rate, gradient, and second derivative at no acceleration."""
        R = s.R[self.on]
        s.arm = (R @ self.r[:, :, None])[:, :, 0]
        s.E = R @ self.T
        s.point = s.x[self.on] + s.arm
        w = s.w[self.on]
        spin = cross(w, s.arm)
        s.speed = s.v[self.on] + spin
        centripetal = cross(w, spin)
        a, b = self.pa, self.pb
        s.wa, s.wb = w[a], w[b]
        s.d, s.dd = s.point[b] - s.point[a], s.speed[b] - s.speed[a]
        s.wr = s.wb - s.wa
        around = cross(s.wa, s.d)
        s.rel = s.dd - around
        bent = centripetal[b] - centripetal[a]
        seen = bent - cross(s.wa, around + 2 * s.rel)
        count = len(self.rows)
        s.value, s.rate, s.bias = np.zeros(count), np.zeros(count), np.zeros(count)
        s.push, s.twist = np.zeros((count, 3)), np.zeros((count, 3))  # on b, at its point
        s.G = np.zeros((count, self.n + 1, 6))
        s.Ea, s.Eb = s.E[a], s.E[b]
        self._along(s, seen)
        self._lengths(s, bent)
        self._products(s)
        self._angles(s)
        s.value -= self.row_zero

    def _along(self, s, seen):
        k = self.kinds["T"]
        if not len(k.at):
            return
        p = k.pair
        u = s.Ea[p, :, k.i]
        s.value[k.at], s.rate[k.at], s.bias[k.at] = dot(u, s.d[p]), dot(u, s.rel[p]), dot(u, seen[p])
        s.push[k.at] = u
        self._forces(s, k, u, s.arm[self.pa[p]] + s.d[p])

    def _lengths(self, s, bent):
        k = self.kinds["L"]
        if not len(k.at):
            return
        p = k.pair
        size = np.sqrt(dot(s.d[p], s.d[p]))
        u = s.d[p] / size[:, None]
        s.value[k.at], s.rate[k.at] = size, dot(u, s.dd[p])
        s.bias[k.at] = dot(u, bent[p]) + (dot(s.dd[p], s.dd[p]) - s.rate[k.at]**2) / size
        s.push[k.at] = u
        self._forces(s, k, u, s.arm[self.pa[p]])

    def _forces(self, s, k, u, arm_a):
        a, b = self.row_a[k.at], self.row_b[k.at]
        s.G[k.at, a, :3] = -u
        s.G[k.at, a, 3:] = -cross(arm_a, u)
        s.G[k.at, b, :3] = u
        s.G[k.at, b, 3:] = cross(s.arm[self.pb[k.pair]], u)

    def _moments(self, s, k, g, g_rate):
        p = k.pair
        s.rate[k.at], s.bias[k.at] = dot(g, s.wr[p]), dot(g_rate, s.wr[p])
        s.twist[k.at] = g
        s.G[k.at, self.row_a[k.at], 3:] = -g
        s.G[k.at, self.row_b[k.at], 3:] = g

    def _products(self, s):
        k = self.kinds["D"]
        if not len(k.at):
            return
        p = k.pair
        e, f = s.Ea[p, :, k.i], s.Eb[p, :, k.j]
        s.value[k.at] = dot(e, f)
        self._moments(s, k, cross(f, e), cross(cross(s.wb[p], f), e) + cross(f, cross(s.wa[p], e)))

    def _angles(self, s):
        for kind in ANGLES:
            k = self.kinds[kind]
            if not len(k.at):
                continue
            p = k.pair
            e, f = np.moveaxis(s.Ea[p], 2, 0), np.moveaxis(s.Eb[p], 2, 0)
            et, ft = (np.stack([cross(w[p], c) for c in axes]) for w, axes in ((s.wa, e), (s.wb, f)))
            if kind == "A":  # the twist about axis 2: gradient along the bisector of both
                S, C = dot(f[0], e[1]) - dot(f[1], e[0]), dot(f[0], e[0]) + dot(f[1], e[1])
                N = (1 + dot(e[2], f[2]))[:, None]
                N_rate = (dot(et[2], f[2]) + dot(e[2], ft[2]))[:, None]
                g, g_rate = e[2] + f[2], et[2] + ft[2]
            else:  # gradient (C grad S - S grad C)/(S^2 + C^2), grad e.f = f x e
                (c, h1, h2), (ct, ht1, ht2) = ((f[1], e[2], e[1]), (ft[1], et[2], et[1])) if kind == "U" else (
                    (e[0], f[2], f[0]), (et[0], ft[2], ft[0]))
                S, C = dot(c, h1), dot(c, h2)
                St, Ct = dot(ct, h1) + dot(c, ht1), dot(ct, h2) + dot(c, ht2)
                along = C[:, None] * h1 - S[:, None] * h2
                along_rate = Ct[:, None] * h1 + C[:, None] * ht1 - St[:, None] * h2 - S[:, None] * ht2
                sign = 1 if kind == "U" else -1
                g, g_rate = sign * cross(c, along), sign * (cross(ct, along) + cross(c, along_rate))
                N, N_rate = (S * S + C * C)[:, None], 2 * (S * St + C * Ct)[:, None]
            s.value[k.at] = np.arctan2(S, C)
            self._moments(s, k, g / N, g_rate / N - g * N_rate / N**2)

    # -- forces and accelerations ------------------------------------------------------------------

    def forces(self, t, s):
        """On all bodies, at their mass centres; of the rows that act, how much."""
        F = np.zeros((self.n + 1, 6))
        F[:, :3] = self.mass[:, None] * self.gravity
        F[:, 3:] = -cross(s.w, (s.Jw @ s.w[:, :, None])[:, :, 0])
        s.act = np.zeros(len(self.rows))
        s.power = 0.0
        s.lost = 0.0
        if len(self.acting):
            rate = s.rate
            drag = self.row_c * rate + self.row_limit * np.tanh(rate / self.row_soft)
            s.act = -self.row_k * s.value - drag
            s.lost = drag @ rate
            for n, effort in self.efforts:
                tau = effort(t, lambda what: self.look(s, what))
                s.act[n] += tau
                s.power += tau * s.rate[n]
            F += np.tensordot(s.act, s.G, 1)
        self._springs_of_turns(s, F)
        self._apply_loads(t, s, F)
        return F

    def _springs_of_turns(self, s, F):
        s.turned, s.turn_energy = [], 0.0
        for pair, k, c, name in self.turns:
            a, b = self.on[self.pa[pair]], self.on[self.pb[pair]]
            E = s.Ea[pair]
            theta = rotation_vector(E.T @ s.Eb[pair])
            if np.linalg.norm(theta) > 2.8:
                raise NotComparable("a bushing turned half a turn")
            spin = E.T @ s.wr[pair]
            moment = -E @ (rates_of_vector(theta).T @ (k * theta) + c * spin)
            s.lost += spin @ (c * spin)
            s.turn_energy += theta @ (k * theta) / 2
            F[b, 3:] += moment
            F[a, 3:] -= moment
            s.turned.append(moment)

    def _apply_loads(self, t, s, F):
        for (body, r, E), (force, torque), local in self.loads:
            arm = s.R[body] @ r
            axes = s.R[body] @ E if local else None
            look = lambda what: self.look(s, what)
            for k, part in enumerate((force, torque)):
                if part is None:
                    continue
                value = np.array([f(t, look) for f in part])
                value = axes @ value if local else value
                if k == 0:
                    F[body, :3] += value
                    F[body, 3:] += np.cross(arm, value)
                    s.power += value @ (s.v[body] + np.cross(s.w[body], arm))
                else:
                    F[body, 3:] += value
                    s.power += value @ s.w[body]

    def _kkt(self, s, rows):
        G = s.G[rows, 1:].reshape(len(rows), 6 * self.n) * self.D
        size = np.sqrt((G * G).sum(1))
        G = G / size[:, None]
        N = 6 * self.n
        K = np.zeros((N + len(rows), N + len(rows)))
        for k in range(self.n):
            i = 6 * k
            K[i, i] = K[i + 1, i + 1] = K[i + 2, i + 2] = self.mass[k + 1]
            K[i + 3:i + 6, i + 3:i + 6] = s.Jw[k + 1]
        K[:N, :N] *= self.D[:, None] * self.D
        K[:N, N:], K[N:, :N] = G.T, G
        return K, size

    def accelerate(self, t, s, rows):
        """Accelerations and the multipliers of `rows`, which must be independent."""
        self.geometry(s)
        s.t, s.drive_rate = t, np.zeros(len(self.rows))
        want = -s.bias[rows]
        for n, drive in self.driven:
            value = drive(t)
            s.drive_rate[n] = value.d
            want[self.row_place[n]] += value.dd
        s.Jw = s.R @ self.J @ np.swapaxes(s.R, 1, 2)
        K, size = self._kkt(s, rows)
        if not self.implicit:
            self._solve(t, s, rows, lambda right: np.linalg.solve(K, right), want / size, size)
        else:
            factors = lu_factor(K)
            self._solve_implicit(s, lambda: self._solve(t, s, rows, lambda right: lu_solve(factors, right),
                                                        want / size, size))
        s.power -= s.multiplier @ s.drive_rate
        return s

    def _solve(self, t, s, rows, solve, want, size):
        F = self.forces(t, s)
        N = 6 * self.n
        solved = solve(np.concatenate([F[1:].ravel() * self.D, want]))
        s.A = np.concatenate([np.zeros((1, 6)), (solved[:N] * self.D).reshape(-1, 6)])
        s.multiplier = np.zeros(len(self.rows))
        s.multiplier[rows] = solved[N:] / size

    def _solve_implicit(self, s, solve):
        """Forces see what `assumed` says of accelerations and reactions: Newton's method until it is so."""
        n = len(self.implicit)
        assumed = np.zeros(n)

        def answer(values):
            s.assumed = dict(zip(self.implicit, values))
            solve()
            s.assumed = None
            return np.array([self.look(s, split_sensor(text)) for text in self.implicit])
        for _ in range(8):
            out = answer(assumed)
            miss = out - assumed
            if np.abs(miss).max() <= 1e-13 * np.abs(out).max():
                return
            J = np.empty((n, n))
            for k in range(n):
                h = np.zeros(n)
                h[k] = abs(out[k]) + abs(assumed[k]) + 1e-3 * np.abs(out).max()
                J[:, k] = (answer(assumed + h) - out - h) / h[k]
            if np.linalg.cond(J) > 1e6:
                raise NotComparable("a force that its reaction hardly determines")
            assumed = assumed - np.linalg.solve(J, miss)
        answer(assumed)

    def independent(self, s, need=1e-5):
        """A largest set of independent rows that are held; NotComparable near a singular position."""
        held = self.held
        if not len(held):
            self.row_place = {}
            return held
        G = s.G[held, 1:].reshape(len(held), -1) * self.D
        G = G / np.sqrt((G * G).sum(1))[:, None]
        values = np.linalg.svd(G, compute_uv=False)
        rank = int((values > 1e-9).sum())
        if values[rank - 1] < need * 10:
            raise NotComparable("near a singular position")
        # drives first: they have to be among the rows
        first = [k for k, n in enumerate(held) if self.rows[n]["drive"]]
        boost = np.ones(len(held))
        boost[first] = 1e6
        _, R, order = qr((G * boost[:, None]).T, mode="economic", pivoting=True)
        rows = np.sort(held[order[:rank]])
        for k in first:
            if held[k] not in rows:
                raise NotComparable("a drive of what other rows determine")
        self.row_place = {n: k for k, n in enumerate(rows)}
        return rows

    def unique(self, s):
        """Which components of each joint's force and moment the equations determine."""
        held = self.held
        out = {name: np.ones(6, bool) for name in self.joint_rows}
        if not len(held):
            return out
        G = s.G[held, 1:].reshape(len(held), -1) * self.D
        size = np.sqrt((G * G).sum(1))
        U, values, _ = np.linalg.svd(G / size[:, None])
        rank = int((values > 1e-9).sum())
        null = U[:, rank:].T / size  # multipliers without effect
        for name, mine in self.joint_rows.items():
            place = [k for k, n in enumerate(held) if n in mine]
            if not place or not len(null):
                continue
            wrench = np.hstack([np.abs(null[:, place] @ s.push[held[place]]) * self.D[0],
                                np.abs(null[:, place] @ s.twist[held[place]]) * self.D[3]])
            out[name] = wrench.max(0) < 1e-9
        return out

    # -- sensors -----------------------------------------------------------------------------------

    def motion(self, s, name):
        body, r, E = self.frame(name)
        arm, w = s.R[body] @ r, s.w[body]
        v = s.v[body] + np.cross(w, arm)
        a, alpha = np.zeros(3), np.zeros(3)
        if hasattr(s, "A"):
            alpha = s.A[body, 3:]
            a = s.A[body, :3] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        return s.x[body] + arm, s.R[body] @ E, v, w, a, alpha

    def seen(self, s, kind, names):
        x, E, v, w, a, alpha = self.motion(s, names[0])
        if len(names) == 1:
            return {"pos": x, "vel": v, "omega": w, "acc": a, "alpha": alpha}[kind] if kind != "rot" else \
                rotation_vector(E)
        gx, gE, gv, gw, ga, galpha = self.motion(s, names[1])
        if kind == "rot":
            return rotation_vector(gE.T @ E)
        d = x - gx
        rel = v - gv - np.cross(gw, d)
        turn = w - gw
        out = {
            "pos": d, "vel": rel, "omega": turn, "alpha": alpha - galpha - np.cross(gw, turn),
            "acc": a - ga - np.cross(galpha, d) - np.cross(gw, np.cross(gw, d)) - 2 * np.cross(gw, rel),
        }[kind]
        return gE.T @ out

    def reaction(self, s, name, twist):
        rows = self.joint_rows[name]
        size = s.act[rows] - s.multiplier[rows]
        total = size @ (s.twist if twist else s.push)[rows]
        if twist:
            for (_, _, _, owner), moment in zip(self.turns, s.turned):
                if owner == name:
                    total = total + moment
        return total

    def energies(self, s, body=None):
        which = slice(1, None) if body is None else slice(self.index[body], self.index[body] + 1)
        v, w = s.v[which], s.w[which]
        Jw = (s.R[which] @ self.J[which] @ np.swapaxes(s.R[which], 1, 2) @ w[:, :, None])[:, :, 0]
        out = {"kinetic": (self.mass[which] @ dot(v, v) + dot(w, Jw).sum()) / 2,
               "gravity": -self.mass[which] @ (s.x[which] @ self.gravity),
               "elastic": 0.0 if body else self.row_k @ s.value**2 / 2 + s.turn_energy}
        out["total"] = sum(out.values())
        return out

    def look(self, s, what):
        """A sensor: a number, or a vector where no component is asked for."""
        kind, names, component = what
        if getattr(s, "assumed", None) and kind in LATE:
            return s.assumed[text_of_sensor(what)]
        if kind in ("joint", "rate", "accel"):
            c = component or next(iter(COORDINATES[self.model["joints"][names[0]]["type"]]))
            n = self.coordinate[names[0], c]
            if kind == "accel":
                return s.G[n].ravel() @ s.A.ravel() + s.bias[n]
            return s.value[n] if kind == "joint" else s.rate[n]
        if kind == "energy":
            return self.energies(s, *names)[component]
        if kind == "power":
            return s.power
        vector = self.reaction(s, names[0], kind == "moment") if kind in ("force", "moment") else \
            self.seen(s, kind, names)
        return vector if component is None else vector["xyz".index(component)]

    # -- the start ---------------------------------------------------------------------------------

    def _parts(self):
        """For each body the first of its part, 0 for what joints hold to the ground."""
        to = list(range(self.n + 1))

        def top(k):
            while to[k] != k:
                k = to[k]
            return k
        second = set()
        for pair in self.joint_pair.values():
            a, b = self.on[self.pairs[pair]]
            second.add(b)
            to[top(a)] = to[top(b)]
        parts = {}
        for k in range(self.n + 1):
            parts.setdefault(top(k), []).append(k)
        roots = {}
        for members in parts.values():
            root = 0 if 0 in members else next((k for k in members if k not in second), members[0])
            roots.update({k: root for k in members})
        return roots

    def _free_coordinates(self, s, of_rates):
        """Coordinates of joints that are not rows of theirs, over the length; how they follow the bodies.

        Of a rotation vector the rate that counts is the angular velocity.
        """
        values, ways = [], []
        for name, joint in self.model.get("joints", {}).items():
            if joint["type"] not in ("spherical", "inline", "distance"):
                continue
            pair = self.joint_pair[name]
            a, b = self.on[self.pairs[pair]]
            E = s.Ea[pair]
            theta = rotation_vector(E.T @ s.Eb[pair])
            X = np.zeros((3, self.n + 1, 6))
            turn = E.T if of_rates else rates_of_vector(theta) @ E.T
            X[:, b, 3:] += turn
            X[:, a, 3:] -= turn
            values.append(theta)
            ways.append(X)
            if joint["type"] == "distance":
                X = np.zeros((3, self.n + 1, 6))
                arm_a, arm_b = s.arm[self.pa[pair]] + s.d[pair], s.arm[self.pb[pair]]
                X[:, a, :3], X[:, b, :3] = -E.T, E.T
                X[:, a, 3:], X[:, b, 3:] = E.T @ skew(arm_a), -E.T @ skew(arm_b)
                values.append((E.T @ s.d[pair] - self.marks[self.pairs[pair][0]][2].T @ self.R0[a].T @ (
                    self._drawn_mark(self.pairs[pair][1]) - self._drawn_mark(self.pairs[pair][0]))) / self.length)
                ways.append(X / self.length)
        return values, ways

    def _given(self):
        """Rows whose value, and rate, the start gives."""
        values, rates = {}, {}
        for n, drive in self.driven:
            at = drive(0.0)
            values[n], rates[n] = at.v, at.d
        for name, entry in self.model.get("initial", {}).items():
            if name == "velocity":
                continue
            names = COORDINATES[self.model["joints"][name]["type"]]
            for key, value in entry.items():
                if key != "rate":
                    values[self.coordinate[name, key]] = value
                    continue
                for c, rate in (value if isinstance(value, dict) else {next(iter(names)): value}).items():
                    rates[self.coordinate[name, c]] = rate
        return values, rates

    def _least(self, s, held, goal, given, fixed, shift):
        """Motion of all bodies that makes the rows `held` change by `goal`, and coordinates change least."""
        free = [n for (name, c), n in self.coordinate.items()
                if n not in given and self.model["joints"][name]["type"] != "distance"]
        scale = np.array([1.0 if self.rows[n]["kind"] in ANGLES else 1 / self.length for n in free])
        values, ways = self._free_coordinates(s, shift == 0)
        X = np.concatenate([s.G[free] * scale[:, None, None]] + ways)
        x = np.concatenate([s.value[free] * scale] + values) * shift
        moving = np.repeat([k not in fixed for k in range(self.n + 1)], 6)
        unit_of = np.tile([1.0] * 3 + [1 / self.size] * 3, self.n + 1)[moving] * self.size
        C = s.G[held].reshape(len(held), 6 * (self.n + 1))[:, moving] * unit_of
        X = X.reshape(len(x), 6 * (self.n + 1))[:, moving] * unit_of
        size = np.maximum(np.sqrt((C * C).sum(1)), 1e-300)
        U, sv, Vt = np.linalg.svd(C / size[:, None])
        rank = int((sv > 1e-8).sum())
        move = Vt[:rank].T @ ((U[:, :rank].T @ (goal / size)) / sv[:rank])
        Z = Vt[rank:].T
        if Z.shape[1]:
            move = move - Z @ np.linalg.lstsq(X @ Z, x + X @ move, rcond=1e-9)[0]
        out = np.zeros(6 * (self.n + 1))
        out[moving] = move * unit_of
        return out.reshape(-1, 6)

    def start(self):
        values, rates = self._given()
        closed = [n for n, r in enumerate(self.rows) if r["row"]]
        held = np.array(sorted(set(closed) | set(values)), int)
        roots = self._parts()
        fixed = set(roots.values()) | {0}
        wanted = np.array([values.get(n, 0.0) for n in held])
        s = self.place(self.x0[1:], self.q0[1:])
        self.geometry(s)
        scale = self._inverse_unit(held)
        steps = int(np.ceil(np.abs(wanted * scale).max(initial=0) / 0.2))
        for step in range(1, steps + 1):
            s = self._follow(s, held, wanted * step / steps, values, fixed, scale)
        return self._start_velocities(s, closed, rates, roots)

    def _contradiction(self, what):
        if any("compliant" in joint for joint in self.model["joints"].values()):
            raise NotComparable("it starts strained")
        raise Contradiction(f"{what} that contradict the joints")

    def _inverse_unit(self, rows):
        return np.array([1.0 if self.rows[n]["kind"] in ANGLES + "D" else 1 / self.size for n in rows])

    def _follow(self, s, held, wanted, values, fixed, scale):
        for turn in range(200):
            goal = wanted - s.value[held]
            angle = np.array([self.rows[n]["kind"] in ANGLES for n in held])
            goal[angle] -= 2 * np.pi * np.round(goal[angle] / (2 * np.pi))
            move = self._least(s, held, goal, values, fixed, 1.0)
            s = self.place(s.x[1:] + move[1:, :3], turned(s.q[1:], move[1:, 3:]))
            s.q /= np.linalg.norm(s.q, axis=1)[:, None]
            self.geometry(s)
            if max(np.abs(move[:, :3]).max() / self.size, np.abs(move[:, 3:]).max()) < 2e-13 * (1 + turn // 20):
                if np.abs(goal * scale).max() > 1e-9:
                    self._contradiction("values")
                return s
        raise NotComparable("the start does not converge")

    def _start_velocities(self, s, closed, rates, roots):
        held = np.array(sorted(set(closed) | set(rates)), int)
        goal = np.array([rates.get(n, 0.0) for n in held])
        given = self.model.get("initial", {}).get("velocity", {})
        loose = {roots[self.index[name]] for name in given}
        fixed = {0} | {k for k in roots.values() if k not in loose}
        if not given:
            V = self._least(s, held, goal, rates, fixed, 0.0)
        else:
            V = self._with_velocities(s, held, goal, rates, fixed, given)
        miss = np.abs(s.G[held].reshape(len(held), 6 * (self.n + 1)) @ V.ravel() - goal) * self._inverse_unit(held)
        speed = max(np.abs(V[:, :3]).max() / self.size, np.abs(V[:, 3:]).max(),
                    np.abs(goal * self._inverse_unit(held)).max(initial=0))
        if miss.max(initial=0) > 1e-7 * speed:
            self._contradiction("rates")
        return s.x[1:], s.q[1:], V[1:, :3], V[1:, 3:]

    def _with_velocities(self, s, held, goal, rates, fixed, given):
        """Velocities of bodies are six more rows each."""
        G, value = s.G, s.value
        rows, want = [], []
        for name, entry in given.items():
            k = self.index[name]
            w = np.array(entry.get("angular", [0, 0, 0]), float)
            v = np.array(entry.get("linear", [0, 0, 0]), float) + np.cross(w, s.R[k] @ self.com[k])
            block = np.zeros((6, self.n + 1, 6))
            block[:, k] = np.eye(6)
            rows.append(block)
            want.append(np.concatenate([v, w]))
        first = len(G)
        s.G = np.concatenate([G] + rows)
        s.value = np.concatenate([value] + want)
        more = np.arange(first, len(s.G))
        V = self._least(s, np.concatenate([held, more]), np.concatenate([goal] + want), rates, fixed, 0.0)
        s.G, s.value = G, value
        return V

    # -- the run -----------------------------------------------------------------------------------

    def _unpack(self, y):
        n = self.n
        x, q, v, w = y[:3 * n], y[3 * n:7 * n], y[7 * n:10 * n], y[10 * n:13 * n]
        s = self.place(x.reshape(-1, 3), q.reshape(-1, 4), v.reshape(-1, 3), w.reshape(-1, 3))
        s.counted = y[13 * n:-2]
        return s

    def state(self, t, y, rows):
        s = self._unpack(y)
        geometry = self.geometry

        def with_turns(state):
            geometry(state)
            k = self.angle_rows
            state.value[k] += 2 * np.pi * np.round((state.counted - state.value[k]) / (2 * np.pi))
        self.geometry = with_turns
        try:
            return self.accelerate(t, s, rows)
        finally:
            del self.geometry

    def _rates(self, t, y, rows):
        s = self.state(t, y, rows)
        spin = np.concatenate([np.zeros((self.n, 1)), s.w[1:]], 1)
        return np.concatenate([s.v[1:].ravel(), times(spin, s.q[1:]).ravel() / 2, s.A[1:, :3].ravel(),
                               s.A[1:, 3:].ravel(), s.rate[self.angle_rows], [s.power, s.lost]])

    def _put_back(self, t, y, rows):
        """On the constraints, by the smallest motion, and velocities too."""
        if not len(rows):
            return y
        n = self.n
        s = self._unpack(y)
        for _ in range(2):
            self.geometry(s)
            goal = -s.value[rows]
            for k, drive in self.driven:
                goal[self.row_place[k]] += drive(t).v
            angle = [k for k, r in enumerate(rows) if self.rows[r]["kind"] in ANGLES]
            goal[angle] -= 2 * np.pi * np.round(goal[angle] / (2 * np.pi))
            move = self._correct(s, rows, goal)
            s = self.place(s.x[1:] + move[:, :3], turned(s.q[1:], move[:, 3:]), s.v[1:], s.w[1:])
        self.geometry(s)
        goal = -s.rate[rows]
        for k, drive in self.driven:
            goal[self.row_place[k]] += drive(t).d
        move = self._correct(s, rows, goal)
        q = s.q[1:] / np.linalg.norm(s.q[1:], axis=1)[:, None]
        return np.concatenate([s.x[1:].ravel(), q.ravel(), (s.v[1:] + move[:, :3]).ravel(),
                               (s.w[1:] + move[:, 3:]).ravel(), y[13 * n:]])

    def _correct(self, s, rows, goal):
        G = s.G[rows, 1:].reshape(len(rows), 6 * self.n) * self.D
        return (np.linalg.lstsq(G, goal, rcond=1e-12)[0] * self.D).reshape(-1, 6)

    def run(self, times_of_rows, tolerance=1e-11):
        """The states at these times, the first at 0."""
        n, size, rate = self.n, self.size, 1 / self.until
        x, q, v, w = self.start()
        s = self.place(x, q, v, w)
        self.geometry(s)
        y = np.concatenate([x.ravel(), q.ravel(), v.ravel(), w.ravel(), s.value[self.angle_rows], [0, 0]])
        for k in range(len(self.angle_rows)):  # an angle starts near what it is given
            given = self._given()[0].get(self.angle_rows[k], 0.0)
            y[13 * n + k] += 2 * np.pi * np.round((given - y[13 * n + k]) / (2 * np.pi))
        rows = self.independent(s)
        states = [self.state(0.0, y, rows)]
        power = abs(states[0].power) + self.energies(states[0])["kinetic"] * rate + self.mass.sum() * size**2 * rate**3
        fine = 0.1 * tolerance * np.concatenate([
            np.full(3 * n, size), np.ones(4 * n), np.full(3 * n, size * rate), np.full(3 * n, rate),
            np.ones(len(self.angle_rows)), np.full(2, 100 * power / rate)])
        first = None
        for t0, t1 in zip(times_of_rows[:-1], times_of_rows[1:]):
            solver = DOP853(lambda t, y: self._rates(t, y, rows), t0, y, t1, rtol=tolerance, atol=fine,
                            first_step=min(first, t1 - t0) if first else None)
            steps = 0
            while solver.status == "running":
                solver.step()
                steps += 1
                if steps == 1 or solver.t < t1:
                    first = solver.h_abs
                if solver.status == "failed" or steps > 400:
                    raise NotComparable("steps as small as at a singular position")
            y = self._put_back(t1, solver.y, rows)
            s = self._unpack(y)
            self.geometry(s)
            rows = self.independent(s)
            states.append(self.state(t1, y, rows))
            states[-1].work, states[-1].loss = y[-2], y[-1]
        self._balance(states)
        return states

    def _balance(self, states):
        """Work and energy must agree: forces and powers were written separately."""
        begin = self.energies(states[0])
        size = max(1e-6 * self.mass.sum() * (self.size / self.until)**2, *(max(abs(e["kinetic"]), abs(e["elastic"]), abs(e["gravity"] - begin["gravity"]), abs(s.work), s.loss)
                   for s in states[1:] for e in [self.energies(s)]))
        for s in states[1:]:
            miss = self.energies(s)["total"] - begin["total"] - s.work + s.loss
            if abs(miss) > 1e-8 * size:
                raise ArithmeticError(f"the oracle's own energy balance is off by {miss / size:.1e}")


def sensor(mechanism, s, text):
    return np.atleast_1d(mechanism.look(s, split_sensor(text)))
