/** Shapes of joints and other signs, of size 1 and with their axis along z. */
import {
    BoxGeometry,
    BufferAttribute,
    CatmullRomCurve3,
    Color,
    ConeGeometry,
    CylinderGeometry,
    OctahedronGeometry,
    SphereGeometry,
    TubeGeometry,
    Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

function rod(radius, length, sides = 20) {
    return new CylinderGeometry(radius, radius, length, sides).rotateX(Math.PI / 2);
}

const JOINTS = {
    fixed: () => new BoxGeometry(1.2, 1.2, 1.2),
    revolute: () => mergeGeometries([rod(1, 1.9), rod(0.45, 2.9)]),
    prismatic: () =>
        mergeGeometries([new BoxGeometry(1.7, 1.7, 2.6), new BoxGeometry(0.7, 0.7, 4.6)]),
    cylindrical: () => mergeGeometries([rod(1, 2.6), rod(0.5, 4.4)]),
    screw: () => mergeGeometries([rod(1, 1.6, 6), rod(0.55, 4.4)]),
    spherical: () => new SphereGeometry(1.2, 24, 16),
    universal: () =>
        mergeGeometries([
            rod(0.45, 3.2),
            rod(0.45, 3.2).rotateY(Math.PI / 2),
            new SphereGeometry(0.8, 20, 14),
        ]),
    planar: () => mergeGeometries([new BoxGeometry(3.6, 3.6, 0.25), rod(0.6, 1.2)]),
    inline: () => mergeGeometries([new SphereGeometry(1, 20, 14), rod(0.3, 5)]),
    distance: () => new SphereGeometry(0.8, 20, 14),
};

/** @param {boolean} simple one of thousands: a few triangles must do */
export function jointGlyph(type, simple) {
    const make = simple ? null : JOINTS[type];
    return make ? make() : new OctahedronGeometry(1.3);
}

/** Sign of the ground: a pyramid, its top at the origin and standing along -z. */
export function groundGlyph() {
    return new ConeGeometry(1.5, 2.2, 4, 1).rotateX(Math.PI / 2).translate(0, 0, -1.1);
}

/** A coil from z = 0 to 1, made at the slenderness of a usual spring and shortened: round wire. */
export function springGlyph() {
    const turns = 8,
        perTurn = 10,
        length = 14;
    const points = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.06 * length)];
    for (let i = 0; i <= turns * perTurn; i++) {
        const angle = (2 * Math.PI * i) / perTurn;
        const z = 0.12 + (0.76 * i) / (turns * perTurn);
        points.push(new Vector3(Math.cos(angle), Math.sin(angle), z * length));
    }
    points.push(new Vector3(0, 0, 0.94 * length), new Vector3(0, 0, length));
    return new TubeGeometry(new CatmullRomCurve3(points), 180, 0.17, 6).scale(1, 1, 1 / length);
}

/** A cylinder with its piston rod, from z = 0 to 1. */
export function cylinderGlyph() {
    return mergeGeometries([rod(1, 0.62).translate(0, 0, 0.31), rod(0.45, 1).translate(0, 0, 0.5)]);
}

export function bushingGlyph() {
    return mergeGeometries([rod(1.3, 1.2), rod(0.6, 1.8)]);
}

/** Shaft from 0 to 1 and a head, as two shapes: the head keeps its form when the shaft is long. */
export function arrowGlyphs() {
    return {
        shaft: rod(1, 1, 12).translate(0, 0, 0.5),
        head: new ConeGeometry(2.6, 6, 16).rotateX(Math.PI / 2).translate(0, 0, -3),
    };
}

/** Three axes in red, green, blue. */
export function triadGlyph() {
    const axes = [0xd6453d, 0x3f9b46, 0x3b74d6].map((hex, k) => {
        const geometry = rod(0.055, 1, 8).translate(0, 0, 0.5);
        if (k === 0) geometry.rotateY(Math.PI / 2);
        if (k === 1) geometry.rotateX(-Math.PI / 2);
        const { r, g, b } = new Color(hex);
        const colours = new Float32Array(geometry.getAttribute("position").count * 3);
        for (let i = 0; i < colours.length; i += 3) colours.set([r, g, b], i);
        return geometry.setAttribute("color", new BufferAttribute(colours, 3));
    });
    return mergeGeometries(axes);
}
