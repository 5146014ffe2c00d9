"""Beams against closed forms: statics, buckling, frequencies."""
import math
import re

from tables import changed, last, link, model, plain
from verification_references import CLAMPED_CLAMPED, CLAMPED_FREE, ELASTICA, PINNED_PINNED

from .rows import ALL, EXACT, RIGID

# A beam of length 1 with EI = rhoA = 1; what it does beside bending in the plane is out of the way.
BEAM = """limber: 1
parameters: {n: 16, P: 0, q: 0, M: 0}
gravity: [0, q, 0]
sections: {bar: {shape: stiffness, EA: 1e8, EIy: 1e6, EIz: 1, GJ: 1e6, rhoA: 1}}
bodies: {bar: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: n}}
joints: {start: {type: fixed, between: [ground, bar.start]}}
loads: {tip: {on: bar.end, force: [0, P, 0], torque: [0, 0, M]}}
analysis: {type: statics}
outputs: {y: tip(bar).y}
"""
JOINTS = {"clamped-free": "start: {type: fixed, between: [ground, bar.start]}",
          "clamped-clamped": "start: {type: fixed, between: [ground, bar.start]}, "
                             "end: {type: fixed, between: [ground, bar.end]}",
          "pinned-pinned": "start: {type: revolute, between: [ground, bar.start], axis: z}, "
                           "end: {type: inline, between: [ground, bar.end], axis: x}"}


def line(text, key, value):
    """The text with another line of this key, or without it."""
    return re.sub(rf"^{key}: .*\n", f"{key}: {value}\n" if value else "", text, flags=re.M)


def held(ends):
    """The beam with other ends."""
    return line(BEAM, "joints", "{" + JOINTS[ends] + "}")


def sheared():
    """The beam between hinges with GA = 100 and rhoI = 0.002 by Timoshenko's theory."""
    text = held("pinned-pinned").replace("EA: 1e8,", "EA: 1e8, GAy: 100, GAz: 1e6, rhoIz: 0.002,")
    return text.replace("type: beam,", "type: beam, theory: timoshenko,")


def timoshenko(k):
    """Frequency of its k-th mode."""
    s, GA, rhoI = (k * math.pi) ** 2, 100, 0.002
    a, b, c = rhoI / GA, 1 + (rhoI + 1 / GA) * s, s * s
    return math.sqrt((b - math.sqrt(b * b - 4 * a * c)) / (2 * a))


def frequencies(do, text, form, sets="", count=3):
    """Without loads: a node that a moment takes hold of has a slope of its own in `ffr`."""
    return do.run(changed(line(text, "loads", None), form, f"{{type: modes, count: {count}}}"), sets)[0]["omega"]


def buckling_load(do, text, sets=""):
    """The load factor at which a warning says that equilibrium becomes unstable."""
    _, said = do.run(text, sets, "static")
    return float(re.search(r"at load factor (\S+) it buckles", said["messages"])[1])


# ---- statics ----

def small_loads(do, rows):
    """Deflections so small that the linear theory is exact; rigid elements have closed forms of their own."""
    rows.about("cantilever, small loads, 4 elements", EXACT)
    for what, sets, exact, stiff in (("tip force, $PL^3/3EI$", "P=1e-5", 1e-5 / 3, 1 / 64),
                                     ("own weight, $qL^4/8EI$", "q=1e-5", 1e-5 / 8, 1 / 32),
                                     ("end moment, $ML^2/2EI$", "M=1e-5", 1e-5 / 2, 0)):
        for form in ALL:
            found = last(do.run(changed(BEAM, form), f"n=4 {sets}")[0])["y"]
            if form == RIGID and stiff:
                rows.add(what + f" less {stiff:.3%}", plain(form), exact * (1 - stiff), found, 1e-9)
            else:
                rows.add(what, plain(form), exact, found, 1e-9)


def large_loads(do, rows):
    rows.about(link("cantilever_tip_force") + ", 16 elements", "elliptic integrals")
    for k, exact in ELASTICA.items():
        for form, bound in (("corotational", 5e-6), ("minimal", 5e-6), (RIGID, 5e-3),
                            ("{type: ffr, substructures: 16}", 1e-3)):
            found = last(do.run(model("cantilever_tip_force", form), f"k={k}", "static")[0])
            rows.add(f"load {k}: back, across, turn", plain(form), exact, [found[c] for c in ("u", "w", "angle")], bound)
    rows.about(link("closed_circle") + ", 16 elements", EXACT)
    for form in ("corotational", "minimal", RIGID):
        found = last(do.run(model("closed_circle", form), "", "static")[0])
        rows.add("gap of the ends, of the length", plain(form), 0, found["gap"], 1e-10, 1, 2)
        rows.add("elastic energy, $2\\pi^2EI/L$", plain(form), 2 * math.pi ** 2, found["energy"], 1e-10)


