/** Colour maps: viridis for amounts, blue-grey-red (Moreland 2009) for signed quantities. */
import { DataTexture, LinearFilter, SRGBColorSpace } from "three";

/** Anchors of the maps, evenly spaced, sRGB; both are near to uniform in perceived lightness. */
const ANCHORS = {
    sequential: [
        [68, 1, 84],
        [71, 45, 123],
        [59, 82, 139],
        [44, 114, 142],
        [33, 145, 140],
        [40, 174, 128],
        [94, 201, 98],
        [173, 220, 48],
        [253, 231, 37],
    ],
    diverging: [
        [59, 76, 192],
        [98, 130, 234],
        [141, 176, 254],
        [184, 208, 249],
        [221, 221, 221],
        [245, 196, 173],
        [244, 154, 123],
        [222, 96, 77],
        [180, 4, 38],
    ],
};

/** @param {"sequential"|"diverging"} name @param {number} t 0..1 @returns {number[]} r g b, 0..255 */
export function colourAt(name, t) {
    const anchors = ANCHORS[name];
    const x = Math.min(Math.max(t, 0), 1) * (anchors.length - 1);
    const i = Math.min(Math.floor(x), anchors.length - 2);
    return anchors[i].map((c, k) => Math.round(c + (anchors[i + 1][k] - c) * (x - i)));
}

export function makeMapTexture() {
    const texture = new DataTexture(new Uint8Array(256 * 4), 256, 1);
    texture.colorSpace = SRGBColorSpace;
    texture.minFilter = texture.magFilter = LinearFilter;
    return texture;
}

export function fillMapTexture(texture, name) {
    for (let i = 0; i < 256; i++) texture.image.data.set([...colourAt(name, i / 255), 255], 4 * i);
    texture.needsUpdate = true;
}

/** CSS gradient for the legend. */
export function gradientOf(name) {
    return ANCHORS[name].map((rgb) => `rgb(${rgb})`).join(", ");
}

/**
 * How a quantity {min, max} is mapped: signed ones symmetrically about zero.
 * @returns {{map: "sequential"|"diverging", low: number, high: number}}
 */
export function rangeOf({ min, max }) {
    if (min < 0 && max > 0) {
        const most = Math.max(-min, max);
        return { map: "diverging", low: -most, high: most };
    }
    if (min < 0) return { map: "diverging", low: min, high: -min };
    return { map: "sequential", low: Math.min(0, min), high: max > 0 ? max : 1 };
}
