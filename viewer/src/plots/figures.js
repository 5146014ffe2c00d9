/** Which plots an analysis has: {title, series: [{name, ref}], log, time}. */

/** Types whose results are a list, of modes or poles, and not a course over the first column. */
const NO_CURVES = ["modes", "campbell", "linearize"];

/**
 * @param {import("../data/report.js").Analysis} analysis
 * @returns {object[]}
 */
export function figuresOf(analysis) {
    const out = [];
    const { tables } = analysis;
    if (tables.results && !NO_CURVES.includes(analysis.type)) {
        out.push(...outputs(analysis));
    }
    if (tables.energy) out.push(...energy(analysis));
    if (tables.steps?.columns.includes("step")) {
        const thinned =
            tables.steps.thinned > 1
                ? ` (smallest and largest of every ${tables.steps.thinned})`
                : "";
        out.push(figure(analysis, "steps", `step size${thinned}`, ["step"], true));
    }
    return out;
}

function figure(analysis, table, title, columns, log = false) {
    const { column } = analysis.axisOf(table);
    const series = columns.map((name) => ({
        name,
        ref: { analysis: analysis.name, table, column: name },
    }));
    return { title, series, log, axis: column };
}

/** One plot per output; components .x .y .z of one output share it. */
function outputs(analysis) {
    const groups = new Map();
    for (const name of analysis.tables.results.columns.slice(1)) {
        const [, stem] = /^(.+)\.(?:x|y|z)$/.exec(name) ?? [];
        const key = stem ?? name;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(name);
    }
    return [...groups].map(([title, columns]) =>
        figure(analysis, "results", columns.length > 1 ? title : columns[0], columns),
    );
}

function energy(analysis) {
    const columns = analysis.tables.energy.columns.filter((c) => c !== "t");
    const parts = columns.filter(
        (c) =>
            c !== "balance" && c !== "constraint" && (c !== "stored" || analysis.head.power),
    );
    const out = [figure(analysis, "energy", "energy by kind", parts)];
    if (columns.includes("balance"))
        out.push(figure(analysis, "energy", "energy balance", ["balance"]));
    if (columns.includes("constraint")) {
        out.push(figure(analysis, "energy", "largest constraint violation", ["constraint"], true));
    }
    return out;
}
