"""Models against published values and curves of other programs, and against independent computations."""
import re

from tables import at, changed, link, model, plain
from verification_references import (A01, A02, A03, A03_PUBLISHED, A05, CHORD, FLAP, L_FRAME, LINK,
                                     PENDULUM_ANGLE, PENDULUM_TIP, PORTAL, PRINCETON, RFE, ROD_MIDDLE, RODS, SLIDER,
                                     SPACE_FRAME, SPIN_UP, SPLINES, SUPERELEMENT, T_BEAM)

from .closed_beams import frequencies, held
from .closed_motions import zeros
from .closed_rotors import at_speed, campbell
from .rows import ALL, COMPUTED, RIGID, dynamics

LIBRARY = "IFToMM library"


def flat(points):
    return [x for point in points for x in point]


# ---- rigid mechanisms ----

def iftomm(do, rows):
    """Settings as they are and tight ones; A02 passes through singular positions, where accuracy is lost."""
    for name, what, source, known, until, cases in (
            ("a01_pendulum", "A01, place at 1, 5, 10 s", LIBRARY, A01, 10,
             (("corotational", "default", 5e-4), ("minimal", "default", 5e-4),
              ("corotational", "explicit, 1e-11", 1e-9), ("minimal", "explicit, 1e-11", 1e-9))),
            ("a02_four_bars", "A02, place at 1, 10 s", LIBRARY, A02, 10,
             (("corotational", "default", 2e-3), ("corotational", "explicit, 1e-8", 1e-7))),
            ("a05_governor", "A05, height at 0.5, 1, 5, 10 s", COMPUTED, A05, 10,
             (("corotational", "default", 5e-4), ("minimal", "default", 5e-4),
              ("corotational", "bdf, 1e-8", 1e-7), ("minimal", "bdf, 1e-8", 1e-7)))):
        rows.about(link(name), source)
        for form, how, bound in cases:
            found, _ = do.run(model(name, form, dynamics(until, 0.5, how)))
            rows.add(what, f"{form}, {how}", [v for *_, v in known], [at(found, t)[c] for c, t, _ in known], bound, 1,
                     10)


def andrews(do, rows):
    rows.about(link("a03_andrews"), "Test Set for IVP Solvers")
    for form, how, bound in (("corotational", "default", 5e-4), ("minimal", "default", 5e-4),
                             ("corotational", "explicit, 1e-11", 1e-8), ("minimal", "explicit, 1e-11", 1e-8)):
        found, _ = do.run(model("a03_andrews", form, dynamics(0.03, 1e-3, how)))
        end = [found[c][-1] for c, *_ in A03]
        rows.add("A03, seven angles at 0.03 s", f"{form}, {how}", [v for *_, v in A03_PUBLISHED], end, bound, digits=10)
        if how != "default":
            rows.add("the same", f"{form}, {how}", [v for *_, v in A03], end, 1e-11, digits=13, source="quadrature")


def hermite(s, h, y0, y1, v0, v1):
    """The cubic of two values and slopes."""
    return ((1 + 2 * s) * (1 - s) ** 2 * y0 + s * s * (3 - 2 * s) * y1 +
            h * (s * (1 - s) ** 2 * v0 - s * s * (1 - s) * v1))


def bricard(do, rows):
    """P3 is lowest between two rows, where its velocity changes its sign; half a period later it is up again."""
    rows.about(link("a04_bricard"), LIBRARY)
    for form, how in (("corotational", "default"), ("corotational", "explicit, 1e-10"), ("minimal", "explicit, 1e-10")):
        found, _ = do.run(model("a04_bricard", form, dynamics(2.6, 0.005, how)))
        t, y, v = found["t"], found["y"], found["vy"]
        k = next(i for i in range(1, len(t) - 1) if v[i] < 0 <= v[i + 1])
        low = hermite(v[k] / (v[k] - v[k + 1]), t[k + 1] - t[k], y[k], y[k + 1], v[k], v[k + 1])
        rows.add("A04, lowest $y$ of P3, $-\\sqrt3$", f"{form}, {how}", -3 ** 0.5, low, 1e-8, digits=9)
        rows.add("A04, half a period, s", f"{form}, {how}", 2.49585576, zeros(t, [-x for x in v])[-1],
                 1e-4 if how == "default" else 1e-8, digits=9, source="quadrature")


def rods(do, rows):
    rows.about(link("rod_chain") + " (Khan et al.)", COMPUTED)
    for n, form in ((1, "ffr"), (2, "ffr"), (4, "ffr"), (8, "ffr"), (8, "corotational"), (8, "minimal")):
        found, _ = do.run(model("rod_chain", form, dynamics(1, 0.25, "explicit, 1e-9")), f"N={n}")
        rows.add(f"tip of {n} rod{'s' * (n > 1)} at four instants, of the length", form + ", explicit, 1e-9",
                 flat(RODS[n]), [found[c][k] for k in range(1, 5) for c in "xy"], 1e-9, n, 9)


# ---- beams in motion ----

