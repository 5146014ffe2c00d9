/**
 * Outlines of sections made ready for sweeping: rims of vertices with normals, shared where the
 * outline is smooth and split at its corners, and the triangles of an end face.
 */
import { ShapeUtils, Vector2 } from "three";

/** Corners sharper than this (cosine of the angle between neighbouring edges) keep an edge. */
const SMOOTH = 0.75;

/**
 * @typedef {object} Rim
 * @property {number[]} yz two per vertex
 * @property {number[]} normal two per vertex
 * @property {number[]} edges two vertex numbers per edge of the outline
 * @property {number[]} cap three vertex numbers per triangle of the end face
 * @property {string} shape equal for outlines that can be interpolated
 * @property {number} radius largest distance from the axis
 */

/**
 * @param {number[][]} loops
 * @param {{points: number, holes: boolean, round?: boolean}} detail round: no corners at all
 * @returns {Rim}
 */
export function makeRim(loops, detail) {
    const kept = (detail.holes ? loops : loops.slice(0, 1)).map((loop, i) =>
        thin(oriented(loop, i === 0), detail.points),
    );
    const rim = { yz: [], normal: [], edges: [], cap: [], shape: "", radius: 0 };
    // An outline of so many points that some are left out is a curve.
    const curved = (loop, i) => detail.round || loop.length < loops[i].length;
    const firstOf = kept.map((loop, i) => addLoop(rim, loop, curved(loop, i) ? -1 : SMOOTH));
    addCap(rim, kept, firstOf);
    rim.shape = `${kept.map((l) => l.length)}/${rim.edges}`;
    for (const n of kept[0]) rim.radius = Math.max(rim.radius, Math.abs(n));
    return rim;
}

/** Counter-clockwise (outside) or clockwise (holes). */
function oriented(loop, outside) {
    let area = 0;
    for (let i = 0, n = loop.length; i < n; i += 2) {
        area += loop[i] * loop[(i + 3) % n] - loop[(i + 2) % n] * loop[i + 1];
    }
    if (area > 0 === outside) return loop;
    const out = [];
    for (let i = loop.length - 2; i >= 0; i -= 2) out.push(loop[i], loop[i + 1]);
    return out;
}

/** At most `points` of a loop's points, evenly. */
function thin(loop, points) {
    const n = loop.length / 2;
    if (n <= points) return loop;
    const out = [];
    for (let i = 0; i < points; i++) {
        const k = Math.round((i * n) / points);
        out.push(loop[2 * k], loop[2 * k + 1]);
    }
    return out;
}

/** Adds a loop; returns for each point a vertex number at its place. */
function addLoop(rim, loop, smooth) {
    const n = loop.length / 2;
    const edgeNormals = [];
    for (let i = 0; i < n; i++) {
        const j = (i + 1) % n;
        const dy = loop[2 * j] - loop[2 * i],
            dz = loop[2 * j + 1] - loop[2 * i + 1];
        const length = Math.hypot(dy, dz) || 1;
        // Counter-clockwise outside, holes clockwise: material is left of an edge for both.
        edgeNormals.push([dz / length, -dy / length]);
    }
    const arriving = [],
        leaving = [];
    for (let i = 0; i < n; i++) {
        const a = edgeNormals[(i + n - 1) % n],
            b = edgeNormals[i];
        const y = loop[2 * i],
            z = loop[2 * i + 1];
        if (a[0] * b[0] + a[1] * b[1] > smooth) {
            const length = Math.hypot(a[0] + b[0], a[1] + b[1]);
            const vertex = addVertex(rim, y, z, (a[0] + b[0]) / length, (a[1] + b[1]) / length);
            arriving.push(vertex);
            leaving.push(vertex);
        } else {
            arriving.push(addVertex(rim, y, z, a[0], a[1]));
            leaving.push(addVertex(rim, y, z, b[0], b[1]));
        }
    }
    for (let i = 0; i < n; i++) rim.edges.push(leaving[i], arriving[(i + 1) % n]);
    return leaving;
}

function addVertex(rim, y, z, ny, nz) {
    rim.yz.push(y, z);
    rim.normal.push(ny, nz);
    return rim.yz.length / 2 - 1;
}

function addCap(rim, loops, vertices) {
    const points = loops.map((loop) => {
        const out = [];
        for (let i = 0; i < loop.length; i += 2) out.push(new Vector2(loop[i], loop[i + 1]));
        return out;
    });
    const numbers = vertices.flat();
    for (const [a, b, c] of ShapeUtils.triangulateShape(points[0], points.slice(1))) {
        rim.cap.push(numbers[a], numbers[b], numbers[c]);
    }
}

/** Pieces of beams in a coarse picture. */
export const COARSE = 2000;

/** How fine to draw, from the number of beam elements: the picture has few million pixels. */
export function detailFor(elements) {
    if (elements <= 60) return { points: 32, holes: true, segments: 12 };
    if (elements <= 300) return { points: 24, holes: true, segments: 6 };
    if (elements <= 1500) return { points: 12, holes: true, segments: 3 };
    if (elements <= 4000) return { points: 8, holes: false, segments: 2 };
    return { points: 4, holes: false, segments: 1, round: true };
}
