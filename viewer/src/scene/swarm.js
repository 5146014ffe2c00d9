/** Many copies of one small shape, each with its own pose, scale and colour. */
import { Color, DynamicDrawUsage, InstancedMesh, MeshPhongMaterial } from "three";

const colour = new Color();

export class Swarm {
    /** @param {import("three").BufferGeometry} geometry @param {number} count */
    constructor(geometry, count, { tint = 0xffffff, vertexColors = false } = {}) {
        const material = new MeshPhongMaterial({ vertexColors, shininess: 35, specular: 0x1c1c1c });
        this.object = new InstancedMesh(geometry, material, count);
        this.object.instanceMatrix.setUsage(DynamicDrawUsage);
        this.object.frustumCulled = false;
        this.count = count;
        if (!vertexColors) for (let i = 0; i < count; i++) this.paint(i, tint);
    }

    paint(i, tint) {
        this.object.setColorAt(i, colour.set(tint));
        this.object.instanceColor.needsUpdate = true;
    }

    /** Copy i: position p[o..], quaternion q[r..] (scalar first), scales along its axes. */
    place(i, p, o, q, r, sx, sy, sz) {
        const m = this.object.instanceMatrix.array,
            at = 16 * i;
        const w = q[r],
            x = q[r + 1],
            y = q[r + 2],
            z = q[r + 3];
        m[at] = (1 - 2 * (y * y + z * z)) * sx;
        m[at + 1] = 2 * (x * y + w * z) * sx;
        m[at + 2] = 2 * (x * z - w * y) * sx;
        m[at + 3] = 0;
        m[at + 4] = 2 * (x * y - w * z) * sy;
        m[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
        m[at + 6] = 2 * (y * z + w * x) * sy;
        m[at + 7] = 0;
        m[at + 8] = 2 * (x * z + w * y) * sz;
        m[at + 9] = 2 * (y * z - w * x) * sz;
        m[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
        m[at + 11] = 0;
        m[at + 12] = p[o];
        m[at + 13] = p[o + 1];
        m[at + 14] = p[o + 2];
        m[at + 15] = 1;
    }

    commit() {
        this.object.instanceMatrix.needsUpdate = true;
        // What a ray is tested against first; it has moved.
        this.object.boundingSphere = null;
    }

    dispose() {
        this.object.geometry.dispose();
        this.object.material.dispose();
        this.object.dispose();
    }
}

/** out[o..] = quaternion that turns z into the direction (x, y, z) of length n > 0. */
export function turnZTo(out, o, x, y, z, n) {
    const c = z / n;
    if (c < -0.999999) {
        out[o] = 0;
        out[o + 1] = 1;
        out[o + 2] = 0;
        out[o + 3] = 0;
        return;
    }
    const w = Math.sqrt((1 + c) / 2);
    out[o] = w;
    out[o + 1] = -y / n / (2 * w);
    out[o + 2] = x / n / (2 * w);
    out[o + 3] = 0;
}
