/** The column of plots. A plot is made when it first comes into view. */
import { h } from "../ui/dom.js";
import { Plot } from "./plot.js";
import { figuresOf } from "./figures.js";
import { campbellPlot } from "./campbell.js";
import { tableCards } from "./tables.js";
import { VariableBox } from "./variable_box.js";

export class PlotPanel {
    /** @param {object} app {store, report, seek} */
    constructor({ store, report, seek }) {
        this.store = store;
        this.report = report;
        this.plots = [];
        this.axis = "t";
        this.context = {
            runs: report.runs,
            store,
            seek,
            remove: (plot) => this.remove(plot),
            axisName: () => this.axis,
        };
        this.list = h("div", { class: "plot-list" });
        this.reset = h(
            "button",
            { type: "button", class: "text-button", onclick: () => store.set({ zoom: null }) },
            "show all",
        );
        this.hint = h("p", { class: "hint" }, "Drag: time · Shift + drag: zoom ", this.reset);
        this.box = new VariableBox(report, (variable, target) =>
            this.addVariable(variable, target),
        );
        this.element = h(
            "div",
            { class: "plots" },
            h(
                "div",
                { class: "plots-bar" },
                this.box.element,
                this.hint,
            ),
            this.list,
        );
        this.watch = new IntersectionObserver((entries) => this.seen(entries), {
            rootMargin: "300px",
        });
        this.sizes = new ResizeObserver(() => this.plots.forEach((plot) => plot.resize()));
        this.sizes.observe(this.list);
        store.on(["time"], (state) => this.plots.forEach((plot) => plot.update(state)));
        store.on(["zoom"], ({ zoom }) => {
            this.reset.hidden = !zoom;
            this.plots.forEach((plot) => plot.rescale());
        });
        store.on(["dark"], () => this.plots.forEach((plot) => plot.plot?.redraw(false)));
        addEventListener("beforeprint", () =>
            this.plots.forEach((plot) => plot.built || plot.build()),
        );
    }

    /** Plots of an analysis; those that were added by hand stay. */
    show(analysis) {
        this.analysis = analysis;
        this.axis = analysis.tables.results ? analysis.axisOf("results").column : "t";
        for (const plot of this.plots.filter((p) => !p.figure.own)) this.remove(plot);
        this.list.querySelector(".empty")?.remove();
        const figures = figuresOf(analysis);
        const single = figures.filter(({ series }) => isSingle(analysis, series[0].ref));
        for (const card of tableCards(analysis, single, this.report.runs)) this.place(card);
        for (const figure of figures) if (!single.includes(figure)) this.add(figure);
        if (analysis.type === "campbell") this.addCampbell(analysis);
        else if (!this.plots.length)
            this.list.append(h("p", { class: "empty" }, emptyText(analysis)));
    }

    async addCampbell(analysis) {
        const figure = await campbellPlot(analysis).catch(() => null);
        if (!figure || this.analysis !== analysis) return;
        this.list.prepend(figure.element);
        this.plots.unshift(figure);
        figure.draw();
    }

    add(figure) {
        return this.place(new Plot(figure, this.context));
    }

    place(plot) {
        this.list.querySelector(".empty")?.remove();
        this.plots.push(plot);
        this.list.append(plot.element);
        plot.element.plot = plot;
        this.watch.observe(plot.element);
        this.listTargets();
        return plot;
    }

    remove(plot) {
        this.plots.splice(this.plots.indexOf(plot), 1);
        this.watch.unobserve(plot.element);
        plot.destroy();
        this.listTargets();
    }

    listTargets() {
        const curves = this.plots.filter((p) => p.takesMore);
        this.box.targets(curves);
        this.hint.hidden = !curves.length;
    }

    addVariable({ label, ref }, target) {
        const series = { name: label, ref };
        if (target) {
            target.figure.series.push(series);
            target.build();
        } else {
            const { axis } = this;
            target = this.add({ title: label, series: [series], own: true, axis });
        }
        target.element.scrollIntoView({ block: "nearest" });
    }

    seen(entries) {
        for (const { isIntersecting, target } of entries) {
            if (!isIntersecting) continue;
            this.watch.unobserve(target);
            target.plot.build();
        }
    }
}

function isSingle(analysis, { table }) {
    return analysis.tables[table].rows === 1;
}

function emptyText(analysis) {
    if (analysis.type === "linearize") return "The linearised model has no poles.";
    if (analysis.type === "modes")
        return "A modal analysis has no plots over time. Its modes are under “Modes”.";
    return "There are no outputs to plot. Any variable of the result file can be added above.";
}
