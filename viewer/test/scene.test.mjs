/** Floating frames and exaggeration against rigid motions and known shapes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Deformer } from "../src/scene/deform.js";
import { fromRotationVector, multiply, rotate, toRotationVector } from "../src/scene/pose.js";
import { makeRim } from "../src/scene/outline.js";
import { Sweep } from "../src/scene/sweep.js";
import { rangeOf } from "../src/scene/colourmap.js";
import { beam, quaternionZ, sliderCrank, tube, waves } from "./mechanisms.mjs";

/** All poses carried by one rigid motion. */
function moved(poses, rotation, shift) {
    const out = Float64Array.from(poses);
    const q = [0, 0, 0, 0];
    fromRotationVector(q, 0, ...rotation);
    for (let p = 0; p < out.length; p += 7) {
        rotate(out, p, q, 0, poses[p], poses[p + 1], poses[p + 2]);
        for (let k = 0; k < 3; k++) out[p + k] += shift[k];
        multiply(out, p + 3, q, 0, poses, p + 3);
    }
    return out;
}

function close(a, b, tolerance, what) {
    for (let i = 0; i < a.length; i++)
        assert.ok(Math.abs(a[i] - b[i]) < tolerance, `${what} [${i}]: ${a[i]} ${b[i]}`);
}

test("rotation vectors go there and back", () => {
    const q = [0, 0, 0, 0],
        v = [0, 0, 0];
    for (const u of [
        [0, 0, 0],
        [1e-9, 0, 0],
        [0.3, -2, 1],
        [3.1, 0.2, 0],
    ]) {
        fromRotationVector(q, 0, ...u);
        toRotationVector(v, 0, q, 0);
        close(v, u, 1e-12, "vector");
    }
});

test("a rigid motion is not exaggerated", () => {
    const { scene } = sliderCrank();
    const deformer = new Deformer(scene);
    const out = new Float64Array(scene.rest.length);
    for (const rotation of [
        [0, 0, 0.1],
        [0, 0, 3],
        [2, -1, 0.5],
        [0, 3.1, 0],
    ]) {
        const poses = moved(scene.rest, rotation, [0.3, -2, 5]);
        for (const about of ["ends", "body"]) {
            deformer.apply(poses, out, 100, about);
            for (let p = 0; p < out.length; p += 7)
                close(out.slice(p, p + 3), poses.slice(p, p + 3), 1e-7, about);
            assert.ok(deformer.largest(poses, about) < 1e-9);
        }
    }
});

test("a deflection is multiplied, seen from the ends, in any position", () => {
    const { scene, at } = sliderCrank();
    const deformer = new Deformer(scene);
    const out = new Float64Array(scene.rest.length);
    const poses = moved(at(0.7, 0.001), [0.4, 0.2, -1], [1, 2, 3]);
    deformer.apply(poses, out, 20, "ends");
    const wanted = moved(at(0.7, 0.02), [0.4, 0.2, -1], [1, 2, 3]);
    for (let p = 0; p < 14; p++)
        close(out.slice(7 * p, 7 * p + 3), wanted.slice(7 * p, 7 * p + 3), 1e-5, `node ${p}`);
    assert.ok(Math.abs(deformer.largest(poses, "ends") - 0.001) < 1e-5);
});

test("a scale of 1 is what was computed; seen from the drawing all motion is multiplied", () => {
    const { scene, at } = sliderCrank();
    const deformer = new Deformer(scene);
    const poses = Float64Array.from(at(0.01, 0.001)),
        out = new Float64Array(poses.length);
    deformer.apply(poses, out, 1, "rest");
    assert.deepEqual(out, poses);
    deformer.apply(poses, out, 10, "rest");
    const dy = poses[14 * 7] - scene.rest[14 * 7];
    assert.ok(Math.abs(out[14 * 7] - (scene.rest[14 * 7] + 10 * dy)) < 1e-12);
});

