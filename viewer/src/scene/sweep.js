/**
 * The one body of all beams: outlines at stations along each element, joined by triangles. Between
 * the nodes a, b of an element the axis is the Hermite cubic with the end tangents of the sections,
 *
 *     x(s) = h00 x_a + h10 L t_a + h01 x_b + h11 L t_b,
 *
 * and the section axes are interpolated, then tilted so that their x is tangent to the axis.
 *
 * Triangles and outlines are made once; `place` computes where the vertices are for some poses,
 * without allocating. That is done here and not on the graphics card because a machine without one
 * takes a hundred times longer for it.
 */
import { COARSE, detailFor, makeRim } from "./outline.js";
import { multiply } from "./pose.js";

const qa = new Float64Array(4);
const qb = new Float64Array(4);
const q = new Float64Array(4);
/** Columns: section axes x, y, z in global axes; then the position of the axis. */
const F = new Float64Array(12);

export class Sweep {
    /** @param {object[]} beams BODY of type beam @param {object[]} profiles */
    constructor(beams, profiles) {
        this.detail = detailFor(beams.reduce((sum, beam) => sum + beam.n, 0));
        this.rims = profiles.map((profile) => makeRim(profile.loops, this.detail));
        this.beams = beams;
        this.stations = { element: [], s: [], first: [] };
        this.section = [];
        this.index = [];
        /** Triangles of a coarser picture, for slow machines while something moves. */
        this.coarse = [];
        this.jump = Math.ceil(beams.reduce((sum, beam) => sum + beam.n, 0) / COARSE);
        this.elements = [];
        /** First vertex of each beam, and one past the last. */
        this.beamStart = [];
        for (const beam of beams) this.addBeam(beam);
        this.vertices = this.section.length / 5;
        this.beamStart.push(this.vertices);
        this.stations.first.push(this.vertices);
        this.section = new Float32Array(this.section);
        this.stations.first = new Uint32Array(this.stations.first);
        this.position = new Float32Array(3 * this.vertices);
        this.normal = new Int8Array(4 * this.vertices);
        this.value = new Uint8Array(this.vertices);
    }

    addBeam(beam) {
        const { segments } = this.detail;
        const rimAt = (k) => this.rims[beam.profile[k]];
        this.beamStart.push(this.section.length / 5);
        let last = -1,
            skipped = -1;
        for (let k = 0; k < beam.n; k++) {
            const element = this.elements.length;
            this.elements.push({ beam, node: beam.first + k, axes: 8 * k, length: beam.length[k] });
            const a = rimAt(k);
            const b = a.shape === rimAt(k + 1).shape ? rimAt(k + 1) : a;
            const joins = k > 0 && rimAt(k - 1).shape === a.shape;
            const first = joins && continues(beam, k) ? last : this.addStation(element, a, b, 0);
            last = this.addSides(element, a, b, first, segments);
            if (!joins) skipped = first;
            const next = k + 1 < beam.n && b.shape === rimAt(k + 1).shape;
            if (!next || (k + 1) % this.jump === 0) {
                joinOutlines(this.coarse, a.edges, skipped, last);
                skipped = last;
            }
            if (!joins) this.addCap(element, 0, a);
            if (k === beam.n - 1 || b !== rimAt(k + 1)) this.addCap(element, 1, b);
        }
    }

    newStation(element, s) {
        const first = this.section.length / 5;
        this.stations.element.push(element);
        this.stations.s.push(s);
        this.stations.first.push(first);
        return first;
    }

    /** The outline at s, between a and b; returns its first vertex. */
    addStation(element, a, b, s) {
        const first = this.newStation(element, s);
        const mix = (x, y) => x + (y - x) * s;
        for (let v = 0; v < a.yz.length; v += 2) {
            this.section.push(
                mix(a.yz[v], b.yz[v]),
                mix(a.yz[v + 1], b.yz[v + 1]),
                0,
                mix(a.normal[v], b.normal[v]),
                mix(a.normal[v + 1], b.normal[v + 1]),
            );
        }
        return first;
    }

    /** Sides of an element from the station `here` on; returns its last station. */
    addSides(element, a, b, here, segments) {
        for (let i = 1; i <= segments; i++) {
            const there = this.addStation(element, a, b, i / segments);
            joinOutlines(this.index, a.edges, here, there);
            here = there;
        }
        return here;
    }

    addCap(element, s, rim) {
        const first = this.newStation(element, s);
        for (let v = 0; v < rim.yz.length; v += 2) {
            this.section.push(rim.yz[v], rim.yz[v + 1], s ? 1 : -1, 0, 0);
        }
        for (let i = 0; i < rim.cap.length; i += 3) {
            const [a, b, c] = [rim.cap[i], rim.cap[i + 1], rim.cap[i + 2]];
            this.index.push(first + a, first + (s ? b : c), first + (s ? c : b));
        }
    }

    /** Vertices for poses as drawn, 7 numbers each. */
    place(poses) {
        const { element, s, first } = this.stations;
        let current = -1;
        for (let i = 0; i < element.length; i++) {
            if (element[i] !== current) {
                current = element[i];
                this.endTurns(poses, this.elements[current]);
            }
            stationFrame(poses, this.elements[current], s[i]);
            this.placeOutline(first[i], first[i + 1]);
        }
    }

