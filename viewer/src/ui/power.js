/** The power graph: its drawing, and what went through its elements. */
import { h, svg } from "./dom.js";
import { number } from "./format.js";

/** What the drawing may consist of; anything else is left out. */
const TAGS = new Set(["g", "rect", "path", "text"]);
const ATTRIBUTES = new Set(
    (
        "x y width height rx d fill fill-opacity stroke stroke-opacity stroke-width " +
        "stroke-linejoin font-size font-weight text-anchor"
    ).split(" "),
);

/** The drawing's text as elements of this page: shapes and texts only. */
function drawing(text) {
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (root.localName !== "svg") return h("p", { class: "empty" }, "The drawing is damaged.");
    const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(" ").map(Number);
    return svg(
        "svg",
        {
            width,
            height,
            viewBox: `0 0 ${width} ${height}`,
            style: `min-width:${Math.round(0.7 * width)}px`, // its names stay readable
            role: "img",
            "aria-label": "Bond graph",
            "font-family": root.getAttribute("font-family"),
        },
        copies(root),
    );
}

function copies(parent) {
    return [...parent.children]
        .filter((child) => TAGS.has(child.localName))
        .map((child) => {
            const attributes = [...child.attributes]
                .filter(({ name }) => ATTRIBUTES.has(name))
                .map(({ name, value }) => [name, value]);
            const content = child.localName === "text" ? [child.textContent] : copies(child);
            return svg(child.localName, Object.fromEntries(attributes), content);
        });
}

const KINDS = {
    Se: "sources",
    Sf: "sources",
    R: "dissipated",
    C: "stored",
    I: "stored",
    port: "to the mechanism",
};
const ORDER = ["sources", "dissipated", "stored", "to the mechanism"];

/**
 * Elements by kind, then by energy, and the balance. `taken` is the energy that an element keeps;
 * `given` is all that elements have given, whichever they are.
 */
export function balance(elements) {
    const rows = elements
        .filter(({ type }) => KINDS[type])
        .map((element, i) => ({
            ...element,
            i,
            kind: KINDS[element.type],
            taken: element.in - element.out,
        }));
    rows.sort(
        (a, b) =>
            ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
            Math.abs(b.taken) - Math.abs(a.taken) ||
            a.i - b.i,
    );
    const given = rows.reduce((sum, { taken }) => sum + Math.max(0, -taken), 0);
    const missing = rows.reduce((sum, { taken }) => sum - taken, 0);
    return { rows, given, missing };
}

/** A bar of the part of all energy; that of what gives runs the other way. */
function bar(taken, given) {
    const part = given > 0 ? Math.min(1, Math.abs(taken) / given) : 0;
    return h(
        "div",
        { class: taken < 0 ? "power-bar gives" : "power-bar", "aria-hidden": "true" },
        h("i", { style: `width:${(100 * part).toFixed(2)}%` }),
    );
}

/** Per cent with one digit and the minus sign of the other numbers. */
function percent(part) {
    const text = (100 * Math.abs(part)).toFixed(1);
    return `${part < 0 && text !== "0.0" ? "\u2212" : ""}${text} %`;
}

function row(element, duration, given, first) {
    const { name, type, kind, taken, largest, at } = element;
    const energy = kind === "sources" ? -taken : taken;
    return h(
        "tr",
        { class: first ? "first" : false },
        h("th", { scope: "row" }, first ? kind : ""),
        h("td", {}, h("span", { class: "power-type" }, type), name),
        h("td", { class: "figure" }, number(energy)),
        h("td", { class: "figure" }, given > 0 ? percent(energy / given) : ""),
        h("td", {}, bar(taken, given)),
        h("td", { class: "figure" }, duration > 0 ? number(energy / duration) : ""),
        h("td", { class: "figure" }, number(largest)),
        h("td", { class: "figure" }, number(at)),
    );
}

/** What the sources gave and where it went, as one bar; without what is too little to be seen. */
function wholeBar(rows, given) {
    const parts = rows.filter(({ taken }) => taken > 0.002 * given);
    if (!(given > 0) || !parts.length) return null;
    return h(
        "div",
        { class: "power-whole", role: "img", "aria-label": "Where the energy went" },
        parts.map(({ name, kind, taken }) =>
            h(
                "span",
                {
                    class: `part-${ORDER.indexOf(kind)}`,
                    style: `flex-grow:${(taken / given).toFixed(5)}`,
                    title: `${name}: ${number(taken)} (${percent(taken / given)})`,
                },
                taken / given > 0.08 ? name : "",
            ),
        ),
    );
}

function table(analysis, several) {
    const { elements, duration } = analysis.head.power;
    const { rows, given, missing } = balance(elements);
    const heads = ["", "element", "energy", "part", "", "mean power", "largest power", "at t"];
    const relative = given > 0 ? Math.abs(missing) / given : 0;
    return h(
        "section",
        {},
        several && h("h3", {}, analysis.name),
        wholeBar(rows, given),
        h(
            "div",
            { class: "table-wrap" },
            h(
                "table",
                { class: "power-table" },
                h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
                h(
                    "tbody",
                    {},
                    rows.map((r, i) => row(r, duration, given, rows[i - 1]?.kind !== r.kind)),
                ),
            ),
        ),
        h(
            "p",
            { class: "facts" },
            `Given ${number(given)}, taken ${number(given - missing)}: ` +
                `a difference of ${relative.toExponential(1)} of it.`,
        ),
    );
}

export function hasPower(report) {
    return report.runs.some((run) => run.head.graph);
}

export function powerPanel(report) {
    const several = report.runs.length > 1;
    return h(
        "div",
        { class: "power-panel" },
        report.runs
            .filter((run) => run.head.graph)
            .map((run) => {
                const analyses = run.analyses.filter((a) => a.head.power?.elements.length);
                return h(
                    "section",
                    {},
                    h("h2", {}, several ? `Power graph of ${run.name}` : "Power graph"),
                    h(
                        "div",
                        { class: "graph", tabindex: 0, "aria-label": "Power graph" },
                        drawing(run.head.graph),
                    ),
                    h(
                        "p",
                        { class: "hint" },
                        "Half arrows point along positive power; the stroke is at the end that is given the effort.",
                    ),
                    analyses.map((a) => table(a, analyses.length > 1)),
                );
            }),
    );
}
