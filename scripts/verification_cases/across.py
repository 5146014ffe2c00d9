"""Formulations against each other: what `limber compare` finds."""
import json
import os
import subprocess
import sys

import tables
from tables import link

# Model, parameters, what it is; the largest difference that formulations may have, in parts of the range. Corotational
# and minimal coordinates solve the same equations. Rigid pieces err by some 1/(4 n^2) of deflections and frequencies,
# and vibrations run out of phase by as much for each radian; what is linear about the rigid motion is off by the
# square of deflection over length, forces by its first power (tests/unit/test_models_cross.c).
CASES = (("robot_arm", "", "rigid arm, two motors", {"minimal": 5e-4, "ffr": 5e-4, "rfe": 5e-4, "elastodynamic": 5e-4}),
         ("two_link_arm", "", "flexible links in space",
          {"minimal": 5e-4, "ffr": 1.5e-2, "elastodynamic": 5e-2, "rfe": 0.25}),
         ("tapered_beam", "n=8", "tapered arm, turned quickly",
          {"minimal": 5e-4, "ffr": 1.5e-2, "elastodynamic": 5e-2, "rfe": 6e-2}),
         ("slider_crank_steady", "", "flexible slider-crank at speed",
          {"minimal": 5e-4, "ffr": 1.5e-2, "elastodynamic": 5e-2, "rfe": 6e-2}),
         ("unbalanced_shaft", "offset=5e-4", "rotor through its critical speed",
          {"minimal": 5e-4, "ffr": 1.5e-2, "elastodynamic": 5e-2, "rfe": 1.3}),
         ("ladder_frame", "", "frame on four wheels, equilibrium and frequencies",
          {"minimal": 5e-4, "ffr": 1.5e-2, "elastodynamic": 5e-2, "rfe": 6e-2}),
         ("space_frame", "", "frequencies", {"minimal": 5e-4, "ffr": 5e-4, "elastodynamic": 5e-4, "rfe": 6e-2}))


class Difference:
    """The largest difference of a formulation from `corotational`."""

    def __init__(self, model, form, output, error, bound):
        self.model, self.form, self.output, self.error, self.bound = model, form, output, error, bound
        self.kept = error <= bound

    def cells(self):
        return [self.model, self.form, self.output, f"{self.error:.1e}", f"{self.bound:g}"]


class Differences(list):
    def lines(self):
        cells = [row.cells() for row in self]
        for before, row in reversed(list(zip(cells, cells[1:]))):
            row[0] = "" if before[0] == row[0] else row[0]
        return tables.table(["model", "formulation", "most in", "difference", "bound"], cells)


def compared(do, name, sets):
    """For each formulation its differences from `corotational`."""
    line = [do.limber, "compare", os.path.abspath(os.path.join(tables.ROOT, "models", name + ".yaml")), "--json",
            "--formulation", "corotational", "--threads", "1", *[a for s in sets.split() for a in ("--set", s)]]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=do.folder)
    if done.returncode:
        sys.exit(f"{tables.SCRIPT}: compare {name} {sets}:\n{done.stderr}")
    return {f["name"]: f["differences"] for f in json.loads(done.stdout)["formulations"]}


def relative(d):
    """A difference in parts of the range; of an output that stays what it is there is none."""
    return d["largest"] / d["scale"] if d["scale"] else 0 if d["largest"] == 0 else float("inf")


def rows_of(do, rows):
    for name, sets, what, bounds in CASES:
        found = compared(do, name, sets)
        for form, bound in bounds.items():
            error, output = max((relative(d), d["output"]) for d in found[form])
            model = f"{link(name)}, {what}" + f", `{sets}`" * bool(sets)
            rows.append(Difference(model, form, output if error else "", error, bound))
