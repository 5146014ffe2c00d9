"""Checks of a model by mechanics: one analysis against another, conservation, other unknowns, finer meshes.

Each takes (run, model, folder, r): run(model) gives header and rows of the result, leaves out.h5 in the folder and what
limber says of it in run.said. It returns (size over what theory allows, where), None where the check does not apply.
"""
import copy
import itertools
import os
import re
import signal
import subprocess
import time

import h5py
import numpy as np
from scipy.linalg import expm

from identities import expressions, split


def columns(model, header, kinds):
    """Columns of the outputs of some kinds."""
    names = {n for n, o in model["outputs"].items() if split(o)[0] in kinds}
    return [k for k, h in enumerate(header) if h in names or h[:-2] in names and h[-2:] in (".x", ".y", ".z")]


def without_machines(model):
    m = copy.deepcopy(model)
    if m.pop("blocks", None):
        for s in m["joints"].values():
            if "loop" in str(s.get("effort")):
                del s["effort"]
    m.pop("power", None)
    return m


def frozen(model):
    """Without machines, time stopped at 0, from rest."""
    m = without_machines(model)
    expressions(m, lambda text, _: re.sub(r"\bt\b", "0", text) if isinstance(text, str) else text)
    m.pop("initial", None)
    return one_frame(m)


def one_frame(m):
    """ffr divides beams by how far they turn: the same for all analyses and steps."""
    if m["formulation"] == "ffr":
        m["formulation"] = {"type": "ffr", "substructures": 1}
    return m


def stable(run, model):
    """Is the equilibrium held in all motions, and stable?"""
    header, rows = run({**model, "analysis": {"type": "modes", "about": "statics", "count": 400}})
    if not len(rows):
        return None
    omega, ratio = rows[:, header.index("omega")], rows[:, header.index("damping_ratio")]
    return omega if np.nanmin(omega) > 0.3 and np.nanmin(ratio) > -1e-6 else None


# -- equilibria ---------------------------------------------------------------------------------------

def rest(run, model, folder, r):
    """What starts from its equilibrium stays there."""
    m = frozen(model)
    if stable(run, m) is None:
        return None
    step = 0.002
    m["analysis"] = [{"type": "statics"}, {"type": "dynamics", "until": 12 * step, "output_step": 4 * step,
                                          "step": step, "method": r.choice(["generalized-alpha", "radau", "newmark"])}]
    header, rows = run(m)
    at = columns(m, header, ("pos", "rot", "vel", "omega", "deflection", "tip"))
    miss = np.abs(rows[:, at] - rows[:1, at])
    if not miss.size:
        return None
    k = np.unravel_index(miss.argmax(), miss.shape)
    return miss.max() / 1e-6, f"{header[at[k[1]]]} moves by {miss.max():.3g} from rest"


def poles(run, model, folder, r):
    """The poles of the linear model are the roots of the modes."""
    m = without_machines(model)
    m.pop("initial", None)
    if stable(run, m) is None:
        return None
    header, rows = run({**m, "analysis": {"type": "modes", "about": "statics", "count": 12}})
    omega, ratio = rows[:, header.index("omega")], rows[:, header.index("damping_ratio")]
    _, table = run({**m, "analysis": {"type": "linearize", "about": "statics"}})
    s = table[:, 0] + 1j * table[:, 1]
    root = omega * (-ratio + np.sqrt(np.maximum(0, 1 - ratio**2)) * 1j)
    worst = 0.0, ""
    for z, a, w in zip(root, ratio, omega):
        if not np.isfinite(a) or abs(abs(a) - 1) < 1e-3:
            continue
        part = min(np.abs(s - z).min(), np.abs(s - z.conjugate()).min()) / w / 1e-5
        if part > worst[0]:
            worst = part, f"mode {z:.10g} is no pole"
    return worst


