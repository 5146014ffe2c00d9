/** A browser, reports made from fixtures, and what the tests ask of an open page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const viewer = fileURLToPath(new URL("../../viewer/", import.meta.url));
const { chromium } = createRequire(join(viewer, "package.json"))("playwright-core");

/** Software rendering: the tests run where there is no graphics card. */
const FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
];

/** The page without data: VIEWER_PAGE, or the one that `npm run build` makes. */
export const emptyPage = readFileSync(
    process.env.VIEWER_PAGE ?? join(viewer, "dist", "viewer.html"),
    "utf8",
);

export class Browser {
    static async launch(flags = FLAGS) {
        const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
        return new Browser(await chromium.launch({ executablePath, args: flags }));
    }

    constructor(browser) {
        this.browser = browser;
        this.folder = mkdtempSync(join(tmpdir(), "limber-viewer-"));
        this.count = 0;
    }

    /** A report's text as a file, for `open`. */
    write(html) {
        const path = join(this.folder, `report${this.count++}.html`);
        writeFileSync(path, html);
        return path;
    }

    /**
     * Open a report and wait until it can be used. `page.problems` collects console errors,
     * exceptions and requests for anything but the file itself.
     */
    async open(path, { before, ...options } = {}) {
        const context = await this.browser.newContext({
            viewport: { width: 1200, height: 760 },
            ...options,
        });
        const page = await context.newPage();
        page.setDefaultTimeout(30000);
        page.problems = [];
        const url = pathToFileURL(path).href;
        page.on(
            "console",
            (m) =>
                ["error", "warning"].includes(m.type()) &&
                !isDriverTalk(m.text()) &&
                page.problems.push(`console: ${m.text()}`),
        );
        page.on("pageerror", (e) => page.problems.push(`exception: ${e.message}`));
        page.on(
            "request",
            (r) =>
                r.url() === url ||
                r.url().startsWith("blob:") ||
                r.url() === "data:," ||
                page.problems.push(`request: ${r.url()}`),
        );
        page.on("dialog", (d) => (page.problems.push(`dialog: ${d.message()}`), d.dismiss()));
        if (before) await page.addInitScript(before);
        await page.goto(url);
        return page;
    }

    async ready(path, options) {
        const page = await this.open(path, options);
        await page.waitForSelector("html[data-ready]", { state: "attached" });
        await page.waitForFunction(
            () =>
                !document.querySelector(".view canvas") ||
                document.querySelector(".view").dataset.shown,
        );
        return page;
    }

    async close() {
        await this.browser.close();
        rmSync(this.folder, { recursive: true });
    }
}

/** Chromium passes on remarks of its software driver about speed. */
function isDriverTalk(text) {
    return /GL Driver Message|software WebGL|swiftshader/i.test(text);
}

/** Frame that is on the screen, frame of the slider, time of the readout. */
export function state(page) {
    return page.evaluate(() => ({
        shown: Number(document.querySelector(".view").dataset.shown),
        frame: Number(document.querySelector(".scrub").value),
        clock: document.querySelector(".clock").textContent,
        playing: document.querySelector(".play").getAttribute("aria-label").startsWith("Pause"),
        speed: document.querySelector(".timeline select").value,
    }));
}

/** Wait until a frame (a number, or a test of one) is on the screen. */
export async function shows(page, frame) {
    await page.waitForFunction(
        (f) => document.querySelector(".view").dataset.shown === String(f),
        frame,
    );
}

/** The canvas as drawn now: pixels as a string, to compare. */
export async function picture(page) {
    await page.waitForTimeout(700);
    const box = await page.locator(".view canvas").boundingBox();
    const inner = {
        x: box.x + 10,
        y: box.y + 60,
        width: box.width - 120,
        height: box.height - 170,
    };
    return (await page.screenshot({ clip: inner })).toString("base64");
}

/** Places of the time lines of all plots in view, as a share of their plots' widths. */
export function cursors(page) {
    return page.evaluate(() =>
        [...document.querySelectorAll(".plot-card .time-line")].map((line) => {
            const over = line.parentElement.getBoundingClientRect();
            const at = line.getBoundingClientRect();
            return (at.left + at.width / 2 - over.left) / over.width;
        }),
    );
}

/** Values in the legends, by the name of the curve. */
export function legend(page) {
    return page.evaluate(() =>
        Object.fromEntries(
            [...document.querySelectorAll(".chip")].map((chip) => [
                chip.querySelector(".chip-name").textContent,
                chip.querySelector("output").textContent,
            ]),
        ),
    );
}

/** Mean difference of two pictures, 0 to 255: sharpness may differ, what is shown not. */
export function difference(page, a, b) {
    return page.evaluate(
        async (pictures) => {
            const [p, q] = await Promise.all(
                pictures.map(async (text) => {
                    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
                    const bitmap = await createImageBitmap(
                        new Blob([bytes], { type: "image/png" }),
                    );
                    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
                    const context = canvas.getContext("2d");
                    context.drawImage(bitmap, 0, 0);
                    return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
                }),
            );
            let sum = 0;
            for (let i = 0; i < p.length; i++) sum += Math.abs(p[i] - q[i]);
            return sum / p.length;
        },
        [a, b],
    );
}
