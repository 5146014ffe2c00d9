"""Space frames drawn by chance, as the model file has them.

A tree of beams, each from the ground or from a frame that is there already, some with a corner or attached
inside another beam; then loops, rigid bodies with an offset mass centre, springs and loads. No two data
alike, nothing along an axis, any units.
"""
import random

import numpy as np

from rotations import exp_so3

OPEN = {"fixed": 4, "revolute": 1}  # a revolute joint of an open branch has a spring
SEEN = 0.333333333333  # share at which section forces are compared: at a third of elements of any mesh
CLOSE = {"fixed": 2, "revolute": 3, "spherical": 3, "cylindrical": 1, "prismatic": 1}


class DrawFrame:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.L, self.F = (1.0, 1.0) if self.chance(0.7) else (10 ** self.number(-2, 2), 10 ** self.number(-3, 3))

    def chance(self, p):
        return self.r.random() < p

    def number(self, low, high):
        return self.r.uniform(low, high)

    def pick(self, weights):
        return self.r.choices(list(weights), list(weights.values()))[0]

    def vector(self, size=1.0):
        return np.array([self.r.gauss(0, size) for _ in range(3)])

    def direction(self):
        v = self.vector()
        return v / np.linalg.norm(v)

    def text(self, v):
        return [float("%.6g" % x) for x in v]

    def whole(self, v):
        return [float(x) for x in v]

    def model(self):
        self.m = {"limber": 1, "gravity": [0, 0, 0], "sections": {}, "bodies": {}, "joints": {}, "forces": {}, "loads": {}}
        self.places, self.stiff, self.damped = {}, 1.0, self.chance(0.3)
        self.places["ground"] = np.zeros(3)
        for k in range(self.pick({1: 2, 2: 3, 3: 2})):
            self._beam(f"b{k}", self._from(k), None)
        if self.chance(0.6):
            self._rigid()
        if len(self.m["bodies"]) > 1 and self.chance(0.6):
            self._close()
        if self.chance(0.4):
            self._spring()
        if self.chance(0.4):
            self._bushing()
        for k in range(self.pick({1: 2, 2: 2})):
            self._load(f"f{k}")
        if self.chance(0.5):
            self.m["gravity"] = self.text(self.vector(0.3) * self.F / self.L)
        self._outputs()
        return self.m

    def _from(self, k):
        """The frame a new beam begins at, and its place."""
        if k == 0 or self.chance(0.25):
            return "ground", self.vector(0.5) * self.L
        name = self.r.choice([n for n in self.places if n != "ground"])
        return name, self.places[name]

    def _section(self, name):
        bend = [self.number(1, 6) for _ in range(3)]
        s = {"shape": "stiffness"}
        slope = lambda: round(self.number(-0.4, 0.4), 2) if taper else 0
        taper = self.chance(0.3)
        FL = self.F * self.L**2
        for key, v in (("EA", self.number(300, 3000) * self.F), ("GJ", bend[0] * FL), ("EIy", bend[1] * FL),
                       ("EIz", bend[2] * FL), ("GAy", self.number(60, 300) * self.F),
                       ("GAz", self.number(60, 300) * self.F), ("rhoA", self.number(0.5, 2)),
                       ("rhoIy", self.number(1, 4) * 1e-3 * self.L**2), ("rhoIz", self.number(1, 4) * 1e-3 * self.L**2)):
            a = slope()
            s[key] = float("%.6g" % v) if not a else "%.6g*(1 + %g*s)" % (v, a)
        if self.damped:
            s["damping"] = {"stiffness": self.number(0, 2e-3) * self.L / self.F**0.5}
        self.m["sections"][name] = s

    def _beam(self, name, start, end):
        where, place = start
        self._section("s_" + name)
        body = {"type": "beam", "section": "s_" + name, "elements": "n", "theory": self.r.choice(["timoshenko", "euler-bernoulli"]),
                "y_axis": self.text(self.vector())}
        last = place + self.direction() * self.number(0.8, 1.4) * self.L if end is None else end[1]
        if end is None and self.chance(0.25):
            half = (place + last) / 2 + np.cross(last - place, self.vector(0.25))  # sides of one length
            body["points"] = [self.whole(place), self.whole(half), self.whole(last)]
            body["elements"] = "2*n"
        else:
            body["from"], body["to"] = self.whole(place), self.whole(last)
        first = body.get("points", [body.get("from"), body.get("to")])
        self.places[name + ".start"], self.places[name + ".end"] = np.array(first[0]), np.array(first[-1])
        if "from" in body:
            self.places[name + ".at(0.5)"] = (self.places[name + ".start"] + self.places[name + ".end"]) / 2
        self.m["bodies"][name] = body
        kind = self.pick(OPEN) if end is None else "fixed"
        self._joint(where, name + ".start", kind, kind == "revolute")
        if end is not None:
            self._joint(name + ".end", end[0], self.pick(CLOSE), self.chance(0.3))

    def _joint(self, a, b, kind, spring):
        s = {"type": kind, "between": [a, b]}
        if kind in ("revolute", "cylindrical", "prismatic"):
            s["axis"] = self.text(self.direction())
        if kind == "revolute" and spring:
            s["stiffness"] = self.number(1, 5) * self.F * self.L**1
            if self.damped:
                s["damping"] = self.number(0, 0.05) * self.F**0.5 * self.L**2
        self.m["joints"][f"j{len(self.m['joints'])}"] = s

    def _rigid(self):
        """Welded or hinged to a beam; of two frames, so that a loop may go through it."""
        at = self.r.choice([n for n in self.places if n.endswith(".end")])
        Q, _ = np.linalg.qr(np.array([self.vector() for _ in range(3)]))
        size = np.array([self.number(0.1, 0.3) for _ in range(3)]) * self.L
        mass = self.number(0.1, 1) * self.L
        J = Q @ np.diag(mass * (size @ size - size**2)) @ Q.T
        angle, axis = self.number(0.3, 2.5), self.direction()
        turn = exp_so3(angle * axis)
        p, q = self.vector(0.15) * self.L, self.vector(0.3) * self.L
        place = self.places[at] - turn @ p
        self.m["bodies"]["r"] = {"type": "rigid", "mass": mass, "position": self.whole(place),
                                 "orientation": {"axis": self.whole(axis), "angle": angle},
                                 "com": self.text(self.vector(0.1) * self.L), "inertia": [
                                     J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]],
                                 "frames": {"p": self.whole(p), "q": self.whole(q)}}
        kind = self.pick(OPEN)
        self._joint(at, "r.p", kind, kind == "revolute")
        self.places["r.q"] = place + turn @ q

    def _close(self):
        """One more beam between two frames, or to the ground."""
        ends = [n for n in self.places if n.endswith((".end", ".q"))]
        a = self.r.choice(ends)
        rest = [n for n in ends if n.partition(".")[0] != a.partition(".")[0]
                and np.linalg.norm(self.places[n] - self.places[a]) > 0.4 * self.L]
        if rest and self.chance(0.6):
            b = self.r.choice(rest)
            self._beam("c", (a, self.places[a]), (b, self.places[b]))
        else:
            place = self.places[a] + self.direction() * self.number(0.8, 1.2) * self.L
            self._beam("c", ("ground", place), (a, self.places[a]))

    def _free_frame(self):
        return self.r.choice([n for n in self.places if n != "ground" and not n.endswith(".start")])

    def _spring(self):
        b = self._free_frame()
        far = self.places[b] + self.direction() * self.number(0.6, 1.2) * self.L
        long = np.linalg.norm(far - self.places[b])
        s = {"type": "spring", "between": ["ground.at(" + ", ".join("%.17g" % x for x in far) + ")", b],
             "stiffness": self.number(1, 20) * self.F / self.L}
        if self.chance(0.4):
            s["length"] = float(long * self.number(0.9, 1.1))
        if self.damped:
            s["damping"] = self.number(0, 0.1) * self.F**0.5
        self.m["forces"]["k"] = s

    def _bushing(self):
        s = {"type": "bushing", "between": ["ground", self._free_frame()],
             "stiffness": [self.number(0, 9) * self.F / self.L for _ in range(3)] +
             [self.number(0, 3) * self.F * self.L for _ in range(3)]}
        if self.damped:
            s["damping"] = [self.number(0, 0.1) * self.F**0.5 for _ in range(3)] + \
                [self.number(0, 0.05) * self.F**0.5 * self.L**2 for _ in range(3)]
        self.m["forces"]["m"] = s

    def _load(self, name):
        s = {"on": self._free_frame()}
        if self.chance(0.3):
            s["axes"] = "local"
        s["force"] = self.text(self.vector(1.0) * self.F)
        if self.chance(0.4):
            s["torque"] = self.text(self.vector(0.4) * self.F * self.L)
        self.m["loads"][name] = s

    def _outputs(self):
        out = []
        for name, body in self.m["bodies"].items():
            for f in ([name + ".start", name + ".end"] if body["type"] == "beam" else [name, name + ".q"]):
                out += [f"pos({f})", f"rot({f})"]
            if body["type"] == "beam":
                out += [f"section({name}, {SEEN}).{c}" for c in ("N", "Vy", "Vz", "T", "My", "Mz")]
        for name in self.m["joints"]:
            out += [f"force({name})", f"moment({name})"]
        self.m["outputs"] = {f"o{k}": o for k, o in enumerate(out)}
