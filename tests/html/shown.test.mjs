/* What the page looks like where it is shown: on paper, on a wide screen, and to those who see no colours. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserOpen, chartsDrawn, fileWrite, measured, pageMake, slower } from "./support.mjs";

const PAPER = 718; /* pixels of A4 between margins of a centimetre */
const PROSE = 1216;

let browser, results, path;

/* The sweep is over sizes that are a thousand times apart; a call has every part that there is. */
function shaped(base) {
    base.cases.filter(({ params }) => params.batch).forEach((one, i) => Object.assign(one.params, { batch: ["1KiB", "1MiB", "1GiB"][i] }));
    for (const { breakdown } of base.cases) if (breakdown?.wall_ns) Object.assign(breakdown, { cpu_ns: 0.6 * breakdown.wall_ns, overhead_ns: 0.2 * breakdown.wall_ns });
    return base;
}

before(async () => {
    results = shaped(measured("base.json"));
    fileWrite("base.json", results);
    fileWrite("now.json", slower(results, "encode/", 3));
    path = pageMake("shown.html", "now.json", "base.json");
    browser = await browserOpen();
});
after(() => browser.close());

const widest = (page) => page.evaluate(() => Math.max(...[...document.querySelectorAll(".chart svg")].map((svg) => svg.viewBox.baseVal.width)));

test("while it is printed charts are drawn for the sheet, whatever the screen, and for the screen afterwards", async () => {
    for (const width of [360, 1920]) {
        const page = await browser.open(path, "", { viewport: { width, height: 900 } });
        await chartsDrawn(page);
        const before = await widest(page);
        await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
        assert.ok((await widest(page)) <= PAPER && (await widest(page)) > PAPER / 2, `${width}: ${await widest(page)}`);
        await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
        assert.equal(await widest(page), before);
        assert.deepEqual(page.wrong, []);
    }
});

test("a sheet does not cut what belongs together", async () => {
    const page = await browser.open(path);
    await chartsDrawn(page);
    await page.emulateMedia({ media: "print" });
    const styles = (selector, name) => page.locator(selector).evaluateAll((found, property) => found.map((one) => getComputedStyle(one)[property]), name);
    for (const kept of ["figure", "main p", "main li", "tbody tr", ".sweep > *"]) assert.deepEqual(new Set(await styles(kept, "breakInside")), new Set(["avoid"]), kept);
    for (const before of ["main h2", "main h3", "figcaption"]) assert.deepEqual(new Set(await styles(before, "breakAfter")), new Set(["avoid"]), before);
});

test("a wide screen is for charts and tables, and text keeps its width", async () => {
    const page = await browser.open(path, "", { viewport: { width: 1920, height: 1000 } });
    await chartsDrawn(page);
    const widths = (selector) => page.locator(selector).evaluateAll((found) => found.map((one) => one.getBoundingClientRect().width));
    assert.ok(Math.min(...(await widths("#parts .chart"))) > 1.2 * PROSE);
    assert.ok(Math.max(...(await widths("main p:not(.verdict)"))) <= PROSE);
});

test("parts of a call are told apart without their colours", async () => {
    const page = await browser.open(path);
    await chartsDrawn(page);
    const patterns = await page.locator("#parts .chart svg pattern").evaluateAll((found) => new Set(found.map((one) => one.innerHTML)).size);
    assert.ok(patterns >= 2, `${patterns} patterns`);
});

test("a sweep over sizes has their units, and an axis that ends where they do", async () => {
    const page = await browser.open(path);
    await chartsDrawn(page);
    const figure = page.locator("#sweeps figure", { hasText: "Time per call" }).first();
    assert.match(await figure.innerText(), /for batch 1 KiB to 1 GiB/);
    const labels = await figure.locator(".chart text").allTextContents();
    for (const size of ["1 KiB", "1 MiB", "1 GiB"]) assert.ok(labels.includes(size), labels.join("; "));
    assert.deepEqual(labels.filter((label) => /TiB/.test(label)), []);
});
