/**
 * Beams as swept bodies (sweep.js) in one mesh, coloured by body or by a value; and their axes as
 * lines, which are seen where a beam is thinner than a pixel.
 */
import {
    BufferAttribute,
    BufferGeometry,
    DoubleSide,
    DynamicDrawUsage,
    Group,
    LineBasicMaterial,
    LineSegments,
    Mesh,
    MeshPhongMaterial,
    Sphere,
    Vector3,
} from "three";
import { Sweep } from "./sweep.js";

const VERTEX = /* glsl */ `
attribute vec4 tint;
attribute float value;
varying vec4 vTint;
varying float vValue;
`;

const FRAGMENT = /* glsl */ `
uniform sampler2D colourMap;
uniform float coloured;
uniform vec3 highlight;
varying vec4 vTint;
varying float vValue;
`;

/** tint: colour of the body, and how much it is marked. */
const COLOUR = /* glsl */ `
vec3 own = vTint.rgb;
if (coloured > 0.5) own = texture2D(colourMap, vec2((vValue * 255.0 + 0.5) / 256.0, 0.5)).rgb;
diffuseColor.rgb = mix(own, highlight, vTint.a * (coloured > 0.5 ? 0.4 : 1.0));
`;

function patch(shader, uniforms) {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader =
        VERTEX +
        shader.vertexShader.replace(
            "#include <begin_vertex>",
            "#include <begin_vertex>\nvTint = tint; vValue = value;",
        );
    shader.fragmentShader =
        FRAGMENT + shader.fragmentShader.replace("#include <color_fragment>", COLOUR);
}

export class Beams {
    /**
     * @param {object} scene
     * @param {import("three").Texture} colourMap
     * @param {(body: number) => import("three").Color} tint of a body; -1: of marked ones
     */
    constructor(scene, colourMap, tint) {
        this.list = scene.bodies
            .map((body, index) => ({ ...body, index }))
            .filter((body) => body.type === "beam");
        this.sweep = new Sweep(this.list, scene.profiles);
        this.rims = this.sweep.rims;
        this.values = new Float32Array(scene.poses);
        this.tint = tint;
        this.tints = new Uint8Array(4 * this.sweep.vertices);
        this.marked = [];
        this.uniforms = {
            colourMap: { value: colourMap },
            coloured: { value: 0 },
            highlight: { value: tint(-1) },
        };
        this.body = this.makeBody();
        this.axes = this.makeAxes(scene.poses);
        this.object = new Group();
        for (const part of [this.body, this.axes]) {
            part.frustumCulled = false;
            part.material.onBeforeCompile = (shader) => patch(shader, this.uniforms);
            this.object.add(part);
        }
        this.list.forEach((_, b) => this.paintBody(b, 0));
    }

    makeBody() {
        const { sweep } = this;
        const geometry = movingGeometry({
            position: [sweep.position, 3, false],
            normal: [sweep.normal, 4, true],
            value: [sweep.value, 1, true],
            tint: [this.tints, 4, true],
        });
        this.fine = new BufferAttribute(new Uint32Array(sweep.index), 1);
        this.coarse = new BufferAttribute(new Uint32Array(sweep.coarse), 1);
        geometry.setIndex(this.fine);
        return new Mesh(
            geometry,
            new MeshPhongMaterial({ side: DoubleSide, shininess: 40, specular: 0x222222 }),
        );
    }

    makeAxes(poses) {
        this.nodes = new Float32Array(3 * poses);
        this.nodeTints = new Uint8Array(4 * poses);
        const geometry = movingGeometry({
            position: [this.nodes, 3, false],
            value: [this.values, 1, false],
            tint: [this.nodeTints, 4, true],
        });
        const index = [];
        for (const { first, n } of this.list)
            for (let i = 0; i < n; i++) index.push(first + i, first + i + 1);
        geometry.setIndex(new BufferAttribute(new Uint32Array(index), 1));
        return new LineSegments(geometry, new LineBasicMaterial());
    }

    setCoarse(on) {
        this.body.geometry.setIndex(on ? this.coarse : this.fine);
    }

    paintBody(b, share) {
        const { index, first, n } = this.list[b];
        const { r, g, b: blue } = this.tint(index);
        const rgba = [255 * r, 255 * g, 255 * blue, 255 * share];
        const [from, to] = [this.sweep.beamStart[b], this.sweep.beamStart[b + 1]];
        for (let v = from; v < to; v++) this.tints.set(rgba, 4 * v);
        for (let p = first; p <= first + n; p++) this.nodeTints.set(rgba, 4 * p);
        changed(this.body, "tint");
        changed(this.axes, "tint");
    }

    mark(selected, hovered) {
        for (const b of this.marked) this.paintBody(b, 0);
        this.marked = [];
        this.list.forEach(({ index }, b) => {
            const share = (index === selected ? 0.45 : 0) + (index === hovered ? 0.25 : 0);
            if (share) (this.paintBody(b, share), this.marked.push(b));
        });
    }

    /** Poses as drawn, 7 numbers each. */
    update(poses) {
        this.sweep.place(poses);
        for (let p = 0, to = 0; to < this.nodes.length; p += 7, to += 3) {
            this.nodes[to] = poses[p];
            this.nodes[to + 1] = poses[p + 1];
            this.nodes[to + 2] = poses[p + 2];
        }
        changed(this.body, "position");
        changed(this.body, "normal");
        changed(this.axes, "position");
    }

    /** @param {(k: number) => number} at place on the colour map (0..1) of the k-th value */
    colour(at) {
        let k = 0;
        for (const { first, n } of this.list) {
            for (let i = 0; i <= n; i++, k++) this.values[first + i] = at(k);
        }
        this.recolour();
    }

    /** Colour by a value of each pose, 0..1. */
    colourByPose(values) {
        this.values.set(values);
        this.recolour();
    }

    recolour() {
        this.sweep.paint(this.values);
        changed(this.body, "value");
        changed(this.axes, "value");
    }

    dispose() {
        for (const part of [this.body, this.axes]) {
            part.geometry.dispose();
            part.material.dispose();
        }
    }
}

/** @param {Record<string, [ArrayBufferView, number, boolean]>} attributes array, size, normalised */
function movingGeometry(attributes) {
    const out = new BufferGeometry();
    for (const [name, [array, size, normalised]] of Object.entries(attributes)) {
        out.setAttribute(
            name,
            new BufferAttribute(array, size, normalised).setUsage(DynamicDrawUsage),
        );
    }
    // It moves everywhere: never culled, and never measured.
    out.boundingSphere = new Sphere(new Vector3(), Infinity);
    return out;
}

function changed(object, attribute) {
    object.geometry.getAttribute(attribute).needsUpdate = true;
}
