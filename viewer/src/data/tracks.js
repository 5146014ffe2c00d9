/**
 * Frames of an animation, stored in chunks of frames that are decoded when wanted. A cache keeps the
 * ones used last; while one plays, the next is made ready.
 */

/** Bytes of decoded chunks that are kept. */
const CACHE = 256 << 20;
/** Chunks decoded at the same time. */
const PARALLEL = 2;

/** Chunks by number, loaded by `load(k)`; the least recently used go first. */
export class ChunkCache {
    /** @param {(k: number) => Promise<ArrayBufferView>} load */
    constructor(load, budget = CACHE) {
        this.load = load;
        this.budget = budget;
        this.chunks = new Map();
        this.loading = new Map();
        this.failed = new Set();
        this.bytes = 0;
        this.wanted = -1;
        this.onLoad = () => {};
    }

    /** The chunk if it is here. A Map keeps its order of insertion: the last is the newest. */
    peek(k) {
        const chunk = this.chunks.get(k);
        if (chunk) {
            this.chunks.delete(k);
            this.chunks.set(k, chunk);
        }
        return chunk;
    }

    /**
     * Ask for a chunk without waiting; `onLoad` tells when it is here. Of many wishes made in a
     * hurry (scrubbing) only the last is kept.
     */
    want(k) {
        if (this.chunks.has(k) || this.loading.has(k) || this.failed.has(k)) return;
        if (this.loading.size >= PARALLEL) this.wanted = k;
        else this.get(k).catch(() => {});
    }

    /** @returns {Promise<ArrayBufferView>} */
    get(k) {
        const here = this.peek(k);
        if (here) return Promise.resolve(here);
        if (!this.loading.has(k)) {
            this.loading.set(
                k,
                this.load(k).then(
                    (chunk) => this.arrived(k, chunk),
                    (error) => this.lost(k, error),
                ),
            );
        }
        return this.loading.get(k);
    }

    arrived(k, chunk) {
        this.loading.delete(k);
        this.chunks.set(k, chunk);
        this.bytes += chunk.byteLength;
        for (const [old, data] of this.chunks) {
            if (this.bytes <= this.budget || old === k) break;
            this.chunks.delete(old);
            this.bytes -= data.byteLength;
        }
        this.next();
        this.onLoad(k);
        return chunk;
    }

    lost(k, error) {
        this.loading.delete(k);
        this.failed.add(k);
        this.next();
        this.onLoad(k);
        throw error;
    }

    next() {
        const k = this.wanted;
        this.wanted = -1;
        if (k >= 0) this.want(k);
    }
}

/** Frames [first, first + frames) of chunk k. */
function framesOf(k, { chunk, rows }) {
    return Math.min(chunk, rows - k * chunk);
}

/** Poses over time, 7 integers each; `read` gives them as numbers. */
export class PoseTrack {
    constructor(report, head, what) {
        this.head = head;
        this.rows = head.rows;
        this.count = head.count;
        this.cache = new ChunkCache((k) => {
            const task = { kind: "poses", frames: framesOf(k, head), count: head.count };
            return report.blob(head.blobs[k], `Frames from ${k * head.chunk} on, ${what},`, task);
        });
    }

    isFailed(frame) {
        return this.cache.failed.has(Math.floor(frame / this.head.chunk));
    }

    /**
     * Poses of a frame into `out` (7 per pose). False when they are not decoded yet: they have been
     * asked for, and `cache.onLoad` will tell.
     */
    read(frame, out) {
        const { chunk, rows, blobs } = this.head;
        const k = Math.floor(frame / chunk);
        const data = this.cache.peek(k);
        if (!data) {
            this.cache.want(k);
            return false;
        }
        const middle = frame % chunk >= chunk / 2;
        if (middle && k + 1 < blobs.length && (k + 1) * chunk < rows) this.cache.want(k + 1);
        this.unpack(data, frame % chunk, out);
        return true;
    }

    unpack(data, row, out) {
        const { origin, step, count } = this.head;
        const [ox, oy, oz] = origin;
        let at = row * count * 7;
        for (let p = 0, to = 0; p < count; p++, at += 7, to += 7) {
            out[to] = ox + step * data[at];
            out[to + 1] = oy + step * data[at + 1];
            out[to + 2] = oz + step * data[at + 2];
            const w = data[at + 3],
                x = data[at + 4],
                y = data[at + 5],
                z = data[at + 6];
            const norm = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
            out[to + 3] = w * norm;
            out[to + 4] = x * norm;
            out[to + 5] = y * norm;
            out[to + 6] = z * norm;
        }
    }

    /** One part (0-6) of one pose over all frames. A chunk that is damaged leaves a gap. */
    async series(pose, part) {
        const { chunk, count, origin, step, turn, blobs } = this.head;
        const out = new Float64Array(this.rows).fill(NaN);
        for (let k = 0; k < blobs.length; k++) {
            const data = await this.cache.get(k).catch(() => null);
            const frames = data ? framesOf(k, this.head) : 0;
            for (let f = 0; f < frames; f++) {
                const i = data[(f * count + pose) * 7 + part];
                out[k * chunk + f] = part < 3 ? origin[part] + step * i : turn * i;
            }
        }
        return out;
    }
}

/** The way of one pose over all frames, x y z each; frames of a damaged chunk are left out. */
export async function pathOf(track, pose) {
    const [x, y, z] = await Promise.all([0, 1, 2].map((part) => track.series(pose, part)));
    const points = [];
    for (let f = 0; f < x.length; f++) if (x[f] === x[f]) points.push(x[f], y[f], z[f]);
    return new Float32Array(points);
}

/** One byte per node of each beam and frame, for each quantity. */
export class ColourTrack {
    constructor(report, head, what) {
        this.head = head;
        this.caches = head.quantities.map(
            (quantity, q) =>
                new ChunkCache((k) => {
                    const task = { kind: "colours", frames: framesOf(k, head), count: head.count };
                    return report.blob(head.blobs[q][k], `${quantity.name}, ${what},`, task);
                }, CACHE >> 2),
        );
    }

    /** The bytes of a frame, a view; null when they are not decoded yet. */
    read(quantity, frame) {
        const { chunk, count, blobs } = this.head;
        const cache = this.caches[quantity];
        const k = Math.floor(frame / chunk);
        const data = cache.peek(k);
        if (!data) {
            cache.want(k);
            return null;
        }
        const row = frame % chunk;
        if (row >= chunk / 2 && k + 1 < blobs[quantity].length) cache.want(k + 1);
        return data.subarray(row * count, (row + 1) * count);
    }

    /** Quantities that are there. */
    get names() {
        return this.head.quantities.filter((_, q) => this.head.blobs[q]).map(({ name }) => name);
    }

    set onLoad(callback) {
        for (const cache of this.caches) cache.onLoad = callback;
    }
}
