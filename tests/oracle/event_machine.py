"""Masses on guides with control blocks and circuits: DOP853 from switching instant to switching instant.

Every comparison is a mode, frozen within a piece of the run and turned where its function passes 0, which ends
the piece. Pieces are kept with their interpolation, modes and sampled values: what a delay gives is its input's
expression evaluated in the piece of that time. Corners of the past come out a delay later and end pieces as well.
"""
import math

import numpy as np
from scipy.integrate import solve_ivp

TIGHT = dict(method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True)
LEVELS = 3  # of corners that come out of a delay, go in again, and so on


class Now:
    """State of an instant; names of expressions are looked up here."""

    def __init__(self, machine, t, y, modes, held):
        self.m, self.t, self.y, self.modes, self.held, self.known = machine, t, y, modes, held, {}

    def __getitem__(self, name):
        if name == "t":
            return self.t
        if name in self.m.tools:
            return self.m.tools[name]
        if name == "joint":
            return lambda j: self.y[self.m.place[j]]
        if name == "rate":
            return lambda j: self.y[self.m.place[j] + 1]
        if name == "flow":
            return lambda c: self.y[self.m.place[c]]
        if name in self.m.joints or name in self.m.coils:
            return name
        if name not in self.known:
            self.known[name] = self.m.output(name, self)
        return self.known[name]

    def value(self, code):
        return eval(code, {"__builtins__": {}}, self)


