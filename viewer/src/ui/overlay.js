/** What lies over the picture: tools, legend of colours, name under the pointer. */
import { h, iconButton, download, fileName } from "./dom.js";
import { number } from "./format.js";
import { gradientOf } from "../scene/colourmap.js";
import { recordVideo, canRecord } from "./record.js";

/** Buttons over the picture. */
export function toolbar(app) {
    const { store, stage } = app;
    const preset = (name, text, key) =>
        h(
            "button",
            {
                type: "button",
                class: "tool",
                title: `Look along ${text} (${key})`,
                "aria-label": `Look along ${text}`,
                onclick: () => stage.rig.preset(name),
            },
            text,
        );
    const pressed = (key, button) => {
        store.on([key], (state) => button.setAttribute("aria-pressed", Boolean(state[key])));
        return button;
    };
    const display = pressed(
        "display",
        iconButton("sliders", "Display (v)", () => store.toggle("display")),
    );
    const record = iconButton("video", "Record a video", () => recordVideo(app));
    record.hidden = !canRecord();
    store.on(["recording"], ({ recording }) =>
        record.classList.toggle("recording", Boolean(recording)),
    );
    return h(
        "div",
        { class: "toolbar", role: "toolbar", "aria-label": "View" },
        h(
            "div",
            { class: "tools" },
            preset("x", "x", 1),
            preset("y", "y", 2),
            preset("z", "z", 3),
            h(
                "button",
                {
                    type: "button",
                    class: "tool",
                    title: "Look from a corner (4)",
                    onclick: () => stage.rig.preset("iso"),
                },
                "iso",
            ),
            iconButton("fit", "Fit (f)", () => stage.fit()),
        ),
        h(
            "div",
            { class: "tools" },
            iconButton("camera", "Save a picture", async () =>
                download(await stage.screenshot(), `${fileName(app.run.name)}.png`),
            ),
            record,
            display,
        ),
    );
}

/** The chosen body: its name, follow, trace. */
export function selectionBar(app) {
    const { store } = app;
    const name = h("strong", {});
    const follow = iconButton("follow", "Follow this body", () => {
        const { selected, follow: now } = store.values;
        store.set({ follow: now === selected ? -1 : selected });
    });
    const trace = iconButton("trace", "Path of the point that was clicked", () =>
        store.toggle("trace"),
    );
    const bar = h(
        "div",
        { class: "selection", hidden: true },
        name,
        follow,
        trace,
        iconButton("close", "Clear the selection (escape)", () =>
            store.set({ selected: -1, follow: -1, trace: false }),
        ),
    );
    store.on(["selected", "follow", "trace"], ({ selected, follow: followed, trace: traced }) => {
        bar.hidden = selected < 0;
        if (selected >= 0) name.textContent = app.run.scene.bodies[selected].name;
        follow.setAttribute("aria-pressed", followed >= 0 && followed === selected);
        trace.setAttribute("aria-pressed", traced);
    });
    return bar;
}

export class Legend {
    constructor() {
        this.element = h("div", { class: "colour-legend", hidden: true });
    }

    /** @param {{name: string, map: string, low: number, high: number}|null} legend */
    show(legend) {
        this.element.hidden = !legend;
        if (!legend) return;
        const { name, map, low, high } = legend;
        const marks = [high, (low + high) / 2, low].map((v) => h("span", {}, number(v, 3)));
        const bar = h("div", { class: "bar" });
        bar.style.background = `linear-gradient(to top, ${gradientOf(map)})`;
        this.element.replaceChildren(
            h("div", { class: "name" }, name),
            h("div", { class: "scale" }, bar, h("div", { class: "marks" }, marks)),
        );
    }
}

/** Name and value under the pointer; a click selects. */
export function attachHover(app, host) {
    const { store, stage } = app;
    const tip = h("div", { class: "tip", hidden: true, role: "status" });
    let event = null;
    let queued = false;
    const look = () => {
        queued = false;
        const hit = event && stage.world && !event.buttons ? at(stage, event) : null;
        store.set({ hovered: hit ? hit.body : -1 });
        tip.hidden = !hit;
        if (!hit) return;
        const value = hit.value && stage.paint.valueAt(hit.value);
        const text = app.run.scene.bodies[hit.body].name;
        tip.textContent =
            typeof value === "number"
                ? `${text} · ${stage.paint.legend.name} ${number(value)}`
                : text;
        tip.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 14}px)`;
    };
    const wake = (e) => {
        event = e;
        if (!queued) requestAnimationFrame(look);
        queued = true;
    };
    stage.canvas.addEventListener("pointermove", wake);
    stage.canvas.addEventListener("pointerleave", () => wake(null));
    let down = null;
    stage.canvas.addEventListener("pointerdown", (e) => (down = [e.offsetX, e.offsetY]));
    stage.canvas.addEventListener("click", (e) => {
        // The end of a drag is not a click.
        if (!down || Math.hypot(e.offsetX - down[0], e.offsetY - down[1]) > 4) return;
        const hit = at(stage, e);
        store.set({
            selected: hit ? hit.body : -1,
            tracedPose: hit ? hit.pose : -1,
            ...(hit ? {} : { follow: -1, trace: false }),
        });
    });
    host.append(tip);
}

function at(stage, event) {
    return stage.pickAt(event.offsetX, event.offsetY);
}