def ringing(run, model, folder, r):
    """A small ramp of a force, from equilibrium: the motion is that of the linear model, to third order."""
    m = frozen(model)
    omega = stable(run, m)
    if omega is None or m["formulation"] == "elastodynamic":
        return None
    frames = list(dict.fromkeys(split(o)[1][0] for o in m["outputs"].values() if split(o)[0] == "pos"))
    m.setdefault("loads", {})["probe"] = {"on": r.choice(frames), "force": ["0*t", "0*t", "0*t"]}
    axis = r.randrange(3)
    m["outputs"] = {n: o for n, o in m["outputs"].items() if split(o)[0] in ("pos", "rot", "vel", "joint", "rate")}
    step = 0.3 / max(min(omega.max(), 300), 20)
    n = 24
    run({**m, "analysis": {"type": "linearize", "about": "statics", "inputs": [f"probe.force.{'xyz'[axis]}"]}})
    with h5py.File(folder / "out.h5") as f:
        A, B, C, D = (f[f"linearize/{k}"][()] for k in "ABCD")
    if len(A) > 200 or np.linalg.eigvals(A).real.max() > 1e-3:
        return None
    k = len(A)
    wide = np.zeros((k + 2, k + 2))  # x, u, u'
    wide[:k, :k], wide[:k, k], wide[k, k + 1] = A, B[:, 0], 1
    linear = [np.hstack([C, D, np.zeros_like(D)]) @ expm(wide * 6 * step * i)[:, -1] for i in range(5)]
    scale = np.abs(linear).max(axis=0)
    scale = np.maximum(scale, 0.05 * scale.max()) + 1e-12
    size = 0.02 / max(np.abs(C @ np.linalg.solve(A, B)).max() * n * step, 1e-6)
    for size in (size, size / 10):  # what is of third order falls to a hundredth
        motion = []
        for sign in (1, -1):
            m["loads"]["probe"]["force"][axis] = f"{sign * size:.17g}*t"
            m["analysis"] = [{"type": "statics"}, {"type": "dynamics", "until": n * step, "output_step": 6 * step,
                                                  "step": step / 4, "method": "radau"}]
            header, rows = run(m)
            motion.append(rows[-5:])
        y = (motion[0] - motion[1])[:, 1:] / (2 * size)
        if y.shape[1] != len(C):
            return None
        part = np.abs(y - linear) / scale
        if part.max() < 5e-3:
            break
    i = np.unravel_index(part.argmax(), part.shape)
    return part.max() / 5e-3, f"{header[1 + i[1]]} in row {i[0]}: {y[i]:.8g}, linear {linear[i[0]][i[1]]:.8g}"


def settled(run, model, folder, r):
    """Motion in a thick liquid ends at the equilibrium that statics finds."""
    m = frozen(model)
    if stable(run, m) is None or m["formulation"] == "elastodynamic":
        return None
    m["outputs"] = {**m["outputs"], "elastic": "energy.elastic", "weight": "energy.gravity"}
    header, still = run({**m, "analysis": {"type": "statics"}})
    for name, b in m["bodies"].items():
        frames = [name] if b["type"] == "rigid" else [f"{name}.start", f"{name}.end"] if b["type"] == "beam" else \
            [f"{name}.{n}" for n in dict.fromkeys((["start", "end"] if "beam" in b else []) + list(b.get("nodes", {})))]
        for k, f in enumerate(frames):
            m.setdefault("loads", {})[f"drag_{name}_{k}"] = {
                "on": f, "force": [f"-6*vel({f}).{c}" for c in "xyz"], "torque": [f"-2*omega({f}).{c}" for c in "xyz"]}
    m["analysis"] = {"type": "dynamics", "until": 40, "output_step": 10, "tolerance": 1e-6}
    header, rows = run(m)
    speed = columns(m, header, ("vel", "omega", "rate"))
    if not speed or np.abs(rows[-1, speed]).max() > 1e-6:
        return None
    e = columns(m, header, ("energy",))
    off = np.abs(rows[-1, e] - still[-1, e]).max(initial=0) / max(1, np.abs(still[-1, e]).max(initial=0))
    if off > 1e-2:
        return None  # another equilibrium
    at = columns(m, header, ("pos", "deflection", "tip", "joint"))
    miss = np.abs(rows[-1, at] - still[-1, at])
    if not miss.size:
        return None
    k = miss.argmax()
    if miss[k] > 0.05 and off < 1e-7:
        return None  # two of the same energy, as of what hangs from a universal joint: about a minimum it grows
    return miss[k] / 1e-4, f"{header[at[k]]} settles at {rows[-1, at[k]]:.9g}, statics {still[-1, at[k]]:.9g}"


