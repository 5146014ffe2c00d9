/** The picture and what belongs to it: follows the store, survives a browser without WebGL. */
import { h } from "./dom.js";
import { attachHover, Legend, selectionBar, toolbar } from "./overlay.js";
import { Stage } from "../scene/stage.js";
import { Arrows } from "../scene/arrows.js";
import { ModeSource, RestSource, TrackSource } from "../scene/sources.js";
import { pathOf } from "../data/tracks.js";

const FORCE = { joint_forces: 0xd64550, load_forces: 0x8a4fd0 };
const MOMENT = { joint_forces: 0x2f8fb8, load_forces: 0x2f8fb8 };

export class View {
    constructor(app) {
        this.app = app;
        this.store = app.store;
        this.legend = new Legend();
        this.element = h("div", { class: "view" });
        this.shown = true;
    }

    begin() {
        const { app, store } = this;
        if (!app.report.runs.some((run) => run.scene)) {
            return this.sayNo(
                "There is no drawing in this report. The notes under “Summary” say why; the plots work.",
            );
        }
        try {
            this.stage = app.stage = new Stage(this.element);
        } catch {
            return this.sayNo(
                "This browser offers no WebGL 2, so the mechanism cannot be drawn in 3D. The plots work.",
            );
        }
        this.element.append(
            toolbar(app),
            selectionBar(app),
            this.legend.element,
            app.display.element,
        );
        attachHover(app, this.element);
        this.loadScene();
        store.on(
            ["frame", "exaggeration", "about", "forceScale", "follow", "amplitude", "mode"],
            () => this.refresh(),
        );
        store.on(["quantity"], () => this.recolour());
        store.on(["selected", "hovered"], ({ selected, hovered }) => {
            this.stage.world.mark(selected, hovered);
            this.stage.invalidate();
        });
        store.on(["joints", "frames", "grid"], (state) => this.toggleParts(state));
        store.on(["forces", "moments"], () => this.toggleArrows());
        store.on(["orthographic"], ({ orthographic }) =>
            this.stage.rig.setOrthographic(orthographic),
        );
        store.on(["trace", "tracedPose"], () => this.retrace());
        store.on(["dark"], ({ dark }) => this.stage.setDark(dark));
    }

    sayNo(text) {
        this.element.append(h("p", { class: "no-picture" }, text));
        this.element.classList.add("without");
    }

    /** The scene of the app's run. */
    loadScene() {
        if (!this.stage) return;
        this.store.set({ selected: -1, hovered: -1, follow: -1, trace: false });
        this.stage.load(this.app.run.scene);
        this.analysis = null;
        this.stage.setDark(this.store.get("dark"));
        this.toggleParts(this.store.values);
    }

    showRest() {
        if (!this.stage) return;
        this.stage.source = new RestSource(this.app.run.scene);
        this.app.timeline.element.hidden = true;
        this.stage.compose();
        this.refresh();
    }

    /** @param {import("../data/report.js").Analysis} analysis */
    async open(analysis, kind) {
        const { stage, app } = this;
        if (!stage || !app.run.scene) return;
        this.analysis = analysis;
        stage.setArrows([]);
        stage.paint.clear();
        const scene = app.run.scene;
        if (kind === "modes") {
            const shapes = await analysis.shapes().catch(() => null);
            if (!shapes) return this.showRest();
            stage.source = new ModeSource(analysis.head.modes, shapes, scene.size);
        } else if (analysis.poses) {
            stage.source = new TrackSource(analysis.poses, () => this.shown || this.refresh());
        } else {
            stage.source = new RestSource(scene);
        }
        this.colours = analysis.colours;
        if (this.colours) this.colours.onLoad = () => this.refresh();
        this.describe(kind, scene);
        if (kind === "modes") this.surveyModes(analysis.head.modes.count);
        else if (analysis.poses) await this.survey(analysis);
        if (this.analysis !== analysis) return;
        stage.compose();
        this.recolour();
        this.toggleArrows();
    }

    /** Tell the display panel what this analysis has. */
    describe(kind, scene) {
        const { head } = this.analysis;
        const flexible = scene.bodies.some((body) => body.type !== "rigid");
        this.app.display.open({
            quantities: this.colours?.names ?? [],
            deforms: flexible && kind !== "modes",
            forces: Boolean(head.joint_forces?.rows || head.load_forces?.rows),
        });
        this.store.set({ about: kind === "statics" ? "rest" : "ends", exaggeration: 1 });
        if (!this.colours) this.store.set({ quantity: "" });
    }