def link_of_a_chain(do, rows):
    rows.about(link("flexible_chain") + ", one link of 8 elements (Khan et al.)", "limber, converged mesh")
    for form in ("corotational", "minimal", RIGID, "ffr"):
        found, _ = do.run(model("flexible_chain", form, dynamics(1, 0.25)), "N=1 n=8 E=7e9 rho=2700")
        rows.add("tip at four instants, of the length", plain(form), flat(LINK),
                 [found[c][k] for k in range(1, 5) for c in "xy"], 1e-5, 1)


def solid(text):
    """The pendulum as the angle's reference has it: with shear and rotary inertia of the section."""
    bar = ("materials: {soft: {E: E, nu: nu, rho: rho}}\n"
           "sections: {bar: {material: soft, shape: rectangle, height: h, width: h}}\n")
    return re.sub(r"^sections:\n.*\n", bar, text, flags=re.M).replace("type: beam,", "type: beam, theory: timoshenko,")


def pendulum(do, rows):
    rows.about(link("flexible_pendulum") + ", 8 elements (Verlinden et al.)", "MBDyn, Chrono, Exudyn")
    for form in ("corotational", "minimal", RIGID, "ffr"):
        found, _ = do.run(model("flexible_pendulum", form))
        rows.add("tip at 16 instants to 20 s, of the length", plain(form), flat(p for _, *p in PENDULUM_TIP),
                 [at(found, t)[c] for t, *_ in PENDULUM_TIP for c in ("tip_x", "tip_y")], 3e-5, 141.42, 7)
    rows.about("the same with shear and rotary inertia", "geometrically exact")
    for form in ("corotational", "minimal", RIGID, "ffr"):
        found, _ = do.run(solid(model("flexible_pendulum", form, dynamics(10, 0.25))))
        rows.add("hinge angle at 1 ... 10 s, of its range", plain(form), list(PENDULUM_ANGLE.values()),
                 [at(found, t)["theta"] for t in PENDULUM_ANGLE], 5e-5, 3.025, 5)


def superelement(do, rows):
    rows.about(link("superelement_pendulum") + " (Verlinden et al.), gravity by equations (13) to (15)", COMPUTED)
    paper = "{type: minimal, elastic_forces: paper}"
    for frame, known in SUPERELEMENT.items():
        text = model("superelement_pendulum", paper, analysis=dynamics(1.5, 0.5, "bdf, 1e-9"))
        found, _ = do.run(text.replace("frame: base}", f"frame: {frame}}}"))
        where = {"start": "on the first node", "mean": "on the mean of both"}[frame]
        for k, (column, size) in enumerate((("rate", 0.15), ("deflection", 0.0056))):
            rows.add(f"{column} at 0.5, 1, 1.5 s, frame {where}", "minimal, `elastic_forces: paper`", [v[k] for v in known.values()],
                     [at(found, t)[column] for t in known], 5e-6, size, 6)


def hinged(do, rows):
    """Floating frames: half of the square of the end's turn, 0.045 rad, and the mesh."""
    rows.about(link("hinged_beam") + ", with shear, 8 elements (Verlinden et al.)", "geometrically exact")
    for form, angle, least in (("corotational", 5e-5, 1e-3), ("minimal", 5e-5, 1e-3), (RIGID, 2e-4, 5e-3),
                               ("ffr", 5e-5, 2e-3)):
        found, _ = do.run(model("hinged_beam", form).replace("type: beam,", "type: beam, theory: timoshenko,"))
        rows.add("angle at 5, 10, 20 s", plain(form), [1.5602, 6.798, 20.3943],
                 [at(found, t)["theta"] for t in (5, 10, 20)], angle)
        rows.add("least deflection of the tip", plain(form), -4.206, min(found["deflection"]), least, digits=5)
        late = [r for t, r in zip(found["t"], found["rate"]) if t > 10]
        rows.add("least and largest rate after 10 s", plain(form), [1.3385, 1.381], [min(late), max(late)], 5e-3, digits=5)


def slider_cranks(do, rows):
    for name, form in (("slider_crank_soft", "corotational"), ("slider_crank_soft", "ffr"),
                       ("slider_crank_minimal", "minimal")):
        rows.about(link(name) + " (Verlinden et al.)", COMPUTED)
        found, _ = do.run(model(name, form))
        rows.add("energy after 1 s", form, 665.591, found["energy"][-1], 1e-5)
        rows.add("slider at 1 s", form, 22.63449, at(found, 1)["slider"], 2e-6, digits=7)
    rows.about(link("slider_crank_flexible") + ", 4 and 8 elements (Damic et al.)", COMPUTED)
    for form in ("corotational", "minimal", "ffr"):
        found, _ = do.run(model("slider_crank_flexible", form, dynamics(1, 0.1)))
        rows.add("slider at five instants, of its range", form, list(SLIDER.values()),
                 [at(found, t)["slider"] for t in SLIDER], 2e-5, 1)
        rows.curve("rod's middle at ten instants, mm, of the largest", form, ROD_MIDDLE,
                   [1e3 * d for d in found["deflection"][1:]], 3e-3, digits=4)


