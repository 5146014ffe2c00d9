/** The convex hull of equal balls around some points: a rounded body that spans them. */
import { BufferAttribute, BufferGeometry, IcosahedronGeometry, Vector3 } from "three";
import { ConvexHull } from "three/addons/math/ConvexHull.js";

/** More points than this do not change the look of a hull. */
const MOST_POINTS = 24;

/**
 * @param {number[][]} points
 * @param {number} radius
 * @returns {BufferGeometry} with the balls' normals: flat faces and rounded edges both look right
 */
export function roundedHull(points, radius) {
    const directions = uniqueVertices(new IcosahedronGeometry(1, points.length > 8 ? 1 : 3));
    const vertices = [];
    for (const [x, y, z] of points.slice(0, MOST_POINTS)) {
        for (const d of directions) {
            const vertex = new Vector3(x, y, z).addScaledVector(d, radius);
            vertex.normal = d;
            vertices.push(vertex);
        }
    }
    const position = [],
        normal = [];
    for (const face of new ConvexHull().setFromPoints(vertices).faces) {
        let edge = face.edge;
        do {
            const { point } = edge.head();
            position.push(point.x, point.y, point.z);
            normal.push(point.normal.x, point.normal.y, point.normal.z);
            edge = edge.next;
        } while (edge !== face.edge);
    }
    const out = new BufferGeometry();
    out.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
    out.setAttribute("normal", new BufferAttribute(new Float32Array(normal), 3));
    return out;
}

function uniqueVertices(geometry) {
    const at = geometry.getAttribute("position");
    const seen = new Map();
    for (let i = 0; i < at.count; i++) {
        const v = new Vector3().fromBufferAttribute(at, i);
        seen.set(`${v.x.toFixed(4)},${v.y.toFixed(4)},${v.z.toFixed(4)}`, v.normalize());
    }
    geometry.dispose();
    return [...seen.values()];
}
