/** Puts the page together and keeps its parts in step. */
import { h, iconButton } from "./dom.js";
import { Store } from "./store.js";
import { Player } from "./player.js";
import { Timeline } from "./timeline.js";
import { DisplayPanel } from "./display.js";
import { ModesPanel } from "./modes.js";
import { attachKeyboard, helpOverlay } from "./keyboard.js";
import { modelPanel, summaryPanel } from "./summary.js";
import { hasPower, powerPanel } from "./power.js";
import { Tabs } from "./tabs.js";
import { Banners, statusBanner, warningBanner } from "./banners.js";
import { splitter } from "./splitter.js";
import { PlotPanel } from "../plots/panel.js";
import { View } from "./view.js";
import { PHASES } from "../scene/sources.js";

const START = {
    frame: 0,
    time: 0,
    playing: false,
    speed: 1,
    loop: true,
    zoom: null,
    exaggeration: 1,
    about: "ends",
    quantity: "",
    forces: false,
    moments: false,
    forceScale: 1,
    joints: true,
    frames: false,
    grid: true,
    orthographic: false,
    trace: false,
    tracedPose: -1,
    selected: -1,
    hovered: -1,
    follow: -1,
    mode: 0,
    modeCount: 0,
    amplitude: 1,
    dark: false,
    display: false,
    help: false,
    recording: null,
};

export class App {
    /** @param {HTMLElement} root @param {import("../data/report.js").Report} report */
    constructor(root, report) {
        this.root = root;
        this.report = report;
        this.run = report.runs.find((run) => run.scene) ?? report.runs[0];
        this.store = new Store({ ...START, dark: prefersDark() });
        this.banners = new Banners();
        report.onDamage = (message) => this.banners.damage(message);
        this.player = new Player(this.store, () => this.view.isShown());
        this.seek = (time) => this.player.seek(time);
        this.tell = (message) => this.banners.add("notice", message);
    }

    start() {
        const { store } = this;
        document.title = this.report.head.title || this.run.head.title || this.run.name;
        store.on(
            ["dark"],
            ({ dark }) => (document.documentElement.dataset.theme = dark ? "dark" : "light"),
        );
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) =>
            store.set({ dark: e.matches }),
        );
        this.timeline = new Timeline(store, this.player);
        this.display = new DisplayPanel(store);
        this.modes = new ModesPanel(store);
        this.plots = new PlotPanel(this);
        this.view = new View(this);
        this.layout();
        for (const run of this.report.runs) {
            statusBanner(this.banners, run);
            warningBanner(this.banners, run);
        }
        // The frame of the page is seen before the heavy part begins.
        requestAnimationFrame(() => setTimeout(() => this.begin()));
    }

    begin() {
        this.view.begin();
        attachKeyboard({ store: this.store, player: this.player, stage: this.view.stage });
        this.openAnalysis(startAnalysis(this.run)).finally(() => {
            document.documentElement.dataset.ready = "yes";
            performance.mark("limber-interactive");
        });
    }

    layout() {
        const { store, report } = this;
        this.tabs = new Tabs([
            ["plots", "Plots", this.plots.element],
            ["modes", "Modes", this.modes.element],
            ["power", "Power", powerPanel(report)],
            ["summary", "Summary", summaryPanel(report)],
            ["model", "Model", modelPanel(report)],
        ]);
        this.tabs.toggle("power", hasPower(report));
        const picture = h(
            "section",
            { class: "picture" },
            this.view.element,
            this.timeline.element,
        );
        const panel = h("section", { class: "panel" }, this.tabs.element);
        const main = h("main", {}, picture, splitter(picture), panel);
        main.classList.toggle("drawing", report.head.kind === "drawing");
        this.root.replaceChildren(this.header(), this.banners.element, main, helpOverlay(store));
    }

    header() {
        const { store } = this;
        const title = this.report.head.title || this.run.head.title || this.run.name;
        const dark = iconButton("moon", "Light or dark (d)", () => store.toggle("dark"));
        store.on(["dark"], (state) => dark.setAttribute("aria-pressed", state.dark));
        return h(
            "header",
            { class: "top" },
            h("h1", { title }, title),
            this.runChoice(),
            this.analysisChoice(),
            h("span", { class: "space" }),
            dark,
            iconButton("help", "Keys (?)", () => store.toggle("help")),
        );
    }

    runChoice() {
        const runs = this.report.runs;
        if (runs.length < 2) return null;
        const select = h(
            "select",
            { "aria-label": "Run that is drawn", onchange: () => this.openRun(runs[select.value]) },
            runs.map((run, i) =>
                h(
                    "option",
                    { value: i, selected: run === this.run, disabled: !run.scene },
                    run.name,
                ),
            ),
        );
        return select;
    }

    analysisChoice() {
        this.choice = h("select", {
            "aria-label": "Analysis",
            onchange: () => this.openAnalysis(this.run.analyses[this.choice.value]),
        });
        this.fillChoice();
        return this.choice;
    }

    fillChoice() {
        const { analyses } = this.run;
        this.choice.replaceChildren(...analyses.map((a, i) => h("option", { value: i }, a.name)));
        this.choice.hidden = analyses.length < 2;
    }

    openRun(run) {
        this.run = run;
        this.fillChoice();
        this.view.loadScene();
        this.openAnalysis(startAnalysis(run));
    }

    async openAnalysis(analysis) {
        if (!analysis) return this.view.showRest();
        this.analysis = analysis;
        this.choice.value = this.run.analyses.indexOf(analysis);
        const kind = analysis.head.modes?.count
            ? "modes"
            : analysis.type === "statics"
              ? "statics"
              : "time";
        const { modes } = analysis.head;
        this.store.set({ playing: false, zoom: null, mode: 0, modeCount: modes?.count ?? 0 });
        this.tabs.toggle("modes", kind === "modes");
        if (kind === "modes") this.modes.open(modes);
        this.tabs.toggle("plots", this.report.head.kind !== "drawing");
        this.tabs.show(
            kind === "modes" ? "modes" : this.report.head.kind === "drawing" ? "model" : "plots",
        );
        const times =
            kind === "modes"
                ? Float64Array.from({ length: PHASES }, (_, i) => i / PHASES)
                : await analysis
                      .frameTimes()
                      .catch(() => Float64Array.from({ length: analysis.frames }, (_, i) => i));
        this.player.open(times, kind);
        this.timeline.open(kind);
        this.plots.show(analysis);
        await this.view.open(analysis, kind);
    }
}

/** What moves, or else the last analysis that has something to show: earlier ones lead up to it. */
function startAnalysis(run) {
    return (
        run.analyses.findLast((a) => a.frames > 1 && a.head.type === "dynamics") ??
        run.analyses.findLast(
            (a) => a.frames > 0 || a.head.modes?.count || a.tables.results?.rows,
        ) ?? run.analyses[0]
    );
}

function prefersDark() {
    return matchMedia("(prefers-color-scheme: dark)").matches;
}
