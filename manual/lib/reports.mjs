/** Reports inside pages: <!-- report: MODEL OPTIONS --> runs the model and shows its report. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export class Reports {
    /** limber: the program, or nothing: pages then say that there is no report. */
    constructor(root, out, limber) {
        Object.assign(this, { root, out, limber, wanted: new Map() });
    }

    /** The HTML for a page whose path to the root of the site is `up`. */
    embed(text, up) {
        const [model, ...options] = text.trim().split(/\s+/);
        const name = [basename(model, ".yaml"), ...options.map((o) => o.replace(/[^\w.]+/g, "_"))]
            .join("_")
            .replace(/_+/g, "_");
        if (!this.limber)
            return `<p class="note">The report of ${model} is here when the site is built with the program.</p>\n`;
        this.wanted.set(name, { model, options });
        const address = `${up}reports/${name}.html`;
        return (
            `<figure class="report"><iframe src="${address}" loading="lazy" title="Report of ${name}"></iframe>` +
            `<figcaption><a href="${address}">The report on a page of its own</a></figcaption></figure>\n`
        );
    }

    /** Run all that were asked for, as many at a time as there are processors. */
    async write() {
        const folder = join(this.out, "reports");
        const jobs = [...this.wanted];
        if (jobs.length > 0) mkdirSync(folder, { recursive: true });
        const work = async () => {
            for (let job = jobs.shift(); job; job = jobs.shift()) {
                const [name, { model, options }] = job;
                const file = join(folder, name);
                const files = ["-o", `${file}.h5`, "--report", `${file}.html`];
                await run(this.limber, ["run", model, ...options, ...files, "--quiet"], {
                    cwd: this.root,
                });
                rmSync(`${file}.h5`);
            }
        };
        const workers = cpus().length;
        await Promise.all(Array.from({ length: workers }, work));
        return this.wanted.size;
    }
}
