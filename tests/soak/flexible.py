"""Models of rigid and flexible bodies and machines drawn by chance, as dictionaries of the model file.

Extends the draw of rigid mechanisms (tests/oracle/draw.py): beams of every section and theory, straight and along
several points, superelements of beams and of full matrices, springs and bushings between any of them, motors and
controllers. Lengths, masses and times are near 1, so that a fixed step resolves most motions; the identity of units
changes them.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
from draw import Draw  # noqa: E402
from newton_euler import COORDINATES, orientation_of, rotation  # noqa: E402

KINDS = {"rigid": 4, "beam": 5, "superelement": 2}
CARRY = {"revolute": 4, "fixed": 3, "spherical": 2, "universal": 2, "prismatic": 1, "cylindrical": 1, "planar": 1,
         "inline": 1, "distance": 1}
CLOSE = {"spherical": 3, "distance": 3, "inline": 2, "revolute": 2, "fixed": 1, "universal": 1, "cylindrical": 1,
         "planar": 1}
METHODS = {"generalized-alpha": 4, "radau": 3, "newmark": 1, "explicit": 1}
FORMULATIONS = ["corotational", "minimal", "elastodynamic", "rfe", "ffr"]


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def local_axes(x, y_axis=None):
    """Axes of a beam element along x, as columns: the rule of the model file."""
    x = np.array(x, float) / np.linalg.norm(x)
    if y_axis is not None:
        y = np.array(y_axis, float) - (np.array(y_axis) @ x) * x
        y /= np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])
    z = np.array([0, 0, 1.0]) - x[2] * x
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


class Flexible(Draw):
    def model(self):
        r = self.r
        self.L = self.M = self.T = 1.0
        self.plane = None
        self.count = r.choice([1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 12])
        self.rigid_only = self.chance(0.15)
        self.m = {"limber": 1, "gravity": self.vector(6) if self.chance(0.8) else [0, 0, 0], "materials": {},
                  "sections": {}, "bodies": {}, "joints": {}, "forces": {}, "loads": {}, "initial": {}, "blocks": {},
                  "power": {}, "files": {}}
        self.ground = self.chance(0.85)
        for k in range(1, self.count + 1):
            self._add(k)
        self.loops = 0
        for _ in range(self.pick({0: 6, 1: 3, 2: 1})):
            self._close()
        self.tree = not self.loops
        if not self.tree:
            self._fewer_drives()
        for _ in range(self.pick({0: 3, 1: 2, 2: 1})):
            self._force()
        for _ in range(self.pick({0: 2, 1: 2, 2: 1})):
            self._load()
        if self.chance(0.2):
            self._machine()
        if self.tree or all(b["type"] == "rigid" for b in self.m["bodies"].values()):
            self._start()
        else:  # loops of bodies that bend start as drawn: where they are strained, the start is found by iteration
            self._drives_from_rest()
        self._analysis()
        self._outputs()
        for key in ("materials", "sections", "forces", "loads", "initial", "blocks", "power", "files"):
            if not self.m[key]:
                del self.m[key]
        return self.m

    # -- bodies --------------------------------------------------------------------------------------

    def _add(self, k):
        """Body k and the joint that carries it."""
        name, kind = f"b{k}", "rigid" if self.rigid_only else self.pick(KINDS)
        if k == 1:
            carrier = "ground" if self.ground else None
        else:
            carrier = self.r.choice([f"b{i}" for i in range(1, k)] + ["ground"] * (self.ground and self.chance(0.3)))
        joint = self.pick(CARRY)
        if carrier is None or self.chance(0.03):
            self._create(name, kind, np.array(self.vector(0.5)))
            return
        here = None
        if carrier == "ground":
            point = np.array(self.vector(0.5))
        elif self.m["bodies"][carrier]["type"] == "rigid":
            point = self.place(carrier) + np.array(self.vector(0.25))
            here = self.frame_at(carrier, point)
        else:
            here = self.any_frame(carrier)
            point = self.place(here)
        there = point + (np.array(self.direction()) * self.number(0.3, 0.7) if joint == "distance" else 0)
        frame = self._create(name, kind, there)
        if here is None:
            here = "ground" if joint != "distance" and self.chance(0.5) else self._fixed(point)
        self._joint_between(f"j{k}", joint, here, frame)

    def _fixed(self, point):
        return "ground.at(" + ", ".join(repr(float(x)) for x in point) + ")"

    def _create(self, name, kind, point):
        """A body and the name of its frame at a point."""
        if kind == "rigid":
            self._body(name)
            b = self.m["bodies"][name]
            b["position"] = [float(x) for x in point + np.array(self.vector(0.3))]
            return self.frame_at(name, point)
        if kind == "beam":
            return self._beam(name, point)
        return self._superelement(name, point)

    def _section(self, name):
        """A section: a mass of about 1 per length and a bending stiffness of some 10 to 300."""
        r = self.r
        shape = r.choice(["rectangle", "circle", "tube", "box", "general", "stiffness"])
        vary = (lambda x: f"{x:.6g}*(1 - {self.number(0.1, 0.5):.3g}*s)") if self.chance(0.3) else (lambda x: x)
        damping = {}
        if self.chance(0.3):
            damping["stiffness"] = self.number(1e-3, 1e-2)
        if self.chance(0.15):
            damping["mass"] = self.number(0.1, 1)
        if shape == "stiffness":
            ey, ez = self.number(10, 200), self.number(10, 200)
            s = {"shape": shape, "EA": vary(self.number(3e3, 2e4)), "EIy": vary(ey), "EIz": vary(ez),
                 "GJ": vary(self.number(5, 100)), "rhoA": vary(self.number(0.5, 2)),
                 "rhoIy": self.number(1e-3, 5e-3), "rhoIz": self.number(1e-3, 5e-3)}
            if self.chance(0.6):
                s["GAy"], s["GAz"] = self.number(1e3, 1e4), self.number(1e3, 1e4)
            if damping:
                s["damping"] = damping
            self.m["sections"][name] = s
            return
        h, w = self.number(0.08, 0.2), self.number(0.08, 0.2)
        material = {"E": self.number(1e6, 5e6), "rho": self.number(40, 150)}
        material.update({"nu": self.number(0, 0.45)} if self.chance(0.6) else {"G": material["E"] / self.number(2, 3)})
        if damping:
            material["damping"] = damping
        self.m["materials"]["m" + name] = material
        s = {"shape": shape, "material": "m" + name}
        if shape in ("rectangle", "box"):
            s.update(height=vary(h), width=vary(w))
        if shape in ("circle", "tube"):
            s.update(radius=vary(h / 1.6))
        if shape in ("box", "tube"):
            s.update(thickness=min(h, w) * self.number(0.06, 0.2))
        if shape == "general":
            s.update(A=vary(h * w), Iy=vary(h * w**3 / 12), Iz=vary(w * h**3 / 12), J=vary(h * w * (h * h + w * w) / 15))
            if self.chance(0.5):
                s.update(ky=self.number(0.5, 0.9), kz=self.number(0.5, 0.9))
        self.m["sections"][name] = s

    def _beam(self, name, point):
        section = "s" + name
        self._section(section)
        b = {"type": "beam", "section": section, "elements": self.r.choice([1, 1, 2, 2, 3, 4])}
        direction = np.array(self.direction())
        far = point + direction * self.number(0.5, 1.2)
        if self.chance(0.2):
            corner = (point + far) / 2 + np.array(self.vector(0.12))
            b["points"] = [[float(x) for x in p] for p in (point, corner, far)]
            b["elements"] = max(2, b["elements"])
        else:
            b["from"], b["to"] = [float(x) for x in point], [float(x) for x in far]
        if self.chance(0.6):
            b["y_axis"] = self.vector(1)
        if self.chance(0.35):
            b["theory"] = "timoshenko"
        backward = self.chance(0.3)
        if backward and "points" in b:
            b["points"].reverse()
        elif backward:
            b["from"], b["to"] = b["to"], b["from"]
        self.m["bodies"][name] = b
        return f"{name}.end" if backward else f"{name}.start"

    def _superelement(self, name, point):
        Q = orientation_of({"orientation": self.turn()})
        turn = self.turn()
        b = {"type": "superelement", "position": [float(x) for x in point], "orientation": turn}
        del Q
        if self.chance(0.65):
            section = "s" + name
            self._section(section)
            length = self.number(0.5, 1.2)
            b["beam"] = {"section": section, "length": length}
            if self.chance(0.5):
                b["beam"]["deformations"] = self.r.choice(["small", "large"])
            if self.chance(0.4):
                b["nodes"] = {"mid": [length * self.number(0.3, 0.7), 0, 0]}
            names = ["start", "end"] + list(b.get("nodes", {}))
        else:
            names = self._matrices(name, b)
        b["frame"] = self.r.choice(["mean", "chord", "start", names[-1]])
        self.m["bodies"][name] = b
        first = self.r.choice(names)
        shift = self.place(f"{name}.{first}") - point
        b["position"] = [float(x) for x in point - shift]
        return f"{name}.{first}"

    def _matrices(self, name, b):
        """Full mass and stiffness matrices of nodes anywhere, some with axes of their own."""
        n = self.r.choice([2, 2, 3])
        b["nodes"] = {"start": [0.0, 0.0, 0.0]}
        for k in range(1, n):
            x = [self.number(0.4, 0.9) * k, self.r.gauss(0, 0.2), self.r.gauss(0, 0.2)]
            b["nodes"][f"n{k}"] = x
        at = np.array([v["position"] if isinstance(v, dict) else v for v in b["nodes"].values()])
        rigid = np.zeros((6 * n, 6))
        for k in range(n):
            rigid[6 * k:6 * k + 3, :3] = np.eye(3)
            rigid[6 * k:6 * k + 3, 3:] = -cross(at[k])
            rigid[6 * k + 3:6 * k + 6, 3:] = np.eye(3)
        left = np.eye(6 * n)
        units = np.tile([1, 1, 1, 0.3, 0.3, 0.3], n)
        left = left / units  # scaled deformations
        q, _ = np.linalg.qr((rigid / units[:, None]))
        P = (np.eye(6 * n) - q @ q.T) @ left
        A = self.near.normal(size=(6 * n, 6 * n))
        u, _ = np.linalg.qr(A)
        K = P.T @ (u @ np.diag(self.near.uniform(50, 1000, 6 * n)) @ u.T) @ P
        M = np.zeros((6 * n, 6 * n))
        for k in range(n):
            m, c = self.number(0.2, 1), self.near.normal(size=3) * 0.05
            B = self.near.normal(size=(3, 3)) * 0.08
            J = m * (B @ B.T + 0.01 * np.eye(3)) - m * cross(c) @ cross(c)
            M[6 * k:6 * k + 6, 6 * k:6 * k + 6] = np.block([[m * np.eye(3), -m * cross(c)], [m * cross(c), J]])
        self.m["files"][name] = {"stiffness": ((K + K.T) / 2).tolist(), "mass": ((M + M.T) / 2).tolist()}
        if self.chance(0.3):
            self.m["files"][name]["damping"] = (3e-3 * (K + K.T) / 2).tolist()
        for key in self.m["files"][name]:
            b[key] = f"{name}_{key}.mtx"
        return list(b["nodes"])

    def place(self, frame):
        return place(self.m, frame)

    def any_frame(self, body):
        return self.r.choice(frames_of(self.m, body, self.r if self.chance(0.3) else None))

    # -- joints --------------------------------------------------------------------------------------

    def _joint_between(self, name, kind, here, there):
        s = {"type": kind}
        axis = self.direction()
        if kind == "universal":
            other = np.cross(axis, self.vector(1))
            s["axes"] = [axis, [float(c) for c in other / np.linalg.norm(other)]]
        elif kind in ("revolute", "prismatic", "cylindrical", "planar", "inline"):
            s["axis"] = axis
        s["between"] = [here, there]
        if self.chance(0.3):
            s["between"].reverse()
        self._on_coordinates(name, s)
        self.m["joints"][name] = s

    def _close(self):
        """One more joint, between any two: at a point that both have, or a rod between two points."""
        bodies = list(self.m["bodies"])
        if len(bodies) + self.ground < 2:
            return
        a, b = self.r.sample(bodies + ["ground"] * self.ground, 2)
        if b == "ground":
            a, b = b, a
        if {a, b} in [{f.partition(".")[0] for f in j["between"]} for j in self.m["joints"].values()]:
            return
        kind = self.pick(CLOSE)
        there = self.any_frame(b)
        point = self.place(there)
        flexible = a != "ground" and self.m["bodies"][a]["type"] != "rigid"
        if flexible and kind != "distance":
            if self.m["bodies"][b]["type"] != "rigid":
                kind = "distance"
            else:
                here = self.any_frame(a)
                there = self.frame_at(b, self.place(here))
        if kind == "distance":
            here = self._fixed(point + np.array(self.direction()) * 0.6) if a == "ground" else self.any_frame(a)
            if np.linalg.norm(self.place(here) - self.place(there)) < 0.15:
                return
        elif a == "ground":
            here = "ground"
        elif not flexible:
            here = self.frame_at(a, point)
        self.loops += 1
        self._joint_between(f"c{len(self.m['joints'])}", kind, here, there)

    # -- machines ------------------------------------------------------------------------------------

    def _machine(self):
        """A motor on a gear, or a controller, on one joint with one coordinate and nothing else on it."""
        free = [n for n, s in self.m["joints"].items() if s["type"] in ("revolute", "prismatic") and
                "drive" not in s and "effort" not in s and "compliant" not in s]
        if not free:
            return
        name = self.r.choice(free)
        if self.chance(0.5):
            block = self.r.choice([
                {"type": "pid", "input": f"{self.number(0.1, 0.5):.4g} - joint({name})", "kp": self.number(1, 20),
                 "ki": self.number(1, 20), "kd": self.number(0.1, 1), "filter": self.number(0.01, 0.1)},
                {"type": "filter", "input": f"-rate({name})", "time_constant": self.number(0.02, 0.2),
                 "order": self.r.choice([1, 2])},
                {"type": "integrator", "input": f"{self.number(0.1, 0.5):.4g} - 3*joint({name})"}])
            self.m["blocks"]["loop"] = block
            self.m["joints"][name]["effort"] = f"{self.number(1, 4):.4g}*loop"
            return
        self.m["power"] = {
            "shaft": {"type": "1"}, "rotor": {"type": "I", "inertia": self.number(0.01, 0.1), "on": "shaft"},
            "source": {"type": "Se", "effort": self.wave(self.number(0.3, 2)), "on": "shaft"},
            "loss": {"type": "R", "resistance": self.number(0.05, 0.5), "on": "shaft"},
            "gear": {"type": "TF", "modulus": self.number(0.2, 1.5), "from": "shaft", "to": "out"},
            "out": {"type": "1"}, "port": {"type": "port", "joint": name, "on": "out"}}
        if self.chance(0.5):
            self.m["power"]["twist"] = {"type": "C", "stiffness": self.number(5, 50), "on": "shaft"}

    # -- the rest ------------------------------------------------------------------------------------

    def _start(self):
        if self.chance(0.4):
            return
        super()._start()
        for entry in self.m["initial"].values():
            for c, rate in list(entry.items()):
                if c == "rate" and not isinstance(rate, dict) and abs(rate) > 8:
                    entry[c] = rate / 5

    def _drives_from_rest(self):
        smooth = lambda c: f"{self.scaled(self.number(0.1, 0.35)):.6g}*(1 - cos({self.number(2, 9):.5g}*t))"
        for s in self.m["joints"].values():
            if isinstance(s.get("drive"), dict):
                s["drive"] = {c: smooth(c) for c in s["drive"]}
            elif "drive" in s:
                s["drive"] = smooth(None)

    def _analysis(self):
        kind = self.pick({"dynamics": 6, "statics": 2, "modes": 2, "linearize": 1})
        if kind == "dynamics":
            n = self.r.choice([12, 20, 30])
            step = self.number(0.001, 0.004)
            method = self.pick(METHODS)
            if method == "explicit":
                step *= 0.1
            a = {"type": "dynamics", "until": n * step, "output_step": n * step / 4, "method": method, "step": step}
            if method == "generalized-alpha":
                a["rho_inf"] = self.r.choice([0, 0.5, 0.8, 1.0])
        elif kind == "statics":
            a = {"type": "statics"}
        elif kind == "modes":
            a = {"type": "modes", "count": 8, "about": "statics"}
        else:
            a = {"type": "linearize", "about": "statics"}
        self.m["analysis"] = a
        self.m["formulation"] = self.r.choice(FORMULATIONS)

    def _outputs(self):
        out = []
        bodies = self.m["bodies"]
        frames = [f for b in bodies for f in frames_of(self.m, b)]
        for frame in self.r.sample(frames, min(len(frames), 4)):
            others = [f for f in frames if f.partition(".")[0] != frame.partition(".")[0]]
            second = f", {self.r.choice(others)}" if others and self.chance(0.5) else ""
            out += [f"{kind}({frame}{second})" for kind in ("pos", "vel", "acc", "rot", "omega", "alpha")]
        for name, s in list(self.m["joints"].items())[:4]:
            several = len(COORDINATES[s["type"]]) > 1
            out += [f"{kind}({name})" + (f".{c}" if several else "") for c in COORDINATES[s["type"]]
                    for kind in ("joint", "rate")]
            out += [f"force({name})", f"moment({name})"]
        for name, b in bodies.items():
            if b["type"] == "beam" and self.chance(0.7):
                s = round(self.number(0.05, 0.95), 3)
                out += [f"deflection({name}, {s})", f"tip({name})", f"pos({name}.at({s}))", f"acc({name}.at({s}))"]
                out += [f"section({name}, {s}).{c}" for c in ("N", "Vy", "Vz", "T", "My", "Mz")]
        out += ["energy.kinetic", "energy.elastic", "energy.gravity", "power.external"]
        out += [f"energy({self.r.choice(list(bodies))}).kinetic"]
        self.m["outputs"] = {f"o{k}": o for k, o in enumerate(dict.fromkeys(out))}


# -- geometry of a model ------------------------------------------------------------------------------

def axis_points(b):
    return np.array(b["points"] if "points" in b else [b["from"], b["to"]], float)


def beam_nodes(b):
    """Places of node(0) ... node(elements), as fractions of the length."""
    p = axis_points(b)
    lengths = np.linalg.norm(np.diff(p, axis=0), axis=1)
    parts = np.ones(len(lengths), int)
    while parts.sum() < b.get("elements", 4):
        parts[np.argmax(lengths / parts)] += 1
    ends = np.concatenate([[0], np.cumsum(lengths)]) / lengths.sum()
    out = [0.0]
    for k, n in enumerate(parts):
        out += [ends[k] + (ends[k + 1] - ends[k]) * i / n for i in range(1, n + 1)]
    return out


def on_axis(b, s):
    p = axis_points(b)
    lengths = np.linalg.norm(np.diff(p, axis=0), axis=1)
    at = s * lengths.sum()
    for k, length in enumerate(lengths):
        if at <= length or k == len(lengths) - 1:
            return p[k] + (p[k + 1] - p[k]) * at / length
        at -= length


def place(model, frame):
    """Where a frame is as drawn."""
    if frame.startswith("ground.at"):
        return np.array([float(x) for x in frame[10:-1].split(",")])
    body, _, part = frame.partition(".")
    b = model["bodies"][body]
    if b["type"] == "beam":
        if part.startswith("at("):
            return on_axis(b, float(part[3:-1]))
        if part.startswith("node("):
            return on_axis(b, beam_nodes(b)[int(part[5:-1])])
        return axis_points(b)[0 if part == "start" else -1]
    if b["type"] == "superelement":
        named = dict(b.get("nodes", {}))
        if "beam" in b:
            named.update(start=[0, 0, 0], end=[b["beam"]["length"], 0, 0])
        r = named[part] if part else [0, 0, 0]
    else:
        r = b["frames"][part] if part else [0, 0, 0]
    r = r["position"] if isinstance(r, dict) else r
    return np.array(b["position"]) + rotation(orientation_of(b)[None])[0] @ np.array(r, float)


def frames_of(model, body, r=None):
    """Frames of a body; with a source of random numbers also places between the nodes of a beam."""
    b = model["bodies"][body]
    if b["type"] == "beam":
        nodes = [f"{body}.node({k})" for k in range(1, b["elements"])]
        return [f"{body}.start", f"{body}.end"] + nodes + ([f"{body}.at({r.uniform(0.1, 0.9):.3f})"] if r else [])
    if b["type"] == "superelement":
        return [f"{body}.{n}" for n in dict.fromkeys((["start", "end"] if "beam" in b else []) + list(b.get("nodes", {})))]
    return [body] + [f"{body}.{f}" for f in b["frames"]]
