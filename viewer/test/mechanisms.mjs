/** Mechanisms whose motion is given by formulas, as scenes and poses of a report. */

export function quaternionZ(angle) {
    return [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
}

const RECTANGLE = (h, w) => ({
    name: "strip",
    loops: [[-h / 2, -w / 2, h / 2, -w / 2, h / 2, w / 2, -h / 2, w / 2]],
});

export function tube(outer, inner, points = 24) {
    const ring = (r, sign) =>
        Array.from({ length: points }, (_, i) => {
            const angle = (sign * 2 * Math.PI * i) / points;
            return [r * Math.cos(angle), r * Math.sin(angle)];
        }).flat();
    return { name: "tube", loops: [ring(outer, 1), ring(inner, -1)] };
}

/** BODY of a straight beam along x of its first node. */
export function beam(name, first, n, length, profile = 0) {
    return {
        name,
        type: "beam",
        first,
        n,
        length: new Array(n).fill(length / n),
        axes: new Array(2 * n).fill([1, 0, 0, 0]).flat(),
        profile: new Array(n + 1).fill(profile),
    };
}

/** Nodes of a beam from (x, y) at an angle, bent by v(s) = bend sin(pi s) across. */
function bentBeam(n, x, y, angle, length, bend) {
    const out = [];
    for (let i = 0; i <= n; i++) {
        const s = i / n;
        const v = bend * Math.sin(Math.PI * s);
        const slope = Math.atan((bend * Math.PI * Math.cos(Math.PI * s)) / length);
        const c = Math.cos(angle),
            d = Math.sin(angle);
        out.push(
            x + c * s * length - d * v,
            y + d * s * length + c * v,
            0,
            ...quaternionZ(angle + slope),
        );
    }
    return out;
}

const ground = (x, y) => ({ pose: -1, at: [x, y, 0], q: [1, 0, 0, 0] });
const on = (pose) => ({ pose, at: [0, 0, 0], q: [1, 0, 0, 0] });

/** Slider-crank: crank of 4 elements, rod of 8, slider; names can be replaced. */
export function sliderCrank({
    crank = "crank",
    rod = "rod",
    slider = "slider",
    pivot = "pivot",
} = {}) {
    const names = [];
    for (let i = 0; i <= 4; i++) names.push(`${crank}.node(${i})`);
    for (let i = 0; i <= 8; i++) names.push(`${rod}.node(${i})`);
    names.push(slider);
    const at = (angle, bend) => {
        const x = 0.5 * Math.cos(angle),
            y = 0.5 * Math.sin(angle);
        const lean = Math.asin(-y);
        return [
            ...bentBeam(4, 0, 0, angle, 0.5, bend / 3),
            ...bentBeam(8, x, y, lean, 1, bend),
            x + Math.cos(lean),
            0,
            0,
            1,
            0,
            0,
            0,
        ];
    };
    const scene = {
        size: 1.8,
        centre: [0.6, 0, 0],
        gravity: [0, -9.81, 0],
        up: "y",
        poses: 15,
        pose_names: names,
        rest: at(0, 0),
        profiles: [RECTANGLE(0.03, 0.05)],
        bodies: [
            beam(crank, 0, 4, 0.5),
            beam(rod, 5, 8, 1),
            {
                name: slider,
                type: "rigid",
                pose: 14,
                com: [0, 0, 0],
                mass: 0.5,
                massless: false,
                points: [[0, 0, 0]],
                ellipsoid: { axes: [0.08, 0.05, 0.05], q: [1, 0, 0, 0] },
            },
        ],
        joints: [
            { name: pivot, type: "revolute", a: ground(0, 0), b: on(0), axis: [0, 0, 1] },
            { name: "pin", type: "revolute", a: on(4), b: on(5), axis: [0, 0, 1] },
            { name: "wrist", type: "revolute", a: on(13), b: on(14), axis: [0, 0, 1] },
            { name: "guide", type: "prismatic", a: ground(1.5, 0), b: on(14), axis: [1, 0, 0] },
        ],
        frames: [{ name: "tool", ...on(9) }],
        springs: [{ name: "k", type: "spring", a: ground(1.9, 0), b: on(14) }],
        loads: [{ name: "push", at: on(14) }],
    };
    return { scene, at };
}

/** A portal frame: two posts and a girder, 6 elements each; its shapes sway and bounce. */
export function portalFrame() {
    const n = 6,
        height = 2,
        span = 3;
    const axesUp = quaternionZ(Math.PI / 2);
    const posts = [];
    const rest = [];
    const names = [];
    const add = (name, x, y, dx, dy, q) => {
        const first = rest.length / 7;
        for (let i = 0; i <= n; i++) {
            rest.push(x + (dx * i) / n, y + (dy * i) / n, 0, ...q);
            names.push(`${name}.node(${i})`);
        }
        posts.push(beam(name, first, n, Math.hypot(dx, dy)));
    };
    add("left", 0, 0, 0, height, axesUp);
    add("right", span, 0, 0, height, axesUp);
    add("girder", 0, height, span, 0, [1, 0, 0, 0]);
    const fixed = (name, a, b) => ({ name, type: "fixed", a, b, axis: [0, 0, 1] });
    const scene = {
        size: 3.7,
        centre: [1.5, 1, 0],
        gravity: [0, -9.81, 0],
        up: "y",
        poses: rest.length / 7,
        pose_names: names,
        rest,
        profiles: [tube(0.06, 0.045)],
        bodies: posts,
        joints: [
            fixed("foot_left", ground(0, 0), on(0)),
            fixed("foot_right", ground(span, 0), on(7)),
            fixed("corner_left", on(6), on(14)),
            fixed("corner_right", on(13), on(20)),
        ],
        frames: [],
        springs: [],
        loads: [],
    };
    return { scene, shape: (mode, p) => portalShape(mode, rest, p, height, span) };
}

/** Motion and rotation of pose p: sway (0), girder up and down (1). */
function portalShape(mode, rest, p, height, span) {
    const x = rest[7 * p],
        y = rest[7 * p + 1];
    const s = Math.min(1, y / height);
    if (mode === 0) {
        const bow = p >= 14 ? -0.1 * Math.sin((2 * Math.PI * x) / span) : 0;
        return [
            s * s * (3 - 2 * s),
            bow,
            0,
            0,
            0,
            p >= 14 ? -0.2 * Math.cos((2 * Math.PI * x) / span) : (-6 * s * (1 - s)) / height,
        ];
    }
    if (p < 14) return [0.1 * Math.sin(Math.PI * s) * (p < 7 ? 1 : -1), 0, 0, 0, 0, 0];
    return [
        0,
        Math.sin((Math.PI * x) / span),
        0,
        0,
        0,
        (Math.PI / span) * Math.cos((Math.PI * x) / span),
    ];
}

/** A sheet of chains: `beams` beams of 4 elements, waving. */
export function waves(beams) {
    const n = 4,
        side = Math.ceil(Math.sqrt(beams));
    const rest = [],
        bodies = [],
        names = [];
    for (let b = 0; b < beams; b++) {
        const row = Math.floor(b / side),
            column = b % side;
        bodies.push(beam(`b(${b})`, b * (n + 1), n, 0.9));
        for (let i = 0; i <= n; i++) {
            rest.push(column + (0.9 * i) / n, row * 0.5, 0, 1, 0, 0, 0);
            names.push(`b(${b}).node(${i})`);
        }
    }
    const at = (t) => {
        const out = Float64Array.from(rest);
        for (let p = 0; p < out.length; p += 7) {
            const phase = 0.35 * out[p] + 0.2 * out[p + 1] - 2 * Math.PI * t;
            out[p + 2] = 0.4 * Math.sin(phase);
            const slope = -Math.atan(0.14 * Math.cos(phase));
            out[p + 3] = Math.cos(slope / 2);
            out[p + 5] = Math.sin(slope / 2);
        }
        return out;
    };
    const scene = {
        size: Math.hypot(side, side / 2),
        centre: [side / 2, side / 4, 0],
        gravity: [0, 0, -9.81],
        up: "z",
        poses: rest.length / 7,
        pose_names: names,
        rest,
        profiles: [tube(0.05, 0.04)],
        bodies,
        joints: [],
        frames: [],
        springs: [],
        loads: [],
    };
    return { scene, at };
}
