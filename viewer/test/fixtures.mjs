/** Whole reports for the tests. */
import { Encoder } from "./encode.mjs";
import { portalFrame, sliderCrank, waves } from "./mechanisms.mjs";

const SUMMARY = [
    { label: "energy balance", value: "3e-6 of the exchanged energy", verdict: "good" },
    { label: "constraints", value: "4e-9 relative", verdict: "good" },
    { label: "steps", value: "412, 3 rejected", verdict: "" },
    { label: "convergence", value: "1.9 iterations a step, 2 slow", verdict: "fair" },
];

/** A run of the slider-crank. Returns RUN and what it was made of. */
export function crankRun(encoder, options = {}) {
    const {
        rows = 201,
        name = "crank",
        names = {},
        phase = 0,
        status = "done",
        reason = "",
        until = 2,
        nan = false,
    } = options;
    const { scene, at } = sliderCrank(names);
    const t = Float64Array.from({ length: rows }, (_, i) => (until * i) / (rows - 1));
    const angle = (f) => 2 * Math.PI * 0.5 * t[f] + phase;
    const bend = (f) => 0.02 * Math.sin(9 * t[f] + phase);
    const over = (make) => t.map((_, f) => make(f));
    const pose = (f) => at(angle(f), bend(f));
    const results = {
        t,
        "tip.x": over((f) => pose(f)[14 * 7]),
        "tip.y": over((f) => 0.5 * Math.sin(angle(f))),
        "tip.z": over(() => 0),
        deflection: over((f) => (nan && f > rows / 3 && f < rows / 2 ? NaN : bend(f))),
        [options.output ?? "moment"]: over((f) => 100 * bend(f) + 3),
    };
    const energy = {
        t,
        kinetic: over((f) => 2 + Math.cos(2 * angle(f))),
        elastic: over((f) => 40 * bend(f) ** 2),
        gravity: over((f) => Math.sin(angle(f))),
        work: over((f) => 0.1 * t[f]),
        dissipated: over(() => 0),
        balance: over((f) => 1e-6 * Math.sin(5 * t[f])),
        constraint: over((f) => (f < 3 ? f * 1e-28 : 4e-17)),
    };
    const steps = {
        t,
        step: over((f) => 1e-3 * (1.2 + Math.sin(20 * t[f]))),
        iterations: over((f) => 2 * f),
    };
    const nodes = 14;
    const force = (f, k) => Math.sin((Math.PI * (k % 9)) / 8) * bend(f);
    const value =
        (factor, shift = 0) =>
        (f) =>
            Float64Array.from({ length: nodes }, (_, k) => factor * force(f, k) + shift);
    const head = {
        name: "dynamics",
        type: "dynamics",
        status,
        reason,
        summary: SUMMARY,
        rows,
        tables: {
            results: encoder.table(results),
            energy: encoder.table(energy),
            steps: encoder.table(steps, { type: "f4", thinned: 1 }),
        },
        poses: encoder.poses(pose, { rows, count: 15 }),
        colours: encoder.colours(
            [
                { name: "stress", at: (f) => value(4e9)(f).map(Math.abs) },
                { name: "N", at: value(5e3, 20) },
                { name: "Mz", at: value(900) },
            ],
            { rows, count: nodes },
        ),
        joint_forces: encoder.vectors(
            (f, i) => [50 * Math.cos(angle(f)), 40 * Math.sin(angle(f) + i), 0, 0, 0, 3 * bend(f)],
            { rows, count: 4 },
        ),
        load_forces: encoder.vectors((f) => [-30 * Math.sin(angle(f)), 0, 0, 0, 0, 0], {
            rows,
            count: 1,
        }),
        modes: null,
        power: options.power ?? null,
    };
    return {
        run: {
            name,
            file: `${name}.h5`,
            title: options.title ?? "Flexible slider-crank",
            formulation: "corotational",
            status,
            reason,
            model: "limber: 1\ntitle: Flexible slider-crank   # a comment\nbodies:\n  crank: {type: beam}\n",
            scene,
            graph: options.graph ?? null,
            analyses: [head],
        },
        t,
        pose,
        results,
    };
}

export function crankReport(page, options = {}) {
    const encoder = new Encoder();
    const { run } = crankRun(encoder, options);
    return encoder.html(page, {
        title: run.title,
        runs: [run],
        notes: ["positions are rounded to 0.1 µm"],
    });
}

/** A battery, a motor's copper and winding, a port; a GY between them only passes power on. */
export const POWER = {
    duration: 2,
    elements: [
        { type: "Se", name: "battery", in: 2, out: 12, largest: 30, at: 0.25 },
        { type: "I", name: "m1.winding", in: 2, out: 1.5, largest: -4, at: 0.75 },
        { type: "R", name: "m1.copper", in: 3, out: 0, largest: 8, at: 0.5 },
        { type: "R", name: "m1.bearing", in: 3.5, out: 0, largest: 9, at: 0.5 },
        { type: "GY", name: "m1.motor", in: 7, out: 0.5, largest: 20, at: 0.3 },
        { type: "port", name: "hinge", in: 4, out: 1, largest: 15, at: 1 },
    ],
};

/** Two runs that differ, and by how much. */
export function twoRuns(page) {
    const encoder = new Encoder();
    const a = crankRun(encoder, { name: "coarse" }).run;
    const b = crankRun(encoder, { name: "fine", rows: 401, phase: 0.4 }).run;
    const off = (output, scale, largest) => ({
        analysis: "dynamics",
        output,
        scale,
        largest,
        at: 0.5,
    });
    const differences = [
        off("tip.x", 1, 0.0234),
        off("tip.y", 1, 0.5),
        off("tip.z", 1, 0),
        off("deflection", 0, 1e-3),
        off("moment", 4, null),
    ];
    const other = { ...b, scene: null, differences };
    return encoder.html(page, { title: "Coarse against fine", runs: [a, other] });
}

