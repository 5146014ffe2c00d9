/** Tabs of the panel beside the picture. */
import { h } from "./dom.js";

export class Tabs {
    /** @param {[string, string, HTMLElement][]} tabs id, title, content */
    constructor(tabs) {
        this.tabs = new Map();
        this.bar = h("div", { class: "tab-bar", role: "tablist" });
        this.element = h("div", { class: "tabs" }, this.bar);
        for (const [id, title, content] of tabs) {
            const button = h(
                "button",
                {
                    type: "button",
                    role: "tab",
                    id: `tab-${id}`,
                    "aria-controls": `panel-${id}`,
                    onclick: () => this.show(id),
                },
                title,
            );
            const panel = h(
                "div",
                {
                    class: "tab-panel",
                    role: "tabpanel",
                    id: `panel-${id}`,
                    "aria-labelledby": `tab-${id}`,
                },
                content,
            );
            this.tabs.set(id, { button, panel });
            this.bar.append(button);
            this.element.append(panel);
        }
    }

    show(id) {
        for (const [name, { button, panel }] of this.tabs) {
            button.setAttribute("aria-selected", name === id);
            panel.hidden = name !== id;
        }
    }

    toggle(id, there) {
        this.tabs.get(id).button.hidden = !there;
    }
}
