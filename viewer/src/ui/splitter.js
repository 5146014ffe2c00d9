/** The bar between picture and panel: drag it, or move it with the arrow keys. */
import { h } from "./dom.js";

export function splitter(left) {
    const set = (share) => {
        const percent = Math.min(80, Math.max(25, share));
        left.style.setProperty("--share", `${percent}%`);
        bar.setAttribute("aria-valuenow", Math.round(percent));
    };
    const share = () => (100 * left.clientWidth) / left.parentElement.clientWidth;
    const bar = h("div", {
        class: "splitter",
        role: "separator",
        tabindex: 0,
        "aria-orientation": "vertical",
        "aria-label": "Width of the picture",
        "aria-valuemin": 25,
        "aria-valuemax": 80,
        "aria-valuenow": 60,
        onpointerdown: (event) => bar.setPointerCapture(event.pointerId),
        onpointermove: (event) => {
            if (!bar.hasPointerCapture(event.pointerId)) return;
            const box = left.parentElement.getBoundingClientRect();
            set((100 * (event.clientX - box.left)) / box.width);
        },
        onkeydown: (event) => {
            const by = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
            if (!by) return;
            event.stopPropagation();
            set(share() + by);
        },
    });
    return bar;
}
