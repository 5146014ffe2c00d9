/** What is under the pointer. Beams are found on the screen by their axes: no second picture. */
import { Raycaster, Vector2, Vector3 } from "three";

const ray = new Raycaster();
const pointer = new Vector2();
const point = new Vector3();

/** Pixels around a thin beam that still count. */
const REACH = 7;

/**
 * @param {object} view {camera, world, poses, width, height}
 * @param {number} x pixels from the left
 * @param {number} y pixels from the top
 * @returns {{body: number, pose: number, value?: {k: number, s: number}}|null}
 */
export function pick({ camera, world, poses, width, height }, x, y) {
    const beam = nearestBeam(camera, world, poses, width, height, x, y);
    pointer.set((2 * x) / width - 1, 1 - (2 * y) / height);
    ray.setFromCamera(pointer, camera);
    const [hit] = ray.intersectObjects(world.rigid.objects, false);
    if (!hit) return beam;
    point.copy(hit.point).project(camera);
    if (beam && beam.depth <= point.z) return beam;
    const body = world.rigid.bodyOf(hit);
    return { body, pose: world.scene.bodies[body].pose };
}

let screen = new Float64Array(0);

function project(camera, poses, count, width, height) {
    if (screen.length < 3 * count) screen = new Float64Array(3 * count);
    for (let p = 0; p < count; p++) {
        point.set(poses[7 * p], poses[7 * p + 1], poses[7 * p + 2]).project(camera);
        screen[3 * p] = ((point.x + 1) / 2) * width;
        screen[3 * p + 1] = ((1 - point.y) / 2) * height;
        screen[3 * p + 2] = point.z;
    }
}

function nearestBeam(camera, world, poses, width, height, x, y) {
    project(camera, poses, world.scene.poses, width, height);
    let best = null;
    let k = 0;
    for (const beam of world.beams.list) {
        const reach = Math.max(REACH, pixelRadius(camera, world, beam, poses, height));
        for (let i = 0; i < beam.n; i++) {
            const at = 3 * (beam.first + i);
            const s = along(at, x, y);
            const dx = screen[at] + s * (screen[at + 3] - screen[at]) - x;
            const dy = screen[at + 1] + s * (screen[at + 4] - screen[at + 1]) - y;
            const depth = screen[at + 2] + s * (screen[at + 5] - screen[at + 2]);
            if (dx * dx + dy * dy > reach * reach || depth > 1 || (best && best.depth < depth))
                continue;
            best = {
                body: beam.index,
                pose: beam.first + i + Math.round(s),
                depth,
                value: { k: k + i, s },
            };
        }
        k += beam.n + 1;
    }
    return best;
}

/** Place on a segment of the screen that is nearest to (x, y), 0..1. */
function along(at, x, y) {
    const dx = screen[at + 3] - screen[at],
        dy = screen[at + 4] - screen[at + 1];
    const length = dx * dx + dy * dy;
    if (!(length > 0)) return 0;
    return Math.min(1, Math.max(0, ((x - screen[at]) * dx + (y - screen[at + 1]) * dy) / length));
}

function pixelRadius(camera, world, beam, poses, height) {
    const radius = world.beams.rims[beam.profile[0]].radius;
    const p = beam.first * 7;
    if (!camera.isPerspectiveCamera) {
        return ((radius * camera.zoom) / (camera.top - camera.bottom)) * height;
    }
    const distance = point.set(poses[p], poses[p + 1], poses[p + 2]).distanceTo(camera.position);
    return (radius / distance / (2 * Math.tan((camera.fov * Math.PI) / 360))) * height;
}
