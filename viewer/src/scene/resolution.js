/**
 * Pixels for speed: while a slow machine draws picture after picture, it draws fewer pixels and
 * coarser beams; when nothing moves, the picture is drawn once more in full.
 */
import { WebGLRenderer } from "three";

/** Milliseconds for a picture that call for less work, or allow more. */
const SLOW = 60;
const FAST = 25;
/** Shares of the pixels along each side; another size costs a moment, so there are few. */
const LEVELS = [1, 0.7, 0.5];
/** So many fast pictures in a row before more is tried. */
const PATIENCE = 12;
/** After so long without a new picture the last one is made sharp. */
const REST = 350;

/**
 * A renderer, and whether there is no graphics card behind it. Making a context takes long there,
 * so the one that was asked is kept.
 */
export function makeRenderer() {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { antialias: false, alpha: false });
    const info = context?.getExtension("WEBGL_debug_renderer_info");
    const name = info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
    if (/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name)) {
        return { renderer: new WebGLRenderer({ canvas, context }), software: true };
    }
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    const options = { antialias: true, alpha: false, powerPreference: "high-performance" };
    return { renderer: new WebGLRenderer(options), software: false };
}

export class Resolution {
    /** @param {boolean} software smooth edges by more pixels at rest, not by multisampling */
    constructor(renderer, software, redraw) {
        this.renderer = renderer;
        this.redraw = redraw;
        const screen = Math.min(globalThis.devicePixelRatio || 1, 2);
        this.most = software ? 1 : screen;
        this.sharp = software ? 2 : screen;
        this.level = 0;
        this.fast = 0;
        this.cost = 0;
        this.held = false;
        this.resting = true;
        this.apply(this.most);
    }

    /** A video keeps the size of its pictures. */
    hold(on) {
        this.held = on;
        this.apply(this.most);
    }

    /** Called before each picture. */
    begin() {
        clearTimeout(this.timer);
        if (this.held) return;
        // Where pictures are dear, a still one is not made dearer.
        if (this.resting) this.apply(this.cost > SLOW ? this.most : this.sharp);
        else this.apply(this.most * LEVELS[this.level]);
    }

    /** Called with the time until the browser was ready for the next one: what a picture costs. */
    end(cost) {
        if (!this.resting) this.learn(cost);
        const full = this.resting;
        this.resting = false;
        clearTimeout(this.timer);
        if (!full && !this.held) this.timer = setTimeout(() => this.rest(), REST);
    }

    learn(cost) {
        this.cost += 0.3 * (cost - this.cost);
        this.fast = cost < FAST ? this.fast + 1 : 0;
        if (cost > SLOW && this.cost > SLOW) {
            this.level = Math.min(this.level + 1, LEVELS.length - 1);
        } else if (this.fast > PATIENCE) {
            this.level = Math.max(this.level - 1, 0);
            this.fast = 0;
        }
    }

    /** Nothing moves: one picture in full. */
    rest() {
        this.resting = true;
        this.redraw();
    }

    /** Should less be drawn, too? */
    get isPressed() {
        return !this.resting && !this.held && this.cost > SLOW;
    }

    apply(ratio) {
        if (ratio === this.ratio) return;
        this.ratio = ratio;
        this.renderer.setPixelRatio(ratio);
    }
}
