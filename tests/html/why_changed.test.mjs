/* Why a case changed, on the page: the sentence beside the case, the flame graph of both sides, and its table. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeSerious, browserOpen, figureRows, fileRead, fileWrite, kgate, measured, pageMake, slower } from "./support.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>";
const place = (name, line) => ({ function: name, file: "/src/own.c", line, module: "app" });
const strlen = { function: "strlen", module: "libc.so.6" };
const site = (share, name, line, more) => ({ place: place(name, line), caller: place("main", 1), share, ...more });

const OLD = [site(0.8, "parse", 7), site(0.2, HOSTILE, 9)];
const NEW = [site(0.3, "parse", 7), site(0.6, "parse", 8, { callee: strlen }), site(0.1, HOSTILE, 9)];

const isSlower = ({ id }) => id.includes("batch=100/");
const isFaster = ({ id }) => id.includes("batch=10/");

/* With samples, and without what a busy machine did to the rounds. */
function sampled(results, sitesOf) {
    for (const one of results.cases.filter((other) => isSlower(other) || isFaster(other))) {
        for (const column of ["wait_ns", "stolen_ns", "disturbance"]) if (one.rounds[column]) one.rounds[column].fill(0);
        one.hot = { sampled: { source: "ptrace", samples: 500, functions: [], lines: [], stacks: [], sites: sitesOf(one) } };
    }
    return results;
}

let browser, page;

before(async () => {
    const base = sampled(measured("base.json"), (one) => (isSlower(one) ? OLD : NEW));
    base.cases = base.cases.filter(({ status }) => status === "OK");
    fileWrite("base.json", base);
    const [slow, fast] = [base.cases.find(isSlower).id, base.cases.find(isFaster).id];
    const current = slower(slower(base, slow, 2), fast, 0.4);
    fileWrite("current.json", sampled(current, (one) => (isSlower(one) ? NEW : OLD)));
    kgate("compare", "base.json", "current.json", "-o", "out");
    const advice = fileRead("out/suggestions.json");
    Object.assign(advice.changes[0], { diff: `own.c:8\n-    old();\n+    ${HOSTILE}`, commits: "8d01e77 Call strlen\n99ba64d Parse" });
    fileWrite("out/suggestions.json", advice);
    browser = await browserOpen();
    page = await browser.open(pageMake("page.html", "out/comparison.json"));
});
after(() => browser.close());

const text = (selector) => page.locator(selector).first().innerText();
const SENTENCE = /strlen, called from parse \(own\.c:8\): \+\d+ ns, all of the slowdown; the baseline does not call it there/;

test("the sentence stands beside the case, in the verdict and in its own section", async () => {
    assert.match(await text("#verdict"), SENTENCE);
    assert.match(await text("#why li"), /batch=100\/cpu.*regression \+\d/s);
    assert.match(await text("#why li"), SENTENCE);
    assert.match(await page.locator("#why li").nth(1).innerText(), /improvement.*strlen, called from parse.*of the gain; the candidate does not call it there/s);
    const sections = await page.locator("main section[id]").evaluateAll((all) => all.map(({ id }) => id));
    assert.ok(sections.indexOf("why") < sections.indexOf("suggestions") || !sections.includes("suggestions"));
    assert.deepEqual(page.wrong, []);
});

test("the source that changed stands below the sentence, with its commits", async () => {
    const shown = await text("#why li");
    assert.match(shown, /source changed by 8d01e77 Call strlen, 99ba64d Parse:/);
    assert.ok(shown.includes(`own.c:8\n-    old();\n+    ${HOSTILE}`), shown);
});

test("the flame graph shows the growth, and is walked by keys", async () => {
    const box = page.locator("#why .flames button", { hasText: "+ strlen" });
    await box.waitFor();
    await page.locator("#why .flames button").first().focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    assert.match(await page.locator("#why .flames button:focus").getAttribute("aria-label"), /^strlen; per call: – → \d+ ns; \+\d+ ns, \d+ % of the slowdown; the baseline does not call it there/);
    assert.match(await text("#why .flame-detail"), /strlen/);
    await page.keyboard.press("Enter");
    assert.equal(await page.getByRole("button", { name: "Show all" }).first().isVisible(), true);
    await page.keyboard.press("Escape");
});

test("its table has the rows, and they add up to the call", async () => {
    const rows = await figureRows(page, "#why figure");
    const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.innerText)));
    assert.match(cells[0][0], /^strlen in parse \(own\.c:8\)\s+called from main\s+the baseline does not call it there$/);
    assert.equal(cells[0][1], "–");
    assert.equal(cells.at(-1)[0], "whole call");
    assert.equal(cells.at(-1).at(-1), "100 %");
    const shares = cells.slice(0, -1).map((row) => Number(row.at(-1).replace("−", "-").replace(" %", "")));
    assert.ok(Math.abs(shares.reduce((sum, one) => sum + one, 0) - 100) <= shares.length / 2, shares.join(" "));
    assert.ok(cells.some(([name]) => name.includes(HOSTILE)));
});

test("a case that became faster has the widths of its baseline", async () => {
    await page.locator("#why select.wide").selectOption({ index: 1 });
    assert.equal(await page.locator("#why select").nth(1).locator("option:checked").innerText(), "the baseline");
    assert.equal(await page.locator("#why .flames button", { hasText: "− strlen" }).count(), 1);
});

test("the page of one case has both, before what to try", async () => {
    const one = await browser.open(pageMake("one.html", "out/comparison.json"));
    await one.locator("#why li a").first().click();
    const section = one.locator("section.one");
    assert.match(await section.innerText(), SENTENCE);
    assert.equal(await section.locator(".flames button", { hasText: "+ strlen" }).count(), 1);
    assert.deepEqual(one.wrong, []);
    await one.close();
});

test("nothing serious is found by axe, and 390 pixels are enough, light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const narrow = await browser.open(pageMake("page.html", "out/comparison.json"), "", { viewport: { width: 390, height: 900 }, colorScheme });
        assert.deepEqual(await axeSerious(narrow), []);
        assert.equal(await narrow.evaluate(() => document.documentElement.scrollWidth), 390);
        assert.deepEqual(narrow.wrong, []);
        await narrow.close();
    }
});
