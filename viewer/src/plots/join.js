/** Series of different x in one plot. */
import uPlot from "uplot";

/** NaN and infinities become null, which uPlot draws as a gap; on a log scale also 0 and less. */
export function gaps(values, log) {
    const out = new Array(values.length);
    for (let i = 0; i < values.length; i++) {
        const v = values[i];
        out[i] = Number.isFinite(v) && (!log || v > 0) ? v : null;
    }
    return out;
}

/** @param {{x: ArrayLike<number>, y: ArrayLike<number>}[]} series @returns uPlot's data */
export function joined(series, log) {
    const tables = series.map(({ x, y }) => increasing(Array.from(x), gaps(y, log)));
    const same = tables.every(
        ([x]) => x.length === tables[0][0].length && x.every((v, i) => v === tables[0][0][i]),
    );
    if (same) return [tables[0][0], ...tables.map(([, y]) => y)];
    // Mode 2: a gap of one series stays one, points that only the others have are not gaps.
    return uPlot.join(
        tables,
        tables.map(() => [0, 2]),
    );
}

/** uPlot wants x to increase: rows that go back (or are not numbers) are left out. */
function increasing(x, y) {
    if (x.every((v, i) => (i === 0 ? Number.isFinite(v) : v > x[i - 1]))) return [x, y];
    const keep = [];
    let last = -Infinity;
    x.forEach((v, i) => {
        if (v > last) (keep.push(i), (last = v));
    });
    return [keep.map((i) => x[i]), keep.map((i) => y[i])];
}

/** Index of the last x not after t. */
export function indexAt(x, t) {
    let low = 0,
        high = x.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (x[middle] <= t) low = middle;
        else high = middle - 1;
    }
    return low;
}

/** The joined data as CSV, full precision. */
export function toCsv(axis, names, data) {
    const quote = (name) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const lines = [[axis, ...names].map(quote).join(",")];
    for (let i = 0; i < data[0].length; i++) {
        lines.push(data.map((column) => column[i] ?? "").join(","));
    }
    return lines.join("\n") + "\n";
}
