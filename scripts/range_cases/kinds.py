"""The approximations of docs/ranges.md, each with the models on which its estimate is compared with its error."""
import re

from .motions import MOTIONS
from .rows import Row, apart, displacement, frequencies, motion, worst_of
from .structures import HEAD, MATERIALS, STRUCTURES, section

FINE = 32  # elements of the runs that count as exact


def made(text, formulation, analysis="{type: statics}", **values):
    """A model with values of its parameters, a formulation and an analysis."""
    for name, value in values.items():
        text = re.sub(rf"\b{name}: [^,}}]+", f"{name}: {value}", text, count=1)
    return text + f"formulation: {formulation}\nanalysis: {analysis}\n"


class Kind:
    """An approximation: where its estimate and its warning are, and how its error is measured."""

    def __init__(self, name, effect, warning, threshold, measure, off, make):
        self.name, self.effect, self.warning, self.threshold = name, effect, warning, threshold
        self.measure, self.off, self.make = measure, off, make


def swept(formulation, loads, n, excuses=(), exact="corotational"):
    """All structures at loads of growing size. `n`: their elements."""
    def make(do, kind, only=None):
        for name, text in STRUCTURES[:only]:
            for P in loads[1:2] if only else loads:
                for k in n[:1] if only else n:
                    label = f"{name}, P = {P}" + (f", {k} elements" if len(n) > 1 else "")
                    excuse = next((why for part, why in excuses if part in label), None)
                    yield Row(do, kind, label, made(text, formulation, n=k, P=P), made(text, exact, n=FINE, P=P), excuse)
    return make


# ---- superelements of constant matrices ----

SUPER = ((HEAD + MATERIALS).replace("{", "{{").replace("}", "}}") + "sections: {{{section}}}\nbodies:\n  b: {body}\n"
         "joints: {{clamp: {{type: fixed, between: [ground, b.start]}}}}\nloads: {{f: {{on: b.end, {load}}}}}\n"
         "outputs: {{x: pos(b.end).x - {L}, y: pos(b.end).y, z: pos(b.end).z}}\n")
LOADS = [  # load, height, width, length, inner nodes, frame
    ("force", "force: [0, 300*P, 0]", 0.01, 0.01, 1.0, 0, "mean"),
    ("force, three nodes more", "force: [0, 300*P, 0]", 0.01, 0.01, 1.0, 3, "mean"),
    ("force askew", "force: [0, 300*P, 250*P]", 0.012, 0.009, 0.9, 0, "mean"),
    ("couple", "torque: [0, 0, 150*P]", 0.01, 0.01, 1.0, 0, "mean"),
    ("couples", "torque: [40*P, 90*P, 120*P]", 0.011, 0.009, 1.0, 2, "chord"),
    ("follower", "force: [0, 300*P, 0], axes: local", 0.01, 0.01, 1.0, 0, "mean"),
    ("frame at the start", "force: [0, 250*P, 0]", 0.01, 0.012, 1.1, 1, "start"),
    ("frame at the end", "force: [0, 250*P, 90*P]", 0.01, 0.012, 1.1, 0, "end"),
    ("chord, force", "force: [0, 300*P, 100*P]", 0.013, 0.01, 1.0, 0, "chord"),
    ("force and couple", "force: [0, 200*P, 0], torque: [0, 60*P, -50*P]", 0.01, 0.01, 1.0, 0, "mean"),
]
AXIAL = [
    ("pulled", "force: [400*P, 30*P, 0]", 0.01, 0.012, 1.2, 0, "mean"),
    ("pulled, chord", "force: [400*P, 30*P, 0]", 0.01, 0.012, 1.2, 0, "chord"),
    ("pulled, four nodes more", "force: [400*P, 30*P, 10*P]", 0.01, 0.012, 1.2, 4, "mean"),
    ("pulled, frame at the start", "force: [130*P, 10*P, 0]", 0.01, 0.012, 1.2, 0, "start"),
    ("pulled, frame at the end", "force: [250*P, 10*P, 0]", 0.01, 0.012, 1.2, 2, "end"),
    ("pressed", "force: [-150*P, 20*P, 0]", 0.01, 0.012, 1.2, 0, "mean"),
    ("pressed, chord", "force: [-150*P, 10*P, 10*P]", 0.01, 0.012, 1.2, 0, "chord"),
    ("pressed, two nodes more", "force: [-120*P, 10*P, 10*P]", 0.012, 0.009, 1.1, 2, "mean"),
    ("pressed, frame at the start", "force: [-60*P, 5*P, 0]", 0.01, 0.012, 1.2, 0, "start"),
    ("pressed, frame at the end", "force: [-100*P, 5*P, 3*P]", 0.01, 0.012, 1.2, 1, "end"),
]


def superelement(load, height, width, L, inner, frame):
    nodes = "{" + ", ".join(f"m{k}: [{L * k / (inner + 1):.6g}, 0, 0]" for k in range(1, inner + 1)) + "}"
    body = (f"{{type: superelement, frame: {frame}, beam: {{section: s, length: {L}, deformations: small}}"
            + (f", nodes: {nodes}" if inner else "") + "}")
    beam = f"{{type: beam, section: s, from: [0, 0, 0], to: [{L}, 0, 0], elements: n}}"
    return [SUPER.format(section=section("s", height, width), body=b, load=load, L=L) for b in (body, beam)]


