/** Colours of the beams: a quantity of the run, or the motion of a mode. */
import { fillMapTexture, rangeOf } from "./colourmap.js";

export class Paint {
    constructor(world, texture) {
        this.world = world;
        this.texture = texture;
        this.place = new Float32Array(256);
        this.isMode = false;
        this.bytes = null;
        this.clear();
    }

    clear() {
        this.quantity = -1;
        this.motion = null;
        this.isMode = false;
        this.legend = null;
        this.bytes = null;
        this.world.beams.uniforms.coloured.value = 0;
    }

    /** @param {import("../data/tracks.js").ColourTrack} track @param {number} quantity */
    useQuantity(track, quantity) {
        this.track = track;
        this.quantity = quantity;
        const head = track.head.quantities[quantity];
        const { map, low, high } = rangeOf(head);
        // Byte -> place on the map, once: a frame then is one lookup per node.
        for (let b = 0; b < 256; b++) {
            const value = head.min + ((head.max - head.min) * b) / 255;
            this.place[b] = (value - low) / (high - low || 1);
        }
        fillMapTexture(this.texture, map);
        this.legend = { name: head.name, map, low, high };
        this.head = head;
        this.world.beams.uniforms.coloured.value = 1;
    }

    /** @param {Float64Array} motion of each pose, 0..1 */
    useMotion(motion) {
        this.clear();
        this.isMode = true;
        this.motion = motion;
        fillMapTexture(this.texture, "sequential");
        this.legend = { name: "motion", map: "sequential", low: 0, high: 1 };
        this.world.beams.uniforms.coloured.value = 1;
    }

    apply(frame) {
        if (this.motion) return this.world.beams.colourByPose(this.motion);
        if (this.quantity < 0) return;
        // Not decoded yet: the colours of the last frame stay for a moment.
        this.bytes = this.track.read(this.quantity, frame) ?? this.bytes;
        if (this.bytes) this.world.beams.colour((k) => this.place[this.bytes[k]]);
    }

    /** The quantity at a place on a beam, {k, s}: between value k and the next. */
    valueAt({ k, s }) {
        if (!this.bytes || this.quantity < 0) return null;
        const byte = this.bytes[k] + s * (this.bytes[k + 1] - this.bytes[k]);
        return this.head.min + ((this.head.max - this.head.min) * byte) / 255;
    }
}
