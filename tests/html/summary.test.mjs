/* What the page says where its script does not run: the document of the text reports as plain HTML, which kgate prints. */
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
const idsOf = async (page, section) => (await page.locator(`${section} tbody th`).allTextContents()).map((id) => id.trim()).sort();

test("without a script the page has the verdict, the counts and the cases that the script shows", async () => {
    const plain = await browser.open(compared, "", STILL);
    const drawn = await browser.open(compared);
    await chartsDrawn(drawn);
    assert.deepEqual(await texts(plain, "#verdict h2"), await texts(drawn, "#verdict h2"));
    const [, verdict, reason] = /(\w+): (.*)/.exec(await drawn.locator("#verdict .lead").innerText());
    const said = await plain.locator("#verdict").textContent();
    assert.ok(said.includes(`kgate ${verdict}: suite page, `) && said.includes(reason), said);
    assert.match(said, /\d cases: /);
    assert.deepEqual(await idsOf(plain, "#verdict"), await idsOf(drawn, "#statistics"));
    assert.match(said, /commit v1\.7-3-gabc \(faster\), baseline v1\.7 \(main\)/);
    assert.match(said, /REGRESSION, accepted\s.*accepted up to \+300\.0 %: sums are <b>exact<\/b>; see sum\.c/s);
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
    assert.match(await served.locator("#verdict .lead").innerText(), /^. kgate (PASS|FAIL|UNDECIDED): /);
    assert.ok((await idsOf(served, "#verdict")).length >= 5);
});

test("on paper no column of the plain table is cut", async () => {
    const page = await browser.open(compared, "", { ...STILL, viewport: { width: 718, height: 900 }, colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    const table = await page.locator("#verdict table").first().boundingBox();
    assert.ok(table.x + table.width <= 718, JSON.stringify(table));
});

test("each kind of file has a summary", async () => {
    for (const [file, heading, said] of [
        ["current.json", "Results", /\d (ns|us)/],
        ["out/suggestions.json", "Suggestions", /operations examined/],
        ["base.kgprof", "Profile", /A recording/],
    ]) {
        const page = await browser.open(pageMake("one.html", file), "", STILL);
        assert.equal(await page.locator("main h2").first().innerText(), heading, file);
        assert.match(await page.locator("main").innerText(), said, file);
    }
});

test("a calibration has a page, with and without a script", async () => {
    const one = { id: "copy/n=1/cpu", threshold: 0.05, run_scatter: 0.012, round_scatter: 0.02, alarms: 1, doubts: 0, rounds: 7, advice: "ask for a threshold of 8 %" };
    const { machine } = fileRead("base.json");
    const json = { schema: "kgate.calibration.v1", created: "2026-01-31T12:00:00Z", kgate_version: "0.1.0", suite: "page", machine, runs: 2, pairs: 2, alarmed_pairs: 1, alarmed_runs: 1, alpha: 0.01, cases: [one] };
    const path = pageMake("calibration.html", fileWrite("calibration.json", json));
    for (const options of [{}, STILL]) {
        const page = await browser.open(path, "", options);
        assert.equal(await page.locator("main h2").first().innerText(), "Calibration");
        assert.match(await page.locator("#verdict").innerText(), /2 runs of the same code:?\s+the gate alarmed in 1 of 2 pairs of runs/);
        assert.match(await page.locator("tbody").first().innerText(), /copy\/n=1\/cpu\s+1\.2 %\s+2\.0 %\s+1(?: of |\/)2\s+0(?: of |\/)2\s+> 50 %\s.*ask for a threshold of 8 %/s);
        assert.deepEqual(page.wrong, []);
    }
});

test("a recording without scopes, and a run that recorded nothing, say so", async () => {
    const profile = JSON.parse(kgate("report", "base.kgprof", "--format", "json"));
    profile.paths = profile.paths.filter(({ parent }, i) => parent === i);
    profile.entries = [];
    const page = await browser.open(pageMake("scopeless.html", fileWrite("scopeless.json", { ...profile, thread_shares: [] })));
    assert.match(await page.locator("#verdict").innerText(), /no case of scopeless\.json has scopes inside: kgate\/profiler\.h names parts/);
    const results = { ...fileRead("base.json"), profile: undefined, no_profile: "no program of these cases has scopes" };
    const path = pageMake("unrecorded.html", fileWrite("unrecorded.json", results));
    for (const options of [{}, STILL]) assert.match(await (await browser.open(path, "", options)).locator("#verdict").innerText(), /othing was recorded: no program of these cases has scopes/);
});

test("names that look like HTML stay text without a script too", async () => {
    const json = JSON.parse(JSON.stringify(fileRead("comparison.json")).replaceAll("encode/", `${HOSTILE}/`));
    json.suite = json.machine.cpu_model = json.commit = `</script>${HOSTILE}`;
    const page = await browser.open(pageMake("hostile.html", fileWrite("hostile.json", json)), "", STILL);
    assert.equal(await page.locator("img, main script, main b").count(), 0);
    assert.ok((await idsOf(page, "#verdict")).some((id) => id.startsWith(HOSTILE)));
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
