/** How far the outputs of each run are from those of the first, as `limber compare` prints it. */
import { h } from "./dom.js";
import { number } from "./format.js";
import { headingRow, numbersRow, numbersTable } from "../plots/tables.js";

/** The section of the summary; null where there is nothing to compare. */
export function differencesTable(report) {
    const [first, ...others] = report.runs;
    const runs = others.filter((run) => run.head.differences?.length);
    if (!runs.length) return null;
    const analyses = byAnalysis(runs);
    const bodies = [...analyses].map(([name, outputs]) =>
        h(
            "tbody",
            {},
            analyses.size > 1 && headingRow(name, runs.length + 1),
            [...outputs].map(([output, parts]) =>
                numbersRow([output, ...runs.map((run) => inPercent(parts.get(run)))], 1),
            ),
        ),
    );
    const heads = ["Output", ...runs.map((run) => run.name)];
    return h(
        "section",
        { class: "differences" },
        h("h2", {}, `Differences from ${first.name}`),
        h(
            "p",
            { class: "facts" },
            "The largest difference of each output, in % of its range; " +
                "of statics, modes and poles in % of its size.",
        ),
        numbersTable(heads, 1, bodies),
    );
}

/** analysis -> output -> run -> part; in the order of the results. */
function byAnalysis(runs) {
    const analyses = new Map();
    for (const run of runs) {
        for (const { analysis, output, scale, largest } of run.head.differences) {
            if (!analyses.has(analysis)) analyses.set(analysis, new Map());
            const outputs = analyses.get(analysis);
            if (!outputs.has(output)) outputs.set(output, new Map());
            outputs.get(output).set(run, partOf(largest, scale));
        }
    }
    return analyses;
}

/** NaN: a difference that is not a number. */
function partOf(largest, scale) {
    if (largest === null) return NaN;
    return scale > 0 ? largest / scale : largest > 0 ? Infinity : 0;
}

function inPercent(part) {
    if (part === undefined || Number.isNaN(part)) return "–";
    if (part < 1e-9) return "0 %";
    return `${part < 0.1 ? number(100 * part, 2) : number(Math.round(100 * part), 6)} %`;
}