def buckling(do, rows):
    rows.about("column between hinges, 16 elements", "Euler")
    text = line(held("pinned-pinned"), "loads", "{tip: {on: bar.end, force: [-1.5*pi^2, 0, 0]}}")
    for form, bound in (("corotational", 1e-5), ("minimal", 1e-5), (RIGID, 5e-3)):
        found = 1.5 * math.pi ** 2 * buckling_load(do, changed(text, form))
        rows.add("critical load, $\\pi^2EI/L^2$", plain(form), math.pi ** 2, found, bound)
    rows.about(link("lateral_buckling"), "Timoshenko")
    for n, bound in ((16, 3e-3), (64, 3e-4)):
        found = 5 * buckling_load(do, model("lateral_buckling"), f"N={n}")
        rows.add("critical load, $4.0126\\sqrt{EI\\,GJ}/L^2$", f"corotational, {n} elements", 4.0126, found, bound, digits=5)


# ---- frequencies ----

def natural(do, rows):
    for ends, exact, bound, rigid in (("clamped-free", CLAMPED_FREE, 1e-4, 1e-2),
                                      ("clamped-clamped", CLAMPED_CLAMPED, 2e-4, 2e-2),
                                      ("pinned-pinned", PINNED_PINNED, 2e-4, 2e-4)):
        rows.about(f"beam, {ends}, 16 elements", EXACT)
        for form in ALL:
            rows.add("three frequencies $\\omega\\sqrt{\\rho AL^4/EI}$", plain(form), exact,
                     frequencies(do, held(ends), form), rigid if form == RIGID else bound)
    rows.about("beam with shear and rotary inertia, hinged, 64 elements", "Timoshenko")
    for form in ALL:
        rows.add("three frequencies", plain(form), [timoshenko(k) for k in (1, 2, 3)],
                 frequencies(do, sheared(), form, "n=64"), 1e-3)


# A rope hangs from a hinge, its weight 10^5 times what bends it (EI/L^2).
ROPE = """limber: 1
parameters: {n: 8}
gravity: [0, 0, -9.81]
sections: {rope: {shape: stiffness, EA: 1e6, EIy: 1e-5, EIz: 1e-5, GJ: 1e-5, rhoA: 0.5, rhoIy: 1e-9, rhoIz: 1e-9}}
bodies: {rope: {type: beam, section: rope, from: [0, 0, 0], to: [0, 0, -2], elements: n}}
joints: {hook: {type: spherical, between: [ground, rope.start]}}
analysis: {type: modes, about: statics, count: 5}
outputs: {x: pos(rope.end).x}
"""
BESSEL = (2.404825557695773, 5.520078110286311)  # zeros of J_0


def rope(do, rows):
    rows.about("rope that hangs, 8 elements", "Bernoulli")
    exact = [zero / 2 * math.sqrt(9.81 / 2) for zero in BESSEL]
    for form, bound in (("corotational", 3e-5), ("minimal", 3e-5), (RIGID, 3e-2), ("ffr", 1e-3), ("elastodynamic", 3e-5)):
        omega = [w for w in do.run(changed(ROPE, form))[0]["omega"] if w > 1e-3]
        rows.add("two frequencies, $J_0(2\\omega\\sqrt{L/g}) = 0$", plain(form), exact, [omega[0], omega[2]], bound)


def damped(do, rows):
    """Rayleigh's damping by mass, however the beam is held."""
    for ends, exact, rigid in (("clamped-free", CLAMPED_FREE, 1e-2), ("clamped-clamped", CLAMPED_CLAMPED, 2e-2),
                               ("pinned-pinned", PINNED_PINNED, 2e-4)):
        rows.about(f"beam, {ends}, 16 elements, `damping: {{mass: 0.2}}`", EXACT)
        text = held(ends).replace("rhoA: 1}", "rhoA: 1, damping: {mass: 0.2, stiffness: 0}}")
        for form in ALL:
            found = do.run(changed(line(text, "loads", None), form, "{type: modes, count: 2}"))[0]
            rows.add("two damping ratios, $\\alpha/2\\omega$", plain(form), [0.1 / w for w in exact[:2]],
                     found["damping_ratio"], rigid if form == RIGID else 1e-4)


def rows_of(do, rows):
    rows.by_topic(do, (("statics, small loads", small_loads), ("large bending", large_loads), ("buckling", buckling),
                       ("frequencies of beams and frames", natural), ("ropes", rope), ("damping", damped)))
