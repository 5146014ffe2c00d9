/** Results that are no curves, as tables among the plots: poles, and the values of a single row. */
import { h } from "../ui/dom.js";
import { number } from "../ui/format.js";
import { load } from "../data/variables.js";

/** Tables of an analysis. @param {object[]} figures see figures.js: those with a single row */
export function tableCards(analysis, figures, runs) {
    const cards = [];
    if (analysis.type === "linearize" && analysis.tables.results?.rows)
        cards.push(polesCard(analysis, runs));
    const groups = new Map();
    for (const figure of figures) {
        const { table } = figure.series[0].ref;
        if (!groups.has(table)) groups.set(table, []);
        groups.get(table).push(figure);
    }
    for (const [table, group] of groups)
        cards.push(valuesCard(table === "results" ? "values" : table, group, runs));
    return cards;
}

/** A row for each real pole and for each pair, which `linearize` writes once. */
function polesCard(analysis, runs) {
    const heads = ["Pole", "Real 1/s", "Imaginary rad/s", "Frequency Hz", "Damping"];
    return new TableCard("poles", heads, 0, async () => {
        const rows = [];
        for (const run of runs) {
            const found = run.analyses.find((a) => isLike(a, analysis));
            if (!found) continue;
            if (runs.length > 1) rows.push([run.name]);
            rows.push(...(await poleRows(found)));
        }
        return rows;
    });
}

function isLike(a, b) {
    return a.name === b.name && a.type === b.type && Boolean(a.tables.results?.rows);
}

async function poleRows(analysis) {
    const [real, imaginary, frequency, ratio] = await Promise.all(
        ["real", "imaginary", "frequency", "damping_ratio"].map((c) =>
            analysis.column("results", c),
        ),
    );
    return Array.from(real, (re, i) => [
        `${i + 1}`,
        number(re, 5),
        imaginary[i] ? `±${number(Math.abs(imaginary[i]), 5)}` : "0",
        number(frequency[i], 6),
        frequency[i] ? `${number(100 * ratio[i], 3)} %` : tendency(re),
    ]);
}

/** Of a pole that does not vibrate. */
function tendency(real) {
    return real < 0 ? "decays" : real > 0 ? "grows" : "–";
}

/** One column per run; of a run with more rows than the first its last. */
function valuesCard(title, figures, runs) {
    const several = runs.length > 1;
    const lines = figures.flatMap(({ title: name, series }) =>
        series.map((s) => ({ name: series.length > 1 ? s.name : name, ref: s.ref })),
    );
    const heads = ["Name", ...(several ? runs.map((run) => run.name) : ["Value"])];
    const value = async (run, ref) => {
        const found = await load(run, ref)?.catch(() => null);
        return found ? number(found.y[found.y.length - 1], 6) : "–";
    };
    return new TableCard(title, heads, 1, () =>
        Promise.all(
            lines.map(async ({ name, ref }) => [
                name,
                ...(await Promise.all(runs.map((run) => value(run, ref)))),
            ]),
        ),
    );
}

/** A card that stands where plots do; made when it comes into view, as they are. */
class TableCard {
    /**
     * @param {number} texts columns that are text
     * @param {() => Promise<string[][]>} load rows; a single cell is a heading of those below
     */
    constructor(title, heads, texts, load) {
        Object.assign(this, { heads, texts, load });
        this.figure = { title };
        this.takesMore = false;
        this.body = h("tbody", {});
        this.element = h(
            "article",
            { class: "plot-card" },
            h("header", {}, h("h3", {}, title)),
            numbersTable(heads, texts, this.body),
        );
    }

    async build() {
        this.built = true;
        const rows = await this.load().catch(() => []);
        this.body.replaceChildren(
            ...rows.map((row) =>
                row.length > 1
                    ? numbersRow(row, this.texts)
                    : headingRow(row[0], this.heads.length),
            ),
        );
    }

    update() {}

    rescale() {}

    resize() {}

    destroy() {
        this.element.remove();
    }
}

/** A table of numbers behind `texts` columns of text. */
export function numbersTable(heads, texts, ...bodies) {
    const head = heads.map((name, i) =>
        h("th", { scope: "col", class: i < texts ? "" : "figure" }, name),
    );
    return h(
        "div",
        { class: "numbers" },
        h("table", {}, h("thead", {}, h("tr", {}, head)), bodies),
    );
}

export function headingRow(text, columns) {
    return h("tr", {}, h("th", { colspan: columns, scope: "rowgroup" }, text));
}

export function numbersRow(cells, texts) {
    return h(
        "tr",
        {},
        cells.map((cell, i) => h("td", { class: i < texts ? "" : "figure" }, cell)),
    );
}
