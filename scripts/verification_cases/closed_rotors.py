"""Rotors and rotating beams against closed forms."""
import math

from tables import link, model, plain
from verification_references import CLAMPED_FREE, T_BEAM, root

from .rows import EXACT, RIGID

PI = math.pi
PAPER = "{type: elastodynamic, stiffening: false}"


def campbell(drive, speeds, count, frame=None):
    """Text of an analysis."""
    more = f", frame: {frame}" if frame else ""
    return f"{{type: campbell, drive: {drive}, speeds: {speeds}, count: {count}{more}}}"


def at_speed(columns, speed, about):
    """The angular frequency at a speed that is nearest."""
    found = [2 * PI * f for s, f in zip(columns["speed"], columns["frequency"]) if abs(s - speed) < 1e-6 * (1 + speed)]
    return min(found, key=lambda w: abs(w - about))


def particle(do, rows):
    rows.about(link("particle_on_springs"), EXACT)
    found, _ = do.run(model("particle_on_springs", analysis=campbell("shaft", [0, 12, 2], 3)))
    rows.add("frequencies seen from the rotor, $\\omega_0 \\pm \\Omega$", "corotational", [8, 32],
             [at_speed(found, 12, w) for w in (8, 32)], 1e-10)


# ---- disks ----

def overhung_roots(W):
    """Frequencies of the overhung disk seen from the ground, sorted by size."""
    L, EI, m, Id, Ip = 0.5, 2000, 10, 0.1, 0.18
    k11, k12, k22 = 12 * EI / L ** 3, 6 * EI / L ** 2, 4 * EI / L
    f = lambda w: (k11 - m * w * w) * (k22 - Id * w * w + Ip * W * w) - k12 * k12
    grid = [-2000 + 0.5 * i + 0.25 for i in range(8000)]
    return sorted(abs(root(f, a, b)) for a, b in zip(grid, grid[1:]) if f(a) * f(b) < 0)


def overhung(do, rows):
    rows.about(link("overhung_disk"), EXACT)
    exact = overhung_roots(600)
    for form in ("corotational", "minimal", "ffr", "elastodynamic"):
        found, _ = do.run(model("overhung_disk", form, campbell("bearing", [0, 600, 2], 4, "fixed")))
        rows.add("four frequencies of whirl at 600 rad/s", form, exact, [at_speed(found, 600, w) for w in exact], 2e-5)


def instability(columns):
    """Where the least damping passes through 0, on straight lines."""
    speeds = sorted(set(columns["speed"]))
    least = [min(d for s, d in zip(columns["speed"], columns["damping_ratio"]) if s == speed) for speed in speeds]
    return next((a * e - b * d) / (e - d) for a, b, d, e in zip(speeds, speeds[1:], least, least[1:]) if d > 0 >= e)


def jeffcott(do, rows):
    stiffness = 48 * 2.1e11 * PI * 0.02 ** 4 / 64
    omega0 = math.sqrt(stiffness / 8)
    rows.about(link("jeffcott_rotor") + ", shaft without mass", EXACT)
    for form in ("corotational", "minimal", "ffr", "elastodynamic", RIGID):
        found, _ = do.run(model("jeffcott_rotor", form, campbell("drive", [0, 60, 2], 3, "fixed")), "rho=1e-3")
        rows.add("whirl at 60 rad/s, $\\sqrt{48EI/mL^3}$", plain(form), omega0, at_speed(found, 60, omega0),
                 5e-3 if form == RIGID else 1e-6)
    found, _ = do.run(model("jeffcott_rotor", analysis=campbell("drive", [140, 160, 11], 3)),
                      f"rho=1e-3 internal=1e-4 external={0.5e-4 * stiffness!r}")
    rows.add("unstable from, $\\omega_0(1 + c_e/c_i)$", "corotational", 1.5 * omega0, instability(found), 5e-4)


# ---- a shaft that has mass ----

def critical_speed():
    """Of the disk on the tube clamped at both ends, with gyroscopic moments of the sections, without shear."""
    E, rho, disk, outer, inner, half = 2.1e11, 7800, 70.573, 0.05, 0.045, 3
    A, I = PI * (outer ** 2 - inner ** 2), PI / 4 * (outer ** 4 - inner ** 4)

    def missing(W):
        b = (rho * A * W * W / (E * I)) ** 0.25
        s, c, sh, ch = math.sin(b * half), math.cos(b * half), math.sinh(b * half), math.cosh(b * half)
        return disk * W * W - 2 * E * I * b ** 3 * (s * ch + c * sh) / (1 - c * ch) - 12 / (5 * half) * rho * I * W * W
    return root(missing, 40, 80)


def crossing(columns):
    """The highest speed at which a branch has the frequency of the rotation, on straight lines."""
    found, rows = [], list(zip(columns["mode"], columns["speed"], columns["frequency"]))
    for mode in set(columns["mode"]):
        line = [(s, 2 * PI * f - s) for m, s, f in rows if m == mode]
        found += [a + (b - a) * e / (e - f) for (a, e), (b, f) in zip(line, line[1:]) if e * f <= 0]
    return max(found)


def whirl(do, form, n, speeds):
    """The critical speed of the balanced shaft, without shear and weight."""
    text = model("unbalanced_shaft", form, campbell("R", speeds, 2, "fixed")).replace("theory: timoshenko, ", "")
    return crossing(do.run(text, f"offset=0 g=0 n={n}")[0])


def heavy_shaft(do, rows):
    rows.about(link("unbalanced_shaft") + ", 16 elements", "bent tube, exact equation")
    for form, bound in (("corotational", 2e-5), ("minimal", 2e-5), ("elastodynamic", 2e-5), ("ffr", 1e-4)):
        rows.add("critical speed, rad/s, without shear", form, critical_speed(), whirl(do, form, 16, [56, 58, 3]), bound)


# ---- the equations of Vlase, Teodorescu and Scutaru ----

def frozen(do, rows):
    rows.about(link("rotating_beam") + ", `stiffening: false`, frozen (Vlase et al.)", EXACT)
    first, bar = CLAMPED_FREE[0], PI / 200
    for what, slender, gammas, exact, bound in (
            ("chordwise, $\\omega^2 = \\omega_0^2 - \\Omega^2$", 2000, (1, 2, 3),
             lambda g: math.sqrt(first ** 2 - g * g), 1e-4),
            ("flap, $\\omega_0$", 2000, (2, 12), lambda g: first, 1e-4),
            ("bar, $\\omega^2 = (\\pi c/2L)^2 - \\Omega^2$", 0.01, (2e-3, 5e-3, 1e-2),
             lambda g: math.sqrt(bar ** 2 - g * g), 1e-3)):
        found = []
        for g in gammas:
            c, _ = do.run(model("rotating_beam", PAPER, "{type: linearize}"), f"slender={slender} gamma={g}")
            poles = [math.hypot(r, i) * T_BEAM for r, i in zip(c["real"], c["imaginary"])]
            found.append(min(poles, key=lambda w: abs(w - exact(g))))
        rows.add(f"{what} at $\\gamma$ = {', '.join(map(str, gammas))}", "elastodynamic", [exact(g) for g in gammas],
                 found, bound)


def rows_of(do, rows):
    rows.by_topic(do, (("rotors", particle), ("rotors", overhung), ("rotors", jeffcott), ("rotors", heavy_shaft),
                       ("rotating beams", frozen)))
