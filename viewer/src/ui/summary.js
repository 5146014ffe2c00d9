/** What the run says of itself: status, verdicts, messages, notes; and the model file. */
import { h } from "./dom.js";
import { differencesTable } from "./differences.js";

const VERDICTS = { good: "good", fair: "fair", bad: "poor" };

function summaryTable(analysis, several) {
    const rows = (analysis.head.summary ?? []).map(({ label, value, verdict }) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, label),
            h("td", {}, value),
            h(
                "td",
                {},
                VERDICTS[verdict] && h("span", { class: `verdict ${verdict}` }, VERDICTS[verdict]),
            ),
        ),
    );
    const reason =
        analysis.head.reason && analysis.head.status !== "done"
            ? h("p", { class: "reason" }, `${analysis.head.status}: ${analysis.head.reason}`)
            : null;
    return h(
        "section",
        {},
        several && h("h3", {}, analysis.name),
        reason,
        rows.length
            ? h("table", { class: "summary" }, h("tbody", {}, rows))
            : h("p", { class: "empty" }, "No summary."),
    );
}

/** Warnings and notes of the run: where, what, and what to do. */
function messagesList(run) {
    const messages = run.head.messages ?? [];
    if (!messages.length) return null;
    return h(
        "ul",
        { class: "messages" },
        messages.map(({ severity, analysis, file, line, text }) =>
            h(
                "li",
                { class: severity },
                h("strong", {}, severity),
                h("span", {}, text),
                h("small", {}, [file && (line ? `${file}:${line}` : file), analysis].filter(Boolean).join(" · ")),
            ),
        ),
    );
}

export function summaryPanel(report) {
    const { notes = [], version } = report.head;
    const several = report.runs.length > 1;
    const parts = report.runs.map((run) =>
        h(
            "section",
            { class: "run" },
            h("h2", {}, several ? run.name : run.head.title || run.name),
            h("p", { class: "facts" }, facts(run)),
            messagesList(run),
            run.analyses.map((analysis) => summaryTable(analysis, run.analyses.length > 1)),
        ),
    );
    return h(
        "div",
        { class: "summary-panel" },
        differencesTable(report),
        parts,
        notes.length
            ? h(
                  "section",
                  {},
                  h("h2", {}, "Notes"),
                  h(
                      "ul",
                      { class: "notes" },
                      notes.map((note) => h("li", {}, note)),
                  ),
              )
            : null,
        h("p", { class: "facts" }, `limber ${version ?? ""}`),
    );
}

function facts(run) {
    return [run.head.file, run.head.formulation, run.head.status].filter(Boolean).join(" · ");
}

/** The model's text; with several runs each under its name. */
export function modelPanel(report) {
    const runs = report.runs.filter((run) => run.head.model);
    if (!runs.length) return h("p", { class: "empty" }, "The result file does not hold its model.");
    return h(
        "div",
        { class: "model-panel" },
        runs.map((run) =>
            h(
                "section",
                {},
                runs.length > 1 && h("h2", {}, run.name),
                h(
                    "pre",
                    { tabindex: 0, "aria-label": `Model of ${run.name}` },
                    run.head.model.split("\n").map(line),
                ),
            ),
        ),
    );
}

/** Comments are set apart; everything stays text. */
function line(text) {
    const at = text.search(/(^|\s)#/);
    if (at < 0) return `${text}\n`;
    return [text.slice(0, at), h("span", { class: "comment" }, `${text.slice(at)}\n`)];
}
