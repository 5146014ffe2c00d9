"""Identities: changes of a model after which its results are known from those before.

Each takes (model, r), with r a source of random numbers, and returns the changed model and back(text, values): the
values of output `text` of the first model, from those of the output of the same name of the second. Values are
[rows, components]; None: not compared. Skip: the identity does not apply to the model.
"""
import copy
import math
import re

import numpy as np

from flexible import COORDINATES, FORMULATIONS, axis_points, beam_nodes, local_axes, on_axis, orientation_of, place, rotation

SENSORS = re.compile(r"\b(pos|vel|acc|rot|omega|alpha|joint|rate|accel|force|moment|deflection|tip|section|energy|power)\b")
FRAMED = ("pos", "vel", "acc", "rot", "omega", "alpha")
MIRRORED = np.diag([1.0, 1.0, -1.0])


class Skip(Exception):
    """The identity does not apply."""


# -- expressions --------------------------------------------------------------------------------------

def arguments_of(inside):
    out, depth, last = [], 0, 0
    for k, c in enumerate(inside + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            out.append(inside[last:k].strip())
            last = k + 1
    return [a for a in out if a]


def sensors(text):
    """(begin, end, kind, arguments, component) of the sensors in an expression."""
    out, at = [], 0
    while True:
        m = SENSORS.search(text, at)
        if not m:
            return out
        end, args = m.end(), []
        if end < len(text) and text[end] == "(":
            depth, k = 0, end
            while True:
                depth += (text[k] == "(") - (text[k] == ")")
                k += 1
                if depth == 0:
                    break
            args, end = arguments_of(text[end + 1:k - 1]), k
        c = re.compile(r"\.([a-zA-Z]\w*)").match(text, end)
        component = c[1] if c else None
        end = c.end() if c else end
        out.append((m.start(), end, m[1], args, component))
        at = end


def split(text):
    """Kind, arguments, component of an output that is one sensor."""
    found = sensors(text)
    assert len(found) == 1 and found[0][:2] == (0, len(text)), text
    return found[0][2:]


def spelled(kind, args, component):
    return kind + (f"({', '.join(args)})" if args else "") + (f".{component}" if component else "")


def replaced(text, f):
    """The expression with each sensor replaced by f(kind, args, component)."""
    if not isinstance(text, str):
        return text
    out, last = "", 0
    for begin, end, *what in sensors(text):
        out += text[last:begin] + f(*what)
        last = end
    return out + text[last:]


def expressions(model, f):
    """f(text, place) on each expression that may hold sensors or t; place = (section, name, key, coordinate)."""
    for name, s in model["joints"].items():
        for key in ("drive", "effort"):
            if isinstance(s.get(key), dict):
                s[key] = {c: f(x, ("joints", name, key, c)) for c, x in s[key].items()}
            elif key in s:
                s[key] = f(s[key], ("joints", name, key, None))
    for name, s in model.get("loads", {}).items():
        for key in ("force", "torque"):
            if key in s:
                s[key] = [f(x, ("loads", name, key, k)) for k, x in enumerate(s[key])]
    for name, s in model.get("blocks", {}).items():
        s["input"] = f(s["input"], ("blocks", name, "input", None))
    for name, s in model.get("power", {}).items():
        if s["type"] == "Se":
            s["effort"] = f(s["effort"], ("power", name, "effort", None))


def in_sensors(model, f):
    """f(kind, args, component) in place of each sensor of loads, efforts and blocks."""
    expressions(model, lambda text, _: replaced(text, f))


def frame_names(model, f):
    """f(frame) in place of each frame that joints, forces, loads, sensors and outputs name."""
    for section in ("joints", "forces"):
        for s in model.get(section, {}).values():
            s["between"] = [f(x) for x in s["between"]]
    for s in model.get("loads", {}).values():
        s["on"] = f(s["on"])
    both = lambda kind, args, c: spelled(kind, [f(a) for a in args] if kind in FRAMED else args, c)
    in_sensors(model, both)
    model["outputs"] = {n: replaced(o, both) for n, o in model["outputs"].items()}


def combined(factors, parts):
    return "(" + " + ".join(f"({f!r})*({p})" for f, p in zip(factors, parts)) + ")"


# -- rotations ----------------------------------------------------------------------------------------

def matrix_of(entry):
    return rotation(orientation_of(entry)[None])[0]


def axis_angle(R):
    q = np.empty(4)
    q[0] = math.sqrt(max(0, 1 + np.trace(R))) / 2
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        q[1 + k] = math.copysign(math.sqrt(max(0, 1 + R[k, k] - R[i, i] - R[j, j])) / 2, R[j, i] - R[i, j])
    n = np.linalg.norm(q[1:])
    if n < 1e-12:
        return {"axis": [1.0, 0.0, 0.0], "angle": 0.0}
    return {"axis": [float(x) for x in q[1:] / n], "angle": float(2 * math.atan2(n, q[0]))}


def exp(v):
    a = np.linalg.norm(v, axis=-1)[:, None, None]
    K = np.zeros((len(v), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = v.T
    K -= K.transpose(0, 2, 1)
    safe = np.where(a > 1e-9, a, 1)
    return np.eye(3) + np.where(a > 1e-9, np.sin(a) / safe, 1) * K + \
        np.where(a > 1e-9, (1 - np.cos(a)) / safe**2, 0.5) * (K @ K)


def log(R):
    out = []
    for Q in R:
        o = axis_angle(Q)
        out.append(np.array(o["axis"]) * o["angle"])
    return np.array(out)


def random_rotation(r):
    Q, _ = np.linalg.qr(np.array([[r.gauss(0, 1) for _ in range(3)] for _ in range(3)]))
    return Q if np.linalg.det(Q) > 0 else -Q


def listed(v):
    return [float(x) for x in v]


def global_axes(model):
    """Is anything in global axes that the file cannot turn: x and y of planar joints, bushings on the ground?"""
    return any(s["type"] == "planar" for s in model["joints"].values()) or \
        any(s["type"] == "bushing" and s["between"][0].startswith("ground") for s in model.get("forces", {}).values())


# -- move, turn, mirror -------------------------------------------------------------------------------

def spelled_axes(b):
    """Gives a beam the y axis that it has by default; not for axes of several segments, which have several."""
    if b["type"] == "beam" and "y_axis" not in b:
        if "points" in b:
            raise Skip
        p = axis_points(b)
        b["y_axis"] = listed(local_axes(p[1] - p[0])[:, 1])


def isometry(model, Q, shift, flip):
    """Every point x of the model to Q x + shift; with flip, Q is a reflection, body axes are mirrored in z."""
    m = copy.deepcopy(model)
    D = MIRRORED if flip else np.eye(3)
    axial = -Q if flip else Q
    axial_local = -D if flip else D
    m["gravity"] = listed(Q @ m["gravity"])
    for name, b in m["bodies"].items():
        spelled_axes(b)
        for key in ("from", "to"):
            if key in b:
                b[key] = listed(Q @ b[key] + shift)
        if "points" in b:
            b["points"] = [listed(Q @ p + shift) for p in np.array(b["points"])]
        if "y_axis" in b:
            b["y_axis"] = listed(Q @ b["y_axis"])
        if b["type"] == "beam":
            continue
        b["position"] = listed(Q @ b["position"] + shift)
        b["orientation"] = axis_angle(Q @ matrix_of(b) @ D)
        if flip:
            mirror_local(m, name, b, D)
    for s in m["joints"].values():
        straight = s["type"] in ("prismatic", "inline", "planar", "cylindrical")
        if "axis" in s:
            s["axis"] = listed((Q if straight else axial) @ s["axis"])
        if "axes" in s:
            s["axes"] = [listed(axial @ a) for a in s["axes"]]
        if "at" in s:
            s["at"] = listed(Q @ s["at"] + shift)
    frame_names(m, lambda f: "ground.at(" + ", ".join(map(repr, listed(Q @ place(m, f) + shift))) + ")"
                if f.startswith("ground.at") else f)
    for s in m.get("loads", {}).values():
        local = s.get("axes") == "local"
        for key, T in (("force", D if local else Q), ("torque", axial_local if local else axial)):
            if key in s and not (local and not flip):
                s[key] = [combined(row, s[key]) for row in T.tolist()]
    for v in m.get("initial", {}).get("velocity", {}).values():
        for key, T in (("linear", Q), ("angular", axial)):
            if key in v:
                v[key] = listed(T @ v[key])

    def seen(kind, args, c):
        """A sensor of the old model by those of the new one."""
        T = polar(kind, args)
        if T is None or c is None:
            return spelled(kind, args, c)
        k = "xyz".index(c)
        parts = [spelled(kind, args, e) for e in "xyz"]
        if kind == "pos" and len(args) == 1:
            parts = [f"{p} - ({x!r})" for p, x in zip(parts, listed(shift))]
        return combined(T[:, k].tolist(), parts)

    def polar(kind, args):
        """Old to new components of a sensor."""
        relative = len(args) == 2 and kind in FRAMED
        if kind in ("pos", "vel", "acc", "force") and len(args):
            return D if relative else Q
        if kind in ("omega", "alpha", "moment"):
            return axial_local if relative else axial
        return None

    in_sensors(m, seen)

    def back(text, v):
        kind, args, c = split(text)
        if kind == "rot":
            R = exp(v)
            return log(D @ R @ D) if len(args) == 2 else log(Q.T @ R @ D)
        if kind in ("deflection", "tip"):
            return v @ D
        if kind == "section":
            sign = {"Vz": -1, "T": -1, "My": -1}.get(c, 1) if flip else 1
            return sign * v
        if kind == "energy" and c in ("gravity", "total"):
            return v - v[:1]
        T = polar(kind, args)
        if T is None:
            return v
        return (v - shift if kind == "pos" and len(args) == 1 else v) @ T
    return m, back


def mirror_local(m, name, b, D):
    """Data of a body in its own axes, mirrored."""
    for key in ("frames", "nodes"):
        for f, x in list(b.get(key, {}).items()):
            if isinstance(x, dict):
                x["position"] = listed(D @ x["position"])
                if "orientation" in x:
                    x["orientation"] = axis_angle(D @ matrix_of(x) @ D)
            else:
                b[key][f] = listed(D @ x)
    if "com" in b:
        b["com"] = listed(D @ b["com"])
    if len(b.get("inertia", [])) == 6:
        for k in (4, 5):
            b["inertia"][k] = -b["inertia"][k]
    for key, A in m.get("files", {}).get(name, {}).items():
        E = np.tile([1, 1, -1, -1, -1, 1], len(A) // 6)
        m["files"][name][key] = (E[:, None] * np.array(A) * E).tolist()


def turn(model, r):
    """The whole model turned and moved."""
    cyclic = global_axes(model)
    Q = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]) if cyclic else random_rotation(r)
    size = r.choice([0, 1, 10])
    m, back = isometry(model, Q, np.array([r.gauss(0, 1) for _ in range(3)]) * size, False)
    for s in m.get("forces", {}).values():
        if s["type"] == "bushing" and s["between"][0].startswith("ground"):
            for key in ("stiffness", "damping"):
                if key in s:
                    s[key] = [s[key][k] for k in (2, 0, 1, 5, 3, 4)]
    return m, back


def mirror(model, r):
    """The model in a mirror."""
    if any(s["type"] in ("planar", "cylindrical") for s in model["joints"].values()):
        raise Skip
    Q = MIRRORED if global_axes(model) else random_rotation(r) @ MIRRORED
    return isometry(model, Q, np.zeros(3), True)


# -- order, names, ends -------------------------------------------------------------------------------

def same(text, v):
    return v


def floats_and_starts(model):
    """Of bodies that nothing joins to the ground one stays as drawn; order and direction of joints may say which."""
    joined = {f.partition(".")[0] for s in model["joints"].values() for f in s["between"]}
    linked, found = {"ground"}, True
    while found:
        more = {f.partition(".")[0] for s in model["joints"].values() for f in s["between"]
                if any(x.partition(".")[0] in linked for x in s["between"])}
        found = not more <= linked
        linked |= more
    moves = "initial" in model or any("drive" in s for s in model["joints"].values())
    return moves and not joined <= linked


def reorder(model, r):
    """Bodies, joints, forces, loads and outputs in another order."""
    m = copy.deepcopy(model)
    fixed = ("joints", "bodies") if floats_and_starts(m) else ()
    for key in ("bodies", "joints", "forces", "loads", "outputs", "sections", "materials", "initial", "blocks", "power"):
        if key in m and key not in fixed:
            items = list(m[key].items())
            r.shuffle(items)
            m[key] = dict(items)
    return m, same


def swap(model, r):
    """Joints from b to a: the axis is turned round, so that coordinates stay what they are."""
    if floats_and_starts(model):
        raise Skip
    m = copy.deepcopy(model)
    gone = {}
    for name, s in m["joints"].items():
        kind = s["type"]
        if kind in ("inline", "planar", "distance") or "compliant" in s or r.random() < 0.3:
            continue
        s["between"].reverse()
        gone[name] = kind
        if "axis" in s:
            s["axis"] = [-x for x in s["axis"]]
        if kind == "universal":
            s["axes"] = [[-x for x in a] for a in reversed(s["axes"])]
            other = {"angle1": "angle2", "angle2": "angle1"}
            for key in ("drive", "effort", "stiffness", "damping", "friction"):
                if key in s:
                    s[key] = {other[c]: x for c, x in s[key].items()}
            entry = m.get("initial", {}).get(name)
            if entry:
                m["initial"][name] = {other.get(c, c): {other[k]: y for k, y in x.items()} if c == "rate" else x
                                      for c, x in entry.items()}
    if not gone:
        raise Skip
    slides = ("prismatic", "cylindrical")

    def seen(kind, args, c):
        if args and gone.get(args[0]) == "universal" and kind in ("joint", "rate", "accel"):
            c = {"angle1": "angle2", "angle2": "angle1"}[c]
        if args and args[0] in gone and kind in ("force", "moment"):
            if kind == "moment" and gone[args[0]] in slides:
                raise Skip  # about another point
            return "(-" + spelled(kind, args, c) + ")"
        return spelled(kind, args, c)

    in_sensors(m, seen)
    other = {"angle1": "angle2", "angle2": "angle1"}
    m["outputs"] = {n: replaced(o, lambda k, a, c: spelled(k, a, other.get(c, c) if a and
                    gone.get(a[0]) == "universal" else c)) for n, o in m["outputs"].items()}

    def back(text, v):
        kind, args, c = split(text)
        if kind in ("force", "moment") and args[0] in gone:
            return None if kind == "moment" and gone[args[0]] in slides else -v
        return v
    return m, back


def axes(model, r):
    """Rigid bodies described in other axes."""
    m = copy.deepcopy(model)
    turned = set()
    for name, b in m["bodies"].items():
        if b["type"] != "rigid":
            continue
        B, d = random_rotation(r), np.array([r.gauss(0, 0.3) for _ in range(3)])
        if name in model.get("initial", {}).get("velocity", {}):
            d = np.zeros(3)  # the velocity is that of the body frame
        R = matrix_of(b)
        turned.add(name)
        b["frames"] = {f: {"position": listed(B.T @ (np.array(x["position"]) - d)),
                           "orientation": axis_angle(B.T @ matrix_of(x))} for f, x in b["frames"].items()}
        b["frames"]["was"] = {"position": listed(-B.T @ d), "orientation": axis_angle(B.T)}
        b["com"] = listed(B.T @ (np.array(b.get("com", [0, 0, 0])) - d))
        b["position"] = listed(np.array(b["position"]) + R @ d)
        b["orientation"] = axis_angle(R @ B)
        i = b["inertia"]
        if len(i) == 3:
            i = i + [0, 0, 0]
        J = B.T @ np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]]) @ B
        b["inertia"] = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    if not turned:
        raise Skip
    frame_names(m, lambda f: f + ".was" if f in turned else f)
    return m, same


