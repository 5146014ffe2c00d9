/**
 * Where files of the repository are on the site. Pages of docs/ stand at the top; models, and sources that
 * a page links to, get pages that show them; images and data are copied.
 */
import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";

const COPIED = /\.(svg|png|jpe?g|gif|webp|webm|mp4|csv|json|1)$/;
const MODEL = /^(models|templates|library)\/[^/]+\.yaml$/;

/** The file of the site for a path of the repository. */
export function address(path) {
    if (path === "README.md") return "index.html";
    if (path === "models/") return "models/index.html";
    if (MODEL.test(path)) return path.replace(/yaml$/, "html");
    if (path.startsWith("docs/") && path.endsWith(".md")) return path.slice(5, -3) + ".html";
    if (path.startsWith("docs/") && COPIED.test(path)) return path.slice(5);
    if (COPIED.test(path)) return `source/${path}`;
    return `source/${path}.html`;
}

export const relative = (from, to) => posix.relative(posix.dirname(from), to);

export class Links {
    constructor(root) {
        Object.assign(this, { root, copied: new Set(), shown: new Set(), anchors: [], dead: [] });
    }

    /** The address to write for a link on a page (paths of the repository). */
    resolve(target, page) {
        if (/^[a-z]+:/.test(target)) return target;
        const [file, anchor] = target.split("#");
        let path = page;
        if (file) {
            path = posix
                .normalize(posix.join(posix.dirname(page), decodeURI(file)))
                .replace(/\/$/, "");
            const full = join(this.root, path);
            if (path.startsWith("..") || !existsSync(full)) {
                this.dead.push(`${page}: a link leads nowhere: ${target}`);
                return target;
            }
            if (path === "models") path = "models/";
            else if (statSync(full).isDirectory() || !/^(README\.md|docs\/.*\.md)$/.test(path))
                (COPIED.test(path) ? this.copied : this.shown).add(path);
        }
        if (anchor) this.anchors.push({ page, target, path, anchor });
        const to = file ? relative(address(page), address(path)) : "";
        return to + (anchor ? `#${anchor}` : "");
    }

    /** Sentences about links that lead nowhere; ids: path -> Set of the headings' names. */
    problems(ids) {
        const missing = this.anchors.filter(
            ({ path, anchor }) => path.endsWith(".md") && !ids.get(path)?.has(anchor),
        );
        return [
            ...this.dead,
            ...missing.map(({ page, target }) => `${page}: there is no such section: ${target}`),
        ];
    }
}
