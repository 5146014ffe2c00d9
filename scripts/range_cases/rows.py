"""Rows of docs/ranges.md: what a run estimates of its own error, the error, and what its warning's remedy leaves."""
import math
import re

from tables import last

FACTOR = 3        # between estimate and error, where a warning is given
SILENT = 0.05     # error without a warning
FALSE = 0.001     # error with one
RESOLVED = 0.4    # estimates and errors beyond it are only known to be large


class Answer:
    """Values of one run with what it says of itself."""

    def __init__(self, values, summary):
        self.values, self.summary = values, summary

    def estimate(self, what):
        return max((e["size"] for e in self.summary.get("left_out", []) if re.search(what, e["what"])), default=0)

    def warning(self, what):
        return next((m["text"] for m in self.summary["said"]
                     if m["severity"] == "warning" and re.search(what, m["text"])), None)


def displacement(do, text, command="static"):
    """The vector that the outputs x, y, z are at the end."""
    columns, summary = do.run(text, command=command)
    found = last(columns)
    return Answer([found[c] for c in "xyz"], summary)


def motion(do, text):
    """The same at all instants."""
    columns, summary = do.run(text)
    return Answer([v for c in "xyz" for v in columns[c]], summary)


def frequencies(do, text):
    columns, summary = do.run(text, command="modes")
    return Answer(columns["frequency"], summary)


def apart(a, b):
    """Distance of two vectors over the size of the second."""
    return math.dist(a, b) / math.hypot(*b)


def worst_of(a, b):
    """The largest relative difference, number by number."""
    return max(abs(x / y - 1) for x, y in zip(a, b))


# ---- what a warning says to do ----

def remedied(text, warning, analysis="analysis:"):
    """The model with the first thing that the warning says to write; and that."""
    found = re.search(r"'(formulation: {[^}]*})'( and as many 'elements')?", warning)
    if found:
        text = re.sub(r"^formulation:.*$", found[1], text, flags=re.M)
        if found[2]:
            text = re.sub(r"elements: [^,}]+", "elements: " + re.search(r"substructures: (\d+)", found[1])[1], text)
        return text, found[1].removeprefix("formulation: ").strip("{}").removeprefix("type: ffr, ") + \
            (", as many elements" if found[2] else "")
    found = re.search(r"'elements: (\d+)'", warning)
    if found:
        name = re.search(r"'(\w+)'", warning)[1]
        return re.sub(rf"(\b{name}: {{type: beam.*?elements: )[^,}}]+", rf"\g<1>{found[1]}", text), f"elements: {found[1]}"
    found = re.search(r"(\d+) times the 'elements'", warning)
    if found:
        return re.sub(r"elements: ([^,}]+)", rf"elements: {found[1]}*(\1)", text), f"{found[1]} x elements"
    found = re.search(r"more 'nodes'", warning)
    if found:
        return text.replace("nodes: {", "nodes: {more: [0.237, 0, 0], again: [0.713, 0, 0], "), "more nodes"
    if "'deformations: large'" in warning:
        return text.replace("deformations: small", "deformations: large"), "deformations: large"
    found = re.search(r"use '((?:linear|stiffening): \w+)'", warning)
    if found:
        return re.sub(found[1].split(":")[0] + r": \w+", found[1], text), found[1]
    found = re.search(r"use 'springs: all'", warning)
    if found:
        return text.replace("springs: bending", "springs: all"), "springs: all"
    if "'corotational'" in warning:
        return re.sub(r"^formulation:.*$", "formulation: corotational", text, flags=re.M), "corotational"
    raise ValueError(f"no remedy in '{warning}'")


class Row:
    """One model: `text` as it is run, `truth` one that does not make the approximation."""

    def __init__(self, do, kind, label, text, truth, excuse=None):
        self.label, self.excuse, self.kind = label, excuse, kind
        exact, run = kind.measure(do, truth), kind.measure(do, text)
        self.error, self.estimate = kind.off(run.values, exact.values), run.estimate(kind.effect)
        said = run.warning(kind.warning)
        self.said, self.remedy, self.after = said is not None, "", None
        if said:
            better, self.remedy = remedied(text, said)
            after = kind.measure(do, better)
            self.after = kind.off(after.values, exact.values)

    def faults(self):
        """What is not as it should be."""
        if not self.said:
            return ["no warning"] if self.error > SILENT else []
        found = ["false warning"] if self.error < FALSE else []
        ratio = self.estimate / self.error
        if min(self.estimate, self.error) < RESOLVED and not 1 / FACTOR <= ratio <= FACTOR:
            found.append("estimate")
        if self.after > max(self.error / 2, self.kind.threshold):
            found.append("remedy")
        return found

    def kept(self):
        return not self.faults() or bool(self.excuse)

    def cells(self):
        ratio = f"{self.estimate / self.error:.2g}" if self.error else ""
        marks = ", ".join(self.faults())
        if marks:
            marks = f"{marks}{': ' + self.excuse if self.excuse else ''}"
        return [self.label, percent(self.estimate), percent(self.error), ratio, "yes" if self.said else "",
                self.remedy, percent(self.after) if self.said else "", marks]


def percent(x):
    return f"{100 * x:.2g} %" if x < 1 else "> 100 %"
