/** Numbers for people. */

/** Up to `digits` significant digits, exponents only where they help. */
export function number(value, digits = 4) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value === 0) return "0";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    const size = Math.abs(value);
    const text =
        size >= 1e6 || size < 1e-4
            ? value
                  .toExponential(digits - 1)
                  .replace(/\.?0+e/, "e")
                  .replace("e+", "e")
            : trimmed(value.toPrecision(digits));
    return text.replace("-", "−").replace("e-", "e−");
}

function trimmed(text) {
    if (text.includes("e")) return String(Number(text));
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** All of a column with the same number of decimals: a readout that does not jump. */
export function fixedFor(times) {
    const last = times[times.length - 1] ?? 0;
    let step = Infinity;
    for (let i = 1; i < times.length; i++) {
        const d = times[i] - times[i - 1];
        if (d > 0 && d < step) step = d;
    }
    const fine = Math.min(step, Math.abs(last) || 1);
    const decimals = Math.min(
        6,
        Math.max(2, Math.ceil(-Math.log10(fine) - 1e-9) + (step < Infinity ? 0 : 2)),
    );
    return (t) => (t ?? 0).toFixed(decimals);
}
