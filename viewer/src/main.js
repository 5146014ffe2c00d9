/** The page's beginning: find the data, say so when there is none, else open the report. */
import { Decoder } from "./data/decoder.js";
import { EmptyError, Report } from "./data/report.js";
import { App } from "./ui/app.js";
import { h } from "./ui/dom.js";

/** The worker's program, put in by build.mjs. */
/* global WORKER_TEXT */

function readReport() {
    const json = document.getElementById("limber-report");
    if (!json) {
        throw new EmptyError(
            "This page is the empty form of a report: no results have been put into it. " +
                "“limber report RESULTS.h5” writes a report with data.",
        );
    }
    if (typeof DecompressionStream === "undefined") {
        throw new EmptyError(
            "This browser is too old to unpack the report (it lacks DecompressionStream). " +
                "Any browser since the middle of 2023 opens it.",
        );
    }
    const blobs = document.getElementById("limber-blobs");
    return new Report(json.textContent, blobs?.textContent.trim() ?? "", new Decoder(WORKER_TEXT));
}

function main() {
    const root = document.getElementById("app");
    try {
        const report = readReport();
        if (!report.runs.length) throw new EmptyError("This report holds no runs.");
        new App(root, report).start();
    } catch (error) {
        if (!(error instanceof EmptyError)) throw error;
        root.replaceChildren(
            h("div", { class: "sorry" }, h("h1", {}, "Nothing to show"), h("p", {}, error.message)),
        );
    }
}

main();
