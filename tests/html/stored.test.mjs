/* Pages of the files of tests/data: results of several machines, suggestions as a chart, a first run. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axeSerious, browserOpen, chartsDrawn, fileWrite, pageMake } from "./support.mjs";

const data = (name) => JSON.parse(readFileSync(new URL(`../data/${name}.json`, import.meta.url), "utf8"));

/* The results of another machine, which takes twice as long. */
function otherMachine() {
    const json = data("results");
    json.machine = { ...json.machine, fingerprint: "other-2cpu-00000000", cpu_model: "Other <b>" };
    for (const { summary } of json.cases) for (const name of Object.keys(summary ?? {})) summary[name] *= 2;
    return json;
}

let browser, page;

before(async () => {
    browser = await browserOpen();
    page = await browser.open(pageMake("sides.html", fileWrite("one.json", data("results")), fileWrite("other.json", otherMachine()), fileWrite("suggestions.json", data("suggestions"))));
    await chartsDrawn(page);
});
after(() => browser.close());

test("each measured case has a time on each machine, and no verdict", async () => {
    const section = page.locator("#side-by-side");
    const measured = data("results").cases.filter(({ summary }) => summary?.median_ns);
    assert.match(await section.innerText(), new RegExp(`No verdict: .*${measured.length} cases? on 2 machines`, "s"));
    await section.locator("details.figures summary").click();
    await section.locator("tbody tr").first().waitFor();
    assert.equal(await section.locator("tbody tr").count(), measured.length);
    assert.match(await section.locator("thead").innerText(), /Other <b>/);
    assert.deepEqual(page.wrong, []);
});

test("two runs of one machine are not set side by side", async () => {
    const later = { ...data("results"), created: "2030-01-01T00:00:00Z" };
    const same = await browser.open(pageMake("same.html", fileWrite("one.json", data("results")), fileWrite("later.json", later)));
    assert.equal(await same.locator("#side-by-side").count(), 0);
});

test("suggestions with an estimate are a roadmap", async () => {
    const estimated = data("suggestions").suggestions.filter(({ saved_ns: saved }) => saved > 0);
    const figure = page.locator("#suggestions figure").first();
    assert.match(await figure.innerText(), new RegExp(`Roadmap\\s+${estimated.length} suggestions with an estimate`));
    assert.deepEqual(await axeSerious(page), []);
});

test("a first run that passes has no worst case", async () => {
    const json = data("comparison");
    json.cases = json.cases.map((one) => ({ ...one, change: "NEW", fails: false, metrics: [], waived: undefined }));
    Object.assign(json, { verdict: "PASS", exit_status: 0, first_run: true, overall: [], verdict_reasons: ["the baseline is recorded"] });
    const first = await browser.open(pageMake("first.html", fileWrite("first.json", json)));
    assert.match(await first.locator("#verdict").innerText(), /new/);
    assert.doesNotMatch(await first.locator("#verdict").innerText(), /Worst/);
    assert.deepEqual(first.wrong, []);
});
