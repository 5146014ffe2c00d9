/** The picture: renderer, camera, lights and the world; draws when something has changed. */
import {
    CanvasTexture,
    Color,
    DirectionalLight,
    HemisphereLight,
    Scene,
    SRGBColorSpace,
} from "three";
import { CameraRig } from "./camera.js";
import { Subject } from "./subject.js";
import { Deformer } from "./deform.js";
import { Gizmo } from "./gizmo.js";
import { World } from "./world.js";
import { Paint } from "./paint.js";
import { makeMapTexture } from "./colourmap.js";
import { pick } from "./picking.js";
import { makeRenderer, Resolution } from "./resolution.js";

export class Stage {
    /** Throws where the browser has no WebGL 2. @param {HTMLElement} host */
    constructor(host) {
        this.host = host;
        Object.assign(this, makeRenderer());
        this.canvas = this.renderer.domElement;
        this.canvas.setAttribute("aria-label", "The mechanism in 3D: drag to turn, wheel to zoom");
        this.canvas.tabIndex = 0;
        host.prepend(this.canvas);
        this.scene = new Scene();
        this.rig = new CameraRig(this.canvas, () => this.invalidate());
        this.addLights();
        this.colourMap = makeMapTexture();
        this.resolution = new Resolution(this.renderer, this.software, () => this.invalidate());
        this.queued = false;
        this.onDraw = [];
        new ResizeObserver(() => this.resize()).observe(host);
        this.resize();
    }

    addLights() {
        this.scene.add(new HemisphereLight(0xffffff, 0xc4c8d0, 2.0));
        this.key = new DirectionalLight(0xffffff, 1.35);
        this.scene.add(this.key, this.key.target);
    }

    /** Show another scene (SCENE of the report). */
    load(scene) {
        if (this.world) {
            this.scene.remove(this.world.object);
            this.world.dispose();
            this.gizmo.element.remove();
        }
        this.world = new World(scene, this.colourMap);
        this.scene.add(this.world.object);
        this.deformer = new Deformer(scene);
        this.poses = new Float64Array(scene.poses * 7);
        this.drawn = new Float64Array(scene.poses * 7);
        this.paint = new Paint(this.world, this.colourMap);
        this.gizmo = new Gizmo(scene.gravity ?? [0, 0, 0]);
        this.host.append(this.gizmo.element);
        this.arrows = [];
        this.source = null;
        this.rig.frame(scene);
    }

    /**
     * Pose everything for a frame. False when its data is still being decoded: nothing changes.
     * @param {object} state values of the store
     */
    show(state) {
        const { frame, exaggeration, about, follow } = state;
        if (!this.source?.read(Math.min(frame, this.source.frames - 1), this.poses)) return false;
        this.deformer.apply(this.poses, this.drawn, this.paint.isMode ? 1 : exaggeration, about);
        this.world.update(this.drawn);
        this.paint.apply(frame);
        for (const set of this.arrows) {
            if (set.object.visible) set.update(frame, this.drawn, state.forceScale);
        }
        if (follow >= 0) this.rig.follow(...this.middleOf(follow));
        this.invalidate();
        return true;
    }

    /** Mean position of a body's poses as drawn. */
    middleOf(bodyIndex) {
        const body = this.world.scene.bodies[bodyIndex];
        const first = body.type === "rigid" ? body.pose : body.first;
        const count = body.type === "rigid" ? 1 : body.type === "beam" ? body.n + 1 : body.n;
        const sum = [0, 0, 0];
        for (let p = first; p < first + count; p++) {
            for (let k = 0; k < 3; k++) sum[k] += this.drawn[7 * p + k] / count;
        }
        return sum;
    }

    /** The picture to begin with: all places where something will be, from a corner. */
    compose() {
        this.world.layGrid(this.rig.subject);
        this.rig.preset("iso");
    }

    /** See all that is drawn now. */
    fit() {
        this.rig.fit(new Subject(this.world.scene).add(this.drawn));
    }

    setArrows(list) {
        for (const set of this.arrows) {
            this.scene.remove(set.object);
            set.dispose();
        }
        this.arrows = list;
        for (const set of list) this.scene.add(set.object);
    }

    setDark(dark) {
        this.scene.background?.dispose?.();
        const colours = dark ? ["#2a323c", "#14181d"] : ["#fbfcfd", "#dfe5eb"];
        // A gradient is a picture of its own; without a graphics card that is too dear.
        this.scene.background = this.software
            ? new Color(dark ? "#1b2129" : "#f1f4f7")
            : gradient(colours);
        this.world?.setDark(dark);
        this.invalidate();
    }

    pickAt(x, y) {
        const { clientWidth: width, clientHeight: height } = this.host;
        return pick(
            { camera: this.rig.camera, world: this.world, poses: this.drawn, width, height },
            x,
            y,
        );
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.host;
        if (!width || !height) return;
        this.renderer.setSize(width, height);
        this.rig.resize(width / height);
        // Resizing clears the picture: draw in the same frame, nothing flickers.
        if (this.world) this.draw();
    }

    invalidate() {
        if (this.queued) return;
        this.queued = true;
        requestAnimationFrame((now) => {
            this.queued = false;
            this.resolution.begin();
            this.world?.setCoarse(this.resolution.isPressed);
            this.draw();
            requestAnimationFrame((next) => this.resolution.end(next - now));
        });
    }

    draw() {
        const { camera } = this.rig;
        // The light comes over the viewer's left shoulder: nothing is ever seen from its dark side.
        this.key.position.set(-0.5, 0.8, 1).applyQuaternion(camera.quaternion);
        this.renderer.render(this.scene, camera);
        this.gizmo?.update(camera);
        for (const callback of this.onDraw) callback();
    }

    /** @returns {Promise<Blob>} PNG of the picture as it is */
    screenshot() {
        this.resolution.rest();
        this.resolution.begin();
        this.draw();
        return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
    }
}

function gradient(colours) {
    const canvas = document.createElement("canvas");
    canvas.width = 2;
    canvas.height = 256;
    const context = canvas.getContext("2d");
    const fill = context.createLinearGradient(0, 0, 0, 256);
    colours.forEach((colour, i) => fill.addColorStop(i, colour));
    context.fillStyle = fill;
    context.fillRect(0, 0, 2, 256);
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    return texture;
}
