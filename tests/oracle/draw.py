"""Mechanisms of rigid bodies drawn by chance, as the model file has them: a dictionary, and JSON, which is YAML.

No symmetry and no two data alike: full inertia tensors, mass centres and frames off the body frame, tilted
axes, trees and loops on the ground and off it, any units.
"""
import json
import random

import numpy as np

from newton_euler import COORDINATES, orientation_of, rotation

TREE = {"revolute": 5, "prismatic": 2, "cylindrical": 2, "spherical": 2, "universal": 2, "planar": 1, "inline": 1,
        "distance": 1, "fixed": 1}
CLOSE = {"spherical": 3, "distance": 3, "inline": 3, "planar": 2, "cylindrical": 2, "universal": 1, "revolute": 1,
         "prismatic": 1}
PLANE = {"revolute": 5, "prismatic": 1, "cylindrical": 1, "planar": 1, "spherical": 1}
HOLDS_POINT = ("fixed", "revolute", "spherical", "universal")


def text_of(model):
    """The model file: one entry a line."""
    parts = []
    for key, value in model.items():
        if isinstance(value, dict) and value and all(isinstance(v, (dict, str)) for v in value.values()) and \
                key not in ("analysis",):
            inside = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f"  {json.dumps(key)}: {{\n{inside}\n  }}")
        elif value or value == 0:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.near = np.random.default_rng(seed)

    # -- numbers -------------------------------------------------------------------------------------

    def chance(self, p):
        return self.r.random() < p

    def number(self, low, high):
        return self.r.uniform(low, high)

    def signed(self, low, high):
        return self.r.choice([-1, 1]) * self.number(low, high)

    def vector(self, size):
        return [self.r.gauss(0, size) for _ in range(3)]

    def direction(self):
        v = np.array(self.vector(1))
        return [float(c) for c in v / np.linalg.norm(v)]

    def pick(self, weights):
        return self.r.choices(list(weights), list(weights.values()))[0]

    def turn(self):
        return {"axis": self.vector(1), "angle": self.signed(0.2, 2.8)}

    def scaled(self, v, length=0, mass=0, time=0):
        size = self.L**length * self.M**mass * self.T**time
        if isinstance(v, (list, tuple, np.ndarray)):
            return [float(x) * size for x in v]
        return float(v) * size

    def wave(self, size, offset=0.0):
        """An expression of time."""
        w, p = self.number(2, 9) / self.T, self.number(0, 6.28)
        if self.chance(0.3):
            return f"{size:.6g}*cos({w:.5g}*t) + {size * self.signed(0.3, 1) / self.T:.6g}*t"
        return f"{offset:.6g} + {size:.6g}*sin({w:.5g}*t + {p:.4g})"

    # -- the model -----------------------------------------------------------------------------------

    def model(self):
        r = self.r
        self.L, self.M, self.T = (10 ** r.uniform(-3, 3) if self.chance(0.3) else 1.0 for _ in range(3))
        self.count = r.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 8])
        self.plane = self.direction() if self.chance(0.25) else None
        self.m = {"limber": 1, "gravity": self.scaled(self.vector(6) if self.chance(0.9) else [0, 0, 0], 1, 0, -2),
                  "bodies": {}, "joints": {}, "forces": {}, "loads": {}, "initial": {}}
        self.parent, self.ground = {}, self.chance(0.85)
        for k in range(1, self.count + 1):
            self._body(f"b{k}")
        for k in range(1, self.count + 1):
            self._carry(k)
        for _ in range(self.pick({0: 5, 1: 4, 2: 2}) if self.count > 1 or self.ground else 0):
            self._close()
        self.tree = not any(name.startswith("c") for name in self.m["joints"])
        if not self.tree:
            self._fewer_drives()
        for _ in range(self.pick({0: 2, 1: 2, 2: 1})):
            self._force()
        for _ in range(self.pick({0: 1, 1: 2, 2: 2, 3: 1})):
            self._load()
        self._start()
        until = self.T * self.number(0.25, 0.6)
        self.m["analysis"] = {"type": "dynamics", "method": "radau", "tolerance": 1e-10, "until": until,
                              "output_step": until / 6}
        self._outputs()
        return self.m

    def _body(self, name):
        r = self.r
        m = self.number(0.4, 4)
        size = np.array([self.number(0.1, 0.4) for _ in range(3)])
        Q, _ = np.linalg.qr(self.near.normal(size=(3, 3)))
        J = Q @ np.diag(m * (np.sum(size**2) - size**2)) @ Q.T
        full = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        if self.chance(0.1):
            full = [J[0, 0], J[0, 0] + J[1, 1], J[1, 1] + 0.3 * J[0, 0]]
        body = {"type": "rigid", "mass": self.scaled(m, 0, 1), "inertia": self.scaled(full, 2, 1),
                "position": self.scaled(self.vector(0.6), 1), "frames": {}}
        if self.chance(0.8):
            body["com"] = self.scaled(self.vector(0.2), 1)
        if self.chance(0.7):
            body["orientation"] = self.turn()
        for f in "pq"[:r.choice([1, 2])]:
            body["frames"][f] = {"position": self.scaled(self.vector(0.3), 1)}
            if self.chance(0.6):
                body["frames"][f]["orientation"] = self.turn()
        self.m["bodies"][name] = body

    def place(self, frame):
        if frame.startswith("ground"):
            return np.array([float(x) for x in frame[10:-1].split(",")])
        body, _, part = frame.partition(".")
        b = self.m["bodies"][body]
        r = np.array(b["frames"][part]["position"] if part else [0, 0, 0])
        return np.array(b["position"]) + rotation(orientation_of(b)[None])[0] @ r

    def frame_at(self, body, point):
        """A new frame of the body at a point."""
        b = self.m["bodies"][body]
        name = f"f{len(b['frames'])}"
        local = rotation(orientation_of(b)[None])[0].T @ (np.array(point) - np.array(b["position"]))
        b["frames"][name] = {"position": [float(x) for x in local]}
        if self.chance(0.4):
            b["frames"][name]["orientation"] = self.turn()
        return f"{body}.{name}"

    def any_frame(self, body):
        return self.r.choice([body] + [f"{body}.{f}" for f in self.m["bodies"][body]["frames"]])

    def _carry(self, k):
        """The joint that carries body k."""
        name = f"b{k}"
        if k == 1:
            carrier = "ground" if self.ground else None
        else:
            carrier = self.r.choice([f"b{i}" for i in range(1, k)] + ["ground"] * (self.ground and self.chance(0.4)))
        if carrier is None or (k == 1 and self.chance(0.05)):
            return
        self._joint(f"j{k}", carrier, name, self.pick(PLANE if self.plane else TREE), self.ground and self.chance(0.3))

    def _close(self):
        """One more joint, between any two."""
        bodies = list(self.m["bodies"])
        a, b = self.r.sample(bodies + ["ground"] * self.ground, 2)
        if {a, b} in [{f.partition(".")[0] for f in j["between"]} for j in self.m["joints"].values()]:
            return
        if b == "ground":
            a, b = b, a
        self._joint(f"c{len(self.m['joints'])}", a, b, self.pick(PLANE if self.plane else CLOSE),
                    self.ground and self.chance(0.3))

    def _joint(self, name, a, b, kind, swap):
        near = self.place(b) if a == "ground" else (self.place(a) + self.place(b)) / 2
        point = near + np.array(self.scaled(self.vector(0.25), 1))
        s = {"type": kind}
        axis = self.direction()
        if self.plane:
            n = np.array(self.plane)
            across = np.cross(n, axis)
            axis = [float(c) for c in (across / np.linalg.norm(across) if kind == "prismatic" else n)]
        if kind == "universal":
            other = np.cross(axis, self.vector(1))
            s["axes"] = [axis, [float(c) for c in other / np.linalg.norm(other)]]
        elif kind in ("revolute", "prismatic", "cylindrical", "planar", "inline"):
            size = self.number(0.2, 5) if self.chance(0.5) else 1.0
            s["axis"] = [size * c for c in axis]
        points = [point, point.copy()]
        apart = np.array(self.scaled(self.vector(0.2), 1))
        if kind in ("inline", "cylindrical") and self.chance(0.5):
            points[1] = point + (apart @ axis) * np.array(axis)
        elif kind == "planar" and self.chance(0.5):
            points[1] = point + apart - (apart @ axis) * np.array(axis)
        elif kind == "distance":
            points[1] = point + np.array(self.scaled(self.direction(), 1)) * self.number(0.3, 0.7)
        if swap:
            a, b = b, a
        if kind != "distance" and np.array_equal(points[0], points[1]) and self.chance(0.35):
            s["at"] = [float(x) for x in point]
            s["between"] = [x if x == "ground" else self.any_frame(x) for x in (a, b)]
        else:
            s["between"] = [self._side(x, p, np.array_equal(points[0], points[1])) for x, p in zip((a, b), points)]
        self._on_coordinates(name, s)
        self.m["joints"][name] = s

    def _fewer_drives(self):
        driven = [s for s in self.m["joints"].values() if "drive" in s]
        for s in self.r.sample(driven, max(0, len(driven) - self.r.choice([0, 1, 1, 2]))):
            del s["drive"]

    def _side(self, body, point, together):
        if body != "ground":
            return self.frame_at(body, point)
        return "ground" if together and self.chance(0.5) else \
            "ground.at(" + ", ".join(repr(float(x)) for x in point) + ")"

    def _on_coordinates(self, name, s):
        kind = s["type"]
        if self.chance(0.12):
            k, kr = self.scaled(self.number(100, 800), 0, 1, -2), self.scaled(self.number(20, 100), 2, 1, -2)
            c, cr = self.scaled(self.number(0.5, 5), 0, 1, -1), self.scaled(self.number(0.2, 1), 2, 1, -1)
            one = self.L == 1 and self.chance(0.3)
            s["compliant"] = {"stiffness": kr if one else [k, kr]}
            if self.chance(0.7):
                s["compliant"]["damping"] = cr if one else [c, cr]
        several = len(COORDINATES[kind]) > 1
        for c in COORDINATES[kind]:
            length = 1 if c in ("displacement", "x", "y") else 0
            add = {}
            if self.chance(0.13):
                add["drive"] = self.wave(self.scaled(self.number(0.1, 0.35), length)) if length or self.chance(0.8) \
                    else f"{self.signed(3, 15) / self.T:.6g}*t + {self.number(0, 0.3):.6g}"
            elif kind != "distance":
                if self.chance(0.25):
                    add["stiffness"] = self.scaled(self.number(1, 40), 2 - 2 * length, 1, -2)
                if self.chance(0.25):
                    add["damping"] = self.scaled(self.number(0.1, 2), 2 - 2 * length, 1, -1)
                if self.chance(0.12):
                    limit = self.scaled(self.number(0.2, 2), 2 - length, 1, -2)
                    add["friction"] = {"limit": limit, "velocity": self.scaled(self.number(0.5, 1.5), length, 0, -1)}
                if self.chance(0.25):
                    which = f"({name})" + (f".{c}" if several else "")
                    size = self.scaled(self.number(0.5, 4), 2 - length, 1, -2)
                    add["effort"] = self.wave(size) if self.chance(0.5) else \
                        f"{size:.6g}*sin({3 / self.T:.5g}*t) - {size / self.L**length:.6g}*joint{which} - " \
                        f"{0.3 * size * self.T / self.L**length:.6g}*rate{which}"
            for key, value in add.items():
                if several:
                    s.setdefault(key, {})[c] = value
                else:
                    s[key] = value

    def _two_frames(self):
        bodies = list(self.m["bodies"])
        b = self.r.choice(bodies)
        others = [x for x in bodies if x != b] + ["ground"]
        a = self.r.choice(others)
        return a, b

    def _force(self):
        a, b = self._two_frames()
        name = f"k{len(self.m['forces'])}"
        if self.chance(0.5):
            if a == "ground":
                far = self.place(b) + np.array(self.scaled(self.direction(), 1)) * self.number(0.5, 1.5)
                a = "ground.at(" + ", ".join(repr(float(x)) for x in far) + ")"
            else:
                a = self.any_frame(a)
            s = {"type": "spring", "between": [a, self.any_frame(b)]}
            long = float(np.linalg.norm(self.place(s["between"][1]) - self.place(a)))
            if long < 0.2 * self.L:
                return
            s["stiffness"] = self.scaled(self.number(5, 80), 0, 1, -2)
            if self.chance(0.5):
                s["damping"] = self.scaled(self.number(0.2, 2), 0, 1, -1)
            if self.chance(0.5):
                s["length"] = long * self.number(0.6, 1.3)
        else:
            both = [a if a == "ground" else self.any_frame(a), self.any_frame(b)]
            if self.chance(0.3) and both[0] == "ground":
                both.reverse()
            s = {"type": "bushing", "between": both}
            s["stiffness"] = self.scaled([self.number(20, 90) for _ in range(3)], 0, 1, -2) + \
                self.scaled([self.number(1, 9) for _ in range(3)], 2, 1, -2)
            if self.chance(0.6):
                s["damping"] = self.scaled([self.number(0.2, 2) for _ in range(3)], 0, 1, -1) + \
                    self.scaled([self.number(0.05, 0.3) for _ in range(3)], 2, 1, -1)
        self.m["forces"][name] = s

    def _load(self):
        frame = self.any_frame(self.r.choice(list(self.m["bodies"])))
        s = {"on": frame}
        for key, power in (("force", 1), ("torque", 2)):
            if self.chance(0.6):
                s[key] = [self._load_part(frame, power) for _ in range(3)]
        if len(s) == 1:
            return
        if self.chance(0.5):
            s["axes"] = "local"
        self.m["loads"][f"l{len(self.m['loads'])}"] = s

    def _load_part(self, frame, power):
        size = self.scaled(self.signed(0.5, 4) * (0.3 if power == 2 else 1), power, 1, -2)
        kind = self.pick({"constant": 3, "wave": 3, "sensor": 3, "none": 1, "late": 0.5})
        if kind == "none":
            return 0
        if kind == "constant":
            return size
        if kind == "wave":
            return self.wave(size)
        other, joints = self.any_frame(self.r.choice(list(self.m["bodies"]))), list(self.m["joints"])
        frames = f"({frame}, {other})" if other.partition(".")[0] != frame.partition(".")[0] and \
            self.chance(0.5) else f"({other})"
        if kind == "late":
            what, length, time = self.r.choice([("acc", 1, -2), ("alpha", 0, -2)] + [("force", 1, -2)] * bool(joints))
            factor = self.signed(0.01, 0.06) * self.L**(power - length) * (self.M if what != "force" else 1)
            frames = f"({self.r.choice(joints)})" if what == "force" else frames
            return f"{size:.6g} + {factor:.6g}*{what}{frames}.{self.r.choice('xyz')}"
        what, length, time = self.r.choice([("vel", 1, -1), ("omega", 0, -1), ("pos", 1, 0)])
        factor = -0.2 * abs(size) / (self.L**length * self.T**time)
        return f"{size:.6g} + {factor:.6g}*{what}{frames}.{self.r.choice('xyz')}"

    # -- initial state and outputs -------------------------------------------------------------------

    def _start(self):
        joints = list(self.m["joints"].items())
        if not self.tree:  # a few, lest they contradict each other; springs would have to yield
            soft = any("compliant" in s for _, s in joints)
            joints = self.r.sample(joints, min(len(joints), self.r.choice([0, 1, 2]) * (not soft)))
        for name, s in joints:
            several = len(COORDINATES[s["type"]]) > 1
            entry, rates = {}, {}
            for c in COORDINATES[s["type"]]:
                drive = s.get("drive", {}).get(c) if several else s.get("drive")
                if drive is not None or s["type"] == "distance":
                    continue
                length = 1 if c in ("displacement", "x", "y") else 0
                if self.chance(0.2):
                    far = 6 if self.tree and self.chance(0.2) else 0.6
                    entry[c] = self.scaled(self.signed(0.05, 0.25 if length else far), length)
                if self.chance(0.4):
                    rates[c] = self.scaled(self.signed(0.2, 1 if length else 25 if self.chance(0.1) else 4), length, 0, -1)
            if rates:
                entry["rate"] = rates if several else next(iter(rates.values()))
            if entry:
                self.m["initial"][name] = entry
        joined = {f.partition(".")[0] for j in self.m["joints"].values() for f in j["between"]}
        loose = [b for b in self.m["bodies"] if b not in joined] if "ground" in joined or not joined else ["b1"]
        for b in loose:
            if self.chance(0.8):
                self.m["initial"].setdefault("velocity", {})[b] = {
                    "linear": self.scaled(self.vector(0.5), 1, 0, -1), "angular": self.scaled(self.vector(1.5), 0, 0, -1)}

    def _outputs(self):
        out = []
        frames = [f for b in self.m["bodies"] for f in [b] + [f"{b}.{k}" for k in self.m["bodies"][b]["frames"]]]
        for frame in self.r.sample(frames, min(len(frames), 4)):
            others = [f for f in frames if f.partition(".")[0] != frame.partition(".")[0]]
            others += ["ground", f"ground.at({self.L}, {2 * self.L}, {-self.L})"] * self.chance(0.2)
            second = f", {self.r.choice(others)}" if others and self.chance(0.5) else ""
            out += [f"{kind}({frame}{second})" for kind in ("pos", "vel", "acc", "rot", "omega", "alpha")]
        for name, s in self.m["joints"].items():
            several = len(COORDINATES[s["type"]]) > 1
            out += [f"{kind}({name})" + (f".{c}" if several else "") for c in COORDINATES[s["type"]]
                    for kind in ("joint", "rate", "accel")]
            out += [f"force({name})", f"moment({name})"]
        out += ["energy.kinetic", "energy.gravity", "energy.elastic", "energy.total", "power.external"]
        out += [f"energy({self.r.choice(list(self.m['bodies']))}).kinetic"]
        self.m["outputs"] = {f"o{k}": o for k, o in enumerate(out)}
