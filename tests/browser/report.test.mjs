/** The report of a slider-crank in a browser: REPORT_HTML, or one made from fixtures. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { crankReport } from "../../viewer/test/fixtures.mjs";
import { Browser, cursors, difference, emptyPage, legend, picture, shows, state } from "./page.mjs";

let browser;
let path;
let page;

before(async () => {
    browser = await Browser.launch();
    path = process.env.REPORT_HTML ?? browser.write(crankReport(emptyPage));
});
after(() => browser.close());
afterEach(async () => {
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

async function lastFrame() {
    return page.evaluate(() => Number(document.querySelector(".scrub").max));
}

test("it opens without errors and asks the network for nothing", async () => {
    page = await browser.ready(path);
    assert.ok((await page.locator("h1").textContent()).length > 0);
    assert.equal(await page.locator(".view canvas").count(), 1);
    await page.locator(".plot-card .u-wrap").first().waitFor();
    assert.ok((await lastFrame()) > 10);
});

test("every plot is drawn when it comes into view", async () => {
    page = await browser.ready(path);
    for (const card of await page.locator(".plot-card").all()) {
        await card.scrollIntoViewIfNeeded();
        await card.locator(".u-wrap").waitFor();
    }
});

test("it plays and pauses, and the picture moves", async () => {
    page = await browser.ready(path);
    const first = await picture(page);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => Number(document.querySelector(".view").dataset.shown) > 20);
    assert.ok((await state(page)).playing);
    await page.keyboard.press("Space");
    assert.ok(!(await state(page)).playing);
    const moved = await difference(page, first, await picture(page));
    await page.keyboard.press("Home");
    await shows(page, 0);
    const back = await difference(page, first, await picture(page));
    assert.ok(moved > 0.05 && back < 0.5 * moved, `moved ${moved}, back at the start ${back}`);
});

test("cursor, readout and plots agree, whichever moves them", async () => {
    page = await browser.ready(path);
    const last = await lastFrame();
    await page.locator(".plot-card .u-wrap").first().waitFor();
    await page.locator(".scrub").fill(String(Math.round(last / 4)));
    await shows(page, Math.round(last / 4));
    assert.ok((await cursors(page)).length > 0);
    for (const share of await cursors(page))
        assert.ok(Math.abs(share - 0.25) < 0.02, `cursor at ${share}`);
    const before = await legend(page);

    const over = page.locator(".plot-card .u-over").first();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 20, { steps: 4 });
    await page.mouse.up();
    const now = await state(page);
    assert.ok(Math.abs(now.frame / last - 0.6) < 0.02, `frame ${now.frame} of ${last}`);
    await shows(page, now.frame);
    for (const share of await cursors(page)) assert.ok(Math.abs(share - now.frame / last) < 0.02);
    assert.notDeepEqual(await legend(page), before);
});

test("zoom is shared by the plots and taken back", async () => {
    page = await browser.ready(path);
    await page.locator(".plot-card .u-wrap").nth(1).waitFor();
    const box = await page.locator(".plot-card .u-over").first().boundingBox();
    await page.locator(".scrub").fill("0");
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 20, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const hidden = () =>
        page.evaluate(() =>
            [...document.querySelectorAll(".time-line")].every((l) => l.style.display === "none"),
        );
    assert.ok(await hidden(), "the time 0 is outside of every plot");
    await page.getByRole("button", { name: "show all" }).click();
    assert.ok(!(await hidden()));
});

test("keys: steps, ends, speed, help", async () => {
    page = await browser.ready(path);
    const last = await lastFrame();
    for (const [key, frame] of [
        ["ArrowRight", 1],
        ["Shift+ArrowRight", 11],
        ["ArrowLeft", 10],
        ["End", last],
        ["Home", 0],
    ]) {
        await page.keyboard.press(key);
        await shows(page, frame);
    }
    await page.keyboard.press("-");
    assert.equal((await state(page)).speed, "0.5");
    await page.keyboard.press("+");
    assert.equal((await state(page)).speed, "1");
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog.help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("dialog.help").isVisible()));
});

test("views: presets, fit and projection change the picture", async () => {
    page = await browser.ready(path);
    const seen = [await picture(page)];
    for (const key of ["1", "3", "o", "4"]) {
        await page.keyboard.press(key);
        const now = await picture(page);
        assert.ok(!seen.includes(now), `key ${key}`);
        seen.push(now);
    }
    await page.keyboard.press("f");
});

test("a body has its name under the pointer and is selected by a click", async () => {
    page = await browser.ready(path);
    const box = await page.locator(".view canvas").boundingBox();
    const tip = page.locator(".view .tip");
    // Where the body is depends on the report: look for one, row by row.
    search: for (let y = 0.2; y < 0.85; y += 0.05) {
        for (let x = 0.15; x < 0.9; x += 0.05) {
            await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
            await page.evaluate(() => new Promise(requestAnimationFrame));
            if (await tip.isVisible()) break search;
        }
    }
    await page.waitForTimeout(100);
    assert.ok(await tip.isVisible(), "no body was found under the pointer");
    const name = (await tip.textContent()).split(" · ")[0];
    await page.mouse.down();
    await page.mouse.up();
    assert.equal(await page.locator(".selection strong").textContent(), name);
    await page.getByLabel("Path of the point that was clicked").click();
    await page.getByLabel("Follow this body").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator(".selection").isVisible()));
});

test("colours and deformation change the picture", async () => {
    page = await browser.ready(path);
    await page.keyboard.press("3");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowRight");
    const plain = await picture(page);
    await page.keyboard.press("v");
    const colours = page.locator(".display select").first();
    await colours.selectOption({ index: 1 });
    assert.ok(await page.locator(".colour-legend").isVisible());
    await page.keyboard.press("Escape");
    const coloured = await picture(page);
    assert.notEqual(coloured, plain);
    await page.keyboard.press("v");
    await page.locator(".display input[type=range]").first().fill("150");
    await page.keyboard.press("Escape");
    await page.locator(".view canvas").focus();
    assert.notEqual(await picture(page), coloured);
});

test("any variable can be added to a plot", async () => {
    page = await browser.ready(path);
    const before = await page.locator(".plot-card").count();
    await page.getByLabel("Add a variable to a plot").fill("node(2) qz poses");
    await page.locator(".variables button").first().click();
    assert.equal(await page.locator(".plot-card").count(), before + 1);
    const card = page.locator(".plot-card").last();
    await card.locator(".u-wrap").waitFor();
    assert.match(await card.locator("h3").textContent(), /node\(2\)\.qz$/);
    await page.getByLabel("Plot that the variable is added to").selectOption({ index: before + 1 });
    await page.getByLabel("Add a variable to a plot").fill("step");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
        (n) =>
            document.querySelectorAll(".plot-card").item(n).querySelectorAll(".chip").length === 2,
        before,
    );
});

test("a picture, a plot and its numbers can be saved", async () => {
    page = await browser.ready(path);
    const save = async (click) => {
        const [download] = await Promise.all([page.waitForEvent("download"), click()]);
        return download.suggestedFilename();
    };
    assert.match(await save(() => page.getByLabel("Save a picture").click()), /\.png$/);
    const card = page.locator(".plot-card").first();
    assert.match(await save(() => card.getByText("CSV").click()), /\.csv$/);
    assert.match(await save(() => card.getByText("PNG").click()), /\.png$/);
    await page.getByLabel("Speed").selectOption("10");
    assert.match(await save(() => page.getByLabel("Record a video").click()), /\.(webm|mp4)$/);
});

test("dark by preference and by the switch", async () => {
    page = await browser.ready(path, { colorScheme: "dark" });
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const night = await picture(page);
    await page.keyboard.press("d");
    assert.notEqual(
        await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
        dark,
    );
    assert.notEqual(await picture(page), night);
});

test("a narrow screen: everything within its width, plots below the picture", async () => {
    page = await browser.ready(path, { viewport: { width: 360, height: 740 } });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `page is ${wide} wide`);
    const view = await page.locator(".view").boundingBox();
    const panel = await page.locator(".panel").boundingBox();
    assert.ok(view.height > 150 && view.width > 350);
    assert.ok(panel.y >= view.y + view.height);
});

test("summary and model are there", async () => {
    page = await browser.ready(path);
    await page.getByRole("tab", { name: "Summary" }).click();
    assert.ok((await page.locator(".summary tr").count()) > 1);
    await page.getByRole("tab", { name: "Model" }).click();
    assert.match(await page.locator("pre").textContent(), /limber: 1/);
});
