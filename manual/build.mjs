/**
 * Builds the manual: npm run build -- --out=FOLDER [--limber=PROGRAM]
 * README.md and docs/ become a site of plain files that works without a server. Links that lead nowhere,
 * pages without a place in navigation.json and equations that are wrong are errors.
 */
import {
    cpSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { address, Links, relative } from "./lib/links.mjs";
import { escapeHtml, highlight, renderer } from "./lib/markdown.mjs";
import { filesUnder, readNavigation } from "./lib/navigation.mjs";
import { Reports } from "./lib/reports.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);

function option(name, fallback) {
    const found = process.argv.find((argument) => argument.startsWith(`--${name}=`));
    return found ? found.slice(name.length + 3) : fallback;
}

const out = resolve(option("out", join(root, "build/manual")));
const limber = option("limber");
const links = new Links(root);
const reports = new Reports(root, out, limber && resolve(limber));
const upFrom = (path) => relative(address(path), "").replace(/(?<=\.)$/, "/");
const render = renderer({
    link: (target, page) => links.resolve(target, page),
    report: (text, page) => reports.embed(text, upFrom(page)),
});
const read = (path) => readFileSync(join(root, path), "utf8");

function write(path, text) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
}

// --- pages that are made of files ---

const LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".py": "python",
    ".mjs": "javascript",
    ".js": "javascript",
    ".json": "json",
    ".yaml": "yaml",
};

function codeBlock(path) {
    const text = read(path);
    const language = LANGUAGES[extname(path)] ?? (text.startsWith("#!/") ? "bash" : "");
    return `<pre class="code"><code>${highlight(text, language)}</code></pre>`;
}

/** A page without Markdown, in the form that render() gives. */
const plainPage = (title, html, text = "") => ({
    title,
    headings: [],
    sections: [{ id: "", heading: "", text }],
    html: `<h1>${escapeHtml(title)}</h1>\n${html}`,
});

/** The title of a model, or the comment that a file of components begins with. */
function titleOf(path) {
    const text = read(path);
    const title = /^title: *(?:"(.*)"|(.*?)) *$/m.exec(text) ?? /^# (.*)/.exec(text);
    return title?.slice(1).find(Boolean) ?? basename(path, ".yaml");
}

function modelPage(path, users) {
    const from = relative(address(path), path);
    const list = users.map(
        (page) =>
            `<a href="${relative(address(path), address(page))}">${escapeHtml(pages.get(page).title)}</a>`,
    );
    const used = list.length > 0 ? `<p>Mentioned in ${list.join(", ")}.</p>` : "";
    const html =
        `<p><code>${path}</code>: <a href="${from}" download>the file itself</a></p>\n` +
        used +
        codeBlock(path);
    return plainPage(titleOf(path), html, read(path).replace(/\s+/g, " "));
}

function modelList(models) {
    const table = (folder, about) => {
        const rows = models
            .filter((path) => path.startsWith(`${folder}/`))
            .map((path) => {
                const link = `<a href="${relative("models/index.html", address(path))}"><code>${basename(path)}</code></a>`;
                return `<tr><td>${link}</td><td>${escapeHtml(titleOf(path))}</td></tr>`;
            });
        return `<p>${about}</p>\n<div class="table"><table><tbody>\n${rows.join("\n")}\n</tbody></table></div>\n`;
    };
    return plainPage(
        "All models",
        table(
            "models",
            "<code>limber run models/NAME.yaml --report NAME.html</code> runs a file of <code>models/</code>; the tests use them too.",
        ) +
            table(
                "library",
                "Components that are part of the program: <code>include: library/NAME.yaml</code>.",
            ) +
            table(
                "templates",
                "Models to start from: <code>limber new NAME --template TEMPLATE</code>.",
            ),
    );
}

function sourcePage(path) {
    if (!statSync(join(root, path)).isDirectory()) return plainPage(path, codeBlock(path));
    const items = readdirSync(join(root, path))
        .filter((name) => !name.startsWith("."))
        .map((name) => {
            const file = `${path}/${name}`;
            const to =
                pages.has(file) || links.shown.has(file)
                    ? relative(address(path), address(file))
                    : "";
            const title = pages.get(file)?.title;
            const text = title ? escapeHtml(title) : `<code>${name}</code>`;
            return `<li>${to ? `<a href="${to}">${text}</a>` : text}</li>`;
        });
    return plainPage(`${path}/`, `<ul>\n${items.join("\n")}\n</ul>`);
}

// --- the frame around a page ---

const template = readFileSync(join(here, "theme/page.html"), "utf8");

