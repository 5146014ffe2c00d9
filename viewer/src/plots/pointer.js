/** Drag on a plot: the time. Shift and drag: a range to zoom to. Ctrl and wheel (or pinch): zoom. */
import { h } from "../ui/dom.js";

export function attachPointer(plot, { store, seek }) {
    const { over } = plot;
    const at = (event) => event.clientX - over.getBoundingClientRect().left;
    let from = null;
    let box = null;

    over.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        over.setPointerCapture(event.pointerId);
        from = at(event);
        if (event.shiftKey) over.append((box = h("div", { class: "zoom-box" })));
        else seek(plot.posToVal(from, "x"));
    });
    over.addEventListener("pointermove", (event) => {
        if (from === null) return;
        const x = at(event);
        if (!box) return seek(plot.posToVal(x, "x"));
        box.style.left = `${Math.min(from, x)}px`;
        box.style.width = `${Math.abs(x - from)}px`;
    });
    const end = (event) => {
        if (box) {
            const [low, high] = [from, at(event)].sort((a, b) => a - b);
            if (high - low > 4)
                store.set({ zoom: [plot.posToVal(low, "x"), plot.posToVal(high, "x")] });
            box.remove();
        }
        from = box = null;
    };
    over.addEventListener("pointerup", end);
    over.addEventListener("pointercancel", end);
    over.addEventListener("dblclick", () => store.set({ zoom: null }));
    over.addEventListener(
        "wheel",
        (event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            store.set({ zoom: zoomed(plot, at(event), Math.exp(event.deltaY * 0.004)) });
        },
        { passive: false },
    );
}

/** The range scaled about the pointer; null when all is seen again. */
function zoomed(plot, x, factor) {
    const { min, max } = plot.scales.x;
    const centre = plot.posToVal(x, "x");
    const all = plot.data[0];
    const low = Math.max(all[0], centre - (centre - min) * factor);
    const high = Math.min(all[all.length - 1], centre + (max - centre) * factor);
    return low <= all[0] && high >= all[all.length - 1] ? null : [low, high];
}