def superelements(cases, loads, excuses=()):
    def make(do, kind, only=None):
        for name, *data in cases[:only]:
            text, beam = superelement(*data)
            for P in loads[-2:-1] if only else loads:
                label = f"{name}, P = {P}"
                excuse = next((why for part, why in excuses if part in label), None)
                yield Row(do, kind, label, made(text, "corotational", P=P), made(beam, "corotational", n=FINE, P=P), excuse)
    return make


# ---- motion ----

def moving(formulation, softer, n, excuses=(), arms=5):
    """The first of the arms, as soft as given."""
    def make(do, kind, only=None):
        for name, text, until in MOTIONS[:only or arms]:
            how = f"{{type: dynamics, until: {until}, output_step: {until / 25}, tolerance: 1e-4}}"
            for P in softer[1:2] if only else softer:
                label = f"{name}, P = {P}"
                excuse = next((why for part, why in excuses if part in label), None)
                yield Row(do, kind, label, made(text, formulation, how, n=n, P=P),
                          made(text, "corotational", how, n=8, P=P), excuse)
    return make


# ---- modes ----

def vibrating(formulation, meshes, count, excuses=()):
    def make(do, kind, only=None):
        how = f"{{type: modes, count: {count}}}"
        seen = set()
        for name, text in STRUCTURES[:only]:
            free = re.sub(r"^loads:.*\n", "", text, flags=re.M)
            if free in seen:
                continue
            seen.add(free)
            for n in meshes[:1] if only else meshes:
                label = f"{name}, {n} elements"
                excuse = next((why for part, why in excuses if part in label), None)
                yield Row(do, kind, label, made(free, formulation, how, n=n), made(free, "corotational", how, n=FINE), excuse)
    return make


WAVES = (("quick move, P = 5", "it excites waves that one element does not have, which no run looks for"),
         ("arm in space, P = 5", "the largest bend lasts for a moment"), ("heavy end, slow, P = 5", "likewise"))
TAPER = (("taper", "its stiffness changes much along an element"),)
TWISTED = (("strip, force askew", "twist by bending in two planes counts in full, the frames follow most of it"),
           ("elbow", "so does the torsion of its first beam"))

KINDS = {
    "elements": Kind("corotational elements that bend far", "elements that bend far", "bends so far within its elements", 0.02,
                     displacement, apart, swept("corotational", (0.3, 1, 2), (1, 2))),
    "pieces": Kind("rigid pieces", "half a division", "rigid pieces do not bend", 0.02, displacement, apart,
                   swept("rfe", (0.1, 1, 2), (2, 4), TAPER)),
    "frames": Kind("turns within a floating frame", "large rotations within", "within its floating frame", 0.01,
                   displacement, apart, swept("{type: ffr, substructures: 1}", (0.1, 0.3, 1), (8,), TWISTED)),
    "few_frames": Kind("turns within three floating frames each", "large rotations within", "within its floating frame",
                       0.01, displacement, apart, swept("{type: ffr, substructures: 3}", (0.5, 1, 2), (6,), TWISTED)),
    "linear": Kind("linear displacements about the rigid motion", "what bending does to the motion", "is linear in that",
                   0.03, displacement, apart, swept("elastodynamic", (0.03, 0.1, 0.5), (4,))),
    "bent_matrices": Kind("constant matrices of a superelement that bends", "bending within", "bends so far that", 0.02,
                          displacement, apart, superelements(LOADS, (0.2, 0.5, 1, 1.5))),
    "axial_matrices": Kind("constant matrices of a superelement under axial force", "by axial force",
                           "constant matrices know nothing", 0.02, displacement, apart,
                           superelements(AXIAL, (0.1, 0.3, 1))),
    "moving_frames": Kind("floating frames in motion", "large rotations within", "within its floating frame", 0.01,
                          motion, apart, moving("{type: ffr, substructures: 1}", (0.3, 1), 4)),
    "moving_linear": Kind("linear displacements in motion", "what bending does to the motion", "is linear in that", 0.03,
                          motion, apart, moving("elastodynamic", (0.1, 0.4), 4)),
    "moving_pieces": Kind("rigid pieces in motion", "half a division", "rigid pieces do not bend", 0.02, motion, apart,
                          moving("rfe", (0.1, 0.5), 3)),
    "moving_elements": Kind("corotational elements in motion", "elements that bend far", "bends so far within its elements",
                            0.02, motion, apart, moving("corotational", (1, 5), 1, WAVES, 10)),
    "modes": Kind("frequencies by corotational elements", "waves as short", "too long for the waves", 0.02, frequencies,
                  worst_of, vibrating("corotational", (1, 2, 3, 4), 5, TAPER)),
    "modes_pieces": Kind("frequencies by rigid pieces", "waves as short", "too long for the waves", 0.02, frequencies,
                         worst_of, vibrating("rfe", (3, 6), 3, TAPER)),
}
