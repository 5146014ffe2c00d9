/** The bar under the picture: play, scrub, speed. */
import { h, icon, iconButton } from "./dom.js";
import { fixedFor } from "./format.js";
import { SPEEDS } from "./player.js";

export class Timeline {
    constructor(store, player) {
        this.store = store;
        this.player = player;
        this.play = iconButton("play", "Play (space)", () => store.toggle("playing"), {
            class: "icon-button play",
        });
        this.range = h("input", {
            type: "range",
            min: 0,
            max: 0,
            step: 1,
            value: 0,
            class: "scrub",
            "aria-label": "Frame",
            oninput: () => player.seekFrame(Number(this.range.value)),
        });
        this.clock = h("output", { class: "clock", "aria-label": "Time" });
        this.speed = h(
            "select",
            {
                "aria-label": "Speed",
                title: "Speed (+ and −)",
                onchange: () => store.set({ speed: Number(this.speed.value) }),
            },
            SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)),
        );
        this.loop = iconButton("loop", "Repeat (l)", () => store.toggle("loop"));
        this.element = h(
            "div",
            { class: "timeline", role: "group", "aria-label": "Animation" },
            iconButton("first", "First frame (home)", () => player.seekFrame(0), {
                class: "icon-button wide-only",
            }),
            iconButton("back", "One frame back (left arrow)", () => player.step(-1)),
            this.play,
            iconButton("forward", "One frame on (right arrow)", () => player.step(1)),
            iconButton("last", "Last frame (end)", () => player.seekFrame(player.count - 1), {
                class: "icon-button wide-only",
            }),
            this.range,
            this.clock,
            this.speed,
            this.loop,
        );
        store.on(["frame", "time"], (state) => this.show(state));
        store.on(["playing"], ({ playing }) => {
            this.play.replaceChildren(icon(playing ? "pause" : "play"));
            this.play.setAttribute("aria-label", playing ? "Pause (space)" : "Play (space)");
        });
        store.on(["speed"], ({ speed }) => (this.speed.value = speed));
        store.on(["loop"], ({ loop }) => this.loop.setAttribute("aria-pressed", loop));
    }

    /** @param {"time"|"modes"|"statics"} kind what the frames are */
    open(kind) {
        this.kind = kind;
        this.range.max = this.player.count - 1;
        this.fixed = fixedFor(this.player.times);
        this.element.hidden = this.player.count < 2;
        this.show(this.store.values);
    }

    show({ frame, time }) {
        this.range.value = frame;
        this.range.style.setProperty("--done", `${(100 * frame) / Math.max(1, this.range.max)}%`);
        this.clock.textContent = this.text(time);
        this.range.setAttribute("aria-valuetext", this.clock.textContent);
    }

    text(time) {
        if (!this.fixed) return "";
        if (this.kind === "modes") return `${Math.round(time * 360)}°`;
        const last = this.fixed(this.player.last);
        return this.kind === "statics"
            ? `load ${this.fixed(time)}`
            : `${this.fixed(time)} / ${last}`;
    }
}