# -- units --------------------------------------------------------------------------------------------

POWERS = {"pos": (1, 0, 0), "vel": (1, 0, -1), "acc": (1, 0, -2), "rot": (0, 0, 0), "omega": (0, 0, -1),
          "alpha": (0, 0, -2), "force": (1, 1, -2), "moment": (2, 1, -2), "deflection": (1, 0, 0), "tip": (1, 0, 0),
          "energy": (2, 1, -2), "power": (2, 1, -3)}
SECTION = {"height": 1, "width": 1, "radius": 1, "thickness": 1, "A": 2, "Iy": 4, "Iz": 4, "J": 4}
STIFF = {"EA": (1, 1, -2), "GAy": (1, 1, -2), "GAz": (1, 1, -2), "EIy": (3, 1, -2), "EIz": (3, 1, -2),
         "GJ": (3, 1, -2), "rhoA": (-1, 1, 0), "rhoIy": (1, 1, 0), "rhoIz": (1, 1, 0)}


def straight(s, c):
    return c in ("displacement", "x", "y") or (c is None and s["type"] in ("prismatic", "inline", "distance"))


def units(model, r, factors=None):
    """The model in other units: lengths, masses, times."""
    if factors is None:
        factors = [2.0 ** r.randint(-10, 10) if r.random() < 0.5 else 10 ** r.uniform(-3, 3) for _ in range(3)]
    m = copy.deepcopy(model)
    size = lambda length, mass=0, time=0: factors[0]**length * factors[1]**mass * factors[2]**time
    times = lambda x, *p: f"{size(*p)!r}*({x})" if isinstance(x, str) else \
        [times(y, *p) for y in x] if isinstance(x, list) else x * size(*p)

    def change(d, powers):
        for key, p in powers.items():
            if key in d:
                d[key] = times(d[key], *(p if isinstance(p, tuple) else (p,)))

    def power_of(kind, args, c):
        if kind in ("joint", "rate", "accel"):
            time = {"joint": 0, "rate": -1, "accel": -2}[kind]
            return (1 if straight(model["joints"][args[0]], c) else 0), 0, time
        if kind == "section":
            return (1, 1, -2) if c in ("N", "Vy", "Vz") else (2, 1, -2)
        return POWERS[kind]

    def seen(kind, args, c):
        return f"({spelled(kind, args, c)}/{size(*power_of(kind, args, c))!r})"

    change(m, {"gravity": (1, 0, -2)})
    for s in m.get("materials", {}).values():
        change(s, {"E": (-1, 1, -2), "G": (-1, 1, -2), "rho": (-3, 1, 0)})
        change(s.get("damping", {}), {"mass": (0, 0, -1), "stiffness": (0, 0, 1)})
    for s in m.get("sections", {}).values():
        change(s, SECTION if s["shape"] != "stiffness" else STIFF)
        change(s.get("damping", {}), {"mass": (0, 0, -1), "stiffness": (0, 0, 1)})
    for name, b in m["bodies"].items():
        change(b, {"from": 1, "to": 1, "position": 1, "com": 1, "inertia": (2, 1)} | (
            {"mass": (0, 1)} if b["type"] == "rigid" else {}))
        if "points" in b:
            b["points"] = [times(p, 1) for p in b["points"]]
        for key in ("frames", "nodes"):
            for f, x in b.get(key, {}).items():
                b[key][f] = {**x, "position": times(x["position"], 1)} if isinstance(x, dict) else times(x, 1)
        change(b.get("beam", {}), {"length": 1})
        for key, A in m.get("files", {}).get(name, {}).items():
            u = np.tile([1 / factors[0]] * 3 + [1] * 3, len(A) // 6)
            p = {"mass": (2, 1, 0), "damping": (2, 1, -1), "stiffness": (2, 1, -2)}[key]
            m["files"][name][key] = (np.array(A) * u[:, None] * u * size(*p)).tolist()
    expressions(m, lambda text, at: scaled_expression(model, text, at, size, factors, seen))
    for name, s in m["joints"].items():
        scale_joint(s, times, change)
    far = lambda f: "ground.at(" + ", ".join(repr(float(x) * factors[0]) for x in f[10:-1].split(",")) + ")" \
        if f.startswith("ground.at") else f
    frame_names(m, far)
    for s in m.get("forces", {}).values():
        if s["type"] == "spring":
            change(s, {"stiffness": (0, 1, -2), "damping": (0, 1, -1), "length": 1})
        else:
            for key, time in (("stiffness", -2), ("damping", -1)):
                if key in s:
                    s[key] = times(s[key][:3], 0, 1, time) + times(s[key][3:], 2, 1, time)
    scale_initial(model, m, times)
    scale_machine(m, model, change)
    if m["analysis"]["type"] == "dynamics":
        change(m["analysis"], {"until": (0, 0, 1), "step": (0, 0, 1), "output_step": (0, 0, 1)})

    def back(text, v):
        if text == "frequency":
            return v * factors[2]
        return v / size(*power_of(*split(text)))
    back.time = factors[2]
    return m, back


def scaled_expression(model, text, at, size, factors, seen):
    section, name, key, c = at
    if not isinstance(text, str):
        text = repr(text)
    text = re.sub(r"\bt\b", f"(t/{factors[2]!r})", replaced(text, seen))
    if section == "loads":
        p = (1, 1, -2) if key == "force" else (2, 1, -2)
    elif section == "blocks":
        return text
    elif section == "power":
        p = (1, 1, -2) if straight(model["joints"][model["power"]["port"]["joint"]], None) else (2, 1, -2)
    else:
        line = straight(model["joints"][name], c)
        p = ((1,) if line else (0,)) if key == "drive" else ((1, 1, -2) if line else (2, 1, -2))
    return f"{size(*p)!r}*({text})"


def scale_joint(s, times, change):
    change(s, {"at": 1})
    several = len(COORDINATES[s["type"]]) > 1
    for key, time in (("stiffness", -2), ("damping", -1)):
        if key in s:
            s[key] = {c: times(x, 0 if straight(s, c) else 2, 1, time) for c, x in s[key].items()} if several \
                else times(s[key], 0 if straight(s, None) else 2, 1, time)
    def friction(f, c):
        line = straight(s, c)
        return {"limit": times(f["limit"], 1 if line else 2, 1, -2), "velocity": times(f["velocity"], int(line), 0, -1)}
    if "friction" in s:
        s["friction"] = {c: friction(f, c) for c, f in s["friction"].items()} if several else friction(s["friction"], None)
    if "compliant" in s:
        for key, time in (("stiffness", -2), ("damping", -1)):
            x = s["compliant"].get(key)
            if x is not None:
                both = x if isinstance(x, list) else [x, x]
                s["compliant"][key] = [times(both[0], 0, 1, time), times(both[1], 2, 1, time)]


def scale_initial(model, m, times):
    for name, entry in m.get("initial", {}).items():
        if name == "velocity":
            for v in entry.values():
                for key, length in (("linear", 1), ("angular", 0)):
                    if key in v:
                        v[key] = times(v[key], length, 0, -1)
            continue
        s = model["joints"][name]
        for c, x in list(entry.items()):
            if c == "rate":
                entry[c] = {k: times(y, int(straight(s, k)), 0, -1) for k, y in x.items()} if isinstance(x, dict) \
                    else times(x, int(straight(s, None)), 0, -1)
            else:
                entry[c] = times(x, int(straight(s, c)))


def scale_machine(m, model, change):
    for s in m.get("blocks", {}).values():
        change(s, {"time_constant": (0, 0, 1), "filter": (0, 0, 1), "ki": (0, 0, -1), "kd": (0, 0, 1)})
        if s["type"] == "integrator":
            raise Skip
    if "power" in m:
        line = straight(model["joints"][m["power"]["port"]["joint"]], None)
        p = 0 if line else 2
        for s in m["power"].values():
            change(s, {"inertia": (p, 1, 0), "resistance": (p, 1, -1), "stiffness": (p, 1, -2)})


# -- cutting ------------------------------------------------------------------------------------------

def joint_point(model, body):
    """Of a joint of the body: one more joint there leaves the size of the mechanism as it is."""
    for s in model["joints"].values():
        for f in s["between"]:
            if f.partition(".")[0] == body:
                return s.get("at", listed(place(model, f)))
    return listed(place(model, body))


def split_rigid(model, r):
    """Rigid bodies cut in two and welded again; some of the frames go with the second part."""
    if floats_and_starts(model):
        raise Skip
    m = copy.deepcopy(model)
    cut = {}
    for name, b in list(m["bodies"].items()):
        if b["type"] != "rigid" or r.random() < 0.3:
            continue
        share = 0.2
        i = b["inertia"] + [0, 0, 0] * (len(b["inertia"]) == 3)
        J = np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])
        mass, com = b["mass"], np.array(b.get("com", [0, 0, 0]))
        e = np.array([r.gauss(0, 1) for _ in range(3)])
        e *= 0.2 * math.sqrt(np.linalg.eigvalsh(J)[0] / mass) / np.linalg.norm(e)  # from the common centre
        m1, m2 = (1 - share) * mass, share * mass
        e1, e2 = -share / (1 - share) * e, e
        steiner = lambda q, x: q * ((x @ x) * np.eye(3) - np.outer(x, x))
        J2 = share * J
        J1 = J - J2 - steiner(m1, e1) - steiner(m2, e2)
        six = lambda A: [float(A[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        if min(np.linalg.eigvalsh(J1)) <= 0 or sorted(np.linalg.eigvalsh(J1))[2] > sum(sorted(np.linalg.eigvalsh(J1))[:2]):
            continue
        other = copy.deepcopy(b)
        b.update(mass=m1, com=listed(com + e1), inertia=six(J1))
        moved = {f for f in b["frames"] if r.random() < 0.5}
        other.update(mass=m2, com=listed(com + e2), inertia=six(J2),
                     frames={f: x for f, x in b["frames"].items() if f in moved})
        b["frames"] = {f: x for f, x in b["frames"].items() if f not in moved}
        m["bodies"][name + "cut"] = other
        m["joints"][name + "weld"] = {"type": "fixed", "between": [name, name + "cut"], "at": joint_point(model, name)}
        cut[name] = moved
    if not cut:
        raise Skip
    there = lambda f: f.replace(".", "cut.", 1) if "." in f and f.partition(".")[2] in cut.get(f.partition(".")[0], ()) \
        else f
    frame_names(m, there)
    m["outputs"] = {n: o for n, o in m["outputs"].items() if not (o.startswith("energy(") and split(o)[1][0] in cut)}
    return m, same


def redefined(text, a, b):
    """An expression of s on the part from a to b of a beam."""
    return re.sub(r"\bs\b", f"({a!r} + {b - a!r}*s)", text) if isinstance(text, str) else text


def part_of_section(m, section, name, a, b):
    s = copy.deepcopy(m["sections"][section])
    for key, x in s.items():
        if key not in ("shape", "material", "damping"):
            s[key] = redefined(x, a, b)
    m["sections"][name] = s
    return name


def split_beam(model, r):
    """Beams cut at a node and welded again."""
    if model["formulation"] in ("rfe", "ffr"):
        raise Skip  # they see a weld: half divisions, another frame
    if floats_and_starts(model):
        raise Skip
    m = copy.deepcopy(model)
    cut = {}
    for name, b in list(m["bodies"].items()):
        if b["type"] != "beam" or b["elements"] < 2 or "points" in b or name in m.get("initial", {}).get("velocity", {}):
            continue
        k = r.randint(1, b["elements"] - 1)
        at = k / b["elements"]
        middle = listed(on_axis(b, at))
        other = copy.deepcopy(b)
        section = b["section"]
        b.update(section=part_of_section(m, section, section + "p", 0.0, at), to=middle, elements=k)
        other.update(section=part_of_section(m, section, section + "q", at, 1.0), elements=other["elements"] - k)
        other["from"] = middle
        m["bodies"][name + "cut"] = other
        cut[name] = (k, at)
    if not cut:
        raise Skip

    def there(f):
        body, _, part = f.partition(".")
        if body not in cut:
            return f
        k, at = cut[body]
        if part == "end":
            return body + "cut.end"
        if part.startswith("node("):
            i = int(part[5:-1])
            return f"{body}.node({i})" if i <= k else f"{body}cut.node({i - k})"
        if part.startswith("at("):
            s = float(part[3:-1])
            return f"{body}.at({s / at!r})" if s <= at else f"{body}cut.at({(s - at) / (1 - at)!r})"
        return f
    frame_names(m, there)
    for name in cut:
        m["joints"][name + "weld"] = {"type": "fixed", "between": [name + ".end", name + "cut.start"]}

    def output(kind, args, c):
        if kind == "section" and args[0] in cut:
            (k, at), s = cut[args[0]], float(args[1])
            args = [args[0], repr(s / at)] if s < at else [args[0] + "cut", repr((s - at) / (1 - at))]
        return spelled(kind, args, c)
    m["outputs"] = {n: replaced(o, output) for n, o in m["outputs"].items() if not
                    (split(o)[0] in ("tip", "deflection") and split(o)[1][0] in cut or
                     split(o)[0] == "energy" and split(o)[1] and split(o)[1][0] in cut)}
    return m, same


def shears(model, b):
    s = model["sections"][b["section"]]
    return b.get("theory") == "timoshenko" and (s["shape"] != "stiffness" or "GAy" in s and "GAz" in s)


def reverse(model, r):
    """Beams drawn from the other end."""
    if model["formulation"] == "ffr":
        raise Skip  # its frame is at the start
    m = copy.deepcopy(model)
    turned = {}
    D = np.diag([-1.0, 1.0, -1.0])
    for name, b in m["bodies"].items():
        if b["type"] != "beam" or "points" in b or name in m.get("initial", {}).get("velocity", {}) or \
                model["formulation"] == "rfe" and not shears(model, b):  # hinges slide along one of two pieces
            continue
        spelled_axes(b)
        b["from"], b["to"] = b["to"], b["from"]
        b["section"] = part_of_section(m, b["section"], b["section"] + "r", 1.0, 0.0)
        turned[name] = b["elements"]
    if not turned:
        raise Skip

    def there(f):
        body, _, part = f.partition(".")
        if body not in turned:
            return f
        if part in ("start", "end"):
            return body + (".end" if part == "start" else ".start")
        if part.startswith("node("):
            return f"{body}.node({turned[body] - int(part[5:-1])})"
        return f"{body}.at({1 - float(part[3:-1])!r})"
    of = lambda f: f.partition(".")[0] in turned
    for s in m.get("loads", {}).values():
        if of(s["on"]) and s.get("axes") == "local":
            for key in ("force", "torque"):
                if key in s:
                    s[key] = [combined(row, s[key]) for row in D.tolist()]
    in_sensors(m, lambda k, a, c: "(-" + spelled(k, a, c) + ")" if k in FRAMED and len(a) == 2 and of(a[1]) and
               c in ("x", "z") else spelled(k, a, c))
    frame_names(m, there)

    def output(kind, args, c):
        if kind == "section" and args[0] in turned:
            args = [args[0], repr(1 - float(args[1]))]
        return spelled(kind, args, c)
    m["outputs"] = {n: replaced(o, output) for n, o in m["outputs"].items() if not
                    (split(o)[0] in ("tip", "deflection") and split(o)[1][0] in turned)}

    def back(text, v):
        kind, args, c = split(text)
        if kind == "section" and args[0] in turned:
            return -v if c in ("Vy", "My") else v
        if kind not in FRAMED:
            return v
        if len(args) == 2 and of(args[1]):
            if kind == "rot":
                R = D @ exp(v)
                return log(R @ D if of(args[0]) else R)
            return v @ D
        return log(exp(v) @ D) if kind == "rot" and of(args[0]) else v
    return m, back


def drawn(model, r):
    """The same beams drawn otherwise: y axes written out, a point on the axis, sections by their stiffness."""
    m = copy.deepcopy(model)
    done = 0
    for b in m["bodies"].values():
        if b["type"] != "beam" or "points" in b:
            continue
        if "y_axis" not in b:
            spelled_axes(b)
            done += 1
        n = b["elements"]
        if n > 1 and model["formulation"] != "ffr" and r.random() < 0.6:
            p = on_axis(b, r.randint(1, n - 1) / n)
            b["points"] = [b.pop("from"), listed(p), b.pop("to")]
            done += 1
    for name, s in m.get("sections", {}).items():
        if s["shape"] == "rectangle" and not any(isinstance(x, str) for k, x in s.items() if k in ("height", "width")) \
                or s["shape"] == "general" and not any(isinstance(s[k], str) for k in ("A", "Iy", "Iz", "J")):
            m["sections"][name] = by_stiffness(s, m["materials"][s["material"]])
            done += 1
    if not done:
        raise Skip
    return m, same


def by_stiffness(s, material):
    E, rho = material["E"], material["rho"]
    nu = material["nu"] if "nu" in material else E / 2 / material["G"] - 1
    G = E / 2 / (1 + nu)
    if s["shape"] == "rectangle":
        h, w = s["height"], s["width"]
        A, Iy, Iz = h * w, h * w**3 / 12, w * h**3 / 12
        a, b = max(h, w), min(h, w)
        J = a * b**3 * (1 / 3 - 64 * b / math.pi**5 / a * sum(math.tanh(n * math.pi * a / 2 / b) / n**5
                                                             for n in range(1, 4001, 2)))
        ky = kz = 10 * (1 + nu) / (12 + 11 * nu)
    else:
        A, Iy, Iz, J = (s[k] for k in ("A", "Iy", "Iz", "J"))
        ky, kz = s.get("ky", 1), s.get("kz", 1)
    out = {"shape": "stiffness", "EA": E * A, "EIy": E * Iy, "EIz": E * Iz, "GJ": G * J, "GAy": ky * G * A,
           "GAz": kz * G * A, "rhoA": rho * A, "rhoIy": rho * Iy, "rhoIz": rho * Iz}
    if "damping" in material:
        out["damping"] = material["damping"]
    return out


def nothing(model, r):
    """Things that do nothing: a spring without stiffness, a load of zero, another output, a body that stands alone."""
    m = copy.deepcopy(model)
    bodies = list(m["bodies"])
    b = r.choice(bodies)
    kind = m["bodies"][b]["type"]
    frame = b if kind == "rigid" else f"{b}.start"
    far = "ground.at(" + ", ".join(repr(x) for x in listed(place(m, frame) + np.array([0.3, 0.4, -0.2]))) + ")"
    m.setdefault("forces", {})["idle"] = {"type": "spring", "between": [far, frame], "stiffness": 0, "damping": 0}
    m.setdefault("loads", {})["idle"] = {"on": frame, "force": ["0*t", 0, 0], "axes": "local"}
    if r.random() < 0.5 and kind == "rigid":
        m["forces"]["idle2"] = {"type": "bushing", "between": ["ground", frame], "stiffness": [0] * 6}
    return m, same


def superelement(model, r):
    """Superelements of beams as beams: both are the same elements."""
    if model["formulation"] not in ("corotational", "minimal"):
        raise Skip
    m = copy.deepcopy(model)
    done = set()
    for name, b in list(m["bodies"].items()):
        section = m["sections"][b["beam"]["section"]] if "beam" in b else {}
        material = m.get("materials", {}).get(section.get("material"), {})
        if "beam" not in b or b["beam"].get("deformations") == "small" or "nodes" in b or \
                "damping" in section or "damping" in material or name in m.get("initial", {}).get("velocity", {}):
            continue
        R, L = matrix_of(b), b["beam"]["length"]
        x = np.array(b["position"])
        m["bodies"][name] = {"type": "beam", "section": b["beam"]["section"], "elements": 1, "from": listed(x),
                             "to": listed(x + L * R[:, 0]), "y_axis": listed(R[:, 1])}
        done.add(name)
    if not done:
        raise Skip
    return m, same


def formulation(model, r):
    """The same equations in other unknowns."""
    m = copy.deepcopy(model)
    other = {"corotational": ["minimal"], "minimal": ["corotational"], "ffr": [{"type": "ffr", "algorithm": "dense"}],
             "rfe": [{"type": "rfe", "coordinates": "absolute"}, {"type": "rfe", "coordinates": "joint"}],
             "elastodynamic": []}[model["formulation"]]
    if all(b["type"] == "rigid" for b in model["bodies"].values()):
        other = other + [f for f in FORMULATIONS if f != model["formulation"]]
    if not other:
        raise Skip
    m["formulation"] = r.choice(other)
    return m, same


IDENTITIES = {"formulation": formulation, "turn": turn, "mirror": mirror, "reorder": reorder, "swap": swap, "axes": axes, "units": units,
              "split_rigid": split_rigid, "split_beam": split_beam, "reverse": reverse, "drawn": drawn,
              "nothing": nothing, "superelement": superelement}
