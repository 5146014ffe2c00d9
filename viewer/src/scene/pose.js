/**
 * Rotations and poses on flat arrays: 7 numbers a pose (x y z qw qx qy qz), quaternions scalar first
 * and body to world, as in the result files. Nothing here allocates.
 */

/** out[o..] = (aw, ax, ay, az) * b[j..], quaternions. `out` may be `b`. */
function product(out, o, aw, ax, ay, az, b, j) {
    const bw = b[j],
        bx = b[j + 1],
        by = b[j + 2],
        bz = b[j + 3];
    out[o] = aw * bw - ax * bx - ay * by - az * bz;
    out[o + 1] = aw * bx + ax * bw + ay * bz - az * by;
    out[o + 2] = aw * by - ax * bz + ay * bw + az * bx;
    out[o + 3] = aw * bz + ax * by - ay * bx + az * bw;
}

/** out[o..] = a[i..] * b[j..], quaternions. `out` may be an operand. */
export function multiply(out, o, a, i, b, j) {
    product(out, o, a[i], a[i + 1], a[i + 2], a[i + 3], b, j);
}

/** out = conj(a) * b. */
export function multiplyConj(out, o, a, i, b, j) {
    product(out, o, a[i], -a[i + 1], -a[i + 2], -a[i + 3], b, j);
}

/** out[o..] = R(q) (x, y, z). */
export function rotate(out, o, q, i, x, y, z) {
    const w = q[i],
        a = q[i + 1],
        b = q[i + 2],
        c = q[i + 3];
    const tx = 2 * (b * z - c * y),
        ty = 2 * (c * x - a * z),
        tz = 2 * (a * y - b * x);
    out[o] = x + w * tx + b * tz - c * ty;
    out[o + 1] = y + w * ty + c * tx - a * tz;
    out[o + 2] = z + w * tz + a * ty - b * tx;
}

/** out[o..] = R(q)^T (x, y, z). */
export function rotateBack(out, o, q, i, x, y, z) {
    const w = q[i],
        a = -q[i + 1],
        b = -q[i + 2],
        c = -q[i + 3];
    const tx = 2 * (b * z - c * y),
        ty = 2 * (c * x - a * z),
        tz = 2 * (a * y - b * x);
    out[o] = x + w * tx + b * tz - c * ty;
    out[o + 1] = y + w * ty + c * tx - a * tz;
    out[o + 2] = z + w * tz + a * ty - b * tx;
}

/** out[o..] = quaternion of the rotation vector (x, y, z). */
export function fromRotationVector(out, o, x, y, z) {
    const angle = Math.hypot(x, y, z);
    const s = angle > 1e-8 ? Math.sin(angle / 2) / angle : 0.5;
    out[o] = Math.cos(angle / 2);
    out[o + 1] = s * x;
    out[o + 2] = s * y;
    out[o + 3] = s * z;
}

/** out[o..] = rotation vector (angle up to pi) of quaternion q[i..]. */
export function toRotationVector(out, o, q, i) {
    const sign = q[i] < 0 ? -1 : 1;
    const x = sign * q[i + 1],
        y = sign * q[i + 2],
        z = sign * q[i + 3];
    const n = Math.hypot(x, y, z);
    const s = n > 1e-8 ? (2 * Math.atan2(n, sign * q[i])) / n : 2;
    out[o] = s * x;
    out[o + 1] = s * y;
    out[o + 2] = s * z;
}

export function normalise(q, i) {
    const n = 1 / (Math.hypot(q[i], q[i + 1], q[i + 2], q[i + 3]) || 1);
    for (let k = i; k < i + 4; k++) q[k] *= n;
}

/** Global position of a PLACE {pose, at} into out[o..]. */
export function placePosition(out, o, poses, place) {
    const [x, y, z] = place.at;
    if (place.pose < 0) {
        out[o] = x;
        out[o + 1] = y;
        out[o + 2] = z;
        return;
    }
    const p = place.pose * 7;
    rotate(out, o, poses, p + 3, x, y, z);
    for (let k = 0; k < 3; k++) out[o + k] += poses[p + k];
}
