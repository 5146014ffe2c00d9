/** What should be seen: points of the drawing in one or several poses, and their middle. */
import { Vector3 } from "three";
import { placePosition } from "./pose.js";

/** Some thousand points are enough to know the extent of many. */
const MOST = 4000;
const point = new Vector3();
const at = new Float64Array(3);

export class Subject {
    /** @param {object} scene SCENE of the report */
    constructor(scene) {
        this.places = placesOf(scene);
        this.room = 0.03 * (scene.size || 1);
        this.low = new Vector3(Infinity, Infinity, Infinity);
        this.high = new Vector3(-Infinity, -Infinity, -Infinity);
        this.centre = new Vector3();
        this.points = [];
    }

    /** @param {ArrayLike<number>} poses 7 numbers each */
    add(poses) {
        const count = poses.length / 7;
        const stride = Math.max(1, Math.floor(count / MOST));
        for (let p = 0; p < count; p += stride)
            this.include(poses[7 * p], poses[7 * p + 1], poses[7 * p + 2]);
        for (const place of this.places) {
            placePosition(at, 0, poses, place);
            this.include(at[0], at[1], at[2]);
        }
        this.centre.addVectors(this.low, this.high).multiplyScalar(0.5);
        return this;
    }

    include(x, y, z) {
        point.set(x, y, z);
        this.points.push(x, y, z);
        this.low.min(point);
        this.high.max(point);
    }
}

/** Ends of joints and springs, and points of rigid bodies: they may lie off the poses. */
function placesOf({ joints, springs, bodies }) {
    const ends = [...joints, ...springs].flatMap(({ a, b }) => [a, b]);
    const points = bodies
        .filter((body) => body.type === "rigid")
        .flatMap((body) => [...body.points, body.com].map((p) => ({ pose: body.pose, at: p })));
    return [...ends, ...points].slice(0, MOST);
}
