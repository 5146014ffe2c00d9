/** Where drawn poses come from: frames of a run, a mode's vibration, or the drawing at rest. */
import { fromRotationVector, multiply } from "./pose.js";

/** Pictures per period of a mode. */
export const PHASES = 72;

export class RestSource {
    constructor(scene) {
        this.rest = Float64Array.from(scene.rest);
        this.frames = 1;
    }

    read(_frame, out) {
        out.set(this.rest);
        return true;
    }
}

export class TrackSource {
    /** @param {import("../data/tracks.js").PoseTrack} track @param {() => void} onLoad */
    constructor(track, onLoad) {
        this.track = track;
        this.frames = track.rows;
        track.cache.onLoad = onLoad;
    }

    read(frame, out) {
        return this.track.read(frame, out);
    }

    /** A frame that will never come: its chunk is damaged. */
    isLost(frame) {
        return this.track.isFailed(frame);
    }
}

const turn = new Float64Array(4);

/** pose + amplitude (re cos p - im sin p), scaled so that amplitude 1 is a tenth of the drawing. */
export class ModeSource {
    constructor(modes, shapes, size) {
        this.poses = Float64Array.from(modes.poses);
        this.count = this.poses.length / 7;
        this.shapes = shapes;
        this.size = size;
        this.frames = PHASES;
        this.amplitude = 1;
        this.motion = new Float64Array(this.count);
        this.select(0);
    }

    select(mode) {
        this.mode = mode;
        const re = mode * 2 * this.count * 6,
            im = re + this.count * 6;
        let moved = 0,
            turned = 0;
        for (let p = 0; p < this.count; p++) {
            this.motion[p] = this.length(re, im, 6 * p);
            moved = Math.max(moved, this.motion[p]);
            turned = Math.max(turned, this.length(re, im, 6 * p + 3));
        }
        // A mode that only turns (a shaft) is shown by its angle: half a radian.
        this.scale =
            moved > 1e-9 * turned * this.size ? (0.1 * this.size) / moved : 0.5 / (turned || 1);
        this.scale = Math.min(this.scale, 0.8 / (turned || 1e-30));
        for (let p = 0; p < this.count; p++) this.motion[p] /= moved || 1;
    }

    length(re, im, at) {
        let sum = 0;
        for (let k = 0; k < 3; k++)
            sum += this.shapes[re + at + k] ** 2 + this.shapes[im + at + k] ** 2;
        return Math.sqrt(sum);
    }

    read(frame, out) {
        const phase = (2 * Math.PI * frame) / PHASES;
        const c = this.scale * this.amplitude * Math.cos(phase);
        const s = this.scale * this.amplitude * Math.sin(phase);
        let re = this.mode * 2 * this.count * 6,
            im = re + this.count * 6;
        const { shapes, poses } = this;
        const part = (k) => shapes[re + k] * c - shapes[im + k] * s;
        for (let p = 0; p < this.count * 7; p += 7, re += 6, im += 6) {
            for (let k = 0; k < 3; k++) out[p + k] = poses[p + k] + part(k);
            fromRotationVector(turn, 0, part(3), part(4), part(5));
            multiply(out, p + 3, turn, 0, poses, p + 3);
        }
        return true;
    }
}
