/**
 * Writes reports as docs/dev/report-format.md says, for tests of the page. Independent of the
 * program's writer and of the page's reader: both are checked against the text.
 */
import { deflateRawSync } from "node:zlib";

export class Encoder {
    constructor() {
        this.index = [];
        this.parts = [];
        this.offset = 0;
    }

    blob(raw) {
        const bytes = deflateRawSync(raw, { level: 6 });
        this.index.push([this.offset, bytes.length, raw.length]);
        this.parts.push(bytes);
        this.offset += bytes.length;
        return this.index.length - 1;
    }

    /** Numbers with the bytes of equal weight together. */
    floats(values, type) {
        const size = type === "f8" ? 8 : 4;
        const n = values.length;
        const out = Buffer.alloc(n * size);
        const one = Buffer.alloc(size);
        for (let i = 0; i < n; i++) {
            if (size === 8) one.writeDoubleLE(values[i]);
            else one.writeFloatLE(values[i]);
            for (let b = 0; b < size; b++) out[b * n + i] = one[b];
        }
        return this.blob(out);
    }

    /** @param {Record<string, ArrayLike<number>>} columns */
    table(columns, { type = "f8", thinned = 1 } = {}) {
        const names = Object.keys(columns);
        const blobs = names.map((name) => this.floats(columns[name], name === "t" ? "f8" : type));
        return { columns: names, rows: columns[names[0]].length, blobs, type, thinned };
    }

    /** @param {(frame: number) => ArrayLike<number>} at 7 numbers per pose */
    poses(at, { rows, count, chunk = 16, step = 1e-7, turn = 2 ** -22, origin = [0.25, -0.5, 0] }) {
        const blobs = [];
        for (let first = 0; first < rows; first += chunk) {
            const frames = Math.min(chunk, rows - first);
            const integers = Array.from({ length: frames }, (_, f) =>
                quantised(at(first + f), { count, step, turn, origin }),
            );
            blobs.push(this.blob(posePlanes(integers, count)));
        }
        return { count, rows, chunk, origin, step, turn, blobs };
    }

    /** @param {{name: string, at: (frame: number) => ArrayLike<number>}[]} quantities */
    colours(quantities, { rows, count, chunk = 64 }) {
        const heads = [],
            blobs = [];
        for (const { name, at } of quantities) {
            const frames = Array.from({ length: rows }, (_, f) => at(f));
            let min = Infinity,
                max = -Infinity;
            for (const frame of frames)
                for (const v of frame) ((min = Math.min(min, v)), (max = Math.max(max, v)));
            heads.push({ name, unit_hint: name === "stress" ? "stress" : "force", min, max });
            const bytes = frames.map((frame) =>
                Uint8Array.from(frame, (v) => Math.round((255 * (v - min)) / (max - min || 1))),
            );
            blobs.push(this.colourChunks(bytes, { rows, count, chunk }));
        }
        return { quantities: heads, count, rows, chunk, blobs };
    }

    colourChunks(bytes, { rows, count, chunk }) {
        const ids = [];
        for (let first = 0; first < rows; first += chunk) {
            const frames = Math.min(chunk, rows - first);
            const out = Buffer.alloc(frames * count);
            for (let f = 0; f < frames; f++) {
                for (let k = 0; k < count; k++) {
                    const before = f > 0 ? bytes[first + f - 1][k] : 0;
                    out[f * count + k] = (bytes[first + f][k] - before + 256) % 256;
                }
            }
            ids.push(this.blob(out));
        }
        return ids;
    }

    /** @param {(frame: number, item: number) => number[]} at six numbers */
    vectors(at, { rows, count }) {
        const values = new Float64Array(6 * rows * count);
        for (let f = 0; f < rows; f++) {
            for (let i = 0; i < count; i++) {
                at(f, i).forEach((v, c) => (values[(c * rows + f) * count + i] = v));
            }
        }
        return { count, rows, blob: this.floats(values, "f4") };
    }

    /** The two elements in the page, in place of its marker. */
    html(page, head) {
        const json = JSON.stringify({
            format: "limber report 1",
            version: "0.1.0",
            kind: "report",
            notes: [],
            ...head,
            blobs: this.index,
        }).replaceAll("<", "\\u003c");
        const text = Buffer.concat(this.parts).toString("base64");
        const data =
            `<script type="application/json" id="limber-report">${json}</script>\n` +
            `<script type="application/octet-stream" id="limber-blobs">${text}</script>`;
        return page.replace("<!--limber:data-->", () => data);
    }
}

function quantised(poses, { count, step, turn, origin }) {
    const out = new Int32Array(count * 7);
    for (let p = 0; p < count; p++) {
        for (let c = 0; c < 7; c++) {
            const v = poses[7 * p + c];
            out[7 * p + c] = Math.round(c < 3 ? (v - origin[c]) / step : v / turn);
        }
    }
    return out;
}

/** Residuals of the prediction, zig-zag, in four planes; ordered part, frame, pose. */
function posePlanes(frames, count) {
    const total = 7 * frames.length * count;
    const out = Buffer.alloc(4 * total);
    const value = (f, p, c) => (f < 0 || p < 0 ? 0 : frames[f][7 * p + c]);
    let at = 0;
    for (let c = 0; c < 7; c++) {
        for (let f = 0; f < frames.length; f++) {
            for (let p = 0; p < count; p++, at++) {
                const predicted = value(f, p - 1, c) + value(f - 1, p, c) - value(f - 1, p - 1, c);
                const r = (value(f, p, c) - predicted) | 0;
                const z = ((r << 1) ^ (r >> 31)) >>> 0;
                for (let b = 0; b < 4; b++) out[b * total + at] = (z >>> (8 * b)) & 255;
            }
        }
    }
    return out;
}