# -- conservation -------------------------------------------------------------------------------------

def moving(model, r, steps=16):
    a = model["analysis"]
    step = a["step"] if a["type"] == "dynamics" and a["method"] != "explicit" else 0.002
    return {"type": "dynamics", "method": "radau", "until": steps * step, "output_step": 4 * step, "step": step}


def conservative(model):
    """Without loads, efforts, drives, dampers, friction."""
    m = without_machines(model)
    m.pop("loads", None)
    for s in m["joints"].values():
        for key in ("drive", "effort", "damping", "friction"):
            s.pop(key, None)
        s.get("compliant", {}).pop("damping", None)
    for s in itertools.chain(m.get("forces", {}).values(), m.get("sections", {}).values(), m.get("materials", {}).values()):
        s.pop("damping", None)
    for name, b in m["bodies"].items():
        if b["type"] == "superelement" and "damping" in b:
            del b["damping"]
            del m["files"][name]["damping"]
    return one_frame(m)


def energy(run, model, folder, r):
    """Energy stays what it is, up to the error of the integration, which falls at least with h^3."""
    m = conservative(model)
    if m["formulation"] == "elastodynamic":
        return None
    m["outputs"] = {"total": "energy.total", "kinetic": "energy.kinetic", "elastic": "energy.elastic"}
    off = []
    for n in (1, 4, 16, 64):  # until the step resolves all that vibrates
        m["analysis"] = moving(model, r)
        m["analysis"]["step"] /= n
        _, rows = run(m)
        if "half a turn" in run.said:
            return None  # rotation vectors of bushings jump there
        size = max(np.ptp(rows[:, 2]), np.ptp(rows[:, 3]), 1e-3 * np.abs(rows[:, 2:]).max(), 1e-6)
        off.append(np.ptp(rows[:, 1]) / size)
        part = off[-1] / max(1e-7, 0.1 * min(off[0], 1e-2))
        if part < 1:
            break
    return part, f"energy is off by {off[0]:.3g}, with smaller steps {off[1:]}"


def momentum(run, model, folder, r):
    """The mass centre of what nothing holds falls on a parabola: third differences of the energy of gravity vanish.

    Of beams the place of an element's mass and its momentum are interpolated each in its own way: they agree to second
    order in the deformation. Of superelements with constant matrices they do not: T is that of the nodes' velocities,
    the mass centre that of their displacements, and turning mixes them by the first power of the deformation."""
    m = without_machines(model)
    constant = any(b["type"] == "superelement" and ("beam" not in b or b["beam"].get("deformations") == "small")
                   for b in m["bodies"].values())
    if m["formulation"] == "elastodynamic" or constant:
        return None
    m.pop("loads", None)
    for section in ("joints", "forces"):
        m[section] = {n: s for n, s in m.get(section, {}).items() if not any("ground" in x for x in s["between"])}
    if any("drive" in s for s in m["joints"].values()):
        for s in m["joints"].values():
            s.pop("drive", None)
    keep = {n: x for n, x in m.get("initial", {}).items() if n == "velocity" or n in m["joints"]}
    m["initial"] = keep
    m["gravity"] = [3.0, -2.0, 9.0]
    drop = [n for n, s in m["joints"].items() if re.search(r"\b(force|moment|acc|alpha)\(", str(s.get("effort", "")))]
    for n in drop:
        del m["joints"][n]["effort"]
    m["outputs"] = {"gravity": "energy.gravity", "kinetic": "energy.kinetic"}
    rigid = all(b["type"] == "rigid" for b in m["bodies"].values())
    off = []
    for n in (1, 4, 16):
        m["analysis"] = moving(model, r)
        m["analysis"]["step"] /= n
        _, rows = run(m)
        size = np.abs(np.diff(rows[:, 1])).max()
        off.append(np.abs(np.diff(rows[:, 1], 3)).max() / size)
        part = off[-1] / max(1e-8 if rigid else 1e-4, 0.1 * min(off[0], 1e-3))
        if part < 1:
            break
    return part, f"third difference {off[0]:.3g}, with smaller steps {off[1:]}"