function sidebar(groups, current) {
    return groups
        .map(({ title, pages: members }) => {
            const items = members.map((path) => {
                const here = path === current ? ' aria-current="page"' : "";
                const text = path === "README.md" ? "Overview" : escapeHtml(pages.get(path).title);
                return `<li><a href="${relative(address(current), address(path))}"${here}>${text}</a></li>`;
            });
            const open = members.includes(current) ? " open" : "";
            return `<details${open}><summary>${title}</summary><ul>${items.join("")}</ul></details>`;
        })
        .join("\n");
}

function contents({ headings }) {
    const items = headings
        .filter(({ level }) => level === 2 || level === 3)
        .map(
            ({ level, id, html }) => `<li class="level${level}"><a href="#${id}">${html}</a></li>`,
        );
    return items.length > 1
        ? `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`
        : "";
}

function neighbours(order, path) {
    const at = order.indexOf(path);
    const item = (page, kind, mark) =>
        page
            ? `<a class="${kind}" href="${relative(address(path), address(page))}"><small>${mark}</small>${escapeHtml(pages.get(page).title)}</a>`
            : "<span></span>";
    return at < 0
        ? ""
        : item(order[at - 1], "before", "before") + item(order[at + 1], "next", "next");
}

function frame(path, page, groups, order) {
    const up = upFrom(path);
    const scripts = page.html.includes('<pre class="mermaid">')
        ? `<script src="${up}theme/mermaid.tiny.js"></script>`
        : "";
    const fields = {
        title: page.title === "limber" ? "limber" : `${escapeHtml(page.title)} - limber`,
        up,
        sidebar: sidebar(groups, path),
        contents: contents(page),
        body: page.html,
        neighbours: neighbours(order, path),
        scripts,
    };
    return template.replace(/{{(\w+)}}/g, (_, name) => fields[name]);
}

// --- what is beside the pages ---

function copyTheme() {
    for (const name of ["colours.js", "site.js", "style.css"])
        cpSync(join(here, "theme", name), join(out, "theme", name));
    const modules = join(here, "node_modules");
    cpSync(
        join(modules, "@mermaid-js/tiny/dist/mermaid.tiny.js"),
        join(out, "theme/mermaid.tiny.js"),
    );
    const css = readFileSync(join(modules, "katex/dist/katex.min.css"), "utf8");
    write("theme/katex.css", css.replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, ""));
    for (const font of readdirSync(join(modules, "katex/dist/fonts")).filter((name) =>
        name.endsWith(".woff2"),
    ))
        cpSync(join(modules, "katex/dist/fonts", font), join(out, "theme/fonts", font));
}

function searchIndex() {
    const entries = [...pages].flatMap(([path, { title, sections }]) =>
        sections
            .filter(({ heading, text }) => heading || text)
            .map(({ id, heading, text }) => [
                address(path) + (id ? `#${id}` : ""),
                title,
                heading,
                text.trim(),
            ]),
    );
    return `window.limberSearch = ${JSON.stringify(entries)};\n`;
}

// --- all of it ---

const groups = readNavigation(root, join(here, "navigation.json"));
const order = groups.flatMap((group) => group.pages);
const models = ["models", "templates", "library"].flatMap((folder) =>
    filesUnder(root, folder).filter((file) => /^\w+\/[^/]+\.yaml$/.test(file)),
);
const pages = new Map();

for (const path of order)
    if (path.endsWith(".md")) {
        try {
            pages.set(path, render(read(path), path));
        } catch (error) {
            throw new Error(`${path}: ${error.message}`);
        }
    }
const readers = (model) =>
    [...pages.keys()].filter((path) => path.endsWith(".md") && read(path).includes(model));
for (const path of models) pages.set(path, modelPage(path, readers(path)));
pages.set("models/", modelList(models));
for (const path of links.shown) if (!pages.has(path)) pages.set(path, sourcePage(path));

const ids = new Map(
    [...pages].map(([path, { headings }]) => [path, new Set(headings.map(({ id }) => id))]),
);
const problems = links.problems(ids);
if (problems.length > 0) {
    console.error(problems.join("\n"));
    process.exit(1);
}

if (existsSync(out)) rmSync(out, { recursive: true });
for (const [path, page] of pages) write(address(path), frame(path, page, groups, order));
for (const path of models) cpSync(join(root, path), join(out, path));
for (const path of links.copied) cpSync(join(root, path), join(out, address(path)));
copyTheme();
write("theme/search.js", searchIndex());
const shown = await reports.write();
console.log(`${join(out, "index.html")}: ${pages.size} pages, ${shown} reports`);
