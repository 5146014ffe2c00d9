/**
 * Decodes blobs, in a worker where the browser allows one (made from text inside the page: a report
 * is one file and asks the network for nothing), else in the page itself.
 */
import { decodeTask } from "./codec.js";

/** Below this many bytes the way to the worker and back costs more than the work. */
const SMALL = 1 << 16;

export class Decoder {
    /** @param {string} workerText program of the worker; empty: decode in the page */
    constructor(workerText) {
        this.workerText = workerText;
        this.worker = undefined;
        this.waiting = new Map();
        this.lastId = 0;
    }

    /**
     * @param {{kind: "raw"|"poses"|"colours", bytes: Uint8Array, rawLength: number,
     *          frames?: number, count?: number}} task
     */
    decode(task) {
        if (task.rawLength < SMALL || !this.startWorker()) return decodeTask(task);
        return new Promise((resolve, reject) => {
            const id = ++this.lastId;
            this.waiting.set(id, { task, resolve, reject });
            // A copy: the worker takes the buffer over, and `bytes` may be needed again.
            const bytes = task.bytes.slice();
            this.worker.postMessage({ ...task, id, bytes }, [bytes.buffer]);
        });
    }

    startWorker() {
        if (this.worker !== undefined) return this.worker !== null;
        this.worker = null;
        if (!this.workerText || typeof Worker === "undefined") return false;
        try {
            const url = URL.createObjectURL(new Blob([this.workerText]));
            this.worker = new Worker(url);
        } catch {
            return false;
        }
        this.worker.onmessage = ({ data }) => this.answer(data);
        this.worker.onerror = () => this.fallBack();
        return true;
    }

    answer({ id, result, error }) {
        const { resolve, reject } = this.waiting.get(id);
        this.waiting.delete(id);
        if (error) reject(new Error(error));
        else resolve(result);
    }

    /** The worker did not start (a browser's policy): do its work here. */
    fallBack() {
        this.worker = null;
        for (const { task, resolve, reject } of this.waiting.values()) {
            decodeTask(task).then(resolve, reject);
        }
        this.waiting.clear();
    }
}
