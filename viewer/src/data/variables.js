/**
 * Variables of a run by reference, so that one can be looked up in several runs:
 *
 *     {analysis, table, column} | {analysis, pose, part} | {analysis, vectors, item, part}
 *
 * `pose` and `item` are names; numbers of poses may differ between runs.
 */

export const POSE_PARTS = ["x", "y", "z", "qw", "qx", "qy", "qz"];
export const VECTOR_PARTS = ["fx", "fy", "fz", "mx", "my", "mz"];

/** Names of the joints or loads of a VECTORS. */
function itemNames(run, vectors) {
    const items = vectors === "joint_forces" ? run.scene?.joints : run.scene?.loads;
    return (items ?? []).map((item) => item.name);
}

/** @returns {Promise<{x: ArrayLike<number>, y: ArrayLike<number>}>|null} null: not in this run */
export function load(run, ref) {
    const analysis = run.analyses.find((a) => a.name === ref.analysis);
    if (!analysis) return null;
    if (ref.table) return loadColumn(analysis, ref);
    if (ref.vectors) return loadVector(run, analysis, ref);
    const pose = run.scene?.pose_names.indexOf(ref.pose) ?? -1;
    if (pose < 0 || !analysis.poses) return null;
    const part = POSE_PARTS.indexOf(ref.part);
    return both(analysis.frameTimes(), analysis.poses.series(pose, part));
}

function loadColumn(analysis, { table, column }) {
    if (!analysis.tables[table]?.columns.includes(column) || !analysis.tables[table].rows)
        return null;
    return both(analysis.axis(table), analysis.column(table, column));
}

function loadVector(run, analysis, { vectors, item, part }) {
    const i = itemNames(run, vectors).indexOf(item);
    const data = analysis.vectors(vectors);
    if (i < 0 || !data) return null;
    const { rows, count } = analysis.head[vectors];
    const first = VECTOR_PARTS.indexOf(part) * rows;
    const pickOne = data.then((all) =>
        Float64Array.from({ length: rows }, (_, f) => all[(first + f) * count + i]),
    );
    return both(analysis.frameTimes(), pickOne);
}

async function both(x, y) {
    const [xs, ys] = await Promise.all([x, y]);
    return { x: xs, y: ys };
}

/** All variables of a run: {label, group, ref}. */
export function catalogue(run) {
    const out = [];
    const several = run.analyses.length > 1;
    for (const analysis of run.analyses) {
        if (analysis.type === "linearize") continue; // a list of poles is not plotted
        const prefix = several ? `${analysis.name} · ` : "";
        for (const [table, { columns }] of Object.entries(analysis.tables)) {
            for (const column of columns.slice(analysis.axisOf(table).table === table ? 1 : 0)) {
                out.push({
                    label: column,
                    group: prefix + table,
                    ref: { analysis: analysis.name, table, column },
                });
            }
        }
        addVectors(out, run, analysis, prefix);
        addPoses(out, run, analysis, prefix);
    }
    return out;
}

function addVectors(out, run, analysis, prefix) {
    for (const vectors of ["joint_forces", "load_forces"]) {
        if (!analysis.head[vectors]?.rows || analysis.tables[vectors]) continue;
        for (const item of itemNames(run, vectors)) {
            for (const part of VECTOR_PARTS) {
                const ref = { analysis: analysis.name, vectors, item, part };
                out.push({
                    label: `${item}.${part}`,
                    group: prefix + vectors.replace("_", " "),
                    ref,
                });
            }
        }
    }
}

function addPoses(out, run, analysis, prefix) {
    if (!analysis.poses || !run.scene) return;
    for (const pose of run.scene.pose_names) {
        for (const part of POSE_PARTS) {
            out.push({
                label: `${pose}.${part}`,
                group: `${prefix}poses`,
                ref: { analysis: analysis.name, pose, part },
            });
        }
    }
}

/** Variables whose label or group has all the words; the shortest labels first. */
export function search(list, text, most = 40) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (const variable of list) {
        const name = `${variable.label} ${variable.group}`.toLowerCase();
        if (words.every((word) => name.includes(word))) found.push(variable);
        if (found.length > 2000) break;
    }
    return found.sort((a, b) => a.label.length - b.label.length).slice(0, most);
}