/** The slider-crank with another analysis, which has these tables and no motion. */
function stillReport(page, head, tables) {
    const encoder = new Encoder();
    const { run } = crankRun(encoder, { rows: 2 });
    const encoded = Object.entries(tables).map(([name, columns]) => [name, encoder.table(columns)]);
    const analysis = {
        ...head,
        status: "done",
        reason: "",
        summary: [],
        rows: encoded[0][1].rows,
        tables: Object.fromEntries(encoded),
        poses: null,
        colours: null,
        modes: null,
    };
    return encoder.html(page, { title: run.title, runs: [{ ...run, analyses: [analysis] }] });
}

/** Poles: a pair, one that decays, one that grows. */
export function polesReport(page) {
    const results = {
        real: [-3, -8.5, 0.25],
        imaginary: [4, 0, 0],
        frequency: [5 / (2 * Math.PI), 0, 0],
        damping_ratio: [0.6, 1, -1],
    };
    return stillReport(page, { name: "linearize", type: "linearize" }, { results });
}

/** One equilibrium. */
export function staticsReport(page) {
    return stillReport(
        page,
        { name: "statics", type: "statics" },
        {
            results: { t: [1], "tip.x": [0.25], "tip.y": [-0.0125], moment: [12.5] },
            energy: { t: [1], elastic: [3], gravity: [-6], balance: [0] },
        },
    );
}

/** Modes of a portal frame, one of them complex; then a Campbell diagram. */
export function modesReport(page) {
    const encoder = new Encoder();
    const { scene, shape } = portalFrame();
    const count = 3;
    const data = [];
    for (let m = 0; m < count; m++) {
        for (const part of [0, 1]) {
            for (let p = 0; p < scene.poses; p++) {
                const motion = m < 2 ? shape(m, p) : shape(part, p);
                data.push(...motion.map((v) => (m < 2 && part ? 0 : v)));
            }
        }
    }
    const frequency = [4.2371, 11.905, 27.4];
    const damping = [0, 0.013, 0.05];
    const modes = {
        count,
        poses: scene.rest,
        frequency,
        damping_ratio: damping,
        real: [0, -1, -8],
        imaginary: frequency.map((f) => 6.28 * f),
        describe: ["beam girder along x", "beam girder along y", "beam left turning about z"],
        blob: encoder.floats(data, "f4"),
    };
    const analysis = {
        name: "modes",
        type: "modes",
        status: "done",
        reason: "",
        rows: count,
        summary: [{ label: "modes", value: "3 (all), dense", verdict: "good" }],
        tables: { results: encoder.table({ mode: [1, 2, 3], frequency, damping_ratio: damping }) },
        poses: encoder.poses(() => scene.rest, { rows: 1, count: scene.poses }),
        colours: null,
        modes,
    };
    const run = {
        name: "portal",
        file: "portal.h5",
        title: "Portal frame",
        formulation: "corotational",
        status: "done",
        reason: "",
        model: "limber: 1\n",
        scene,
        analyses: [analysis, campbell(encoder)],
    };
    return encoder.html(page, { title: "Portal frame", runs: [run] });
}

function campbell(encoder) {
    const columns = { speed: [], mode: [], frequency: [], damping_ratio: [] };
    for (let s = 0; s <= 20; s++) {
        [
            [3, 0.8],
            [3, -0.8],
            [9, 1.2],
            [14, 0],
        ].forEach(([f0, split], m) => {
            columns.speed.push(5 * s);
            columns.mode.push(m + 1);
            columns.frequency.push(f0 + (split * s) / 10);
            columns.damping_ratio.push(0.01);
        });
    }
    return {
        name: "campbell",
        type: "campbell",
        status: "done",
        reason: "",
        summary: [],
        rows: 21,
        tables: { results: encoder.table(columns) },
        poses: null,
        colours: null,
        modes: null,
    };
}

/** Many elements and frames: what must still scrub smoothly. */
export function largeReport(page, { beams = 2500, rows = 1000 } = {}) {
    const encoder = new Encoder();
    const { scene, at } = waves(beams);
    const t = Float64Array.from({ length: rows }, (_, i) => 0.01 * i);
    const count = scene.poses;
    const poses = encoder.poses((f) => at(t[f]), {
        rows,
        count,
        chunk: 10,
        step: scene.size * 2 ** -20,
        turn: 2 ** -17,
        origin: [0, 0, 0],
    });
    const stress = (f) =>
        Float64Array.from(
            { length: count },
            (_, k) => Math.abs(Math.sin(0.01 * k + 6 * t[f])) * 1e8,
        );
    const analysis = {
        name: "dynamics",
        type: "dynamics",
        status: "done",
        reason: "",
        summary: SUMMARY,
        rows,
        tables: { results: encoder.table({ t, height: t.map((v) => Math.sin(v)) }) },
        poses,
        colours: encoder.colours([{ name: "stress", at: stress }], { rows, count, chunk: 10 }),
        joint_forces: null,
        load_forces: null,
        modes: null,
    };
    const run = {
        name: "waves",
        file: "waves.h5",
        title: "10,000 elements",
        formulation: "corotational",
        status: "done",
        reason: "",
        model: "",
        scene,
        analyses: [analysis],
    };
    return encoder.html(page, { title: "10,000 elements", runs: [run] });
}
