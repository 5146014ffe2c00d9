/** The list of modes: frequency, damping, what moves; the one that is animated. */
import { h } from "./dom.js";
import { number } from "./format.js";

export class ModesPanel {
    /** @param {import("./store.js").Store} store */
    constructor(store) {
        this.store = store;
        this.body = h("tbody", {});
        this.amplitude = h("input", {
            type: "range",
            min: 0,
            max: 4,
            step: 0.05,
            "aria-label": "Amplitude",
            oninput: () => store.set({ amplitude: Number(this.amplitude.value) }),
        });
        this.shown = h("output", {});
        this.element = h(
            "div",
            { class: "modes" },
            h(
                "label",
                { class: "row slider" },
                h("span", {}, "Amplitude"),
                this.amplitude,
                this.shown,
            ),
            h(
                "div",
                { class: "table-wrap" },
                h(
                    "table",
                    {},
                    h(
                        "thead",
                        {},
                        h(
                            "tr",
                            {},
                            ["Mode", "Frequency Hz", "Damping", "Moves most"].map((t) =>
                                h("th", { scope: "col" }, t),
                            ),
                        ),
                    ),
                    this.body,
                ),
            ),
        );
        store.on(["mode"], () => this.mark());
        store.on(["amplitude"], ({ amplitude }) => {
            this.amplitude.value = amplitude;
            this.shown.textContent = `${number(amplitude, 3)}×`;
        });
    }

    /** @param {object} modes MODES of the report */
    open(modes) {
        this.rows = Array.from({ length: modes.count }, (_, i) => {
            const choose = h(
                "button",
                {
                    type: "button",
                    class: "mode-button",
                    onclick: () => this.store.set({ mode: i, playing: true }),
                },
                `${i + 1}`,
            );
            return h(
                "tr",
                { onclick: () => choose.click() },
                h("td", {}, choose),
                h("td", { class: "figure" }, number(modes.frequency[i], 6)),
                h("td", { class: "figure" }, damping(modes, i)),
                h("td", {}, modes.describe?.[i] ?? ""),
            );
        });
        this.rows.forEach((row) =>
            row.querySelector("button").addEventListener("click", (e) => e.stopPropagation()),
        );
        this.body.replaceChildren(...this.rows);
        this.mark();
    }

    mark() {
        const chosen = this.store.get("mode");
        this.rows?.forEach((row, i) => {
            row.classList.toggle("chosen", i === chosen);
            row.querySelector("button").setAttribute("aria-pressed", i === chosen);
        });
    }
}

/** A ratio in percent; modes that do not vibrate by name, as `limber modes` prints them. */
function damping(modes, i) {
    const ratio = modes.damping_ratio[i];
    if (modes.frequency[i] === 0) {
        if (ratio === 0) return "rigid";
        return `${ratio > 0 ? "decays" : "grows"}, ${number(modes.real?.[i], 3)} /s`;
    }
    return `${number(100 * ratio, 3)} %`;
}
