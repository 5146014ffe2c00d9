/** Joints, springs, frames and the ground's supports: small signs that follow the poses. */
import { CylinderGeometry, Group } from "three";
import { multiply, placePosition, rotate } from "./pose.js";
import { Swarm, turnZTo } from "./swarm.js";
import { bushingGlyph, cylinderGlyph, groundGlyph, jointGlyph, springGlyph, triadGlyph } from "./glyphs.js";

/** More joints than this are drawn as simple signs, and left out where drawing is slow. */
const MANY = 400;
const IDENTITY = [1, 0, 0, 0];
const UP = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const a = new Float64Array(3);
const b = new Float64Array(3);
const q = new Float64Array(4);
const q2 = new Float64Array(4);

/** Orientation of a PLACE's pose: [array, offset]. */
function poseTurn(poses, pose) {
    return pose < 0 ? [IDENTITY, 0] : [poses, pose * 7 + 3];
}

/** Joints whose parts move apart: the sign rides on b, and a rail leads to it from a. */
const SLIDING = ["prismatic", "cylindrical", "screw", "planar", "inline"];

/** Joints of one type. */
class JointKind {
    constructor(type, joints, size, tint) {
        this.side = SLIDING.includes(type) ? "b" : "a";
        this.joints = joints;
        this.size = size;
        this.swarm = new Swarm(jointGlyph(type, joints.length > MANY), joints.length, { tint });
    }

    update(poses) {
        this.joints.forEach((joint, i) => {
            placePosition(a, 0, poses, joint[this.side]);
            const [turn, at] = poseTurn(poses, joint.a.pose);
            const [x, y, z] = joint.axis ?? [0, 0, 1];
            rotate(b, 0, turn, at, x, y, z);
            turnZTo(q, 0, b[0], b[1], b[2], Math.hypot(b[0], b[1], b[2]) || 1);
            if (joint.axis2) this.aimSecond(poses, joint);
            this.swarm.place(i, a, 0, q, 0, this.size, this.size, this.size);
        });
        this.swarm.commit();
    }

    /** Universal: turn about z until x is the second axis. */
    aimSecond(poses, joint) {
        const [turn, at] = poseTurn(poses, joint.b.pose);
        rotate(b, 0, turn, at, ...joint.axis2);
        q2[0] = q[0];
        for (let k = 1; k < 4; k++) q2[k] = -q[k];
        rotate(b, 0, q2, 0, b[0], b[1], b[2]);
        const half = Math.atan2(b[1], b[0]) / 2;
        multiply(q, 0, q, 0, [Math.cos(half), 0, 0, Math.sin(half)], 0);
    }
}

/** Rods or coils between two places. */
export class Spans {
    constructor(geometry, items, radius, tint) {
        this.items = items;
        this.radius = radius;
        this.swarm = new Swarm(geometry, items.length, { tint });
    }

    update(poses) {
        this.items.forEach((item, i) => {
            placePosition(a, 0, poses, item.a);
            placePosition(b, 0, poses, item.b);
            const x = b[0] - a[0],
                y = b[1] - a[1],
                z = b[2] - a[2];
            const length = Math.hypot(x, y, z) || 1e-9;
            turnZTo(q, 0, x, y, z, length);
            this.swarm.place(i, a, 0, q, 0, this.radius, this.radius, length);
        });
        this.swarm.commit();
    }
}

/** Signs that keep the orientation of a place: frames, bushings, supports. */
class Marks {
    constructor(geometry, places, size, options) {
        this.places = places;
        this.size = size;
        this.swarm = new Swarm(geometry, places.length, options);
    }

    update(poses) {
        this.places.forEach((place, i) => {
            placePosition(a, 0, poses, place);
            const [turn, at] = poseTurn(poses, place.pose);
            multiply(q, 0, turn, at, place.q ?? IDENTITY, 0);
            this.swarm.place(i, a, 0, q, 0, this.size, this.size, this.size);
        });
        this.swarm.commit();
    }
}

function groundPlaces(scene) {
    const up = [1, 0, 0, 0];
    turnZTo(up, 0, ...UP[scene.up], 1);
    const grounded = scene.joints.filter((j) => j.a.pose < 0 || j.b.pose < 0);
    return grounded.map((j) => ({ ...(j.a.pose < 0 ? j.a : j.b), q: up }));
}

export class Signs {
    constructor(scene, size, colours) {
        this.joints = new Group();
        this.frames = new Group();
        this.springs = new Group();
        this.all = [];
        for (const type of new Set(scene.joints.map((j) => j.type))) {
            const joints = scene.joints.filter((j) => j.type === type);
            this.add(this.joints, new JointKind(type, joints, size, colours.joint));
        }
        const rod = new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        const spanned = scene.joints.filter(
            (j) => j.type === "distance" || SLIDING.includes(j.type),
        );
        this.add(this.joints, new Spans(rod, spanned, 0.3 * size, colours.joint));
        this.add(
            this.joints,
            new Marks(groundGlyph(), groundPlaces(scene), size, { tint: colours.ground }),
        );
        const springs = scene.springs.filter((s) => s.type === "spring");
        const cylinders = scene.springs.filter((s) => s.type === "cylinder");
        const bushings = scene.springs.filter((s) => s.type === "bushing").map((s) => s.a);
        this.add(this.springs, new Spans(springGlyph(), springs, 1.4 * size, colours.spring));
        this.add(this.springs, new Spans(cylinderGlyph(), cylinders, 1.4 * size, colours.spring));
        this.add(this.springs, new Marks(bushingGlyph(), bushings, size, { tint: colours.spring }));
        this.add(
            this.frames,
            new Marks(triadGlyph(), scene.frames, 5 * size, { vertexColors: true }),
        );
    }

    add(group, sign) {
        if (sign.swarm.count === 0) return sign.swarm.dispose();
        group.add(sign.swarm.object);
        this.all.push(sign);
    }

    /** Leave out crowds of signs. */
    setCoarse(on) {
        for (const sign of this.all) sign.swarm.object.visible = !(on && sign.swarm.count > MANY);
    }

    update(poses) {
        for (const sign of this.all) if (sign.swarm.object.parent.visible) sign.update(poses);
    }

    dispose() {
        for (const sign of this.all) sign.swarm.dispose();
    }
}
