/** The order of pages, from navigation.json. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** All files under a folder of the repository, as paths from its root. */
export function filesUnder(root, folder) {
    return readdirSync(join(root, folder), { withFileTypes: true })
        .flatMap((entry) => {
            const path = `${folder}/${entry.name}`;
            return entry.isDirectory() ? filesUnder(root, path) : [path];
        })
        .sort();
}

/**
 * [{title, pages: [path]}]. A pattern (one *) stands for the files that are named nowhere else, and may
 * stand for none; a name must exist. Every page of docs/ must be somewhere.
 */
export function readNavigation(root, file) {
    const groups = JSON.parse(readFileSync(file, "utf8"));
    const all = [
        "README.md",
        "models/",
        ...filesUnder(root, "docs").filter((f) => f.endsWith(".md")),
    ];
    const named = new Set(
        groups.flatMap((group) => group.pages).filter((page) => !page.includes("*")),
    );
    for (const page of named)
        if (!all.includes(page)) throw new Error(`navigation.json: there is no ${page}`);
    const taken = new Set(named);
    const match = (pattern) => {
        if (!pattern.includes("*")) return [pattern];
        const [before, after] = pattern.split("*");
        const found = all.filter(
            (page) =>
                !taken.has(page) &&
                page.startsWith(before) &&
                page.endsWith(after) &&
                !page.slice(before.length).includes("/"),
        );
        found.forEach((page) => taken.add(page));
        return found;
    };
    const result = groups.map(({ title, pages }) => ({ title, pages: pages.flatMap(match) }));
    const left = all.filter((page) => !taken.has(page));
    if (left.length > 0) throw new Error(`navigation.json has no place for ${left.join(", ")}`);
    return result.filter((group) => group.pages.length > 0);
}
