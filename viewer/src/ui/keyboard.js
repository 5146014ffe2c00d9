/** Keys, and the page that lists them. */
import { h, iconButton } from "./dom.js";

const KEYS = [
    ["Space", "play or pause"],
    ["← →", "one frame back or on (with Shift: ten)"],
    ["Home, End", "first, last frame"],
    ["+ −", "faster, slower"],
    ["l", "repeat"],
    ["1 2 3 4", "look along x, y, z, from a corner"],
    ["f", "fit the picture"],
    ["v", "display panel"],
    ["o", "orthographic or perspective"],
    ["↑ ↓", "previous, next mode"],
    ["d", "light or dark"],
    ["Esc", "clear the selection, close"],
    ["?", "this page"],
];

function actions({ store, player, stage }) {
    const look = (name) => () => stage?.rig.preset(name);
    const mode = (by) => () => {
        const { mode: now, modeCount } = store.values;
        if (modeCount) store.set({ mode: Math.min(Math.max(now + by, 0), modeCount - 1) });
    };
    return {
        " ": () => store.toggle("playing"),
        ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
        ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1),
        ArrowUp: mode(-1),
        ArrowDown: mode(1),
        Home: () => player.seekFrame(0),
        End: () => player.seekFrame(player.count - 1),
        "+": () => player.faster(1),
        "=": () => player.faster(1),
        "-": () => player.faster(-1),
        l: () => store.toggle("loop"),
        1: look("x"),
        2: look("y"),
        3: look("z"),
        4: look("iso"),
        f: () => stage?.fit(),
        v: () => store.toggle("display"),
        o: () => store.toggle("orthographic"),
        d: () => store.toggle("dark"),
        "?": () => store.toggle("help"),
        Escape: () =>
            store.set({ help: false, selected: -1, follow: -1, trace: false, display: false }),
    };
}

export function attachKeyboard(app) {
    const table = actions(app);
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        // Keys that a focused control uses itself stay with it.
        const { target } = event;
        if (target.matches("input:not([type=range]):not([type=checkbox]), select, textarea"))
            return;
        if (event.key === " " && target.matches("button, input, summary")) return;
        if (target.matches("input[type=range]:not(.scrub)") && /Arrow|Home|End/.test(event.key))
            return;
        if (/^Arrow(Up|Down)$/.test(event.key) && !app.store.get("modeCount")) return;
        const action = table[event.key] ?? table[event.key.toLowerCase()];
        if (!action) return;
        event.preventDefault();
        action(event);
    });
}

export function helpOverlay(store) {
    const close = iconButton("close", "Close", () => store.set({ help: false }));
    const overlay = h(
        "dialog",
        { class: "help", "aria-label": "Keys" },
        h("header", {}, h("h2", {}, "Keys"), close),
        h(
            "dl",
            {},
            KEYS.map(([key, text]) => [h("dt", {}, key), h("dd", {}, text)]),
        ),
        h(
            "p",
            { class: "hint" },
            "Picture: drag to turn, right drag to shift, wheel to zoom, click to select. Plots: drag for the time, Shift + drag or Ctrl + wheel to zoom, double click to see all.",
        ),
    );
    overlay.addEventListener("close", () => store.set({ help: false }));
    overlay.addEventListener(
        "click",
        (event) => event.target === overlay && store.set({ help: false }),
    );
    store.on(["help"], ({ help }) => {
        if (help && !overlay.open) overlay.showModal?.();
        else if (!help && overlay.open) overlay.close();
    });
    return overlay;
}
