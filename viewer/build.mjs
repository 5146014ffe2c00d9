/**
 * Bundles the page into one HTML file: npm run build -- --outfile=PATH (default dist/viewer.html).
 * `limber report` replaces the line <!--limber:data--> by its data.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const MARKER = "<!--limber:data-->";

function outfile() {
    const option = process.argv.find((argument) => argument.startsWith("--outfile="));
    return option ? resolve(option.slice("--outfile=".length)) : join(here, "dist", "viewer.html");
}

async function bundle(entry, define = {}) {
    const { outputFiles } = await build({
        entryPoints: [join(here, entry)],
        bundle: true,
        minify: true,
        write: false,
        format: entry.endsWith(".js") ? "esm" : undefined,
        target: ["chrome103", "firefox113", "safari16.4"],
        legalComments: "none",
        define,
    });
    return outputFiles[0].text;
}

/** Inside <script> nothing may look like its end, or like a comment's beginning. */
function safeScript(text) {
    if (/<\/script|<!--/i.test(text)) throw new Error("the bundle contains </script or <!--");
    return text;
}

const worker = await bundle("src/data/worker.js");
const script = await bundle("src/main.js", { WORKER_TEXT: JSON.stringify(worker) });
const style = await bundle("src/style/main.css");
// Functions as replacements: text of the bundle may contain "$&".
const page = readFileSync(join(here, "src/index.html"), "utf8")
    .replace("/*style*/", () => style.trim())
    .replace("/*script*/", () => safeScript(script.trim()));
if (page.split(MARKER).length !== 2) throw new Error(`${MARKER} must be in the page exactly once`);

const target = outfile();
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
console.log(`${target}: ${(page.length / 1000).toFixed(0)} kB`);
