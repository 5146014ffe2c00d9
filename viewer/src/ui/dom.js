/** Elements made by hand. Names from a report reach the page as text only, never as markup. */

/**
 * @param {string} tag
 * @param {object} [attributes] "on..." are listeners, the rest attributes; false leaves one out
 * @param {...(Node|string|number|null|Array)} children
 */
export function h(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, children = []) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, value);
    }
    element.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
    return element;
}

/** Paths of the icons, drawn in a square of 24. */
const ICONS = {
    play: "M8 5v14l11-7z",
    pause: "M7 5h4v14H7zM13 5h4v14h-4z",
    first: "M6 5h2.5v14H6zM20 5v14L9.5 12z",
    last: "M15.5 5H18v14h-2.5zM4 5v14l10.5-7z",
    back: "M14 6v12L5 12zM16 6h2.5v12H16z",
    forward: "M10 6v12l9-6zM5.5 6H8v12H5.5z",
    loop: "M12 5V2L7 6l5 4V7a5 5 0 0 1 4.6 7l1.6 1.200A7 7 0 0 0 12 5zm-4.6 5-1.6-1.200A7 7 0 0 0 12 19v3l5-4-5-4v3a5 5 0 0 1-4.6-7z",
    moon: "M20 14.500A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.500z",
    help: "M11 18h2v2h-2zM12 4a5 5 0 0 0-5 5h2a3 3 0 1 1 4.5 2.600C12 12.5 11 13.3 11 15.500h2c0-1.5.8-2 2-2.800A5 5 0 0 0 12 4z",
    camera: "M9 5 7.5 7H4v12h16V7h-3.500L15 5zm3 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
    video: "M4 6h11v12H4zM16.5 10.5 21 7.500v9l-4.5-3z",
    fit: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
    sliders:
        "M4 7h8.200a3 3 0 0 1 5.6 0H20v2h-2.200a3 3 0 0 1-5.6 0H4zM4 15h2.200a3 3 0 0 1 5.6 0H20v2h-8.200a3 3 0 0 1-5.6 0H4z",
    close: "m6.4 5 5.6 5.600L17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.600L6.4 19 5 17.6 10.6 12 5 6.400z",
    follow: "M11 2h2v3.100A7 7 0 0 1 18.9 11H22v2h-3.100A7 7 0 0 1 13 18.900V22h-2v-3.100A7 7 0 0 1 5.1 13H2v-2h3.100A7 7 0 0 1 11 5.100zM12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zm0 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
    trace: "M3 18c4 0 4-12 9-12 4 0 3 8 6 8 1.5 0 2-1.5 2-3h2c0 3-1.5 5-4 5-5 0-4-8-6-8-3 0-3 12-9 12z",
};

export function icon(name) {
    return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, [
        svg("path", { d: ICONS[name] }),
    ]);
}

/** A button with an icon; its label is for everyone who cannot see it. */
export function iconButton(name, label, onclick, attributes = {}) {
    return h(
        "button",
        {
            type: "button",
            class: "icon-button",
            "aria-label": label,
            title: label,
            onclick,
            ...attributes,
        },
        icon(name),
    );
}

export function download(blob, name) {
    const url = URL.createObjectURL(blob);
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A file name made of a report's names. */
export function fileName(...parts) {
    return parts
        .filter(Boolean)
        .join("-")
        .replace(/[^\p{L}\p{N}._-]+/gu, "_")
        .slice(0, 80);
}
