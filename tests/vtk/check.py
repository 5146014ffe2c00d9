"""What VTK finds in the files is what limber printed."""
import csv
import glob
import xml.etree.ElementTree as ET

from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

checks = 0


def near(value, expected, tolerance, what):
    global checks
    checks += 1
    assert abs(value - expected) <= tolerance, f"{what}: {value}, expected {expected}"


def table(path):
    with open(path) as f:
        rows = list(csv.reader(f))
    return [dict(zip(rows[0], map(float, row))) for row in rows[1:]]


def collection(path):
    folder = path.rsplit("/", 1)[0]
    sets = ET.parse(path).getroot().iter("DataSet")
    return [(float(s.get("timestep")), folder + "/" + s.get("file")) for s in sets]


def grid(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def value(g, name, point, component=0):
    return g.GetPointData().GetArray(name).GetComponent(point, component)


# --- statics: beam theory, and the printed table ---
series = collection("static/statics.pvd")
last = table("static.csv")[-1]
assert series[-1][0] == 1
g = grid(series[-1][1])
assert (g.GetNumberOfPoints(), g.GetNumberOfCells()) == (5, 4)
assert all(g.GetCellType(i) == 3 for i in range(4))
L, F, E, h, w = 2, -30, 2.1e11, 0.04, 0.02
I = w * h**3 / 12
for k in range(5):
    x = L * k / 4
    near(value(g, "displacement", k, 1), F * x * x * (3 * L - x) / (6 * E * I), 1e-6, "deflection")
    near(value(g, "rotation", k, 2), F * x * (2 * L - x) / (2 * E * I), 1e-6, "slope")
    near(value(g, "Mz", k), F * (L - x), 2e-3, "moment")
    near(value(g, "Vy", k), F, 1e-3, "shear")
    near(value(g, "stress", k), abs(F * (L - x)) / I * h / 2, 5e3, "stress")
    near(g.GetPoint(k)[1], value(g, "displacement", k, 1), 1e-9, "place")
near(value(g, "displacement", 4, 1), last["y"], 1e-8, "deflection of the end")
near(value(g, "Mz", 0), last["M"], 1e-5, "moment at the clamp")
near(value(g, "stress", 0), last["stress"], 1, "stress at the clamp")
near(value(g, "T", 2), 0, 1e-9, "torsion")

# --- dynamics: a series in time, rigid bodies with their points ---
series = collection("swing/dynamics.pvd")
rows = table("swing.csv")
assert [t for t, _ in series] == [r["t"] for r in rows]
for (t, path), row in zip(series, rows):
    g = grid(path)
    # 5 nodes, the bob, its weld and its hook
    assert g.GetNumberOfPoints() == 8 and g.GetNumberOfCells() == 4 + 1 + 2
    types = [g.GetCellType(i) for i in range(7)]
    assert types == [3, 3, 3, 3, 1, 3, 3], types
    body = [g.GetCellData().GetArray("body").GetValue(i) for i in range(7)]
    assert body == [0, 0, 0, 0, 1, 1, 1], body
    names = g.GetFieldData().GetAbstractArray("bodies")
    assert [names.GetValue(i) for i in range(2)] == ["rod", "bob"]
    near(g.GetFieldData().GetArray("TimeValue").GetValue(0), t, 0, "time")
    hook = [p for p in (6, 7) if abs(value(g, "displacement", p, 0) - (row["hook.x"] - 1.2)) < 1e-6]
    assert len(hook) == 1 or t == 0, "the hook"
    point = hook[-1]
    for i, axis in enumerate("xyz"):
        near(g.GetPoint(point)[i], row["hook." + axis], 1e-6, "hook")
        near(value(g, "rotation", 5, i), row["turn." + axis], 1e-6, "turn")
    near(value(g, "N", 2), row["axial"], 0.02 * abs(row["axial"]) + 0.01, "axial force")
    assert value(g, "N", 6) != value(g, "N", 6), "no section forces outside of beams"

# --- modes: one file each ---
series = collection("modes/modes.pvd")
rows = table("modes.csv")
assert len(series) == len(rows) == len(glob.glob("modes/*.vtu"))
for (number, path), row in zip(series, rows):
    g = grid(path)
    assert number == row["mode"]
    near(g.GetFieldData().GetArray("frequency").GetValue(0), row["frequency"], 0, "frequency")
    shape = [[value(g, "shape", k, i) for i in range(3)] for k in range(5)]
    assert max(abs(x) for x in shape[0]) < 1e-6, "clamped"
    turns = [value(g, "shape_rotation", k, i) for k in range(5) for i in range(3)]
    assert max(abs(x) for s in shape for x in s) > 1e-3 or max(map(abs, turns)) > 1e-3, "it moves"
print(checks, "checks")
