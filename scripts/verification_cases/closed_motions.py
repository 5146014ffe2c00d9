"""Motions and circuits against closed forms, or a few lines of textbook mechanics."""
import math
import re

from tables import at, changed, link, model
from verification_references import complete_elliptic, oscillator, root, runge_kutta

from .rows import EXACT, dynamics

PI = math.pi
SHAKEN = """limber: 1
parameters: {W: 60}
gravity: [0, -9.81, 0]
bodies:
  pivot: {type: rigid, mass: 1, inertia: [1, 1, 1]}
  bob: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 1, 0]}
joints:
  rail: {type: prismatic, between: [ground, pivot], axis: y, drive: 0.1*cos(W*t)}
  pin: {type: revolute, between: [pivot, bob], axis: z, at: [0, 0, 0]}
analysis: {type: periodic, period: 2*pi/W, steps: 200}
"""
OIL = """limber: 1
include: [library/hydraulics.yaml]
power:
  v: {use: oil_volume, with: {start: 1e7}, ports: {inlet: free}}
  c: {use: throttle, ports: {inlet: v.node, outlet: t.inlet}}
  t: {use: tank}
analysis: {type: dynamics, until: 0.02, output_step: 0.001}
outputs: {p: effort(v.node)}
"""
RELIEF = """limber: 1
include: [library/hydraulics.yaml]
power:
  p: {use: pump, ports: {outlet: v.inlet}}
  v: {use: oil_volume}
  r: {use: relief_valve, ports: {inlet: v.node, outlet: t.inlet}}
  t: {use: tank}
analysis: {type: dynamics, until: 0.1, output_step: 0.005}
outputs: {p: effort(v.node)}
"""
MOTOR = """limber: 1
include: [library/motors.yaml]
power:
  m: {use: dc_motor_driven, with: {u: 12, R: 0.5}, ports: {shaft: free}}
analysis: {type: dynamics, until: 0.2, output_step: 0.001}
outputs: {w: flow(m.rotor)}
"""
NODES = """outputs:
  px(k=0..n): pos(beam.node(k)).x
  py(k=0..n): pos(beam.node(k)).y
  vx(k=0..n): vel(beam.node(k)).x
  vy(k=0..n): vel(beam.node(k)).y
  w(k=0..n): omega(beam.node(k)).z
"""


# ---- rigid bodies ----

def through(t, y, s):
    """The polynomial through points."""
    return sum(b * math.prod((s - c) / (a - c) for c in t if c != a) for a, b in zip(t, y))


def zeros(t, y):
    """Instants at which y rises through 0, on the polynomial of six neighbours."""
    return [root(lambda s, k=k: through(t[k - 2:k + 4], y[k - 2:k + 4], s), t[k], t[k + 1])
            for k in range(2, len(t) - 3) if y[k] < 0 <= y[k + 1]]


def pendulum(do, rows):
    rows.about(link("a01_pendulum"), "elliptic integral")
    for form, how, bound in (("corotational", "default", 1e-5), ("corotational", "radau, 1e-8", 1e-8),
                             ("corotational", "bdf, 1e-8", 1e-8), ("corotational", "explicit, 1e-10", 1e-9),
                             ("minimal", "explicit, 1e-10", 1e-9), ("ffr", "explicit, 1e-10", 1e-9)):
        found, _ = do.run(model("a01_pendulum", form, dynamics(10, 0.02, how)))
        z = zeros(found["t"], found["x"])
        rows.add("period released level, $4K(1/2)\\sqrt{L/g}$", f"{form}, {how}",
                 4 / math.sqrt(9.81) * complete_elliptic(0.5), (z[-1] - z[0]) / (len(z) - 1), bound, digits=12)


def top_rates(_, y):
    """The axis e and the angular momentum H about the fixed point: e' = H x e/It, H' = e x weight."""
    a, b, c, p, q, r = y
    It, weight = 0.234375 + 15, 15 * 9.81
    return [(q * c - r * b) / It, (r * a - p * c) / It, (p * b - q * a) / It, -b * weight, a * weight, 0]


def top(do, rows):
    y, path = [0, 1, 0, 0, 0.46875 * 150, -4.61538 * (0.234375 + 15)], []
    for _ in range(20):
        y = runge_kutta(top_rates, y, 0, 0.1, 100)
        path += y[:3]
    rows.about(link("heavy_top"), "Euler's equations")
    for form, how, bound in (("corotational", "default", 5e-4), ("corotational", "explicit, 1e-10", 1e-8),
                             ("minimal", "explicit, 1e-10", 1e-8)):
        found, _ = do.run(model("heavy_top", form, dynamics(2, 0.1, how)))
        place = [found[c][k] for k in range(1, 21) for c in "xyz"]
        rows.curve("mass centre at 20 instants, with nutation", f"{form}, {how}", path, place, bound, 1)
    rate = 15 * 9.81 / (0.46875 * 150)
    found, _ = do.run(model("heavy_top", "corotational", dynamics(1, 1, "explicit, 1e-10")), f"turn={rate!r}")
    rows.add("steady precession, $mgL/J\\Omega$, rad/s", "corotational, explicit, 1e-10", rate,
             math.atan2(-found["x"][-1], found["y"][-1]), 1e-8, digits=8, source=EXACT)


def mathieu(do, rows):
    rows.about("pendulum upright on a shaken pivot", "Mathieu's equation")
    for W in (60, 30):
        rates = lambda t, y: [y[1], (9.81 - 0.1 * W * W * math.cos(W * t)) / 1.001 * y[0]]
        P, Q = (runge_kutta(rates, y, 0, 2 * PI / W, 4000) for y in ([1, 0], [0, 1]))
        half = (P[0] + Q[1]) / 2
        for form in ("corotational", "minimal", "ffr", "elastodynamic"):
            first = do.run(changed(SHAKEN, form), f"W={W}")[1]["multipliers"][0]
            if abs(half) < 1:
                rows.add(f"multiplier at {W} rad/s, stable", form, [half, math.sqrt(1 - half * half)],
                         [first["real"], first["imaginary"]], 1e-9)
            else:
                rows.add(f"multiplier at {W} rad/s, unstable", form, half + math.sqrt(half * half - 1),
                         first["real"], 1e-9)