    refresh() {
        const { stage, store } = this;
        if (!stage?.source) return;
        const { mode, amplitude } = store.values;
        if (stage.source instanceof ModeSource) {
            stage.source.amplitude = amplitude;
            if (stage.source.mode !== mode) stage.source.select(mode);
        }
        this.shown = stage.show(store.values);
        // The frame that is really on the screen, which may be behind the wanted one.
        if (this.shown) this.element.dataset.shown = store.get("frame");
    }

    /** Is the wanted frame on the screen, or lost for good? */
    isShown() {
        return this.shown || Boolean(this.stage?.source?.isLost?.(this.store.get("frame")));
    }

    recolour() {
        const { paint, source } = this.stage;
        if (!source) return;
        const name = this.store.get("quantity");
        const quantity = this.colours?.head.quantities.findIndex((q) => q.name === name) ?? -1;
        if (source instanceof ModeSource) paint.useMotion(source.motion);
        else if (quantity >= 0) paint.useQuantity(this.colours, quantity);
        else paint.clear();
        this.legend.show(paint.legend);
        this.refresh();
    }

    toggleParts({ joints, frames, grid }) {
        const { world } = this.stage;
        world.signs.joints.visible = joints;
        world.signs.frames.visible = frames;
        world.grid.visible = grid;
        this.refresh();
        this.stage.invalidate();
    }

    async toggleArrows() {
        const { forces, moments } = this.store.values;
        if ((forces || moments) && !this.stage.arrows.length && this.analysis)
            await this.makeArrows();
        for (const set of this.stage.arrows)
            set.object.visible = set.first === 0 ? forces : moments;
        this.refresh();
    }

    async makeArrows() {
        const { stage, analysis } = this;
        const { scene } = this.app.run;
        const list = [];
        for (const name of ["joint_forces", "load_forces"]) {
            const data = await analysis.vectors(name)?.catch(() => null);
            if (!data) continue;
            const places =
                name === "joint_forces"
                    ? scene.joints.map((j) => j.b)
                    : scene.loads.map((l) => l.at);
            const style = { radius: 0.25 * stage.world.unit, length: 0.25 * scene.size };
            list.push(
                new Arrows(places, analysis.head[name], data, {
                    ...style,
                    first: 0,
                    tint: FORCE[name],
                }),
            );
            list.push(
                new Arrows(places, analysis.head[name], data, {
                    ...style,
                    first: 3,
                    tint: MOMENT[name],
                }),
            );
        }
        if (this.analysis === analysis) stage.setArrows(list);
    }

    async retrace() {
        const { stage, store, analysis } = this;
        const { trace, tracedPose } = store.values;
        const path =
            trace && tracedPose >= 0 && analysis?.poses
                ? await pathOf(analysis.poses, tracedPose)
                : null;
        stage.world.showTrace(path);
        stage.invalidate();
    }

    /** Both ends of every mode's motion are in the picture. */
    surveyModes(count) {
        const { source, rig, poses } = this.stage;
        for (let mode = count - 1; mode >= 0; mode--) {
            source.select(mode);
            for (const part of [0, 0.25, 0.5, 0.75]) {
                source.read(part * source.frames, poses);
                rig.subject.add(poses);
            }
        }
    }

    /** Look at a few frames: where the mechanism goes, and the scale that shows its deformation. */
    async survey(analysis) {
        const { stage } = this;
        const track = analysis.poses;
        const poses = new Float64Array(track.count * 7);
        let most = 0;
        for (const frame of sample(track)) {
            const chunk = await track.cache
                .get(Math.floor(frame / track.head.chunk))
                .catch(() => null);
            if (this.analysis !== analysis) return;
            if (!chunk) continue;
            track.unpack(chunk, frame % track.head.chunk, poses);
            stage.rig.subject.add(poses);
            most = Math.max(most, stage.deformer.largest(poses, this.store.get("about")));
        }
        this.app.display.recommend(stage.deformer.recommended(most));
    }
}

/** Frames over the whole run; fewer when each is large. */
function sample({ rows, count }) {
    const wanted = Math.min(rows, count * rows > 1e6 ? 3 : 24);
    const frames = Array.from({ length: wanted }, (_, i) =>
        Math.round((i * (rows - 1)) / Math.max(1, wanted - 1)),
    );
    return new Set(frames);
}
