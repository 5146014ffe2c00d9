/** Reports of other kinds, and broken ones. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import {
    crankReport,
    largeReport,
    modesReport,
    polesReport,
    POWER,
    staticsReport,
    twoRuns,
} from "../../viewer/test/fixtures.mjs";
import { Browser, emptyPage, legend, picture, shows, state } from "./page.mjs";

let browser;
let page;

before(async () => (browser = await Browser.launch()));
after(() => browser.close());
afterEach(async () => {
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("modes: switch, animate, amplitude", async () => {
    page = await browser.ready(browser.write(modesReport(emptyPage)));
    await page.getByLabel("Analysis").selectOption({ label: "modes" });
    await page.locator(".modes tbody tr").first().waitFor();
    const chosen = () => page.locator(".modes tr.chosen").textContent();
    assert.match(await chosen(), /4\.2371/);
    const first = await picture(page);
    await page.keyboard.press("ArrowDown");
    assert.match(await chosen(), /11\.905.*1\.3 %/);
    assert.notEqual(await picture(page), first);
    await page.locator(".modes tbody tr").nth(2).click();
    assert.match(await chosen(), /27\.4/);
    await page.waitForFunction(() => Number(document.querySelector(".view").dataset.shown) > 10);
    await page.keyboard.press("Space");
    const { frame, clock } = await state(page);
    assert.equal(clock, `${Math.round((frame * 360) / 72)}°`);
    const some = await picture(page);
    await page.getByLabel("Amplitude").fill("3");
    assert.notEqual(await picture(page), some);
});

test("a Campbell diagram has a line per mode", async () => {
    page = await browser.ready(browser.write(modesReport(emptyPage)));
    await page.locator(".campbell .u-wrap").waitFor();
    await page.locator(".campbell .u-over").hover();
    assert.match(await page.locator(".campbell .hint").textContent(), /Mode [1-4]: .* Hz at speed/);
});

const cards = (page) =>
    page.locator(".plot-card").evaluateAll((all) =>
        all.map((card) => [
            card.querySelector("h3").textContent,
            ...[...card.querySelectorAll("tr")].map((row) =>
                [...row.children].map((cell) => cell.textContent).join(" | "),
            ),
        ]),
    );

test("poles are a table, not curves", async () => {
    page = await browser.ready(browser.write(polesReport(emptyPage)));
    await page.locator(".numbers td").first().waitFor();
    assert.deepEqual(await cards(page), [
        [
            "poles",
            "Pole | Real 1/s | Imaginary rad/s | Frequency Hz | Damping",
            "1 | −3 | ±4 | 0.795775 | 60 %",
            "2 | −8.5 | 0 | 0 | decays",
            "3 | 0.25 | 0 | 0 | grows",
        ],
    ]);
    await page.getByLabel("Add a variable to a plot").fill("imaginary");
    assert.equal(await page.locator(".variables button").count(), 0);
});

test("a single row is a table of values; a variable that is added to it is a point", async () => {
    page = await browser.ready(browser.write(staticsReport(emptyPage)));
    await page.locator(".numbers td").first().waitFor();
    await page.locator(".plot-card").nth(1).locator("td").first().waitFor();
    assert.deepEqual(await cards(page), [
        ["values", "Name | Value", "tip.x | 0.25", "tip.y | −0.0125", "moment | 12.5"],
        ["energy", "Name | Value", "elastic | 3", "gravity | −6", "energy balance | 0"],
    ]);
    assert.ok(await page.locator(".plots-bar .hint").isHidden());
    await page.getByLabel("Add a variable to a plot").fill("moment");
    await page.locator(".variables button").first().click();
    const card = page.locator(".plot-card").nth(2);
    await card.locator(".u-wrap").waitFor();
    const blue = await card.locator("canvas").evaluate((canvas) => {
        const { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4)
            if (data[i + 3] > 100 && data[i + 2] > data[i] + 80) n++;
        return n;
    });
    assert.ok(blue > 10, `${blue} pixels of the point`);
});

test("the power graph is drawn, with what went through it", async () => {
    const evil =
        '<script>alert(1)</script><rect width="5" height="5" onclick="alert(2)"/>' +
        '<foreignObject><b>no</b></foreignObject>';
    const graph =
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 90"><style>*{fill:red}</style>' +
        `${evil}<path d="M1 1 L9 9" stroke="#2f80d8"/><text x="9" y="20">&#60;battery&#62;</text></svg>`;
    page = await browser.ready(browser.write(crankReport(emptyPage, { graph, power: POWER })));
    await page.getByRole("tab", { name: "Power" }).click();
    assert.equal(await page.locator(".graph svg text").textContent(), "<battery>");
    const inside = await page.locator(".graph svg").evaluate((svg) => ({
        tags: [...svg.querySelectorAll("*")].map((e) => e.localName).join(" "),
        listens: Boolean(svg.querySelector("[onclick]")),
        width: svg.getBoundingClientRect().width,
    }));
    assert.deepEqual(inside, { tags: "rect path text", listens: false, width: 200 });
    const rows = await page.locator(".power-table tbody tr").allTextContents();
    assert.deepEqual(rows, [
        "sourcesSebattery10100.0 %5300.25",
        "dissipatedRm1.bearing3.535.0 %1.7590.5",
        "Rm1.copper330.0 %1.580.5",
        "storedIm1.winding0.55.0 %0.25−40.75",
        "to the mechanismporthinge330.0 %1.5151",
    ]);
    assert.equal(await page.locator(".power-whole span").count(), 4);
});

test("without a power graph there is no tab for it", async () => {
    page = await browser.ready(browser.write(crankReport(emptyPage)));
    assert.ok(await page.locator("#tab-power").isHidden());
});

test("several runs are overlaid", async () => {
    page = await browser.ready(browser.write(twoRuns(emptyPage)));
    await page.locator(".plot-card .u-wrap").first().waitFor();
    const names = Object.keys(await legend(page));
    assert.ok(names.includes("tip.x · coarse") && names.includes("tip.x · fine"), names.join());
});

test("the summary of several runs begins with their differences from the first", async () => {
    page = await browser.ready(browser.write(twoRuns(emptyPage)));
    await page.getByRole("tab", { name: "Summary" }).click();
    const section = page.locator(".summary-panel > section").first();
    assert.equal(await section.locator("h2").textContent(), "Differences from coarse");
    const rows = await section
        .locator("tr")
        .evaluateAll((all) =>
            all.map((row) => [...row.children].map((cell) => cell.textContent).join(" | ")),
        );
    assert.deepEqual(rows, [
        "Output | fine",
        "tip.x | 2.3 %",
        "tip.y | 50 %",
        "tip.z | 0 %",
        "deflection | ∞ %",
        "moment | –",
    ]);
});

test("one run has no differences", async () => {
    page = await browser.ready(browser.write(crankReport(emptyPage)));
    assert.equal(await page.getByText("Differences from").count(), 0);
});

test("names that contain HTML stay text", async () => {
    const evil = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>';
    const names = { crank: evil, rod: evil, slider: evil, pivot: evil };
    const html = crankReport(emptyPage, {
        names,
        title: evil,
        output: evil,
        name: `run ${evil}`,
        reason: evil,
        status: "stopped",
    });
    page = await browser.ready(browser.write(html));
    assert.equal(await page.locator("h1").textContent(), evil);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.title(), evil);
    await page.getByLabel("Add a variable to a plot").fill("node");
    assert.ok((await page.locator(".variables").textContent()).includes("<img"));
    await page.keyboard.press("Escape");
    for (const tab of ["Summary", "Model", "Plots"])
        await page.getByRole("tab", { name: tab }).click();
    assert.ok((await page.locator(".plot-list").textContent()).includes(evil));
    assert.equal(await page.locator("img").count(), 0);
});

test("a run that stopped says so on top, with its reason", async () => {
    page = await browser.ready(
        browser.write(
            crankReport(emptyPage, {
                status: "stopped",
                reason: "at t = 1.2 the step became too small",
            }),
        ),
    );
    const banner = page.getByRole("alert");
    assert.match(
        await banner.textContent(),
        /stopped before its end\. at t = 1\.2 the step became too small/,
    );
    assert.ok((await banner.boundingBox()).y < 120);
    await page.keyboard.press("End");
    await shows(page, 200);
});

test("NaN is a gap in the curve and a dash in the legend", async () => {
    page = await browser.ready(browser.write(crankReport(emptyPage, { nan: true })));
    await page.locator(".plot-card .u-wrap").nth(1).waitFor();
    await page.locator(".scrub").fill("85");
    assert.equal((await legend(page)).deflection, "–");
    await page.locator(".scrub").fill("0");
    assert.notEqual((await legend(page)).deflection, "–");
    const card = page.locator(".plot-card", { hasText: "deflection" }).first();
    const blue = await card.locator("canvas").evaluate((canvas) => {
        const { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        const coloured = (x) => {
            for (let y = 0; y < height; y++) {
                const i = 4 * (y * width + x);
                if (data[i + 3] > 100 && data[i + 2] > data[i] + 80) return true;
            }
            return false;
        };
        const left = 0.14 * width,
            span = 0.84 * width;
        return [0.2, 0.42, 0.8].map((s) => coloured(Math.round(left + s * span)));
    });
    assert.deepEqual(blue, [true, false, true]);
});

test("a damaged blob is named and the rest works", async () => {
    const html = crankReport(emptyPage);
    const head = JSON.parse(/id="limber-report">([^<]*)</.exec(html)[1]);
    const [offset, length] = head.blobs[1];
    const start = html.indexOf('id="limber-blobs">') + 'id="limber-blobs">'.length;
    const from = start + Math.ceil((offset + 4) / 3) * 4,
        to = start + Math.floor((offset + length - 4) / 3) * 4;
    page = await browser.ready(
        browser.write(html.slice(0, from) + "A".repeat(to - from) + html.slice(to)),
    );
    assert.match(await page.getByRole("alert").first().textContent(), /tip\.x.*cannot be read/);
    await page.keyboard.press("End");
    await shows(page, 200);
    await page.locator(".plot-card .u-wrap").nth(1).waitFor();
});

test("an empty form says what it is", async () => {
    page = await browser.open(browser.write(emptyPage));
    assert.match(await page.locator(".sorry").textContent(), /limber report RESULTS\.h5/);
});

test("a browser without DecompressionStream is told", async () => {
    page = await browser.open(browser.write(crankReport(emptyPage)), {
        before: "delete globalThis.DecompressionStream",
    });
    assert.match(await page.locator(".sorry").textContent(), /too old/);
});

test("without WebGL the plots still work", async () => {
    const before =
        "HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, " +
        "{ apply: (get, canvas, args) => (args[0].startsWith('webgl') ? null : Reflect.apply(get, canvas, args)) })";
    page = await browser.ready(browser.write(crankReport(emptyPage)), { before });
    assert.match(await page.locator(".no-picture").textContent(), /WebGL/);
    await page.locator(".plot-card .u-wrap").first().waitFor();
    await page.keyboard.press("End");
    assert.equal((await state(page)).frame, 200);
    page.problems = page.problems.filter((p) => !/WebGL/.test(p));
});

test("thousands of elements scrub", async () => {
    page = await browser.ready(browser.write(largeReport(emptyPage, { beams: 2500, rows: 30 })));
    for (const frame of [29, 3, 17]) {
        await page.locator(".scrub").fill(String(frame));
        await shows(page, frame);
    }
});
