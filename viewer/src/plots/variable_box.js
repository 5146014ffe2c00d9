/** The search box that puts any variable of the result file into a plot. */
import { h } from "../ui/dom.js";
import { catalogue, search } from "../data/variables.js";

export class VariableBox {
    /** @param {(variable: object, target: object|null) => void} onPick */
    constructor(report, onPick) {
        this.report = report;
        this.onPick = onPick;
        this.plots = [];
        this.input = h("input", {
            type: "search",
            placeholder: "Add a variable…",
            "aria-label": "Add a variable to a plot",
            autocomplete: "off",
            spellcheck: "false",
            oninput: () => this.refresh(),
            onfocus: () => this.refresh(),
            onkeydown: (event) => this.key(event),
        });
        this.target = h("select", { "aria-label": "Plot that the variable is added to" });
        this.results = h("ul", { class: "variables", hidden: true });
        this.element = h("div", { class: "variable-box" }, this.input, this.target, this.results);
        this.targets([]);
        addEventListener("pointerdown", (event) => {
            if (!this.element.contains(event.target)) this.results.hidden = true;
        });
    }

    /** @param {object[]} plots that can take another curve */
    targets(plots) {
        this.plots = plots;
        this.target.replaceChildren(
            h("option", { value: "-1" }, "new plot"),
            ...plots.map((plot, i) => h("option", { value: i }, `into ${plot.figure.title}`)),
        );
    }

    refresh() {
        this.list ??= this.report.runs.flatMap(catalogue).filter(firstOfItsName());
        const found = search(this.list, this.input.value);
        this.results.hidden = false;
        this.results.replaceChildren(
            ...found.map((variable) =>
                h(
                    "li",
                    {},
                    h(
                        "button",
                        { type: "button", onclick: () => this.pick(variable) },
                        h("span", {}, variable.label),
                        h("small", {}, variable.group),
                    ),
                ),
            ),
        );
        if (!found.length) this.results.append(h("li", { class: "none" }, "nothing of that name"));
    }

    key(event) {
        if (event.key === "Escape") this.results.hidden = true;
        if (event.key === "Enter") this.results.querySelector("button")?.click();
    }

    pick(variable) {
        this.results.hidden = true;
        this.input.value = "";
        this.onPick(variable, this.plots[Number(this.target.value)] ?? null);
    }
}

/** Runs of the same model have the same variables: each is listed once. */
function firstOfItsName() {
    const seen = new Set();
    return ({ ref }) => {
        const key = JSON.stringify(ref);
        return !seen.has(key) && Boolean(seen.add(key));
    };
}
