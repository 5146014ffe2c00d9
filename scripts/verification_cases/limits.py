"""Where limber does not agree with what is expected, by how much, and why: assumptions of formulations."""
from tables import at, changed, last, link, model, plain
from verification_references import CHORD, ELASTICA, LINK_EXACT, PRINCETON, SPIN_UP, T_BEAM

from .closed_beams import BEAM
from .closed_rotors import at_speed, campbell, critical_speed, whirl
from .rows import COMPUTED, EXACT, RIGID, dynamics

ONE, FOUR = "{type: ffr, substructures: 1}", "{type: ffr, substructures: 4}"

# A link of models/flexible_chain.yaml as rigid rods with springs in the hinges between them.
RODS = """limber: 1
parameters: {N: 20, h: 1/N, E: 7e9, rho: 2700, I: 0.02^4/12, m: rho*4e-4*h,
             J: m*h^2/12 + rho*I*h, Je: m/2*(h/2)^2/12 + rho*I*h/2}
gravity: [0, -9.81, 0]
bodies:
  rod(0): {type: rigid, mass: m/2, inertia: [0, Je, Je], com: [h/4, 0, 0], frames: {end: [h/2, 0, 0]}}
  rod(k=1..N-1): {type: rigid, mass: m, inertia: [0, J, J], position: [(k - 0.5)*h, 0, 0], com: [h/2, 0, 0],
                  frames: {end: [h, 0, 0]}}
  rod(N): {type: rigid, mass: m/2, inertia: [0, Je, Je], position: [1 - h/2, 0, 0], com: [h/4, 0, 0],
           frames: {end: [h/2, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground, rod(0)], axis: z}
  spring(k=1..N): {type: revolute, between: [rod(k-1).end, rod(k)], axis: z, stiffness: E*I/h}
outputs: {x: pos(rod(N).end).x, y: pos(rod(N).end).y}
"""


def clamps(do, rows):
    rows.about("cantilever, small force, 4 elements", EXACT)
    rows.add("half a division at a clamp does not bend, $1/4n^2$", "rfe", 1e-5 / 3,
             last(do.run(changed(BEAM, "rfe"), "n=4 P=1e-5")[0])["y"], (0.015, 0.016))
    rows.about(link("unbalanced_shaft") + ", 8 elements", "bent tube, exact equation")
    rows.add("critical speed; the same at both ends and at the disk", plain(RIGID), critical_speed(),
             whirl(do, RIGID, 8, [56, 60, 5]), (0.025, 0.035))


def no_shear(do, rows):
    rows.about(link("two_link_arm") + ", 20 elements a link", "corotational")
    exact, _ = do.run(model("two_link_arm", "corotational"), "n=20")
    for form, why, band in ((RIGID, "error of the division", (5e-3, 1e-2)),):
        found, _ = do.run(model("two_link_arm", form), "n=20")
        rows.curve(f"bend of the inner link, of its range: {why}", plain(form), exact["bend_z"], found["bend_z"], band,
                   max(exact["bend_z"]) - min(exact["bend_z"]))


def bent_far(do, rows):
    rows.about(link("cantilever_tip_force") + ", 16 elements", "elliptic integrals")
    for k, form, why, band in ((1, ONE, "the end turned by 0.46 rad in one frame", (0.09, 0.12)),
                               (10, ONE, "the end turned by 1.4 rad in one frame", (3, 3.2)),
                               (10, FOUR, "in four frames", (0.015, 0.03)),
                               (1, "elastodynamic", "linear, bent by 0.3 of the length", (0.09, 0.12))):
        found, _ = do.run(model("cantilever_tip_force", form), f"k={k}", "static")
        rows.add(f"tip across, load {k}: {why}", plain(form), ELASTICA[k][1], found["w"][-1], band)


def twist(do, rows):
    rows.about(link("princeton_beam"), "geometrically exact")
    for form, n, why, band in (("elastodynamic", 16, "linear", (0.85, 0.9)),
                               (ONE, 16, "turned by 0.2 rad in one frame", (0.005, 0.015))):
        found = last(do.run(model("princeton_beam", form), f"N={n}", "static")[0])
        rows.add(f"twist, 4.448 N at 45°: {why}", plain(form), PRINCETON[4.448, 45]["twist"], found["twist"], band)


def fast_rotation(do, rows):
    rows.about(link("rotating_beam") + ", 16 elements, $AL^2/I = 70^2$", "Yoo and Shin 1998")
    for form, why, bands in (("corotational", "about the stretched beam, not as drawn", ((4e-3, 5e-3), (0.014, 0.018))),
                             ("ffr", "stretched mass, shapes of the old length", ((0.004, 0.012), (0.07, 0.11))),
                             (RIGID, "error of the division, times eleven at 20", ((0.01, 0.015), (0.04, 0.05)))):
        found, _ = do.run(model("rotating_beam", form, campbell("shaft", "[0, 20/T, 21]", 8)))
        for gamma, band in zip((10, 20), bands):
            rows.add(f"chord, $\\gamma$ = {gamma}: {why}", plain(form), CHORD[gamma],
                     T_BEAM * at_speed(found, gamma / T_BEAM, CHORD[gamma] / T_BEAM), band, digits=5)
    rows.about(link("spin_up") + ", 8 elements", "MBDyn, Exudyn")
    for form, name, what, band in (("elastodynamic", "u1", "along: what bends does not become shorter", (0.95, 1.1)),
                                   (ONE, "u2", "across: one frame", (3e-3, 5e-3))):
        found, _ = do.run(model("spin_up", form, dynamics(15, 0.5)))
        rows.curve(f"tip at 1 ... 15 s, {what}", plain(form), [row[1 if name == "u1" else 2] for row in SPIN_UP],
                   [at(found, row[0])[name] for row in SPIN_UP], band)


def equation_18(do, rows):
    rows.about(link("hinged_superelements") + " (Verlinden et al.)", COMPUTED)
    for n, band in ((1, (0.085, 0.095)), (4, (0.02, 0.025))):
        text = model("hinged_superelements", "{type: minimal, elastic_forces: paper}", dynamics(20, 0.5))
        rows.add(f"angle at 20 s, forces by equation (18), {n} element{'s' * (n > 1)}",
                 "minimal, `elastic_forces: paper`", 20.3943, do.run(text, f"N={n}")[0]["theta"][-1], band)


def one_link(do, rows):
    """A reference that is stated to 5e-6 of the length, and rigid bodies as the second opinion."""
    rows.about(link("flexible_chain") + ", one link (Khan et al.)", "geometrically exact")
    beam = model("flexible_chain", "corotational", dynamics(1, 0.25))
    rods = changed(RODS, "minimal", dynamics(1, 0.25, "radau, 1e-6"))
    for form, what, text, sets in (("corotational", "8 elements", beam, "N=1 n=8 E=7e9 rho=2700"),
                                   ("minimal", "20 rigid rods with springs", rods, "")):
        found, _ = do.run(text, sets)
        rows.add(f"tip at four instants, of the length; reason not known: {what}", form, [x for p in LINK_EXACT for x in p],
                 [found[c][k] for k in range(1, 5) for c in "xy"], (4e-5, 7e-5), 1)


def rows_of(do, rows):
    rows.by_topic(do, [(None, make) for make in (clamps, no_shear, bent_far, twist, fast_rotation, equation_18, one_link)])