def cardan(do, rows):
    rows.about(link("cardan_shaft"), EXACT)
    cos, sin = math.cos(PI / 6), math.sin(PI / 6)
    for form in ("corotational", "minimal"):
        found, _ = do.run(model("cardan_shaft", form))
        exact = [20 * cos / (1 - (sin * math.sin(a)) ** 2) for a in found["angle"]]
        rows.curve("speed of the output over three turns", form + ", default", exact, found["output_speed"], 1e-8)


# ---- beams ----

def steady(do, rows):
    """After the run-up the beam is stretched, and still rings a little."""
    rows.about(link("spin_up"), EXACT)
    k = math.sqrt(1.2 * 36 / 2.8e7)
    for form in ("corotational", "ffr"):
        found, _ = do.run(model("spin_up", form))
        late = [u for t, u in zip(found["t"], found["u1"]) if t > 16]
        rows.add("steady stretch, mean after 16 s, $\\tan(kL)/k - L$", form, math.tan(10 * k) / k - 10,
                 sum(late) / len(late), 2e-3, digits=5)


def momentum(do, rows):
    """Angular momentum about the hinge from the motion of nodes, by Simpson's rule along the beam."""
    found, _ = do.run(model("hinged_beam", analysis=dynamics(12, 0.5)).replace("outputs:\n", NODES))
    v, total = at(found, 12), 0
    for k in range(9):
        px, py, vx, vy, w = (v[f"{c}({k})"] for c in ("px", "py", "vx", "vy", "w"))
        total += (1 if k in (0, 8) else 4 if k % 2 else 2) * 7.8e-3 * (9 * (px * vy - py * vx) + 6.75 * w)
    rows.about(link("hinged_beam"), "impulse of the torque")
    rows.add("angular momentum at 12 s", "corotational", 9e4, total * 141.42 / 24, 5e-5)


def two_links(do, rows):
    """The drives rest from 1.5 s on; without the lift the arm is plane, and its ball joint might be a hinge."""
    rows.about(link("two_link_arm") + " (Damic et al.)", "conserved")
    for form in ("corotational", "minimal", "ffr"):
        found, _ = do.run(model("two_link_arm", form))
        after = [e for t, e in zip(found["t"], found["energy"]) if t >= 1.5]
        rows.curve("energy after 1.5 s, of the largest before", form, [after[0]] * len(after), after, 1e-5,
                   max(found["energy"]))
    text = model("two_link_arm", analysis=dynamics(2, 0.05))
    plane, _ = do.run(text, "rise=0")
    hinge, _ = do.run(re.sub(r"elbow: {type: spherical(.*)}", r"elbow: {type: revolute\1, axis: z}", text), "rise=0")
    rows.about("the same without the lift", "with a hinge as elbow")
    columns = ("elbow_x", "elbow_y", "tip_x", "tip_y", "tip_z")
    rows.add("elbow and tip to 2 s, of the length", "corotational", [x for c in columns for x in hinge[c]],
             [x for c in columns for x in plane[c]], 1e-7, 10)


# ---- circuits ----

def oscillators(do, rows):
    for name, columns in (("mass_spring", "x v"), ("rlc_circuit", "charge current"), ("mass_on_guide", "x v")):
        rows.about(link(name), EXACT)
        for how, bound in (("default", 5e-6), ("radau, 1e-8", 5e-8)):
            found, _ = do.run(model(name, "corotational", dynamics(3, 0.01, how)))
            for c, exact in zip(columns.split(), zip(*map(oscillator, found["t"]))):
                rows.curve(f"{c} over 3 s", f"corotational, {how}", exact, found[c], bound)


def circuits(do, rows):
    oscillators(do, rows)
    rows.about("oil runs out of a volume through a throttle", EXACT)
    found, _ = do.run(OIL)
    exact = [1e7 * math.exp(-1.4e9 / (1e-3 * 1e10) * t) for t in found["t"]]
    rows.curve("pressure, $p_0e^{-tB/VR}$", "corotational, default", exact, found["p"], 1e-6)
    rows.about("pump against a relief valve", EXACT)
    rows.add("pressure at rest", "corotational, default", (1.6e-6 * 150 + 1.5e7 / 2e9) / (1e-12 + 1 / 2e9),
             do.run(RELIEF)[0]["p"][-1], 1e-6, digits=8)
    rows.about("DC motor, voltage stepped up to 12 V", EXACT)
    R, L, K, J, b = 0.5, 1e-3, 0.1, 1e-4, 1e-5
    s, p, end = (R * J + L * b) / (2 * L * J), (R * b + K * K) / (L * J), 12 * K / (R * b + K * K)
    w, (found, _) = math.sqrt(p - s * s), do.run(MOTOR)
    exact = [end * (1 - math.exp(-s * t) * (math.cos(w * t) + s / w * math.sin(w * t))) for t in found["t"]]
    rows.curve("speed", "corotational, default", exact, found["w"], 1e-6)


def rows_of(do, rows):
    rigid, moving = "rigid mechanisms", "beams in large motion"
    rows.by_topic(do, ((rigid, pendulum), (rigid, top), (rigid, mathieu), (rigid, cardan), (moving, steady),
                       (moving, momentum), (moving, two_links), ("circuits, motors, hydraulics", circuits)))
