/**
 * What the page knows of a report: its JSON, and its blobs decoded when they are asked for. The
 * layout is in docs/dev/report-format.md.
 */
import { decodeRange } from "./base64.js";
import { splitFloats } from "./codec.js";
import { PoseTrack, ColourTrack } from "./tracks.js";

export const FORMAT = "limber report 1";

/** A part of the report that cannot be read; `message` names it, the rest works. */
export class DamagedError extends Error {}

/** The page cannot show anything; `message` says why. */
export class EmptyError extends Error {}

export class Report {
    /**
     * @param {string} json
     * @param {string} text Base64 of the blobs
     * @param {import("./decoder.js").Decoder} decoder
     */
    constructor(json, text, decoder) {
        try {
            this.head = JSON.parse(json);
        } catch {
            throw new EmptyError(
                "The description of this report is damaged (its JSON does not parse).",
            );
        }
        if (this.head.format !== FORMAT) {
            throw new EmptyError(
                `This page reads "${FORMAT}", the data says "${this.head.format}". ` +
                    "Make the report again with one version of limber.",
            );
        }
        this.text = text;
        this.decoder = decoder;
        this.runs = (this.head.runs ?? []).map((run) => new Run(this, run));
        this.onDamage = () => {};
    }

    /** Decode blob `id`; `what` names it in a message when it is damaged. */
    async blob(id, what, task = { kind: "raw" }) {
        try {
            const entry = this.head.blobs[id];
            if (!entry) throw new Error("it is missing");
            const [offset, length, rawLength] = entry;
            const bytes = decodeRange(this.text, offset, length);
            return await this.decoder.decode({ ...task, bytes, rawLength });
        } catch (error) {
            const damage = new DamagedError(`${what} cannot be read: ${error.message}`);
            this.onDamage(damage.message);
            throw damage;
        }
    }
}

export class Run {
    constructor(report, head) {
        this.report = report;
        this.head = head;
        this.name = head.name;
        this.scene = head.scene ?? null;
        this.analyses = (head.analyses ?? []).map((a) => new Analysis(this, a));
    }
}

export class Analysis {
    constructor(run, head) {
        this.run = run;
        this.head = head;
        this.name = head.name;
        this.type = head.type;
        this.tables = head.tables ?? {};
        this.columns = new Map();
        this.vectorCache = new Map();
        const report = run.report;
        const where = `${run.name}, ${this.name}`;
        const { poses, colours } = head;
        this.poses = poses?.rows ? new PoseTrack(report, poses, `poses of ${where}`) : null;
        this.colours = colours?.rows
            ? new ColourTrack(report, colours, `colours of ${where}`)
            : null;
    }

    /** Number of frames that can be drawn. */
    get frames() {
        return this.poses ? this.poses.rows : 0;
    }

    /** @returns {Promise<Float64Array|Float32Array>} one column of a table */
    column(table, name) {
        const key = `${table}\n${name}`;
        if (!this.columns.has(key)) this.columns.set(key, this.loadColumn(table, name));
        return this.columns.get(key);
    }

    async loadColumn(table, name) {
        const { columns, blobs, type, rows } = this.tables[table];
        const at = columns.indexOf(name);
        const what = `Column "${name}" of ${table} (${this.run.name}, ${this.name})`;
        const raw = await this.run.report.blob(blobs[at], what);
        const values = splitFloats(raw, name === "t" || raw.length === 8 * rows ? "f8" : type);
        if (values.length !== rows) {
            const message = `${what} cannot be read: it has ${values.length} rows instead of ${rows}`;
            this.run.report.onDamage(message);
            throw new DamagedError(message);
        }
        return values;
    }

    /** Name of a table's x column; of a table without one, rows go with those of `results`. */
    axisOf(table) {
        const first = this.tables[table]?.columns[0];
        if (["t", "mode", "speed", "load", "factor"].includes(first))
            return { table, column: first };
        const results = this.tables.results;
        if (table !== "results" && results?.rows === this.tables[table]?.rows) {
            return { table: "results", column: results.columns[0] };
        }
        return { table, column: first };
    }

    async axis(table) {
        const { table: from, column } = this.axisOf(table);
        return this.column(from, column);
    }

    /** Time (or load factor) of each frame that is drawn. */
    async frameTimes() {
        const times = new Float64Array(this.frames);
        const source = this.tables.frames ?? this.tables.results;
        if (!source?.rows) return times.map((_, i) => i);
        const t = await this.column(this.tables.frames ? "frames" : "results", source.columns[0]);
        const stride = this.frames > 1 ? (t.length - 1) / (this.frames - 1) : 0;
        return times.map((_, i) => t[Math.round(i * stride)]);
    }

    /** Forces and moments: [component][frame][item]. @param {"joint_forces"|"load_forces"} name */
    vectors(name) {
        const head = this.head[name];
        if (!head?.rows || !head.count) return null;
        if (!this.vectorCache.has(name)) {
            const what = `${name.replace("_", " ")} of ${this.run.name}, ${this.name}`;
            const load = this.run.report
                .blob(head.blob, what)
                .then((raw) => splitFloats(raw, "f4"));
            this.vectorCache.set(name, load);
        }
        return this.vectorCache.get(name);
    }

    /** Mode shapes: [mode][re, im][pose][6]. */
    shapes() {
        const what = `mode shapes of ${this.run.name}, ${this.name}`;
        this.shapeData ??= this.run.report
            .blob(this.head.modes.blob, what)
            .then((raw) => splitFloats(raw, "f4"));
        return this.shapeData;
    }
}
