/** The column of plots. A plot is made when it first comes into view. */
import { h } from "../ui/dom.js";
import { Plot } from "./plot.js";
import { figuresOf } from "./figures.js";
import { campbellPlot } from "./campbell.js";
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
                h("p", { class: "hint" }, "Drag: time · Shift + drag: zoom ", this.reset),
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
        for (const figure of figuresOf(analysis)) this.add(figure);
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
        this.list.querySelector(".empty")?.remove();
        const plot = new Plot(figure, this.context);
        this.plots.push(plot);
        this.list.append(plot.element);
        plot.element.plot = plot;
        this.watch.observe(plot.element);
        this.box.targets(this.plots.filter((p) => p.takesMore));
        return plot;
    }

    remove(plot) {
        this.plots.splice(this.plots.indexOf(plot), 1);
        this.watch.unobserve(plot.element);
        plot.destroy();
        this.box.targets(this.plots.filter((p) => p.takesMore));
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

function emptyText(analysis) {
    if (analysis.type === "modes")
        return "A modal analysis has no plots over time. Its modes are under “Modes”.";
    return "There are no outputs to plot. Any variable of the result file can be added above.";
}
