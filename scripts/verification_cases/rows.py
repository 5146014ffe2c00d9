"""Rows of the tables of docs/verification.md."""
import math

from tables import table

RIGID = "{type: rfe, springs: all}"
ALL = ["corotational", "minimal", RIGID, "ffr", "elastodynamic"]
EXACT, COMPUTED = "closed form", "independent computation"


def dynamics(until, step, how="default"):
    """Text of an analysis; `how` is a method and its tolerance, "radau, 1e-8"."""
    method, _, tolerance = how.partition(", ")
    more = "" if how == "default" else f", method: {method}" + (f", tolerance: {tolerance}" if tolerance else "")
    return f"{{type: dynamics, until: {until}, output_step: {step}{more}}}"


def listed(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def several(values, digits):
    """Numbers of so many digits; of many the first and the last."""
    shown = [f"{v:.{digits}g}" for v in values]
    return ", ".join(shown if len(shown) < 4 else [shown[0], "...", shown[-1]])


def merged(rows):
    """Cells of rows, without what the row above says as well."""
    cells = [row.cells() for row in rows]
    for before, row in reversed(list(zip(cells, cells[1:]))):
        if before[0] == row[0]:
            row[0] = ""
            if before[1] == row[1]:
                row[1] = ""
    return cells


class Row:
    """What was expected, what was found, and how far apart they may be."""

    def __init__(self, problem, source, what, form, expected, found, bound, scale=None, digits=6):
        self.problem, self.source, self.what, self.form, self.bound = problem, source, what, form, bound
        expected, found = listed(expected), listed(found)
        self.error = max(abs(f - e) / (scale or abs(e)) for e, f in zip(expected, found, strict=True))
        if not all(map(math.isfinite, found)):
            self.error = math.inf
        low, high = bound if isinstance(bound, tuple) else (0, bound)
        self.kept = low <= self.error <= high
        self.shown = several(expected, digits), several(found, digits)

    def cells(self):
        bound = " to ".join(f"{b:g}" for b in self.bound) if isinstance(self.bound, tuple) else f"{self.bound:.0e}"
        return [self.problem, self.what, self.form, f"{self.shown[0]} ({self.source})", self.shown[1],
                f"{self.error:.1e}", bound]


class Rows(list):
    """Rows topic by topic and problem by problem."""
    topic = None

    def by_topic(self, do, makers):
        for self.topic, make in makers:
            make(do, self)

    def about(self, problem, source):
        self.problem, self.source = problem, source

    def add(self, what, form, expected, found, bound, scale=None, digits=6, source=None):
        self.append(Row(self.problem, source or self.source, what, form, expected, found, bound, scale, digits))
        self[-1].topic = self.topic

    def curve(self, what, form, expected, found, bound, scale=None, digits=6):
        """Values over time or along a list; errors in parts of the largest value, or of `scale`."""
        self.add(what, form, expected, found, bound, scale or max(map(abs, expected)), digits)

    def lines(self):
        return table(["problem", "compared", "formulation", "expected (source)", "limber", "error", "bound"],
                     merged(self))


class Order:
    """How an error falls with a size; sizes by their names on the page."""

    def __init__(self, problem, what, form, sizes, errors, theory, bound):
        self.problem, self.what, self.form, self.theory, self.bound = problem, what, form, theory, bound
        self.names, self.errors = list(sizes), errors
        first, *_, end = sizes.values()
        self.order = math.log(errors[0] / errors[-1]) / math.log(first / end)
        self.kept = bound[0] <= self.order <= bound[1]

    def cells(self):
        return [self.problem, self.what, self.form, ", ".join(self.names), ", ".join(f"{e:.1e}" for e in self.errors),
                f"{self.order:.2f}", self.theory, f"{self.bound[0]:g} to {self.bound[1]:g}"]


class Orders(list):
    """Orders problem by problem."""

    def about(self, problem):
        self.problem = problem

    def add(self, what, form, sizes, errors, theory, bound):
        self.append(Order(self.problem, what, form, sizes, errors, theory, bound))

    def lines(self):
        return table(["problem", "compared", "formulation, method", "with", "errors", "order", "by theory", "bound"],
                     merged(self))
