/* What the page says where its script does not run: the verdict and the cases as plain HTML, which kgate prints. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axeSerious, browserOpen, chartsDrawn, fileRead, fileWrite, kgate, measured, pageMake, slower } from "./support.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>";
const STILL = { javaScriptEnabled: false };

let browser, compared;

before(async () => {
    const base = measured("base.json");
    fileWrite("current.json", slower(base, "encode/", 3));
    kgate("compare", "base.json", "current.json", "-o", "out");
    const comparison = fileRead("out/comparison.json");
    const first = comparison.cases.find(({ change }) => change === "REGRESSION") ?? comparison.cases.find(({ metrics }) => metrics.length);
    Object.assign(first, { change: "REGRESSION", waived: "accepted", fails: false, waiver: "accepted up to +300.0 %: sums are <b>exact</b>; see `sum.c`" });
    comparison.notes = ["a note"];
    Object.assign(comparison, { commit: "v1.7-3-gabc", branch: "faster", baseline_commit: "v1.7", baseline_branch: "main" });
    fileWrite("comparison.json", comparison);
    compared = pageMake("compared.html", "comparison.json", "current.json", "base.json");
    browser = await browserOpen();
});
after(() => browser.close());

const texts = (page, selector) => page.locator(selector).allInnerTexts();
const idsOf = async (page) => (await texts(page, "#statistics tbody th")).map((id) => id.trim());

test("without a script the page has the verdict, the counts and the cases that the script shows", async () => {
    const plain = await browser.open(compared, "", STILL);
    const drawn = await browser.open(compared);
    await chartsDrawn(drawn);
    for (const selector of ["#verdict .lead", "#verdict .counts li", "#verdict .facts div", "#verdict h2"]) assert.deepEqual(await texts(plain, selector), await texts(drawn, selector), selector);
    assert.deepEqual(await idsOf(plain), await idsOf(drawn));
    assert.match(await plain.locator("#verdict .facts").innerText(), /Candidate\s+commit v1\.7-3-gabc \(faster\), 2.*UTC\s+Baseline\s+commit v1\.7 \(main\)/);
    assert.match(await plain.locator("#statistics").innerText(), /▲ regression, accepted\s+accepted up to \+300\.0 %: sums are <b>exact<\/b>; see sum\.c/);
    assert.deepEqual([...plain.wrong, ...drawn.wrong], []);
});

test("without a script there is no control that does nothing, and with it the plain part is gone", async () => {
    const plain = await browser.open(compared, "", STILL);
    for (const name of ["nav", ".tools", "#drop"]) assert.equal(await plain.locator(name).isVisible(), false, name);
    assert.match(await plain.locator("main").innerText(), /report without its charts/);
    const drawn = await browser.open(compared);
    for (const name of ["nav", ".tools"]) assert.equal(await drawn.locator(name).isVisible(), true, name);
    assert.doesNotMatch(await drawn.locator("main").innerText(), /report without its charts/);
});

test("a server that forbids scripts and styles still shows verdict and table", async () => {
    const served = await browser.served(compared, { "content-security-policy": "sandbox; default-src 'none'; img-src 'self'; style-src 'self'" });
    assert.match(await served.locator("#verdict .lead").innerText(), /^. (PASS|FAIL|UNDECIDED): /);
    assert.ok((await idsOf(served)).length >= 5);
});

test("each kind of file has a summary", async () => {
    for (const [file, heading, cell] of [
        ["current.json", "Results", /ns|us/],
        ["out/suggestions.json", "Suggestions", /./],
        ["base.kgprof", "Profile", undefined],
    ]) {
        const page = await browser.open(pageMake("one.html", file), "", STILL);
        assert.equal(await page.locator("main h2").first().innerText(), heading, file);
        if (cell) assert.match((await texts(page, "main tbody td")).join(" "), cell, file);
    }
});

test("names that look like HTML stay text without a script too", async () => {
    const json = JSON.parse(JSON.stringify(fileRead("comparison.json")).replaceAll("encode/", `${HOSTILE}/`));
    json.suite = json.machine.cpu_model = json.commit = `</script>${HOSTILE}`;
    const page = await browser.open(pageMake("hostile.html", fileWrite("hostile.json", json)), "", STILL);
    assert.equal(await page.locator("img, main script, main b").count(), 0);
    assert.ok((await idsOf(page)).some((id) => id.startsWith(HOSTILE)));
    assert.deepEqual(page.wrong, []);
});

test("the plain part fits a phone, follows the dark theme, and axe finds nothing serious in it", async () => {
    /* axe is a script: it runs in the page without the page's own, and without the policy. */
    const html = readFileSync(compared, "utf8").replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
    const from = html.lastIndexOf("<script>");
    const path = fileWrite("plain.html", {});
    writeFileSync(path, html.slice(0, from));
    for (const colorScheme of ["light", "dark"]) {
        const page = await browser.open(path, "", { viewport: { width: 390, height: 800 }, colorScheme });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(ground === "rgb(255, 255, 255)", colorScheme === "light", ground);
        assert.deepEqual(await axeSerious(page), [], colorScheme);
    }
});
