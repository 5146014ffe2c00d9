"""Structures under a load factor P, with n elements to a beam: cantilevers in the plane and in space, arcs, frames,
tapers, followers, beams with shear. Nothing is symmetric. Outputs x, y, z are the displacement of a point."""

HEAD = "limber: 1\nparameters: {P: 1, n: 4}\n"
MATERIALS = "materials: {steel: {E: 2e11, nu: 0.3, rho: 7800}, soft: {E: 3e9, nu: 0.35, rho: 1200}}\n"


def section(name, height, width, material="steel"):
    return f"{name}: {{material: {material}, shape: rectangle, height: {height}, width: {width}}}"


def at(frame, x, y, z):
    """Outputs of the displacement of a frame that is drawn at a point."""
    return "outputs: {" + ", ".join(f"{c}: pos({frame}).{c} - ({v})" for c, v in zip("xyz", (x, y, z))) + "}\n"


def cantilever(load, height=0.01, width=0.01, length=1.0, end=None, extra="", material="steel", more=""):
    """A beam along x, its start clamped. `load`: keys of the load on its end."""
    return (HEAD + MATERIALS + f"sections: {{{section('s', height, width, material)}{extra}}}\n"
            f"bodies: {{b: {{type: beam, section: s, from: [0, 0, 0], to: [{length}, 0, 0], elements: n{more}}}}}\n"
            "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
            f"loads: {{f: {{on: b.end, {load}}}}}\n" + at("b.end", length, 0, 0))


def arc(load, angle=90, radius=1.0, height=0.02, width=0.01):
    """A quarter of a ring, or less of it, clamped at its start."""
    import math
    points = [(radius * math.sin(math.radians(a)), radius * (1 - math.cos(math.radians(a))), 0)
              for a in (angle * k / 16 for k in range(17))]
    text = ", ".join(f"[{x:.12g}, {y:.12g}, 0]" for x, y, _ in points)
    return (HEAD + MATERIALS + f"sections: {{{section('s', height, width)}}}\n"
            f"bodies: {{b: {{type: beam, section: s, points: [{text}], elements: 16*n}}}}\n"
            "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
            f"loads: {{f: {{on: b.end, {load}}}}}\n" + at("b.end", *points[-1]))


def elbow(load, second="[0.8, 0.3, 0.5]", sizes=((0.02, 0.012), (0.015, 0.01))):
    """Two beams welded at an angle, the first one clamped."""
    x, y, z = eval(second)  # pylint: disable=eval-used
    return (HEAD + MATERIALS + f"sections: {{{section('s', *sizes[0])}, {section('r', *sizes[1])}}}\n"
            "bodies:\n  a: {type: beam, section: s, from: [0, 0, 0], to: [0.8, 0, 0], elements: n}\n"
            f"  b: {{type: beam, section: r, from: [0.8, 0, 0], to: {second}, elements: n}}\n"
            "joints:\n  clamp: {type: fixed, between: [ground, a.start]}\n"
            "  weld: {type: fixed, between: [a.end, b.start]}\n"
            f"loads: {{f: {{on: b.end, {load}}}}}\n" + at("b.end", x, y, z))


PORTAL = (HEAD + MATERIALS + f"sections: {{{section('s', 0.02, 0.03)}, {section('r', 0.03, 0.03)}}}\n"
          "bodies:\n  l: {type: beam, section: s, from: [0, 0, 0], to: [0, 1.1, 0], elements: n}\n"
          "  t: {type: beam, section: r, from: [0, 1.1, 0], to: [0.9, 1.1, 0], elements: n}\n"
          "  r: {type: beam, section: s, from: [0.9, 1.1, 0], to: [0.9, 0, 0], elements: n}\n"
          "joints:\n  a: {type: fixed, between: [ground, l.start]}\n  b: {type: fixed, between: [l.end, t.start]}\n"
          "  c: {type: fixed, between: [t.end, r.start]}\n  d: {type: revolute, between: [ground, r.end], axis: z}\n"
          "loads: {f: {on: l.end, force: [900*P, -300*P, 0]}}\n" + at("l.end", 0, 1.1, 0))

SPRUNG = (HEAD + MATERIALS + f"sections: {{{section('s', 0.012, 0.02)}}}\n"
          "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1.3, 0, 0], elements: n}}\n"
          "joints: {hinge: {type: revolute, between: [ground, b.start], axis: z, stiffness: 3000}}\n"
          "loads: {f: {on: b.end, force: [0, 180*P, 0]}}\n" + at("b.end", 1.3, 0, 0))

# Name, model. At P = 1 the bent axes turn by about 0.5 to 1 rad.
STRUCTURES = [
    ("cantilever, force across", cantilever("force: [0, 300*P, 0]")),
    ("strip, force askew", cantilever("force: [-40*P, 300*P, 250*P]", 0.012, 0.009, 0.9)),
    ("cantilever, couple", cantilever("torque: [0, 0, 150*P]")),
    ("cantilever, couples about three axes", cantilever("torque: [40*P, 90*P, 120*P]", 0.011, 0.009)),
    ("cantilever, follower", cantilever("force: [0, 250*P, 0], axes: local")),
    ("quarter ring, force out of its plane", arc("force: [0, 60*P, 700*P]", height=0.015, width=0.012)),
    ("arc of 40 degrees, force in its plane", arc("force: [60*P, 550*P, 0]", 40, 1.0, 0.012, 0.02)),
    ("elbow in space", elbow("force: [150*P, 500*P, -350*P]")),
    ("portal frame, pushed", PORTAL.replace("900*P", "12e3*P").replace("300*P", "2e3*P")),
    ("hinged with a spring", SPRUNG),
    ("taper", cantilever("force: [0, 400*P, 100*P]", 0.014, 0.012, 1.1, extra=", " + section("e", 0.007, 0.009),
                         more=", end_section: e")),
    ("with shear", cantilever("force: [0, 9e4*P, 6e4*P]", 0.12, 0.1, 0.7, material="soft",
                              more=", theory: timoshenko").replace("9e4", "5e3").replace("6e4", "3e3")),
    ("pulled and bent", cantilever("force: [400*P, 300*P, 100*P]", 0.01, 0.012, 1.2)),
]