# -- the same in other ways ---------------------------------------------------------------------------

def interrupted(run, model, folder, r):
    """An interrupted run that is continued writes the same bits."""
    if model["analysis"]["type"] != "dynamics" or model["analysis"].get("method") == "explicit":
        return None
    m = copy.deepcopy(model)
    step = m["analysis"]["step"]
    m["analysis"].update(until=3000 * step, output_step=50 * step)
    begin = time.time()
    header, whole = run(m)
    took = time.time() - begin
    limber, path = run.limber, folder / "model.yaml"
    command = [limber, "run", path, "--csv", folder / "part.csv", "-o", folder / "part.h5", "--quiet"]
    job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(took * r.uniform(0.2, 0.7))
    job.send_signal(signal.SIGINT)
    if job.wait(30) != 130:
        return None
    done = subprocess.run(command + ["--resume"], capture_output=True, text=True, timeout=60)
    same = done.returncode == 0 and (folder / "part.csv").read_bytes() == (folder / "out.csv").read_bytes()
    os.unlink(folder / "part.h5")
    return (0.0, "") if same else (np.inf, f"resumed run differs: {done.returncode} {done.stderr[:200]}")


def finer_mesh(run, model, folder, r):
    """Frequencies about the equilibrium, of beams of corotational, rigid and floating elements: each mesh is off by no
    more than what halving its elements has changed (errors that fall at least by half)."""
    m = frozen(model)
    beams = [b for b in m["bodies"].values() if b["type"] == "beam"]
    if not beams or len(beams) > 3 or any("elements" in str(s) or ".node(" in str(s) or ".at(" in str(s) for s in
                                          list(m["joints"].values()) + list(m.get("loads", {}).values()) +
                                          list(m.get("forces", {}).values())):
        return None
    m["outputs"] = {n: o for n, o in m["outputs"].items() if ".node(" not in o}
    m["analysis"] = {"type": "modes", "about": "statics", "count": 5}
    found = {}
    for name in ("corotational", r.choice(["rfe", "ffr"])):
        omega = []
        for n in (4, 8, 16):
            for b in beams:
                b["elements"] = n
            m["formulation"] = {"type": "ffr", "substructures": n} if name == "ffr" else name
            header, rows = run(m)
            omega.append(rows[:, header.index("omega")])
        if min(len(w) for w in omega) < 5:
            return None
        found[name] = omega[2], np.abs(omega[2] - omega[1])
    if found["corotational"][0][0] < 0.3:
        return None
    (a, da), (b, db) = found.values()
    part = np.abs(a - b) / (2 * (da + db) + 1e-5 * a)
    k = part.argmax()
    return part[k], f"{' and '.join(found)}: omega {k + 1} {a[k]:.8g} +- {da[k]:.2g}, {b[k]:.8g} +- {db[k]:.2g}"


CHECKS = {"rest": rest, "poles": poles, "ringing": ringing, "settled": settled, "energy": energy, "momentum": momentum,
          "interrupted": interrupted, "mesh": finer_mesh}
