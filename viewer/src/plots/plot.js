/** One uPlot in a card: legend with the values at the cursor, zoom, time cursor, export. */
import uPlot from "uplot";
import { h, iconButton, download, fileName } from "../ui/dom.js";
import { number } from "../ui/format.js";
import { load } from "../data/variables.js";
import { indexAt, joined, toCsv } from "./join.js";
import { plotOptions, seriesStyle } from "./style.js";
import { attachPointer } from "./pointer.js";
import { plotPicture } from "./picture.js";

export class Plot {
    /**
     * @param {object} figure see figures.js
     * @param {object} context {runs, store, seek, remove}
     */
    constructor(figure, context) {
        this.figure = figure;
        this.context = context;
        this.takesMore = true;
        this.lines = [];
        this.legend = h("div", { class: "legend" });
        this.body = h("div", { class: "plot-body" }, h("div", { class: "plot-wait" }, "…"));
        this.title = h("h3", {}, figure.title);
        this.element = h(
            "article",
            { class: "plot-card" },
            h("header", {}, this.title, this.buttons()),
            this.legend,
            this.body,
        );
    }

    buttons() {
        const button = (text, label, onclick) =>
            h(
                "button",
                {
                    type: "button",
                    class: "text-button",
                    title: label,
                    "aria-label": `${label}: ${this.figure.title}`,
                    onclick,
                },
                text,
            );
        return h(
            "span",
            { class: "plot-buttons" },
            button("CSV", "Save the numbers as CSV", () => this.saveCsv()),
            button("PNG", "Save the plot as a picture", () => this.savePng()),
            this.figure.own &&
                iconButton("close", `Remove ${this.figure.title}`, () => this.context.remove(this)),
        );
    }

    /** Load what the figure names, from every run that has it, and draw. */
    async build() {
        this.built = true;
        const wanted = [];
        this.figure.series.forEach((series, s) => {
            this.context.runs.forEach((run, r) => {
                const loading = load(run, series.ref);
                if (loading) wanted.push({ run, r, s, name: series.name, loading });
            });
        });
        const done = await Promise.allSettled(wanted.map((w) => w.loading));
        this.lines = wanted
            .map((w, i) => ({ ...w, ...done[i].value, reason: done[i].reason }))
            .filter((line) => line.x);
        const failed = done.find((d) => d.status === "rejected");
        if (!this.lines.length) return this.say(failed ? failed.reason.message : "no data");
        this.draw();
    }

    say(text) {
        this.body.replaceChildren(h("div", { class: "plot-wait" }, text));
    }

    draw() {
        const several = this.context.runs.length > 1;
        this.data = joined(this.lines, this.figure.log);
        this.names = this.lines.map((l) => (several ? `${l.name} · ${l.run.name}` : l.name));
        const styles = this.lines.map((l) =>
            seriesStyle(
                this.figure.series.length > 1 ? l.s : l.r,
                this.figure.series.length > 1 ? l.r : 0,
            ),
        );
        this.drawLegend(styles);
        this.plot?.destroy();
        this.body.replaceChildren();
        const options = plotOptions(this.figure, styles, this.body.clientWidth || 400, () =>
            this.zoom(),
        );
        if (this.data[0].length === 1)
            for (const series of options.series.slice(1)) series.points = { show: true, size: 8 };
        this.line = h("div", { class: "time-line" });
        // Scales change a moment after they were asked to: the cursor is placed when they have.
        options.hooks = { draw: [() => this.update(this.context.store.values)] };
        this.plot = new uPlot(options, this.data, this.body);
        this.plot.over.append(this.line);
        if (this.isTime()) attachPointer(this.plot, this.context);
        if (this.data.slice(1).every((column) => column.every((v) => v == null))) {
            this.plot.over.append(h("div", { class: "plot-empty" }, "no finite values"));
        }
    }

    drawLegend(styles) {
        this.values = this.lines.map(() => h("output", {}));
        this.legend.replaceChildren(
            ...this.lines.map((line, i) =>
                h(
                    "span",
                    { class: "chip" },
                    h("i", {
                        class: "swatch",
                        style: `--colour:${styles[i].colour}; --dash:${styles[i].dash.length ? "dashed" : "solid"}`,
                    }),
                    h("span", { class: "chip-name" }, this.names[i]),
                    this.values[i],
                ),
            ),
        );
    }

    /** Does its x run with the animation? */
    isTime() {
        return this.figure.axis === this.context.axisName();
    }

    zoom() {
        return this.isTime() ? this.context.store.get("zoom") : null;
    }

    /** Put the cursor where the animation is. */
    update({ time }) {
        if (!this.plot || !this.isTime()) return;
        const x = this.plot.valToPos(time, "x");
        const inside = x >= -1 && x <= this.plot.over.clientWidth + 1;
        this.line.style.display = inside ? "" : "none";
        this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
        this.lines.forEach((line, i) => {
            this.values[i].textContent = number(line.y[indexAt(line.x, time)]);
        });
    }

    rescale() {
        if (!this.plot) return;
        this.plot.setData(this.data);
    }

    resize() {
        const width = this.body.clientWidth;
        if (!this.plot || !width || width === this.plot.width) return;
        this.plot.setSize({ width, height: this.plot.height });
    }

    async saveCsv() {
        if (!this.built) await this.build();
        if (!this.data) return;
        const text = toCsv(this.figure.axis, this.names, this.data);
        download(
            new Blob([text], { type: "text/csv" }),
            `${fileName(this.context.runs[0].name, this.figure.title)}.csv`,
        );
    }

    async savePng() {
        if (!this.built) await this.build();
        if (!this.plot) return;
        const blob = await plotPicture(this.plot, this.figure.title, this.names);
        download(blob, `${fileName(this.context.runs[0].name, this.figure.title)}.png`);
    }

    destroy() {
        this.plot?.destroy();
        this.element.remove();
    }
}
