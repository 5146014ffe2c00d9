/** Directions of the axes and of gravity in a corner of the picture. */
import { Vector3 } from "three";
import { svg } from "../ui/dom.js";

const v = new Vector3();

export class Gizmo {
    constructor(gravity) {
        const size = Math.hypot(...gravity);
        this.arms = [
            ["x", [1, 0, 0]],
            ["y", [0, 1, 0]],
            ["z", [0, 0, 1]],
        ].map(([name, d]) => arm(name, d, 30));
        if (size > 0)
            this.arms.push(
                arm(
                    "g",
                    gravity.map((c) => c / size),
                    24,
                ),
            );
        this.element = svg(
            "svg",
            {
                class: "gizmo",
                viewBox: "-48 -48 96 96",
                role: "img",
                "aria-label":
                    size > 0 ? "Directions of the axes and of gravity" : "Directions of the axes",
            },
            this.arms.map((a) => a.group),
        );
    }

    /** @param {import("three").Camera} camera */
    update(camera) {
        for (const { direction, line, label, length } of this.arms) {
            v.set(...direction).transformDirection(camera.matrixWorldInverse);
            const x = v.x * length,
                y = -v.y * length;
            line.setAttribute("x2", x.toFixed(2));
            line.setAttribute("y2", y.toFixed(2));
            const beyond = 1 + 9 / Math.max(Math.hypot(x, y), 9);
            label.setAttribute("x", (x * beyond).toFixed(2));
            label.setAttribute("y", (y * beyond).toFixed(2));
        }
    }
}

function arm(name, direction, length) {
    const line = svg("line", { x1: 0, y1: 0, x2: 0, y2: 0 });
    const label = svg("text", { "dominant-baseline": "central", "text-anchor": "middle" });
    label.textContent = name;
    return {
        direction,
        length,
        line,
        label,
        group: svg("g", { class: `axis-${name}` }, [line, label]),
    };
}
