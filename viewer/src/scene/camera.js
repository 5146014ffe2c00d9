/** Cameras: perspective and orthographic with one set of controls, presets, fit, follow. */
import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Subject } from "./subject.js";

const FIELD = 35;
const AXES = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
/** Free space around what is fitted. */
const MARGIN = 1.12;
const step = new Vector3();

export class CameraRig {
    /** @param {HTMLElement} element @param {() => void} onChange */
    constructor(element, onChange) {
        this.element = element;
        this.onChange = onChange;
        this.perspective = new PerspectiveCamera(FIELD, 1, 0.01, 1000);
        this.orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.01, 1000);
        this.camera = this.perspective;
        this.up = "y";
        this.target = new Vector3();
        this.height = 1;
        this.aspect = 1;
        this.makeControls();
    }

    /** OrbitControls take `up` of their camera when they are made: new ones with each change. */
    makeControls() {
        this.controls?.dispose();
        this.controls = new OrbitControls(this.camera, this.element);
        this.controls.target.copy(this.target);
        this.controls.addEventListener("change", () => {
            this.target.copy(this.controls.target);
            this.onChange();
        });
    }

    /** @param {object} scene SCENE of the report */
    frame(scene) {
        const size = scene.size || 1;
        this.up = scene.up in AXES ? scene.up : "z";
        for (const camera of [this.perspective, this.orthographic]) {
            camera.up.copy(AXES[this.up]);
            camera.near = size * 0.005;
            camera.far = size * 60;
        }
        this.subject = new Subject(scene);
        this.subject.add(scene.rest);
        this.makeControls();
    }

    /** @param {"x"|"y"|"z"|"iso"} name look along a global axis, or from a corner */
    preset(name) {
        const direction = name === "iso" ? this.corner() : AXES[name].clone();
        // Seen exactly along "up" the controls have no north: a hair off.
        if (name === this.up) direction.addScaledVector(AXES[name === "z" ? "y" : "z"], 1e-3);
        this.look(direction.normalize());
    }

    corner() {
        const up = AXES[this.up];
        // Planar mechanisms are drawn in the x-y plane mostly: z towards the viewer, x to the right.
        const front = this.up === "z" ? new Vector3(0.55, -1, 0) : new Vector3(0.45, 0, 1);
        if (this.up === "x") front.set(0, 0.45, 1);
        // What lies flat on the ground is seen from higher up.
        const extent = step.subVectors(this.subject.high, this.subject.low);
        const isFlat = Math.abs(extent.dot(up)) < 0.1 * extent.length();
        return front.normalize().addScaledVector(up, isFlat ? 1.5 : 0.42);
    }

    /**
     * All of a subject from a direction (target to camera). In perspective a point (x, y, z), z
     * towards the camera, is inside the picture when |x| < (distance - z) tan(field/2) aspect.
     */
    look(direction, subject = this.subject) {
        const { centre, points, room } = subject;
        const right = new Vector3().crossVectors(AXES[this.up], direction).normalize();
        const top = new Vector3().crossVectors(direction, right);
        const tangent = Math.tan((FIELD * Math.PI) / 360);
        let distance = 0,
            half = 0;
        for (let i = 0; i < points.length; i += 3) {
            step.set(points[i], points[i + 1], points[i + 2]).sub(centre);
            const x = (Math.abs(step.dot(right)) + room) / this.aspect;
            const y = Math.abs(step.dot(top)) + room;
            half = Math.max(half, x, y);
            distance = Math.max(distance, step.dot(direction) + Math.max(x, y) / tangent);
        }
        this.place(centre, direction, MARGIN * distance, 2 * MARGIN * half);
    }

    place(centre, direction, distance, height) {
        this.target.copy(centre);
        this.controls.target.copy(centre);
        this.height = height;
        this.camera.position.copy(centre).addScaledVector(direction, distance);
        this.camera.zoom = 1;
        this.resize(this.aspect);
        this.controls.update();
        this.onChange();
    }

    /** The same direction as now. @param {Subject} subject */
    fit(subject) {
        this.look(this.camera.position.clone().sub(this.target).normalize(), subject);
    }

    setOrthographic(on) {
        const next = on ? this.orthographic : this.perspective;
        if (next === this.camera) return;
        const offset = this.camera.position.clone().sub(this.target);
        const tangent = Math.tan((FIELD * Math.PI) / 360);
        if (on) {
            this.height = 2 * offset.length() * tangent;
            next.zoom = 1;
        } else {
            offset.setLength(this.height / this.camera.zoom / 2 / tangent);
        }
        next.position.copy(this.target).add(offset);
        this.camera = next;
        this.resize(this.aspect);
        this.makeControls();
        this.controls.update();
        this.onChange();
    }

    resize(aspect) {
        this.aspect = aspect;
        this.perspective.aspect = aspect;
        const half = this.height / 2;
        Object.assign(this.orthographic, {
            left: -half * aspect,
            right: half * aspect,
            top: half,
            bottom: -half,
        });
        this.perspective.updateProjectionMatrix();
        this.orthographic.updateProjectionMatrix();
    }

    /** Move with a point; the view's direction and distance stay. */
    follow(x, y, z) {
        step.set(x, y, z).sub(this.target);
        this.target.add(step);
        this.controls.target.copy(this.target);
        this.camera.position.add(step);
    }
}
