/**
 * The floating frame of a deformed body: the rigid motion (t, R) that carries its rest poses (X, R0)
 * closest to its present ones (x, R_i),
 *
 *     min  sum w |x - t - R X|^2 + l^2 sum |R_i - R R0_i|^2
 *
 * The second sum, with a small l, fixes the turning of a straight beam about itself, which its
 * positions do not show. Both sums are one Procrustes problem: R is the rotation in
 *
 *     B = sum w (x - c)(X - C)^T + l^2 sum R_i R0_i^T
 *
 * found by turning R until the columns of R and B agree: torque sum r_k x b_k = 0 (Mueller et al.,
 * "A robust method to extract the rotational part of deformations", 2016).
 */
import { multiply, multiplyConj, fromRotationVector, normalise, rotate } from "./pose.js";

const B = new Float64Array(9);
const r = new Float64Array(9);
const q4 = new Float64Array(4);
const turn = new Float64Array(4);

/** Size of the rotations' part against a body of length 1. */
const ROTATION_WEIGHT = 0.05;

/**
 * @param {ArrayLike<number>} poses present, 7 per pose
 * @param {ArrayLike<number>} rest
 * @param {number} first first pose of the body
 * @param {number} count
 * @param {boolean} ends only the first and the last pose count (the chord of a beam)
 * @param {Float64Array} out quaternion of R (4), centre c now (3), centre C at rest (3)
 */
export function floatingFrame(poses, rest, first, count, ends, out) {
    const step = ends && count > 1 ? count - 1 : 1;
    centre(poses, first, count, step, out, 4);
    centre(rest, first, count, step, out, 7);
    const spread = covariance(poses, rest, first, count, step, out);
    addRotations(poses, rest, first, count, step, ROTATION_WEIGHT ** 2 * Math.max(spread, 1e-12));
    // Start from the middle node's rotation: within a half turn of the answer for any sane body.
    const middle = (first + (count >> 1)) * 7 + 3;
    conjugate(turn, rest, middle);
    multiply(out, 0, poses, middle, turn, 0);
    extractRotation(out);
}

function conjugate(out, q, i) {
    out[0] = q[i];
    for (let k = 1; k < 4; k++) out[k] = -q[i + k];
}

function centre(poses, first, count, step, out, o) {
    out[o] = out[o + 1] = out[o + 2] = 0;
    let n = 0;
    for (let i = 0; i < count; i += step, n++) {
        for (let k = 0; k < 3; k++) out[o + k] += poses[(first + i) * 7 + k];
    }
    for (let k = 0; k < 3; k++) out[o + k] /= n;
}

/** B = sum (x - c)(X - C)^T, column by column; returns sum |X - C|^2 per node. */
function covariance(poses, rest, first, count, step, frame) {
    B.fill(0);
    let spread = 0,
        n = 0;
    for (let i = 0; i < count; i += step, n++) {
        const at = (first + i) * 7;
        for (let k = 0; k < 3; k++) {
            const X = rest[at + k] - frame[7 + k];
            spread += X * X;
            for (let j = 0; j < 3; j++) B[3 * k + j] += (poses[at + j] - frame[4 + j]) * X;
        }
    }
    return spread / n;
}

function addRotations(poses, rest, first, count, step, weight) {
    for (let i = 0; i < count; i += step) {
        const at = (first + i) * 7 + 3;
        conjugate(turn, rest, at);
        multiply(q4, 0, poses, at, turn, 0);
        for (let k = 0; k < 3; k++) {
            rotate(r, 3 * k, q4, 0, +(k === 0), +(k === 1), +(k === 2));
        }
        for (let k = 0; k < 9; k++) B[k] += weight * r[k];
    }
}

function extractRotation(q) {
    for (let pass = 0; pass < 40; pass++) {
        let x = 0,
            y = 0,
            z = 0,
            dot = 0;
        for (let k = 0; k < 3; k++) {
            rotate(r, 0, q, 0, +(k === 0), +(k === 1), +(k === 2));
            const bx = B[3 * k],
                by = B[3 * k + 1],
                bz = B[3 * k + 2];
            x += r[1] * bz - r[2] * by;
            y += r[2] * bx - r[0] * bz;
            z += r[0] * by - r[1] * bx;
            dot += r[0] * bx + r[1] * by + r[2] * bz;
        }
        const scale = 1 / (Math.abs(dot) + 1e-30);
        fromRotationVector(turn, 0, x * scale, y * scale, z * scale);
        multiply(q, 0, turn, 0, q, 0);
        normalise(q, 0);
        if ((x * x + y * y + z * z) * scale * scale < 1e-24) return;
    }
}

/** out = R^T R_i R0_i^T: how pose i has turned from rest, seen in the floating frame. */
export function localTurn(out, frame, poses, rest, pose) {
    conjugate(turn, rest, pose * 7 + 3);
    multiplyConj(q4, 0, frame, 0, poses, pose * 7 + 3);
    multiply(out, 0, q4, 0, turn, 0);
}
