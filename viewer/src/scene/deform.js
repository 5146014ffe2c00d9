/**
 * Exaggeration: what is drawn for a scale e of the deformation. A pose seen in a floating frame
 * (t, R) of its body has moved by d and turned by b from rest; drawn is
 *
 *     x = t + R (X + e d),   R_i = R exp(e b) R0_i
 *
 * so e = 1 is what was computed.
 */
import { floatingFrame, localTurn } from "./floating.js";
import { multiply, rotate, rotateBack, toRotationVector, fromRotationVector } from "./pose.js";

/** An exaggerated rotation is held below this angle: beyond, a beam would curl up. */
const LARGEST_TURN = 1.3;

const frame = new Float64Array(10);
const v = new Float64Array(3);
const b = new Float64Array(3);
const q = new Float64Array(4);

export class Deformer {
    /** @param {object} scene SCENE of the report */
    constructor(scene) {
        this.rest = Float64Array.from(scene.rest);
        this.size = scene.size || 1;
        this.flexible = scene.bodies
            .filter((body) => body.type !== "rigid" && nodeCount(body) > 1)
            .map((body) => ({
                first: body.first,
                count: nodeCount(body),
                beam: body.type === "beam",
            }));
    }

    /**
     * @param {Float64Array} poses as computed
     * @param {Float64Array} out as drawn
     * @param {number} scale
     * @param {"ends"|"body"|"rest"} about what the deformation is seen from: the line through a
     *        beam's ends, the body's best-fit frame, or the place where everything was drawn
     */
    apply(poses, out, scale, about) {
        out.set(poses);
        if (scale === 1) return;
        if (about === "rest") {
            frame.fill(0);
            frame[0] = 1;
            for (let p = 0; p < this.rest.length / 7; p++) this.exaggerate(poses, out, p, scale);
            return;
        }
        for (const { first, count, beam } of this.flexible) {
            floatingFrame(poses, this.rest, first, count, beam && about === "ends", frame);
            for (let p = first; p < first + count; p++) this.exaggerate(poses, out, p, scale);
        }
    }

    exaggerate(poses, out, pose, scale) {
        const { rest } = this;
        const at = pose * 7;
        rotateBack(
            v,
            0,
            frame,
            0,
            poses[at] - frame[4],
            poses[at + 1] - frame[5],
            poses[at + 2] - frame[6],
        );
        for (let k = 0; k < 3; k++) {
            const X = rest[at + k] - frame[7 + k];
            v[k] = X + scale * (v[k] - X);
        }
        rotate(v, 0, frame, 0, v[0], v[1], v[2]);
        for (let k = 0; k < 3; k++) out[at + k] = frame[4 + k] + v[k];

        localTurn(q, frame, poses, rest, pose);
        toRotationVector(b, 0, q, 0);
        const angle = Math.hypot(b[0], b[1], b[2]) * scale;
        const s = angle > LARGEST_TURN ? (scale * LARGEST_TURN) / angle : scale;
        fromRotationVector(q, 0, s * b[0], s * b[1], s * b[2]);
        multiply(q, 0, q, 0, rest, at + 3);
        multiply(out, at + 3, frame, 0, q, 0);
    }

    /** Largest displacement of a node against its floating frame in this frame of the animation. */
    largest(poses, about) {
        let most = 0;
        for (const { first, count, beam } of this.flexible) {
            if (about === "rest") (frame.fill(0), (frame[0] = 1));
            else floatingFrame(poses, this.rest, first, count, beam && about === "ends", frame);
            for (let p = first * 7; p < (first + count) * 7; p += 7) {
                rotateBack(
                    v,
                    0,
                    frame,
                    0,
                    poses[p] - frame[4],
                    poses[p + 1] - frame[5],
                    poses[p + 2] - frame[6],
                );
                let sum = 0;
                for (let k = 0; k < 3; k++) sum += (v[k] - (this.rest[p + k] - frame[7 + k])) ** 2;
                most = Math.max(most, sum);
            }
        }
        return Math.sqrt(most);
    }

    /** The scale, 1-2-5, at which a displacement `most` shows as a twentieth of the drawing. */
    recommended(most) {
        const wish = (0.05 * this.size) / most;
        if (!(wish > 1)) return 1;
        const decade = 10 ** Math.floor(Math.log10(Math.min(wish, 1000)));
        const digit = Math.min(wish, 1000) / decade;
        return decade * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
    }
}

/** Poses of a body: a beam of n elements has n + 1, a superelement n. */
export function nodeCount(body) {
    if (body.type === "rigid") return 1;
    return body.type === "beam" ? body.n + 1 : body.n;
}
