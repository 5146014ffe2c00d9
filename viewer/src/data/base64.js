/**
 * Base64, a piece at a time: a report of 30 MB is not decoded before it can be looked at, only the
 * blobs that are asked for.
 */

const VALUE = new Uint8Array(256).fill(255);
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    .split("")
    .forEach((letter, value) => (VALUE[letter.charCodeAt(0)] = value));

/**
 * The bytes offset ... offset + length of what `text` stands for. Four letters are three bytes, so
 * the piece begins at a multiple of four letters and up to two bytes are cut off in front.
 *
 * @param {string} text standard alphabet, no line breaks
 * @param {number} offset
 * @param {number} length
 * @returns {Uint8Array}
 */
export function decodeRange(text, offset, length) {
    const first = Math.floor(offset / 3);
    const quads = Math.ceil((offset + length) / 3) - first;
    const bytes = new Uint8Array(quads * 3);
    let bad = 0;
    for (let q = 0, at = first * 4, to = 0; q < quads; q++, at += 4, to += 3) {
        const a = VALUE[text.charCodeAt(at)];
        const b = VALUE[text.charCodeAt(at + 1)];
        // The last quad may end in "=" (or in nothing): those parts are 0.
        const c = padded(text, at + 2);
        const d = padded(text, at + 3);
        bad |= a | b | c | d;
        bytes[to] = (a << 2) | (b >> 4);
        bytes[to + 1] = (b << 4) | (c >> 2);
        bytes[to + 2] = (c << 6) | d;
    }
    const last = Math.ceil(((offset + length) * 4) / 3);
    if (bad & 192 || last > text.length) throw new Error("its text is cut off or not Base64");
    const skip = offset - first * 3;
    return bytes.subarray(skip, skip + length);
}

function padded(text, at) {
    const code = text.charCodeAt(at);
    return code === 61 || code !== code ? 0 : VALUE[code];
}
