/** All that is drawn of one run: bodies, signs, grid, trace. Knows poses, not time. */
import {
    BufferAttribute,
    BufferGeometry,
    Color,
    Group,
    Line,
    LineBasicMaterial,
    LineSegments,
    CylinderGeometry,
} from "three";
import { Beams } from "./beams.js";
import { RigidBodies } from "./rigid.js";
import { Signs, Spans } from "./signs.js";
import { nodeCount } from "./deform.js";

/** Quiet colours that tell neighbouring bodies apart in light and dark. */
const BODIES = [0x5d87b3, 0x7fa79a, 0xa793b8, 0xb79d78, 0x7d93a6, 0x8fa673, 0xb58a8a];
const HIGHLIGHT = 0xff9d2e;
const SIGNS = { joint: 0xd9822b, ground: 0x6d7680, spring: 0x4f9d69 };

const palette = BODIES.map((hex) => new Color(hex));
const highlight = new Color(HIGHLIGHT);
const tint = (body) => (body < 0 ? highlight : palette[body % palette.length]);

export class World {
    constructor(scene, colourMap) {
        this.scene = scene;
        this.object = new Group();
        this.unit = signSize(scene);
        this.beams = new Beams(scene, colourMap, tint);
        this.rigid = new RigidBodies(scene, 0.9 * this.unit, tint);
        this.signs = new Signs(scene, this.unit, SIGNS);
        this.wires = superelementWires(scene, 0.5 * this.unit);
        const lines = new LineBasicMaterial({
            vertexColors: true,
            transparent: true,
            depthWrite: false,
        });
        this.grid = new LineSegments(new BufferGeometry(), lines);
        this.trace = new Line(new BufferGeometry(), new LineBasicMaterial({ color: HIGHLIGHT }));
        this.trace.frustumCulled = false;
        this.trace.visible = false;
        this.object.add(this.beams.object, ...this.rigid.objects, this.grid, this.trace);
        this.object.add(this.signs.joints, this.signs.springs, this.signs.frames);
        if (this.wires) this.object.add(this.wires.swarm.object);
        this.signs.frames.visible = false;
    }

    /** @param {Float64Array} poses as drawn */
    update(poses) {
        this.beams.update(poses);
        this.rigid.update(poses);
        this.signs.update(poses);
        this.wires?.update(poses);
    }

    /** A grid under all that will be seen. @param {{low: Vector3, high: Vector3}} box */
    layGrid({ low, high }) {
        this.grid.geometry.dispose();
        this.grid.geometry = gridGeometry({ x: 0, y: 1, z: 2 }[this.scene.up] ?? 2, low, high);
    }

    /** Draw less while a slow machine moves. */
    setCoarse(on) {
        this.beams.setCoarse(on);
        this.signs.setCoarse(on);
    }

    mark(selected, hovered) {
        this.beams.mark(selected, hovered);
        this.rigid.highlight(selected, hovered);
    }

    /** @param {Float32Array|null} points x y z of a path */
    showTrace(points) {
        this.trace.visible = Boolean(points);
        if (!points) return;
        this.trace.geometry.dispose();
        this.trace.geometry = new BufferGeometry();
        this.trace.geometry.setAttribute("position", new BufferAttribute(points, 3));
    }

    setDark(dark) {
        this.grid.material.color.set(dark ? 0x5b6673 : 0x9aa6b2);
    }

    dispose() {
        for (const part of [this.beams, this.rigid, this.signs]) part.dispose();
        this.wires?.swarm.dispose();
        this.grid.geometry.dispose();
        this.trace.geometry.dispose();
    }
}

/** Radius of joints: seen around the bodies they join, small against the drawing. */
function signSize(scene) {
    const beams = scene.bodies.filter((b) => b.type === "beam");
    const length = median(beams.map((b) => b.length.reduce((sum, l) => sum + l, 0))) ?? scene.size;
    const half = median(beams.map((b) => halfThickness(scene.profiles[b.profile[0]]))) ?? 0;
    const wanted = Math.max(0.011 * scene.size, 1.15 * half);
    return Math.min(wanted, 0.025 * scene.size, 0.1 * length);
}

function median(values) {
    return values.sort((p, q) => p - q)[values.length >> 1];
}

/** Half of the smaller extent of an outline. */
function halfThickness({ loops }) {
    const extent = (k) => {
        const values = loops[0].filter((_, i) => i % 2 === k);
        return Math.max(...values) - Math.min(...values);
    };
    return Math.min(extent(0), extent(1)) / 2;
}

function superelementWires(scene, radius) {
    const spans = [];
    for (const body of scene.bodies.filter((b) => b.type === "superelement")) {
        const place = (node) => ({ pose: body.first + node, at: [0, 0, 0] });
        for (const [a, b] of body.edges) spans.push({ a: place(a), b: place(b) });
        if (!body.edges.length && nodeCount(body) > 1) {
            for (let i = 1; i < body.n; i++) spans.push({ a: place(i - 1), b: place(i) });
        }
    }
    if (!spans.length) return null;
    const rod = new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    return new Spans(rod, spans, radius, palette[4]);
}

/** Squares on the ground, below all that is drawn, 1-2-5 sized and fading out to the edge. */
function gridGeometry(up, low, high) {
    const size = Math.max(low.distanceTo(high), 1e-9);
    const decade = 10 ** Math.floor(Math.log10(size / 8));
    const digit = size / 8 / decade;
    const cell = decade * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
    const u = (up + 1) % 3,
        v = (up + 2) % 3;
    const half = Math.ceil((0.9 * size) / cell) * cell;
    const middle = low
        .clone()
        .add(high)
        .multiplyScalar(0.5 / cell)
        .round()
        .multiplyScalar(cell)
        .toArray();
    middle[up] = low.getComponent(up) - 0.04 * size;
    const position = [],
        colour = [];
    const add = (x, y) => {
        const p = [...middle];
        p[u] += x;
        p[v] += y;
        position.push(...p);
        colour.push(1, 1, 1, Math.max(0, 1 - Math.hypot(x, y) / half) * 0.7);
    };
    for (let x = -half; x <= half + cell / 2; x += cell) {
        for (let y = -half; y < half - cell / 2; y += cell) {
            if (Math.min(Math.hypot(x, y), Math.hypot(x, y + cell)) >= half) continue;
            (add(x, y), add(x, y + cell), add(y, x), add(y + cell, x));
        }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colour), 4));
    return geometry;
}
