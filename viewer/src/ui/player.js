/** The clock of the animation: time runs while it plays, and picks the frame. */
import { indexAt } from "../plots/join.js";

/** A mode runs through one period in this many seconds at speed 1. */
const PERIOD = 2;
/** Load steps of a statics analysis follow each other this fast: all in so many seconds. */
const STATICS = 4;

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
    /** @param {import("./store.js").Store} store @param {() => boolean} isReady is the frame shown? */
    constructor(store, isReady) {
        this.store = store;
        this.isReady = isReady;
        this.times = new Float64Array([0]);
        this.perSecond = 1;
        store.on(["playing"], ({ playing }) => playing && this.start());
    }

    /** @param {ArrayLike<number>} times of the frames @param {"time"|"modes"|"statics"} kind */
    open(times, kind) {
        this.times = times.length ? times : new Float64Array([0]);
        this.first = this.times[0];
        this.last = this.times[this.times.length - 1];
        // A cyclic animation has one step more than frames: back to the first.
        this.cyclic = kind === "modes";
        this.end = this.cyclic
            ? this.last + (this.last - this.first) / Math.max(1, this.times.length - 1)
            : this.last;
        const span = this.end - this.first || 1;
        this.perSecond = kind === "modes" ? span / PERIOD : kind === "statics" ? span / STATICS : 1;
        this.seekFrame(0);
    }

    get count() {
        return this.times.length;
    }

    seekFrame(frame) {
        const f = Math.min(Math.max(Math.round(frame), 0), this.count - 1);
        this.clock = this.times[f];
        this.store.set({ frame: f, time: this.times[f] });
    }

    /** The frame nearest to a time. */
    seek(time) {
        let f = indexAt(this.times, time);
        if (f + 1 < this.count && this.times[f + 1] - time < time - this.times[f]) f++;
        this.seekFrame(f);
    }

    step(by) {
        this.store.set({ playing: false });
        const { count } = this;
        const next = this.store.get("frame") + by;
        this.seekFrame(this.store.get("loop") ? (next + count) % count : next);
    }

    faster(by) {
        const at = SPEEDS.findIndex((speed) => speed >= this.store.get("speed") - 1e-9);
        this.store.set({
            speed: SPEEDS[
                Math.min(Math.max((at < 0 ? SPEEDS.length - 1 : at) + by, 0), SPEEDS.length - 1)
            ],
        });
    }

    start() {
        if (this.count < 2) return this.store.set({ playing: false });
        if (this.store.get("frame") === this.count - 1 && !this.cyclic) this.seekFrame(0);
        let before = performance.now();
        const tick = (now) => {
            if (!this.store.get("playing")) return;
            // Time waits for frames that are still being decoded, and for a page in the background.
            const passed = this.isReady() ? Math.min(now - before, 100) / 1000 : 0;
            before = now;
            this.advance(passed * this.perSecond * this.store.get("speed"));
            requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    }

    advance(by) {
        this.clock += by;
        if (this.clock >= this.end) {
            if (!this.store.get("loop") && !this.cyclic) {
                this.seekFrame(this.count - 1);
                return this.store.set({ playing: false });
            }
            this.clock = this.first + ((this.clock - this.first) % (this.end - this.first));
        }
        const frame = indexAt(this.times, this.clock);
        this.store.set({ frame, time: this.times[frame] });
    }
}
