/** Force and moment arrows of joints and loads. */
import { Group } from "three";
import { placePosition } from "./pose.js";
import { Swarm, turnZTo } from "./swarm.js";
import { arrowGlyphs } from "./glyphs.js";

const at = new Float64Array(3);
const tip = new Float64Array(3);
const q = new Float64Array(4);

export class Arrows {
    /**
     * @param {object[]} places one PLACE per vector
     * @param {{rows: number, count: number}} head VECTORS
     * @param {Float32Array} data [component][frame][item]
     * @param {{radius: number, first: 0|3, tint: number, length: number}} style first: 0 forces,
     *        3 moments; length of the largest one
     */
    constructor(places, head, data, { radius, first, tint, length }) {
        const { shaft, head: point } = arrowGlyphs();
        Object.assign(this, { places, rows: head.rows, count: head.count, data, radius, first });
        this.shafts = new Swarm(shaft, head.count, { tint });
        this.heads = new Swarm(point, head.count, { tint });
        this.object = new Group();
        this.object.add(this.shafts.object, this.heads.object);
        this.perUnit = length / (this.largest() || 1);
    }

    component(k, frame, item) {
        return this.data[((this.first + k) * this.rows + frame) * this.count + item];
    }

    largest() {
        let most = 0;
        for (let f = 0; f < this.rows; f++) {
            for (let i = 0; i < this.count; i++) {
                const x = this.component(0, f, i),
                    y = this.component(1, f, i),
                    z = this.component(2, f, i);
                const sum = x * x + y * y + z * z;
                if (sum > most) most = sum;
            }
        }
        return Math.sqrt(most);
    }

    /** @param {number} frame @param {ArrayLike<number>} poses @param {number} scale */
    update(frame, poses, scale) {
        const { radius } = this;
        for (let i = 0; i < this.count; i++) {
            placePosition(at, 0, poses, this.places[i]);
            const x = this.component(0, frame, i),
                y = this.component(1, frame, i);
            const z = this.component(2, frame, i);
            const size = Math.hypot(x, y, z);
            const length = size * this.perUnit * scale;
            // A force too small for its head is not drawn; NaN fails the comparison too.
            const show = length > radius ? 1 : 0;
            turnZTo(q, 0, show ? x : 0, show ? y : 0, show ? z : 1, show ? size : 1);
            const head = Math.min(1, length / (8 * radius)) * radius * show;
            for (let k = 0; k < 3; k++) tip[k] = at[k];
            if (show) {
                tip[0] += (x / size) * length;
                tip[1] += (y / size) * length;
                tip[2] += (z / size) * length;
            }
            this.shafts.place(
                i,
                at,
                0,
                q,
                0,
                radius * show,
                radius * show,
                show * Math.max(length - 6 * head, 0),
            );
            this.heads.place(i, tip, 0, q, 0, head, head, head);
        }
        this.shafts.commit();
        this.heads.commit();
    }

    dispose() {
        this.shafts.dispose();
        this.heads.dispose();
    }
}