    /** Section axes at the ends of an element: node axes times `axes`. */
    endTurns(poses, { beam, node, axes }) {
        multiply(qa, 0, poses, node * 7 + 3, beam.axes, axes);
        multiply(qb, 0, poses, node * 7 + 10, beam.axes, axes + 4);
        if (qa[0] * qb[0] + qa[1] * qb[1] + qa[2] * qb[2] + qa[3] * qb[3] < 0) {
            for (let k = 0; k < 4; k++) qb[k] = -qb[k];
        }
    }

    placeOutline(from, to) {
        const { section, position, normal } = this;
        for (let v = from; v < to; v++) {
            const at = 5 * v;
            const y = section[at],
                z = section[at + 1];
            const nx = section[at + 2],
                ny = section[at + 3],
                nz = section[at + 4];
            for (let k = 0; k < 3; k++) {
                position[3 * v + k] = F[9 + k] + y * F[3 + k] + z * F[6 + k];
                normal[4 * v + k] = 127 * (nx * F[k] + ny * F[3 + k] + nz * F[6 + k]);
            }
        }
    }

    /** Colours from values of the poses, 0..1. */
    paint(values) {
        const { element, s, first } = this.stations;
        for (let i = 0; i < element.length; i++) {
            const { node } = this.elements[element[i]];
            const v = values[node] + s[i] * (values[node + 1] - values[node]);
            this.value.fill(255 * Math.min(Math.max(v, 0), 1), first[i], first[i + 1]);
        }
    }
}

/** Triangles between two outlines of the same shape. */
function joinOutlines(index, edges, here, there) {
    for (let e = 0; e < edges.length; e += 2) {
        const p = edges[e],
            r = edges[e + 1];
        index.push(here + p, here + r, there + r, here + p, there + r, there + p);
    }
}

/** Element k begins with the section axes that the one before ended with: one station for both. */
function continues({ axes }, k) {
    for (let i = 8 * k; i < 8 * k + 4; i++)
        if (Math.abs(axes[i] - axes[i - 4]) > 1e-6) return false;
    return true;
}

/** Into F: axes and position at s of an element whose end axes are in qa, qb. */
function stationFrame(poses, { node, length }, s) {
    const a = node * 7,
        b = a + 7;
    let norm = 0;
    for (let k = 0; k < 4; k++) {
        q[k] = qa[k] + s * (qb[k] - qa[k]);
        norm += q[k] * q[k];
    }
    norm = 1 / Math.sqrt(norm || 1);
    for (let k = 0; k < 4; k++) q[k] *= norm;
    matrix(q);
    if (s === 0 || s === 1) {
        for (let k = 0; k < 3; k++) F[9 + k] = poses[(s === 0 ? a : b) + k];
        return;
    }
    const s2 = s * s,
        s3 = s2 * s;
    let tx = 0,
        ty = 0,
        tz = 0;
    for (let k = 0; k < 3; k++) {
        const ta = length * axisX(qa, k),
            tb = length * axisX(qb, k);
        const xa = poses[a + k],
            xb = poses[b + k];
        F[9 + k] =
            (2 * s3 - 3 * s2 + 1) * xa +
            (s3 - 2 * s2 + s) * ta +
            (3 * s2 - 2 * s3) * xb +
            (s3 - s2) * tb;
        const slope = 6 * (s2 - s) * (xa - xb) + (3 * s2 - 4 * s + 1) * ta + (3 * s2 - 2 * s) * tb;
        if (k === 0) tx = slope;
        else if (k === 1) ty = slope;
        else tz = slope;
    }
    tilt(tx, ty, tz);
}

/** Component k of the x axis turned by quaternion p. */
function axisX(p, k) {
    if (k === 0) return 1 - 2 * (p[2] * p[2] + p[3] * p[3]);
    return k === 1 ? 2 * (p[1] * p[2] + p[0] * p[3]) : 2 * (p[1] * p[3] - p[0] * p[2]);
}

function matrix(p) {
    const w = p[0],
        x = p[1],
        y = p[2],
        z = p[3];
    F[0] = 1 - 2 * (y * y + z * z);
    F[1] = 2 * (x * y + w * z);
    F[2] = 2 * (x * z - w * y);
    F[3] = 2 * (x * y - w * z);
    F[4] = 1 - 2 * (x * x + z * z);
    F[5] = 2 * (y * z + w * x);
    F[6] = 2 * (x * z + w * y);
    F[7] = 2 * (y * z - w * x);
    F[8] = 1 - 2 * (x * x + y * y);
}

/**
 * Turn the axes in F by the smallest rotation that carries x to the direction of (tx, ty, tz):
 * v -> v + k x v + k x (k x v) / (1 + c), k = x cross t, c = x . t (Rodrigues).
 */
function tilt(tx, ty, tz) {
    const n = Math.hypot(tx, ty, tz);
    if (!(n > 0)) return;
    const x = tx / n,
        y = ty / n,
        z = tz / n;
    const kx = F[1] * z - F[2] * y,
        ky = F[2] * x - F[0] * z,
        kz = F[0] * y - F[1] * x;
    const c = 1 / (1 + Math.max(F[0] * x + F[1] * y + F[2] * z, -0.99));
    for (let i = 0; i < 9; i += 3) {
        const ax = ky * F[i + 2] - kz * F[i + 1];
        const ay = kz * F[i] - kx * F[i + 2];
        const az = kx * F[i + 1] - ky * F[i];
        F[i] += ax + c * (ky * az - kz * ay);
        F[i + 1] += ay + c * (kz * ax - kx * az);
        F[i + 2] += az + c * (kx * ay - ky * ax);
    }
}
