/**
 * The number codings of docs/dev/report-format.md, undone. Pure functions of typed arrays: they run
 * in the page, in its worker, and in the tests.
 */

/** Decompress raw deflate (RFC 1951). @returns {Promise<Uint8Array>} */
export async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Put bytes of equal weight, stored together, back into numbers. */
function joinPlanes(raw, size) {
    const count = raw.length / size;
    const bytes = new Uint8Array(raw.length);
    for (let b = 0; b < size; b++) {
        const plane = b * count;
        for (let i = 0, to = b; i < count; i++, to += size) bytes[to] = raw[plane + i];
    }
    return bytes.buffer;
}

/**
 * Numbers whose bytes are stored plane by plane, little-endian.
 * @param {Uint8Array} raw
 * @param {"f8"|"f4"} type
 * @returns {Float64Array|Float32Array}
 */
export function splitFloats(raw, type) {
    return type === "f8"
        ? new Float64Array(joinPlanes(raw, 8))
        : new Float32Array(joinPlanes(raw, 4));
}

/**
 * The integers of one chunk of poses, frame by frame, 7 per pose. Each was predicted from its
 * neighbours in the pose's list (p-1) and in time (f-1):
 *
 *     i[f][p] = r + i[f][p-1] + i[f-1][p] - i[f-1][p-1]
 *
 * @param {Uint8Array} raw zig-zag residuals in four byte planes, ordered part, frame, pose
 * @param {number} frames
 * @param {number} poses
 * @returns {Int32Array} [frame][pose][part]
 */
export function undoPoses(raw, frames, poses) {
    const total = 7 * frames * poses;
    if (raw.length !== 4 * total) throw new Error("it has the wrong length");
    const out = new Int32Array(total);
    const before = new Int32Array(poses);
    let at = 0;
    for (let part = 0; part < 7; part++) {
        before.fill(0);
        for (let f = 0; f < frames; f++) {
            // d = i[f][p] - i[f-1][p] runs along the poses: the prediction in one addition.
            let d = 0;
            for (let p = 0, to = f * poses * 7 + part; p < poses; p++, at++, to += 7) {
                const z =
                    raw[at] |
                    (raw[at + total] << 8) |
                    (raw[at + 2 * total] << 16) |
                    (raw[at + 3 * total] << 24);
                d = (d + ((z >>> 1) ^ -(z & 1))) | 0;
                out[to] = before[p] = (before[p] + d) | 0;
            }
        }
    }
    return out;
}

/** Byte differences from frame to frame, summed up. @returns {Uint8Array} [frame][value] */
export function undoColours(raw, frames, count) {
    if (raw.length !== frames * count) throw new Error("it has the wrong length");
    const out = new Uint8Array(raw);
    for (let i = count; i < out.length; i++) out[i] += out[i - count];
    return out;
}

/** What a worker is asked to do with the compressed bytes of a blob. */
export async function decodeTask({ kind, bytes, rawLength, frames, count }) {
    const raw = await inflate(bytes);
    if (raw.length !== rawLength) throw new Error("it is incomplete");
    if (kind === "poses") return undoPoses(raw, frames, count);
    if (kind === "colours") return undoColours(raw, frames, count);
    return raw;
}
