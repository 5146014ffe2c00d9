/** Campbell diagram: frequencies of the modes against speed, with the line of once per turn. */
import uPlot from "uplot";
import { h } from "../ui/dom.js";
import { number } from "../ui/format.js";
import { plotOptions, seriesStyle, themed } from "./style.js";

const COLUMNS = ["speed", "mode", "frequency", "damping_ratio"];

/** @param {import("../data/report.js").Analysis} analysis */
export async function campbellPlot(analysis) {
    const table = Object.keys(analysis.tables).find((name) =>
        COLUMNS.slice(0, 3).every((c) => analysis.tables[name].columns.includes(c)),
    );
    if (!table) return null;
    const has = COLUMNS.filter((c) => analysis.tables[table].columns.includes(c));
    const columns = await Promise.all(has.map((c) => analysis.column(table, c)));
    const at = Object.fromEntries(has.map((c, i) => [c, columns[i]]));
    const speeds = [...new Set(at.speed)].sort((a, b) => a - b);
    const modes = [...new Set(at.mode)].sort((a, b) => a - b);
    const lines = modes.map(() => new Array(speeds.length).fill(null));
    at.speed.forEach((speed, i) => {
        const f = at.frequency[i];
        lines[modes.indexOf(at.mode[i])][speeds.indexOf(speed)] = Number.isFinite(f) ? f : null;
    });
    const whirl = await whirls(analysis, speeds, modes);
    return new CampbellPlot(speeds, modes, lines, whirl, await criticalSpeeds(analysis));
}

/** For each mode and speed "forward", "backward" or ""; null where results say nothing of it. */
async function whirls(analysis, speeds, modes) {
    if (!analysis.tables.roots?.columns.includes("whirl")) return null;
    const [speed, mode, whirl] = await Promise.all(
        ["speed", "mode", "whirl"].map((c) => analysis.column("roots", c)),
    );
    const lines = modes.map(() => new Array(speeds.length).fill(""));
    whirl.forEach((w, i) => {
        const name = w > 0.05 ? "forward" : w < -0.05 ? "backward" : "";
        const line = lines[modes.indexOf(mode[i])];
        if (line) line[speeds.indexOf(speed[i])] = name;
    });
    return lines;
}

async function criticalSpeeds(analysis) {
    if (!analysis.tables.critical_speeds?.rows) return [];
    return [...(await analysis.column("critical_speeds", "speed"))];
}

class CampbellPlot {
    constructor(speeds, modes, lines, whirl = null, critical = []) {
        Object.assign(this, { speeds, modes, lines, whirl, critical });
        this.figure = { title: "Campbell diagram" };
        this.takesMore = false;
        this.body = h("div", { class: "plot-body" });
        this.readout = h(
            "p",
            { class: "hint" },
            "Frequency in Hz against speed in rad/s; dashed: once per turn." + this.criticalText(),
        );
        this.element = h(
            "article",
            { class: "plot-card campbell" },
            h("header", {}, h("h3", {}, "Campbell diagram")),
            this.readout,
            this.body,
        );
    }

    criticalText() {
        const list = this.critical.map((speed) => number(speed)).join(", ");
        return list ? ` Critical speeds: ${list} rad/s.` : "";
    }

    draw() {
        const once = this.speeds.map((speed) => Math.abs(speed) / (2 * Math.PI));
        const data = [this.speeds, ...this.lines, once];
        const styles = this.modes.map((_, i) => seriesStyle(i, 0));
        styles.push({ colour: themed("--muted"), dash: [6, 5] });
        const options = plotOptions(
            { height: 340 },
            styles,
            this.body.clientWidth || 400,
            () => null,
        );
        options.scales.y.range = (_plot, _low, high) => [0, this.top() || high || 1];
        options.series.forEach((series, i) => {
            if (i > 0 && i <= this.modes.length) series.points = { show: true, size: 4 };
        });
        this.plot = new uPlot(options, data, this.body);
        this.plot.over.addEventListener("pointermove", (event) => this.point(event));
    }

    /** Modes set the height of the diagram, the line of once per turn does not. */
    top() {
        return 1.08 * Math.max(0, ...this.lines.flat().filter((f) => f !== null));
    }

    point(event) {
        const box = this.plot.over.getBoundingClientRect();
        const speed = this.plot.posToVal(event.clientX - box.left, "x");
        const frequency = this.plot.posToVal(event.clientY - box.top, "y");
        const i = this.speeds.reduce(
            (best, s, k) => (Math.abs(s - speed) < Math.abs(this.speeds[best] - speed) ? k : best),
            0,
        );
        let nearest = 0;
        this.lines.forEach((line, m) => {
            if (Math.abs(line[i] - frequency) < Math.abs(this.lines[nearest][i] - frequency))
                nearest = m;
        });
        const whirl = this.whirl?.[nearest][i];
        const name = `Mode ${number(this.modes[nearest])}${whirl ? `, ${whirl} whirl` : ""}`;
        this.readout.textContent = `${name}: ${number(this.lines[nearest][i])} Hz at speed ${number(this.speeds[i])} rad/s`;
    }

    update() {}

    rescale() {}

    resize() {
        const width = this.body.clientWidth;
        if (this.plot && width && width !== this.plot.width)
            this.plot.setSize({ width, height: 340 });
    }

    get built() {
        return true;
    }

    destroy() {
        this.plot?.destroy();
        this.element.remove();
    }
}
