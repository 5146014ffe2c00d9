"""What the scripts that make tables of documentation pages share: models with other settings, runs of the
program, tables in Markdown, and pages with places for them.

A page has a place for a table between the lines `<!-- NAME: begin ... -->` and `<!-- NAME: end -->`.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SCRIPT = os.path.basename(sys.argv[0])


# ---- models ----

def changed(text, formulation=None, analysis=None):
    """A model with another formulation and analysis."""
    if formulation:
        text = re.sub(r"^formulation:.*\n", "", text, flags=re.M) + f"formulation: {formulation}\n"
    if analysis:
        text = re.sub(r"^analysis:.*\n(?:[ -].*\n)*", "", text, flags=re.M) + f"analysis: {analysis}\n"
    return text


def model(name, formulation=None, analysis=None):
    """Text of a model of models/, changed so."""
    with open(os.path.join(ROOT, "models", name + ".yaml"), encoding="utf-8") as f:
        return changed(f.read(), formulation, analysis)


def link(name):
    """A model's name that leads to its file, on a page of docs/."""
    return f"[{name}](../models/{name}.yaml)"


def plain(formulation):
    """A formulation with its options as a page shows it."""
    found = re.match(r"\{type: (\w+), (.*)\}", formulation)
    return f"{found[1]}, `{found[2]}`" if found else formulation


# ---- runs ----

class Program:
    """The program; its files in a folder of their own. `path` is the program or the build folder with it."""

    def __init__(self, path, folder):
        self.limber, self.folder = os.path.join(path, "limber") if os.path.isdir(path) else path, folder
        if not os.access(self.limber, os.X_OK):
            sys.exit(f"{SCRIPT}: no program at {self.limber}")

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, text):
        """The text as a file."""
        with open(self.file("model.yaml"), "w", encoding="utf-8") as f:
            f.write(text)
        return self.file("model.yaml")

    def run(self, text, sets="", command="run", may_stop=False):
        """Columns of the table of a model's last analysis, and the summary; `sets` are parameters, apart by
        spaces. Where the solver may stop, the summary's `status` tells."""
        line = [self.limber, command, self.write(text), *[a for s in sets.split() for a in ("--set", s)]]
        done = subprocess.run([*line, "--json", "-o", self.file("out.h5"), "--csv", self.file("out.csv")],
                              capture_output=True, text=True, check=False)
        if done.returncode and not (may_stop and done.returncode == 1):
            sys.exit(f"{SCRIPT}: {command} {sets}:\n{text}\n{done.stderr}")
        with open(self.file("out.csv"), encoding="utf-8") as f:
            head, *rows = csv.reader(f)
        columns = {name: [number(row[k]) for row in rows] for k, name in enumerate(head)}
        summary = json.loads(done.stdout)
        return columns, {**summary, "said": summary["messages"], "messages": done.stderr}


def number(text):
    """A cell of a table: a number where it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def at(columns, t):
    """The row at a time, or the one that is nearest."""
    k = min(range(len(columns["t"])), key=lambda i: abs(columns["t"][i] - t))
    return {name: column[k] for name, column in columns.items()}


def last(columns):
    return {name: column[-1] for name, column in columns.items()}


def off(a, b, name):
    """Largest difference of a column over the range it has in the first."""
    return max(abs(x - y) for x, y in zip(a[name], b[name])) / (max(a[name]) - min(a[name]))


# ---- pages ----

def table(head, rows):
    """Lines of a table in Markdown."""
    return ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |",
            *["| " + " | ".join(row) + " |" for row in rows]]


def place(page, name):
    """Numbers of the lines between which a table stands."""
    found = [next((i for i, line in enumerate(page) if line.startswith(f"<!-- {name}: {which}")), None)
             for which in ("begin", "end")]
    if None in found:
        sys.exit(f"{SCRIPT}: the page has lost its marks of '{name}'")
    return found


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read().split("\n")


def written(path, name):
    """Lines of the table that the page has."""
    page = read(path)
    begin, end = place(page, name)
    return page[begin + 2:end - 1]


def write(path, name, lines):
    """Replace what stands between the marks of a table."""
    page = read(path)
    begin, end = place(page, name)
    page[begin + 1:end] = ["", *lines, ""]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(page))


def main(page, makers, program=Program, kind="BINARY"):
    """The command line that the scripts have in common: SCRIPT [--write] [BINARY] [TABLE ...]. Makers are
    functions, named like their tables, of the program; they give lines. `page` is a name in docs/."""
    makers = {f.__name__: f for f in makers}
    rest = [a for a in sys.argv[1:] if a != "--write"]
    named, path = [a for a in rest if a in makers], [a for a in rest if a not in makers]
    if len(path) > 1:
        sys.exit(f"usage: scripts/{SCRIPT} [--write] [{kind}] [" + "] [".join(makers) + "]")
    with tempfile.TemporaryDirectory() as folder:
        do = program(os.path.abspath(path[0] if path else os.path.join(ROOT, "build", "release")), folder)
        for name in named or makers:
            lines = makers[name](do)
            print("\n".join(lines), "\n")
            if "--write" in sys.argv:
                write(os.path.join(ROOT, "docs", page), name, lines)
