"""Observed orders of convergence: of meshes, of steps, of tolerances."""
from tables import last, link, model, plain
from verification_references import CLAMPED_FREE, ELASTICA, FLAP, PINNED_PINNED, T_BEAM

from .closed_beams import buckling_load, frequencies, held, sheared, timoshenko
from .closed_rotors import at_speed, campbell
from .rows import ALL, RIGID, dynamics

SECOND, THIRD, FOURTH, FIFTH = (1.8, 2.2), (2.7, 3.3), (3.7, 4.3), (4.5, 6.5)


def elements(*counts):
    """Sizes by their names on the page."""
    return {f"{n}{' elements' * (n == counts[-1])}": 1 / n for n in counts}


def milliseconds(steps):
    return {f"{1e3 * h:g}{' ms' * (h == steps[-1])}": h for h in steps}


def apart(a, b, columns):
    """Largest difference of columns."""
    return max(abs(x - y) for c in columns for x, y in zip(a[c], b[c]))


# ---- meshes ----

def third_frequency(do, rows):
    for ends, exact in (("clamped-free", CLAMPED_FREE[2]), ("pinned-pinned", PINNED_PINNED[2])):
        rows.about(f"beam, {ends}")
        for form in ALL:
            form = "{type: ffr, substructures: 1}" if form == "ffr" else form
            errors = [abs(frequencies(do, held(ends), form, f"n={n}")[2] / exact - 1) for n in (16, 32)]
            two = form == RIGID and ends == "clamped-free"
            rows.add("third frequency", plain(form), elements(16, 32), errors, "2" if two else "4",
                     SECOND if two else FOURTH)
    rows.about("beam with shear and rotary inertia, hinged")
    for form in ("corotational", RIGID):
        errors = [abs(frequencies(do, sheared(), form, f"n={n}")[2] / timoshenko(3) - 1) for n in (16, 32)]
        rows.add("third frequency", plain(form), elements(16, 32), errors, "2", SECOND)


def large_bending(do, rows):
    name, exact = "cantilever_tip_force", ELASTICA[5][1]
    rows.about(link(name))
    for form, theory, bound in (("corotational", "4", FOURTH), ("minimal", "4", FOURTH), (RIGID, "2", SECOND),
                                ("{type: ffr, substructures: %d}", "3", THIRD)):
        runs = [do.run(model(name, form.replace("%d", str(n))), f"k=5 N={n}", "static")[0] for n in (4, 8, 16)]
        rows.add("tip across, load 5", plain(form) if "%d" not in form else "ffr, a frame for each element",
                 elements(4, 8, 16), [abs(found["w"][-1] / exact - 1) for found in runs], theory, bound)


def twist(do, rows):
    rows.about(link("princeton_beam"))
    runs = [do.run(model("princeton_beam"), f"P=8.896 N={n}", "static")[0] for n in (8, 16, 32, 256)]
    found = [run["u_stiff"][-1] for run in runs]
    rows.add("stiff direction, bending with twist, against 256 elements", "corotational", elements(8, 16, 32),
             [abs(u / found[-1] - 1) for u in found[:3]], "4", FOURTH)
    rows.about(link("lateral_buckling"))
    found = [5 * buckling_load(do, model("lateral_buckling"), f"N={n}") for n in (4, 8, 16, 128)]
    rows.add("critical load, against 128 elements", "corotational", elements(4, 8, 16),
             [abs(k / found[-1] - 1) for k in found[:3]], "4", FOURTH)


def rotating(do, rows):
    rows.about(link("rotating_beam"))
    for form in ("corotational", "ffr", "elastodynamic"):
        text = model("rotating_beam", form, campbell("shaft", "[0, 12/T, 2]", 8)).replace("EIz: EI", "EIz: 3*EI")
        found = [do.run(text, f"slender=2000 elements={n}")[0] for n in (8, 16, 64)]
        omega = [at_speed(f, 12 / T_BEAM, FLAP[12][2] / T_BEAM) for f in found]
        rows.add("third flap frequency, $\\gamma$ = 12, against 64 elements", form, elements(8, 16),
                 [abs(w / omega[-1] - 1) for w in omega[:2]], "4", FOURTH)


# ---- steps ----

STEPS = (("rod_chain", "N=2", 0.7, "xy",
          (("generalized-alpha", (2e-3, 1e-3, 5e-4), "2", SECOND),
           ("generalized-alpha, rho_inf: 0", (2e-3, 1e-3, 5e-4), "2", SECOND), ("newmark", (2e-3, 1e-3, 5e-4), "2", SECOND),
           ("radau", (0.02, 0.01, 0.005), "5", FIFTH), ("explicit", (0.175, 0.0875), "12", (10, 14)))),
         ("heavy_top", "", 0.5, "xyz", (("generalized-alpha", (1e-3, 5e-4, 2.5e-4), "2", SECOND),)),
         ("a04_bricard", "", 1, "xy", (("generalized-alpha", (4e-3, 2e-3, 1e-3), "2", SECOND),
                                       ("radau", (0.16, 0.08, 0.04), "5", FIFTH))))


def fixed_steps(do, rows):
    for name, sets, end, columns, cases in STEPS:
        rows.about(link(name))
        fine = last(do.run(model(name, analysis=dynamics(end, end, "explicit, 1e-12")), sets)[0])
        for method, steps, theory, bound in cases:
            errors = []
            for h in steps:
                analysis = f"{{type: dynamics, until: {end}, output_step: {end}, step: {h!r}, method: {method}}}"
                found = last(do.run(model(name, analysis=analysis), sets)[0])
                errors.append(max(abs(found[c] - fine[c]) for c in columns))
            rows.add(f"place at {end} s, m", method.replace("rho_inf: 0", "`rho_inf: 0`"), milliseconds(steps), errors,
                     theory, bound)


def flexible_steps(do, rows):
    rows.about(link("two_link_arm") + ", 4 elements a link")
    run = lambda analysis: do.run(model("two_link_arm", analysis=analysis), "n=4")[0]
    fine, steps = run(dynamics(0.8, 0.1, "radau, 1e-8")), (8e-4, 4e-4, 2e-4)
    errors = [apart(run(f"{{type: dynamics, until: 0.8, output_step: 0.1, step: {h}, method: generalized-alpha}}"), fine,
                    ("tip_x", "tip_y", "tip_z")) for h in steps]
    rows.add("tip to 0.8 s, m", "generalized-alpha", milliseconds(steps), errors, "2", SECOND)


def tolerances(do, rows):
    rows.about(link("rod_chain") + ", 4 rods")
    run = lambda how: do.run(model("rod_chain", analysis=dynamics(1, 0.1, how)))[0]
    fine = run("explicit, 1e-12")
    for method, used in (("generalized-alpha", (1e-3, 1e-4, 1e-5)), ("radau", (1e-4, 1e-6, 1e-8)),
                         ("bdf", (1e-4, 1e-6, 1e-8)), ("explicit", (1e-6, 1e-8, 1e-10))):
        errors = [apart(run(f"{method}, {tolerance}"), fine, "xy") / 4 for tolerance in used]
        rows.add("tip over 1 s, of the length, against the tolerance", method, {f"{t:.0e}": t for t in used}, errors, "1",
                 (0.7, 1.3))


def rows_of(do, rows):
    for make in (third_frequency, large_bending, twist, rotating, fixed_steps, flexible_steps, tolerances):
        make(do, rows)
