/* The page of a merged comparison: machines, missing cases by shard, and the cases of one machine. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { axeSerious, browserOpen, chartsDrawn, fileRead, fileWrite, folder, kgate, measured, pageMake, slower } from "./support.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>";
const SHARDS = 5;
const PULSE_NS = 24576;

let browser, path, slow;

const probesOf = (pulse) => ({ at_ns: [1, 2, 3, 4, 5], pulse_ns: Array(5).fill(pulse), bandwidth_bytes_per_s: Array(5).fill(1e10), latency_ns: Array(5).fill(90) });

/* Deals the cases to five shards: n3 has a slow clock, n4 was killed, and the fifth has no file. */
function fleetMake(results) {
    const cases = results.cases.filter(({ id }) => !id.startsWith("broken"));
    for (let index = 1; index < SHARDS; index++) {
        const one = structuredClone(results);
        delete one.profile;
        one.cases = cases.filter((_, i) => i % SHARDS === index - 1).map((other) => structuredClone(other));
        one.filter = `--shard ${index}/${SHARDS}`;
        one.complete = index !== 4;
        one.shard = { count: SHARDS, index, cases: cases.length, attempt: 1, node: index === 1 ? HOSTILE : `n${index}` };
        one.probes = probesOf(PULSE_NS * (index === 3 ? 1.2 : 1));
        mkdirSync(`${folder}/fleet`, { recursive: true });
        fileWrite(`fleet/r${index}.json`, index === 3 ? slower(one, "", 30) : slower(one, "", 1));
    }
    return cases;
}

before(async () => {
    const results = measured("base.json");
    /* Other programs of this machine, and code that is unchanged, decide nothing. */
    for (const one of results.cases) {
        delete one.code_hash;
        for (const column of ["disturbance", "wait_ns", "stolen_ns", "pulse_ns"]) delete one.rounds?.[column];
    }
    fileWrite("base.json", results);
    kgate("baseline", "update", "base.json", "-b", "store");
    slow = fleetMake(results)[2].id;
    kgate("merge", "fleet", "-b", "store", "-o", "out");
    path = pageMake("fleet.html", "out/comparison.json", "out/results.json");
    browser = await browserOpen();
});
after(() => browser.close());

const text = (page, selector) => page.locator(selector).first().innerText();

test("the fleet has its machines, the suspect one first, and what is missing by shard", async () => {
    const page = await browser.open(path);
    await chartsDrawn(page);
    assert.match(await text(page, "#fleet p"), /3 of 4 machines measured 3 cases in 3 shards\. n3 is slower than the others.*\. 2 cases are missing\./);
    const [first, second] = await page.locator("#fleet table").first().locator("tbody tr").allInnerTexts();
    assert.match(first, /n3\s+\? suspect\s+its core clock is slower by 20\.0 % than on 2 other machines\s+1\s+1\s+0.*\+20\.0 %/s);
    assert.match(second, /n4\s+∅ missing\s+shard 4 ended before its verdict/);
    const shards = await page.locator("#fleet table").nth(1).locator("tbody tr").allInnerTexts();
    assert.match(shards[0], /^4\s+1\s+\S+\/.*shard 4 of 5 ended before its verdict on node n4/s);
    assert.match(shards[1], /^5\s+unknown\s+shard 5 of 5 has no results/);
    assert.match(await text(page, "#verdict .counts"), /2\s+∅ missing/);
    assert.match(await text(page, "#verdict"), /shard 5 of 5 has no results, so its cases are unknown/);
    assert.deepEqual(page.wrong, []);
});

test("a machine's name filters the cases", async () => {
    const page = await browser.open(path);
    await page.locator("#fleet").getByRole("link", { name: "n3", exact: true }).click();
    assert.equal(await page.locator("#node").inputValue(), "n3");
    assert.equal(await page.locator("#cases tbody tr").count(), 1);
    assert.match(await text(page, "#cases tbody tr"), /suspect/);
    await page.selectOption("#node", "");
    assert.equal(await page.locator("#cases tbody tr").count(), fileRead("out/comparison.json").cases.length);
    assert.match(await text(page, "#cases tbody"), /shard 5 of 5\s+∅ missing\s+shard 5 of 5 has no results/);
    assert.deepEqual(page.wrong, []);
});

test("a case names its machine, and a missing one has its reason and no command", async () => {
    const page = await browser.open(path, `#case=${encodeURIComponent(slow)}`);
    assert.match(await text(page, ".one"), /Measured by\s+node n3, shard 3/);
    await page.evaluate(() => (location.hash = `#case=${encodeURIComponent("shard 5 of 5")}`));
    await page.locator(".one h2", { hasText: "shard 5 of 5" }).waitFor();
    const shown = await text(page, ".one");
    assert.match(shown, /∅ missing\s+shard 5 of 5 has no results/);
    assert.doesNotMatch(shown, /kgate run|kgate explain/);
});

test("a machine's name stays text, and the guide knows MISSING", async () => {
    const page = await browser.open(path);
    assert.match(await text(page, "#fleet"), /<img src=x/);
    assert.equal(await page.locator("#fleet img").count(), 0);
    assert.match(await text(page, "#guide"), /∅ missing\s+no shard has its results/);
});

test("without a script the page has the fleet too", async () => {
    const page = await browser.open(path, "", { javaScriptEnabled: false });
    assert.match(await text(page, "main"), /fleet: 4 nodes, 3 shards; 1 node suspect, 2 cases missing/);
});

test("a comparison that is no merge has no fleet", async () => {
    kgate("compare", "base.json", "base.json", "-o", "alone");
    const page = await browser.open(pageMake("alone.html", "alone/comparison.json"));
    assert.equal(await page.locator("#fleet").count(), 0);
    assert.equal(await page.locator("#node").count(), 0);
});

test("nothing is wider than 360 pixels, and axe finds nothing serious, light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const page = await browser.open(path, "", { viewport: { width: 360, height: 800 }, colorScheme });
        await chartsDrawn(page);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
        assert.deepEqual(await axeSerious(page), []);
    }
});