class Machine:
    def __init__(self, model):
        self.model, self.blocks = model, model.get("blocks", {})
        self.tools = {"sin": math.sin, "cos": math.cos, "tanh": math.tanh, "pi": math.pi}
        self.joints, self.coils, self.place, n = model["joints"], [], {}, 0
        for j in self.joints:
            self.place[j], n = n, n + 2
        for name, e in model.get("power", {}).items():
            if e["type"] == "I":
                self.coils.append(name)
                self.place[name], n = n, n + 1
        self.start = np.zeros(n)
        for j, s in model.get("initial", {}).items():
            self.start[self.place[j]], self.start[self.place[j] + 1] = s.get("displacement", 0), s.get("rate", 0)
        for name, b in self.blocks.items():
            size = {"integrator": 1, "filter": b.get("order", 1), "transfer_function": len(b.get("denominator", [0])) - 1,
                    "pid": 0 if "every" in b else 2}.get(b["type"], 0)
            self.place[name] = n
            self.start = np.append(self.start, np.zeros(size))
            if b["type"] in ("integrator", "pid") and size:
                self.start[n] = b.get("initial", 0)
            n += size
        self.code = {}
        self.mass = {j: model["bodies"][s["between"][1]]["mass"] for j, s in self.joints.items()}
        self.pieces = []

    def compiled(self, text):
        if text not in self.code:
            self.code[text] = compile(str(text).replace("^", "**"), text if isinstance(text, str) else "n", "eval")
        return self.code[text]

    # -- blocks --------------------------------------------------------------------------------------

    def input(self, name, now):
        b = self.blocks[name]
        return now.value(self.compiled(b["value"] if "value" in b else b["input"]))

    def unlimited(self, name, now):
        b, k = self.blocks[name], self.place[name]
        e, (I, z) = self.input(name, now), now.y[k:k + 2]
        return b["kp"] * e + I + (b.get("kd", 0) * (e - z) / b["filter"] if b.get("kd") else 0)

    def output(self, name, now):
        b, k = self.blocks[name], self.place[name]
        kind, y = b["type"], now.y
        if kind in ("signal",):
            return self.input(name, now)
        if kind == "gain":
            return b["gain"] * self.input(name, now)
        if kind in ("integrator", "filter"):
            return y[k]
        if kind == "pid" and "every" not in b:
            v, mode = self.unlimited(name, now), now.modes.get(name, 0)
            return v if mode == 0 else b["limits"][mode > 0]
        if kind in ("sampled", "pid"):
            return now.held[name] if kind == "sampled" else now.held[name]["y"]
        if kind == "switch":
            return b.get("values", [0, 1])[now.modes[name] > 0]
        if kind == "lookup":
            u, i, p = self.input(name, now), now.modes[name], b["points"]
            if i in (0, len(p)):
                return p[0][1] if i == 0 else p[-1][1]
            return p[i - 1][1] + (p[i][1] - p[i - 1][1]) * (u - p[i - 1][0]) / (p[i][0] - p[i - 1][0])
        if kind == "delay":
            back = now.t - b["time"]
            if back <= 0:
                return b["initial"] if "initial" in b else self.input(name, self.past(0.0))
            return self.input(name, self.past(back))
        if kind == "transfer_function":
            den, num = np.array(b["denominator"], float), np.array(b["numerator"], float)
            num = np.concatenate([np.zeros(len(den) - len(num)), num]) / den[0]
            n, z = len(den) - 1, y[k:k + len(den) - 1]
            out = sum((num[n - i] - num[0] * den[n - i] / den[0]) * z[i] for i in range(n))
            return out + (num[0] * self.input(name, now) if num[0] else 0)
        raise KeyError(kind)

    def past(self, t):
        if not self.pieces:
            return Now(self, t, self.start, self.modes, self.held)
        low, high = 0, len(self.pieces) - 1
        while low < high:
            half = (low + high) // 2
            low, high = (half + 1, high) if t > self.pieces[half][0] else (low, half)
        end, sol, modes, held = self.pieces[low]
        return Now(self, t, sol(t), modes, held)

    def rates(self, t, y):
        now, out = Now(self, t, y, self.modes, self.held), np.zeros(len(y))
        for j, s in self.joints.items():
            i = self.place[j]
            f = now.value(self.compiled(s["effort"])) - s.get("stiffness", 0) * y[i] - s.get("damping", 0) * y[i + 1]
            if "friction" in s:
                f -= s["friction"]["limit"] * math.tanh(y[i + 1] / s["friction"]["velocity"])
            if s.get("_stop"):
                gap, k = s["_stop"]
                f -= k * (y[i] - gap) if self.modes["stop " + j] > 0 else 0
            out[i], out[i + 1] = y[i + 1], f
        for c in self.circuits():
            i, (r, r3) = y[self.place[c["coil"]]], c["resistance"]
            at = self.place[c["joint"]] + 1
            out[self.place[c["coil"]]] = (now.value(self.compiled(c["voltage"])) - r * i - r3 * i**3 - c["modulus"] * y[at]) / c["inertia"]
            out[at] += c["modulus"] * i
        for j in self.joints:
            out[self.place[j] + 1] /= self.mass[j]
        for name, b in self.blocks.items():
            self._block_rates(name, b, now, out)
        return out

    def circuits(self):
        return self.model.get("_circuits", [])

    def _block_rates(self, name, b, now, out):
        k, y, kind = self.place[name], now.y, b["type"]
        if kind == "integrator":
            out[k] = self.input(name, now) if not self.modes.get(name) else 0
        elif kind == "filter":
            tau, u = b["time_constant"], self.input(name, now)
            if b.get("order", 1) == 1:
                out[k] = (u - y[k]) / tau
            else:
                out[k], out[k + 1] = y[k + 1] / tau, (u - y[k] - 2 * b["damping"] * y[k + 1]) / tau
        elif kind == "transfer_function":
            den = np.array(b["denominator"], float)
            n = len(den) - 1
            out[k:k + n - 1] = y[k + 1:k + n]
            out[k + n - 1] = self.input(name, now) - sum(den[n - i] / den[0] * y[k + i] for i in range(n))
        elif kind == "pid" and "every" not in b:
            e, v = self.input(name, now), self.unlimited(name, now)
            out[k] = b.get("ki", 0) * e + ((self.output(name, now) - v) / b["anti_windup"] if "limits" in b else 0)
            out[k + 1] = (e - y[k + 1]) / b["filter"] if b.get("kd") else 0

    # -- modes ---------------------------------------------------------------------------------------

    def turns(self):
        """(name, function of Now that ends the mode when it becomes positive, next mode) for the modes of now."""
        out = []
        for name, b in self.blocks.items():
            kind, mode = b["type"], self.modes.get(name)
            if kind == "pid" and "limits" in b and "every" not in b:
                low, high = b["limits"]
                v = lambda n, name=name: self.unlimited(name, n)
                out += {0: [(name, lambda n, v=v, high=high: v(n) - high, 1), (name, lambda n, v=v, low=low: low - v(n), -1)],
                        1: [(name, lambda n, v=v, high=high: high - v(n), 0)],
                        -1: [(name, lambda n, v=v, low=low: v(n) - low, 0)]}[mode]
            elif kind == "integrator" and "limits" in b:
                (low, high), k = b["limits"], self.place[name]
                u = lambda n, name=name: self.input(name, n)
                out += {0: [(name, lambda n, k=k, high=high: n.y[k] - high, 1), (name, lambda n, k=k, low=low: low - n.y[k], -1)],
                        1: [(name, lambda n, u=u: -u(n), 0)], -1: [(name, lambda n, u=u: u(n), 0)]}[mode]
            elif kind == "switch":
                u, sign = (lambda n, name=name: self.input(name, n)), 1 if b["on"] > b["off"] else -1
                out.append((name, lambda n, u=u, s=sign, at=b["on"]: s * (u(n) - at), 1) if mode == 0 else
                           (name, lambda n, u=u, s=sign, at=b["off"]: -s * (u(n) - at), 0))
            elif kind == "lookup":
                u, x = (lambda n, name=name: self.input(name, n)), [p[0] for p in b["points"]]
                if mode < len(x):
                    out.append((name, lambda n, u=u, at=x[mode]: u(n) - at, mode + 1))
                if mode:
                    out.append((name, lambda n, u=u, at=x[mode - 1]: at - u(n), mode - 1))
        for j, s in self.joints.items():
            if s.get("_stop"):
                name, k, gap = "stop " + j, self.place[j], s["_stop"][0]
                sign = 1 if self.modes[name] == 0 else -1
                out.append((name, lambda n, k=k, gap=gap, sign=sign: sign * (n.y[k] - gap), 1 - self.modes[name]))
        return out

    def settle(self, t, y):
        """Turns modes until none contradicts the state."""
        for _ in range(50):
            now = Now(self, t, y, self.modes, self.held)
            for name, g, to in self.turns():
                if g(now) > 1e-9:
                    self.modes = {**self.modes, name: to}
                    break
            else:
                return
        raise ArithmeticError("modes without end")

    # -- samples -------------------------------------------------------------------------------------

    def sample(self, t, y, which):
        now, held = Now(self, t, y, self.modes, self.held), dict(self.held)
        for name in which:
            b = self.blocks[name]
            u = self.input(name, now)
            if b["type"] == "sampled":
                held[name] = u
                continue
            p, T, Tf = self.held[name], b["every"], b.get("filter", 0)
            I = p["I"] + b.get("ki", 0) * T * u + (min(1, T / b["anti_windup"]) * (p["y"] - p["v"]) if "limits" in b else 0)
            D = (Tf * p["D"] + b.get("kd", 0) * (u - p["e"])) / (Tf + T) if b.get("kd") else 0.0
            v = b["kp"] * u + I + D
            held[name] = {"I": I, "D": D, "e": u, "v": v, "y": min(max(v, b["limits"][0]), b["limits"][1]) if "limits" in b else v}
        self.held = held

    # -- run -----------------------------------------------------------------------------------------

    def run(self, times):
        until, t, y = times[-1], 0.0, self.start.copy()
        self.modes = {n: 0 for n, b in self.blocks.items() if b["type"] in ("pid", "integrator", "switch", "lookup")}
        self.modes.update({"stop " + j: 0 for j in self.joints})
        for n, b in self.blocks.items():
            if b["type"] == "switch":
                self.modes[n] = b.get("initial", 0)
        ticks = {n: b["every"] for n, b in self.blocks.items() if "every" in b}
        self.held = {n: b.get("initial", 0.0) if b["type"] == "sampled" else
                     {"I": b.get("initial", 0.0), "D": 0.0, "e": 0.0, "v": 0.0, "y": 0.0} for n, b in self.blocks.items() if n in ticks}
        delays = [b["time"] for b in self.blocks.values() if b["type"] == "delay"]
        self.settle(t, y)
        self.sample(t, y, ticks)
        self.settle(t, y)
        corners, count = {}, {n: 1 for n in ticks}
        self.corner(corners, 0.0, delays, 0)
        self.switched = [0.0]
        while t < until:
            stops = [until] + [T * count[n] for n, T in ticks.items()] + [c for c in corners if c > t + 1e-13]
            end = min(min(stops), t + 0.9 * min(delays)) if delays else min(stops)
            turns = self.turns()
            functions = [self.event(g) for _, g, _ in turns]
            s = solve_ivp(self.rates, (t, end), y, events=functions or None, **TIGHT)
            t, y = s.t[-1], s.y[:, -1]
            self.pieces.append((t, s.sol, self.modes, self.held))
            for (name, _, to), hit in zip(turns, s.t_events or []):
                if len(hit):
                    self.modes = {**self.modes, name: to}
                    self.corner(corners, t, delays, 0)
                    self.switched.append(t)
            for level in [corners[c] for c in corners if abs(c - t) < 1e-13]:
                self.corner(corners, t, delays, level)
                self.switched.append(t)
            due = [n for n, T in ticks.items() if abs(T * count[n] - t) < 1e-13]
            if due:
                self.sample(t, y, due)
                count.update({n: count[n] + 1 for n in due})
                self.corner(corners, t, delays, 0)
                self.switched.append(t)
            self.settle(t, y)
        return [self.past(t) for t in times]

    def corner(self, corners, t, delays, level):
        if level < LEVELS:
            for d in delays:
                corners[t + d] = min(level + 1, corners.get(t + d, LEVELS))

    def event(self, g):
        def function(t, y):
            return g(Now(self, t, y, self.modes, self.held))
        function.terminal, function.direction = True, 1
        return function