test("recommended scales are round and at most 1000", () => {
    const deformer = new Deformer({ ...sliderCrank().scene, size: 1 });
    assert.deepEqual(
        [0.1, 0.02, 0.001, 1e-9, 0].map((d) => deformer.recommended(d)),
        [1, 2, 50, 1000, 1000],
    );
});

test("outlines: corners are split, curves shared, holes face inwards", () => {
    const box = makeRim([[-1, -1, 1, -1, 1, 1, -1, 1]], { points: 32, holes: true });
    assert.equal(box.yz.length / 2, 8);
    assert.equal(box.cap.length / 3, 2);
    const pipe = makeRim(tube(2, 1).loops, { points: 32, holes: true });
    assert.equal(pipe.yz.length / 2, 48);
    for (let i = 0; i < 48; i++) {
        const outwards =
            pipe.yz[2 * i] * pipe.normal[2 * i] + pipe.yz[2 * i + 1] * pipe.normal[2 * i + 1];
        assert.ok(i < 24 ? outwards > 1.9 : outwards < -0.9);
    }
    assert.equal(makeRim(tube(2, 1).loops, { points: 6, holes: false }).edges.length / 2, 6);
});

test("ranges of colours: signed ones are symmetric", () => {
    assert.deepEqual(rangeOf({ min: -3, max: 1 }), { map: "diverging", low: -3, high: 3 });
    assert.deepEqual(rangeOf({ min: 2, max: 5 }), { map: "sequential", low: 0, high: 5 });
    assert.deepEqual(rangeOf({ min: 0, max: 0 }), { map: "sequential", low: 0, high: 1 });
});

test("fixtures follow their own geometry", () => {
    const body = beam("b", 0, 4, 2);
    assert.equal(body.axes.length, 32);
    assert.deepEqual(quaternionZ(0), [1, 0, 0, 0]);
});

test("between nodes a beam follows the Hermite cubic, its sections stay square to the axis", () => {
    // Two nodes of a circular arc of radius 1 and angle h = 0.5. A cubic through both ends with
    // their tangents is within h^4/384 of the circle.
    const angle = 0.5;
    const body = { ...beam("arc", 0, 1, angle), profile: [0, 0] };
    const sweep = new Sweep([body], [{ loops: [[0.1, 0, 0, 0.1, -0.1, 0, 0, -0.1]] }]);
    const poses = [
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        Math.sin(angle),
        1 - Math.cos(angle),
        0,
        ...quaternionZ(angle),
    ];
    sweep.place(Float64Array.from(poses));
    const { s, first } = sweep.stations;
    for (let i = 0; i < s.length; i++) {
        const middle = [0, 0, 0];
        const n = first[i + 1] - first[i];
        for (let v = first[i]; v < first[i + 1]; v++) {
            for (let k = 0; k < 3; k++) middle[k] += sweep.position[3 * v + k] / n;
        }
        assert.ok(
            Math.abs(Math.hypot(middle[0], middle[1] - 1) - 1) < angle ** 4 / 384,
            `station ${s[i]}`,
        );
        for (let v = first[i]; v < first[i + 1]; v++) {
            const arm = [0, 1, 2].map((k) => sweep.position[3 * v + k] - middle[k]);
            const tangent = [1 - middle[1], middle[0]];
            assert.ok(Math.abs(arm[0] * tangent[0] + arm[1] * tangent[1]) < 1e-3);
            assert.ok(Math.abs(Math.hypot(...arm) - 0.1) < 1e-6);
        }
    }
});

test("a coarse picture has few triangles between the same vertices", () => {
    const { scene } = waves(2500);
    const sweep = new Sweep(scene.bodies, scene.profiles);
    assert.ok(sweep.coarse.length / 3 <= 2500 * 8);
    assert.ok(sweep.index.length / 3 <= 100000);
    assert.ok(Math.max(...sweep.coarse.slice(-600)) < sweep.vertices);
});
