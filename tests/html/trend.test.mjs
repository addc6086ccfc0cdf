/* The page of a history: trends with levels and numbered changes, and the other rows of a history. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { axeSerious, browserOpen, chartsDrawn, figureRows, fileRead, fileWrite, folder, kgate, measured, pageMake } from "./support.mjs";
import { writeFileSync } from "node:fs";

const NIGHTS = 60;
const STEP_AT = 40;
const HEAD = "run,suite,kind,started,commit,parent,branch,depth,dirty,complete,machine,host,epoch,gpus,boot,version,case,definition,metric,source,unit,value,error,deviation,rounds,flags,code";
const HOSTILE = "<img src=x onerror=alert(1)>";

let browser, path;

const digest = (text) => createHash("sha256").update(text).digest("hex");

/* Nights of two cases and two metrics. The time of the first case steps by 6 % in night 40. */
function historyMake() {
    const rows = [];
    for (let night = 0; night < NIGHTS; night++) {
        const started = new Date(Date.UTC(2026, 0, 1 + night)).toISOString().slice(0, 19);
        const step = night < STEP_AT ? 1 : 1.06;
        const noise = 1 + 0.003 * Math.sin(night * 12.9898);
        const run = `${digest(`run ${night}`)},page,nightly,${started}Z,c${night},,main,,0,1,m-1,host1,,,,1`;
        const add = (id, metric, unit, value) => rows.push(`${run},${id},,${metric},rounds,${unit},${value},${0.002 * value},${0.004 * value},5,0,${digest(`code ${night < STEP_AT}`).slice(0, 16)}`);
        add("w1/cpu", "time", "ns", 1e6 * noise * step);
        add("w1/cpu", "peak_memory", "bytes", 4 * 2 ** 20);
        add(`${HOSTILE}/cpu`, "time", "ns", 250 * noise);
    }
    writeFileSync(`${folder}/all.csv`, `${HEAD}\n${rows.join("\n")}\n`);
    kgate("history", "import", "all.csv", "-q");
}

before(async () => {
    historyMake();
    kgate("history", "show", "*", "--json", "-o", "plain.json");
    fileWrite("trend.json", { ...fileRead("plain.json"), here: "c50" });
    path = pageMake("trend.html", "trend.json");
    browser = await browserOpen();
});
after(() => browser.close());

const text = (page, selector) => page.locator(selector).first().innerText();

test("a trend has its levels, its numbered change and the checkout; the changed series comes first", async () => {
    const page = await browser.open(path);
    assert.equal(await chartsDrawn(page), 3);
    const first = page.locator("#trend figure").first();
    assert.match(await first.innerText(), /time, 60 runs on host1\. You are here: c50, 1\.06 ms\. 1 change, the last \+[56]\.\d %, cause unknown, suspected\./);
    assert.match(await first.locator(".marks").innerText(), /step \+[56]\.\d % \(\+5\.\d % to \+[56]\.\d %\), cause unknown, suspected, c39\.\.c40/);
    const drawn = await first.locator("svg").innerHTML();
    assert.match(drawn, />you are here</);
    assert.match(drawn, />1</);
    const rows = await figureRows(page, "#trend");
    assert.equal(await rows.count(), NIGHTS);
    assert.match(await rows.nth(STEP_AT).innerText(), /c40.*1: step \+[56]\.\d %.*code changed/s);
    assert.deepEqual(page.wrong, []);
});

test("a case of the history has all its series, and other tables do not list it", async () => {
    const page = await browser.open(path, `#case=${encodeURIComponent("w1/cpu")}`);
    await chartsDrawn(page);
    assert.deepEqual(await page.locator(".one figure h3").allInnerTexts(), ["Trend of time on host1", "Trend of peak_memory on host1"]);
    assert.equal(await page.locator("#statistics").count(), 0);
    assert.deepEqual(page.wrong, []);
});

test("names stay text, and the picture of a pointed run has its figures", async () => {
    const page = await browser.open(path);
    await chartsDrawn(page);
    assert.equal(await page.locator("#trend img").count(), 0);
    assert.match(await text(page, "#trend"), /<img src=x/);
    const chart = page.locator("#trend .chart").first();
    await chart.hover({ position: { x: 300, y: 100 } });
    await page.locator("#trend .chart strong", { hasText: "ms ± 0.2 %" }).first().waitFor();
    assert.deepEqual(page.wrong, []);
});

test("beside results the trend of their cases stands with the other charts", async () => {
    const results = measured("results.json");
    const other = fileRead("trend.json");
    for (const series of other.series) series.suite = results.suite;
    other.series[0].case = results.cases[0].id;
    fileWrite("beside.json", other);
    const page = await browser.open(pageMake("beside.html", "results.json", "beside.json"));
    await chartsDrawn(page);
    assert.equal(await page.locator("#trend figure").count(), 3);
    assert.equal(await page.locator("#statistics tbody tr").count(), results.cases.length);
    assert.deepEqual(page.wrong, []);
});

test("changes and audits are tables", async () => {
    kgate("history", "changes", "--json", "-o", "changes.json");
    kgate("history", "audit", "--json", "-o", "audit.json");
    const page = await browser.open(pageMake("rows.html", "changes.json", "audit.json"));
    const shown = await text(page, "#history-rows");
    assert.match(shown, /w1\/cpu\s+\+[56]\.\d %\s+unknown\s+suspected.*c39\.\.c40\s+time\s+host1\s+step\s+2026-02-/s);
    assert.match(shown, /False alarms\s+0 in \d+ tests at unchanged code: 0\.00 %/);
    assert.deepEqual(page.wrong, []);
});

test("without a script the page has the series", async () => {
    const page = await browser.open(path, "", { javaScriptEnabled: false });
    assert.match(await text(page, "main"), /w1\/cpu\s+time\s+on m-1, host host1, 60 runs/);
});

test("nothing is wider than 360 pixels, and axe finds nothing serious, light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const page = await browser.open(path, "", { viewport: { width: 360, height: 800 }, colorScheme });
        await chartsDrawn(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
        assert.deepEqual(await axeSerious(page), []);
    }
});
