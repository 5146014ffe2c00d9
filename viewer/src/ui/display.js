/** What is drawn and how: the panel over the picture. */
import { h, iconButton } from "./dom.js";
import { number } from "./format.js";

/** A slider whose value runs logarithmically. */
function logSlider(label, low, high, get, set, id) {
    const input = h("input", {
        type: "range",
        min: 0,
        max: 300,
        step: 1,
        "aria-label": label,
        id,
        oninput: () => set(tidy(low * (high / low) ** (Number(input.value) / 300))),
    });
    const show = h("output", {});
    const update = () => {
        input.value = (300 * Math.log(get() / low)) / Math.log(high / low);
        show.textContent = `${number(get(), 3)}×`;
    };
    return { row: h("label", { class: "row slider" }, h("span", {}, label), input, show), update };
}

/** Two digits are enough for a scale. */
function tidy(value) {
    return Number(value.toPrecision(2));
}

function check(store, key, label) {
    const input = h("input", {
        type: "checkbox",
        onchange: () => store.set({ [key]: input.checked }),
    });
    store.on([key], (state) => (input.checked = state[key]));
    return h("label", { class: "check" }, input, label);
}

function choice(store, key, label, options) {
    const select = h(
        "select",
        { onchange: () => store.set({ [key]: select.value }) },
        options.map(([value, text]) => h("option", { value }, text)),
    );
    store.on([key], (state) => (select.value = state[key]));
    return h("label", { class: "row" }, h("span", {}, label), select);
}

export class DisplayPanel {
    /** @param {import("./store.js").Store} store */
    constructor(store) {
        this.store = store;
        this.exaggeration = logSlider(
            "Deformation",
            1,
            1000,
            () => store.get("exaggeration"),
            (exaggeration) => store.set({ exaggeration }),
        );
        this.forces = logSlider(
            "Arrow length",
            0.05,
            20,
            () => store.get("forceScale"),
            (forceScale) => store.set({ forceScale }),
        );
        this.offer = h("button", { type: "button", class: "text-button", hidden: true });
        this.colour = h("select", { onchange: () => store.set({ quantity: this.colour.value }) });
        this.deformation = h(
            "div",
            { class: "group" },
            this.exaggeration.row,
            choice(store, "about", "Seen from", [
                ["ends", "each beam's ends"],
                ["body", "each body's best fit"],
                ["rest", "the drawing"],
            ]),
            this.offer,
        );
        this.arrowRows = h(
            "div",
            { class: "group" },
            check(store, "forces", "Forces"),
            check(store, "moments", "Moments"),
            this.forces.row,
        );
        this.colourRow = h("label", { class: "row" }, h("span", {}, "Colour"), this.colour);
        this.element = h(
            "section",
            { class: "display", hidden: true, "aria-label": "Display" },
            h(
                "header",
                {},
                h("h2", {}, "Display"),
                iconButton("close", "Close", () => store.set({ display: false })),
            ),
            this.colourRow,
            this.deformation,
            this.arrowRows,
            h(
                "div",
                { class: "group checks" },
                check(store, "joints", "Joints"),
                check(store, "frames", "Frames"),
                check(store, "grid", "Grid"),
                check(store, "orthographic", "Orthographic"),
            ),
        );
        store.on(["exaggeration"], this.exaggeration.update);
        store.on(["forceScale"], this.forces.update);
        store.on(["display"], ({ display }) => (this.element.hidden = !display));
        store.on(["quantity"], ({ quantity }) => (this.colour.value = quantity));
    }

    /** @param {{quantities: string[], deforms: boolean, forces: boolean}} what there is to show */
    open({ quantities, deforms, forces }) {
        this.colour.replaceChildren(
            h("option", { value: "" }, "by body"),
            ...quantities.map((name) => h("option", { value: name }, name)),
        );
        this.colour.value = this.store.get("quantity");
        this.colourRow.hidden = !quantities.length;
        this.deformation.hidden = !deforms;
        this.arrowRows.hidden = !forces;
    }

    /** @param {number} scale that shows the deformation well */
    recommend(scale) {
        this.offer.hidden = !(scale > 1);
        this.offer.textContent = `Recommended: ${number(scale)}×`;
        this.offer.onclick = () => this.store.set({ exaggeration: scale });
    }
}
