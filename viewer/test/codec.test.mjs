/** The reader against the encoder of these tests, and against what damage does to a report. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeRange } from "../src/data/base64.js";
import { splitFloats, undoColours, undoPoses } from "../src/data/codec.js";
import { Decoder } from "../src/data/decoder.js";
import { DamagedError, EmptyError, Report } from "../src/data/report.js";
import { ChunkCache } from "../src/data/tracks.js";
import { Encoder } from "./encode.mjs";
import { crankRun } from "./fixtures.mjs";

const MARKED = "<!--limber:data-->";

/** The two elements of a page, as the page's reader gets them. */
function open(html, change = (text) => text) {
    const part = (id) => new RegExp(`id="${id}">([^<]*)<`).exec(html)[1];
    return new Report(part("limber-report"), change(part("limber-blobs")), new Decoder(""));
}

function crank(options) {
    const encoder = new Encoder();
    const made = crankRun(encoder, options);
    return { ...made, html: encoder.html(MARKED, { title: "t", runs: [made.run] }) };
}

test("any range of a Base64 text", () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, i) => (i * 37) % 256);
    const text = Buffer.from(bytes).toString("base64");
    for (let offset = 0; offset < 100; offset++) {
        for (const length of [0, 1, 2, 3, 4, 5, 100 - offset]) {
            if (offset + length > 100) continue;
            assert.deepEqual(
                decodeRange(text, offset, length),
                bytes.subarray(offset, offset + length),
            );
        }
    }
    assert.throws(() => decodeRange(text.slice(0, 80), 50, 40), /cut off/);
    assert.throws(
        () => decodeRange(`${text.slice(0, 20)}?${text.slice(21)}`, 10, 20),
        /not Base64/,
    );
});

test("numbers in byte planes, NaN and infinities included", () => {
    // 1.5 is 0x3ff8000000000000, -2 is 0xc000000000000000: last two planes by hand.
    const raw = new Uint8Array(16);
    raw.set([0xf8, 0x00], 12);
    raw.set([0x3f, 0xc0], 14);
    assert.deepEqual([...splitFloats(raw, "f8")], [1.5, -2]);
    const quad = new Uint8Array([0, 0, 0, 0, 0xc0, 0x80, 0x7f, 0x7f]);
    assert.deepEqual([...splitFloats(quad, "f4")], [NaN, Infinity]);
});

test("poses: the prediction by hand", () => {
    // One part at a time: frames 2, poses 2, part 0 has i = [[5, 7], [4, 9]], the others 0.
    // Residuals 5, 7-5 = 2; 4-5 = -1, 9-(4+7-5) = 3; zig-zag 10, 4, 1, 6.
    const raw = new Uint8Array(4 * 28);
    raw.set([10, 4, 1, 6], 0);
    const out = undoPoses(raw, 2, 2);
    assert.deepEqual([out[0], out[7], out[14], out[21]], [5, 7, 4, 9]);
    assert.throws(() => undoPoses(raw.subarray(1), 2, 2), /length/);
});

test("poses wrap around at 32 bits", () => {
    // i = 2^31 - 1, then -2^31: the difference is 1 modulo 2^32.
    const raw = new Uint8Array(4 * 14);
    raw.set([0xfe, 2], 0);
    for (const plane of [1, 2, 3]) raw[plane * 14] = 0xff;
    const out = undoPoses(raw, 2, 1);
    assert.deepEqual([out[0], out[7]], [2147483647, -2147483648]);
});

test("colours are sums of byte differences", () => {
    assert.deepEqual([...undoColours(new Uint8Array([1, 250, 255, 10]), 2, 2)], [1, 250, 0, 4]);
});

test("a whole report comes back", async () => {
    const { html, t, pose, results } = crank({ rows: 37 });
    const [run] = open(html).runs;
    const [analysis] = run.analyses;
    assert.deepEqual([...(await analysis.axis("results"))], [...t]);
    assert.deepEqual([...(await analysis.column("results", "moment"))], [...results.moment]);
    assert.deepEqual([...(await analysis.frameTimes())], [...t]);
    const out = new Float64Array(15 * 7);
    for (const frame of [0, 15, 16, 36]) {
        if (!analysis.poses.read(frame, out))
            await analysis.poses.cache.get(Math.floor(frame / 16));
        assert.ok(analysis.poses.read(frame, out));
        pose(frame).forEach((v, i) =>
            assert.ok(Math.abs(v - out[i]) < (i % 7 < 3 ? 5.1e-8 : 1e-6), `frame ${frame}, ${i}`),
        );
    }
    const x = await analysis.poses.series(14, 0);
    assert.ok(Math.abs(x[20] - pose(20)[98]) < 5.1e-8);
    const forces = await analysis.vectors("joint_forces");
    assert.ok(Math.abs(forces[0] - 50) < 1e-5);
});

test("a damaged blob is named, the rest works", async () => {
    const { html, results } = crank({ rows: 40 });
    // Blob 1 is tip.x, the second column of the results.
    const [offset, length] = open(html).head.blobs[1];
    const from = Math.ceil((offset + 2) / 3) * 4,
        to = Math.floor((offset + length - 2) / 3) * 4;
    const report = open(
        html,
        (text) => text.slice(0, from) + "A".repeat(to - from) + text.slice(to),
    );
    const messages = [];
    report.onDamage = (message) => messages.push(message);
    const [analysis] = report.runs[0].analyses;
    await assert.rejects(analysis.column("results", "tip.x"), DamagedError);
    assert.match(messages[0], /Column "tip.x" of results \(crank, dynamics\)/);
    assert.deepEqual([...(await analysis.column("results", "tip.y"))], [...results["tip.y"]]);
});

test("a text that was cut off fails where it was cut", async () => {
    const { html } = crank({ rows: 40 });
    const report = open(html, (text) => text.slice(0, 2000));
    const [analysis] = report.runs[0].analyses;
    await analysis.column("results", "t");
    await assert.rejects(analysis.vectors("load_forces"), DamagedError);
});

test("foreign and broken descriptions", () => {
    assert.throws(() => new Report("{", "", new Decoder("")), EmptyError);
    assert.throws(() => new Report('{"format": "other 3"}', "", new Decoder("")), /other 3/);
});

test("chunks: the least recently used goes, wishes in a hurry are dropped", async () => {
    const asked = [];
    const cache = new ChunkCache(async (k) => (asked.push(k), new Uint8Array(10)), 30);
    for (const k of [0, 1, 2]) await cache.get(k);
    cache.peek(0);
    await cache.get(3);
    assert.deepEqual([...cache.chunks.keys()], [2, 0, 3]);
    asked.length = 0;
    for (const k of [10, 11, 12, 13, 14]) cache.want(k);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(asked, [10, 11, 14]);
});