def spin_up(do, rows):
    rows.about(link("spin_up") + ", 16 elements", "MBDyn, Exudyn")
    for form, bound in (("corotational", 2e-4), ("minimal", 2e-4), (RIGID, 1e-2), ("{type: ffr, substructures: 8}", 2e-4),
                        ("elastodynamic", 2e-3)):
        found, _ = do.run(model("spin_up", form, dynamics(15, 0.5)), "n=16")
        for k, (c, what) in enumerate((("u1", "along"), ("u2", "across"), ("rot", "turn"))):
            if form != "elastodynamic" or c != "u1":  # that is among the limits
                rows.curve(f"tip at 1 ... 15 s, {what}, of the largest", plain(form), [row[1 + k] for row in SPIN_UP],
                           [at(found, row[0])[c] for row in SPIN_UP], bound)


# ---- statics and frequencies ----

def princeton(do, rows):
    rows.about(link("princeton_beam"), "geometrically exact")
    for n, bound in ((16, 1e-3), (64, 1e-4)):
        for (P, angle), known in PRINCETON.items():
            found, _ = do.run(model("princeton_beam"), f"P={P} angle={angle}*pi/180 N={n}", "static")
            for c, value in known.items():
                rows.add(f"{c.replace('_', ' ')}, {P} N at {angle}°", f"corotational, {n} elements", value,
                         found[c][-1], bound)


def divisions(do, rows):
    rows.about("uniform beam of rigid elements (Augustynek and Warwas)", COMPUTED)
    for n, both in RFE.items():
        for ends, known in zip(("clamped-free", "pinned-pinned"), both):
            rows.add(f"three frequencies, {n} divisions, {ends}", "rfe", known,
                     frequencies(do, held(ends), "rfe", f"n={n}"), 2e-6, digits=7)
    rows.about("clamped beam by cubic splines (Khan et al.)", COMPUTED)
    for n, known in SPLINES.items():
        rows.add(f"three frequencies, {n} intervals", "ffr, `substructures: 1`", known,
                 frequencies(do, held("clamped-free"), "{type: ffr, substructures: 1}", f"n={n}"), 2e-6, digits=7)


def frames(do, rows):
    for name, known in (("portal_frame", PORTAL), ("l_frame", L_FRAME)):
        rows.about(link(name) + ", 16 elements a member", COMPUTED)
        for form in ALL:
            rows.add(f"{len(known)} frequencies", plain(form), known,
                     frequencies(do, model(name), form, "n=16", len(known)), 1e-2 if form == RIGID else 1e-4,
                     digits=5)
    rows.about(link("space_frame") + ", 4 elements a member", "Petyt")
    for form in ALL:
        found = do.run(changed(model("space_frame"), form))[0]["frequency"]
        rows.add("sway, Hz", plain(form), SPACE_FRAME, [found[0], found[3]], 5e-2 if form == RIGID else 2e-3, digits=5)


def rotating(do, rows):
    rows.about(link("rotating_beam") + ", 16 elements", "Wright et al. 1982")
    for form in ALL:
        text = model("rotating_beam", form, campbell("shaft", "[0, 12/T, 7]", 8))
        found, _ = do.run(text.replace("EIz: EI", "EIz: 3*EI"), "slender=2000")  # chordwise frequencies out of the way
        for gamma in (2, 6, 12):
            rows.add(f"flap, three frequencies, $\\gamma$ = {gamma}", plain(form), FLAP[gamma],
                     [T_BEAM * at_speed(found, gamma / T_BEAM, w / T_BEAM) for w in FLAP[gamma]],
                     2e-2 if form == RIGID else 1e-4)
    rows.about(link("rotating_beam") + ", 16 elements, $AL^2/I = 70^2$", "Yoo and Shin 1998")
    for gamma in (1, 2, 5):
        c, _ = do.run(model("rotating_beam", "elastodynamic", "{type: linearize}"), f"gamma={gamma}")
        found = min((abs(x) * T_BEAM for x in c["imaginary"]), key=lambda x: abs(x - CHORD[gamma]))
        rows.add(f"chord, first frequency, $\\gamma$ = {gamma}, frozen", "elastodynamic", CHORD[gamma], found, 1e-4, digits=5)
    for form, bound in (("elastodynamic", 2e-3), ("corotational", 2e-3), ("ffr", 2e-3)):
        found, _ = do.run(model("rotating_beam", form, campbell("shaft", "[0, 5/T, 6]", 8)))
        for gamma in (1, 2, 5):
            rows.add(f"chord, first frequency, $\\gamma$ = {gamma}", form, CHORD[gamma],
                     T_BEAM * at_speed(found, gamma / T_BEAM, CHORD[gamma] / T_BEAM), bound, digits=5)


def rows_of(do, rows):
    rigid, motion, frequency = "rigid mechanisms", "beams in large motion", "frequencies of beams and frames"
    rows.by_topic(do, ((rigid, iftomm), (rigid, andrews), (rigid, bricard), (rigid, rods), (motion, link_of_a_chain),
                       (motion, pendulum), (motion, superelement), (motion, hinged), (motion, slider_cranks),
                       (motion, spin_up), ("large bending", princeton), (frequency, divisions), (frequency, frames),
                       ("rotating beams", rotating)))
