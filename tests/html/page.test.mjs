/* The HTML page in a browser: sections, search, sort, deep link, files, themes, paper, access, and names that look
 * like HTML. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { duration } from "../../src/show/page/format.js";
import { axeSerious, browserOpen, chartsDrawn, figureRows, fileRead, fileWrite, folder, kgate, measured, pageMake, slower } from "./support.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>";
const MARKDOWN = "[**bold**](javascript:alert(2))`code`";

let browser, compared, hostile;

/* Everywhere where a name is shown. */
function hostileFiles() {
    const renamed = (json) => JSON.parse(JSON.stringify(json).replaceAll("encode/", `${HOSTILE}/`).replaceAll("copy/", `${MARKDOWN}/`));
    for (const name of ["base.json", "current.json", "out/comparison.json", "out/suggestions.json"]) {
        const json = renamed(fileRead(name));
        json.suite = `</script>${HOSTILE}`;
        fileWrite(name.replace("out/", "").replace(".json", "-hostile.json"), json);
    }
    return pageMake("hostile.html", "comparison-hostile.json", "suggestions-hostile.json", "base-hostile.json", "current-hostile.json");
}

/* The sweep once more, of another lattice that takes twice as long. */
function twoLattices() {
    const results = fileRead("base.json");
    const again = slower(results, "encode/", 2).cases.filter(({ id }) => id.startsWith("encode/"));
    for (const one of again) {
        one.id = one.id.replace("D4", "E8");
        one.params.lattice = "E8";
    }
    results.cases.push(...again);
    delete results.profile;
    return results;
}

const storedFile = () => `store/${readdirSync(`${folder}/store`).find((name) => name.endsWith(".json"))}`;

before(async () => {
    const base = measured("base.json");
    fileWrite("current.json", slower(base, "encode/", 3));
    for (const [name, factor] of [["base.json", 1], ["older.json", 0.9]]) {
        fileWrite("older.json", slower(base, "", factor, -1));
        kgate("baseline", "update", name, "-b", "store");
    }
    kgate("compare", "base.json", "current.json", "-o", "out");
    compared = pageMake("compared.html", "out/comparison.json", "current.json", "base.json", storedFile());
    hostile = hostileFiles();
    browser = await browserOpen();
});
after(() => browser.close());

const text = (page, selector) => page.locator(selector).first().innerText();
const rows = (page) => page.locator("#cases tbody tr").count();

test("a comparison's page has its sections and charts, and asks for nothing", async () => {
    const page = await browser.open(compared);
    assert.match(await text(page, "#verdict .lead"), /FAIL/);
    assert.match(await text(page, "#verdict"), /failed/);
    assert.match(await text(page, "#verdict"), /Mean change: \+\d/);
    for (const id of ["changes", "statistics", "sweeps", "history", "memory", "machines", "guide"]) assert.equal(await page.locator(`section#${id}`).count(), 1, id);
    assert.ok((await chartsDrawn(page)) >= 1 + 3 + 5);
    assert.deepEqual(page.wrong, []);
});

test("each kind of file has a page of its own", async () => {
    for (const [file, selector] of [
        ["out/comparison.json", "#changes"],
        ["out/suggestions.json", "#suggestions"],
        ["current.json", "#statistics"],
        ["base.kgprof", "#verdict"],
    ]) {
        const page = await browser.open(pageMake("one.html", file));
        assert.equal(await page.locator(selector).count(), 1, file);
        await chartsDrawn(page);
        assert.deepEqual(page.wrong, [], file);
        await page.close();
    }
});

test("the table is searched, filtered and sorted", async () => {
    const page = await browser.open(compared);
    const all = await rows(page);
    await page.fill("#search", "ENCODE batch=10/");
    assert.equal(await rows(page), 1);
    assert.match(await text(page, "#statistics [role=status]"), new RegExp(`^1 case of ${all}$`));
    await page.fill("#search", "");
    await page.selectOption("#filter", "FAILED");
    assert.match(await text(page, "#cases tbody"), /broken/);
    await page.selectOption("#filter", "");
    await page.getByRole("button", { name: "median" }).click();
    assert.equal(await page.locator("#cases th", { hasText: "median" }).getAttribute("aria-sort"), "descending");
    const first = await text(page, "#cases tbody tr th");
    await page.getByRole("button", { name: "median" }).click();
    assert.notEqual(await text(page, "#cases tbody tr th"), first);
    assert.deepEqual(page.wrong, []);
});

/* What the browser does in its next frame is waited for. */
const fits = (page, wanted = true) =>
    page.waitForFunction((expected) => {
        const { scrollWidth, clientWidth } = document.querySelector("#statistics .scrolled");
        return scrollWidth <= clientWidth === expected;
    }, wanted);

/* The heads of the columns that are shown. */
const heads = (page) => page.locator("#cases thead th:not([hidden])").allInnerTexts();

test("the table of all cases fits its page: columns give way, and a button shows them", async () => {
    const page = await browser.open(compared, "", { viewport: { width: 960, height: 900 } });
    await fits(page);
    const narrow = await heads(page);
    for (const name of ["case", "verdict", "change", "95 % interval", "baseline", "candidate"]) assert.ok(narrow.includes(name), name);
    assert.ok(!narrow.includes("std. dev."));
    await page.fill("#search", "batch=10/");
    assert.equal(await page.locator("#cases tbody tr > :not([hidden])").count(), narrow.length);
    await page.fill("#search", "");
    await page.getByRole("button", { name: /^Show \d+ more columns?$/ }).click();
    await fits(page, false);
    assert.ok((await heads(page)).includes("std. dev."));
    await page.getByRole("button", { name: "Columns that fit" }).click();
    await fits(page);
    assert.deepEqual(await heads(page), narrow);
    await page.setViewportSize({ width: 360, height: 900 });
    await page.waitForFunction((count) => document.querySelectorAll("#cases thead th:not([hidden])").length < count, narrow.length);
    assert.deepEqual((await heads(page)).slice(0, 3), ["case", "verdict", "change"]);
    assert.deepEqual(page.wrong, []);
});

test("an axis of a sweep has steps of two for values that are", async () => {
    const results = fileRead("base.json");
    const sweep = results.cases.filter(({ workload }) => workload === "encode");
    sweep.forEach((one, i) => (one.params.batch = String(128 << i)));
    const page = await browser.open(pageMake("powers.html", fileWrite("powers.json", results)));
    await chartsDrawn(page);
    const labels = await page.locator("#sweeps .chart svg").first().locator("text").allTextContents();
    for (const value of ["128", "256", "512"]) assert.ok(labels.includes(value), labels.join(" "));
    assert.deepEqual(page.wrong, []);
});

/* The comparison with its first two compared cases decided by a budget and by a counter. */
function otherwiseDecided() {
    const comparison = fileRead("out/comparison.json");
    const [first, second] = comparison.cases.filter(({ metrics }) => metrics.some(({ name }) => name === "time"));
    const base = { asked_threshold: 0.05, min_effect: 0, suspected: false, change: "REGRESSION", doubt: "none" };
    first.metrics.unshift({ ...base, name: "time", against: "budget", unit: "ns", baseline: 1e6, current: 53e6, ratio: 53, threshold: 0, better: "lower" });
    second.metrics.unshift({ ...base, name: "probes", against: "baseline", unit: "", baseline: 0.432, current: 0.495, ratio: 1.1458, interval_low: 1.14, interval_high: 1.15, threshold: 0.05, better: "lower" });
    return { file: fileWrite("otherwise.json", comparison), ids: [first.id, second.id] };
}

test("what a budget or a counter decided is said as on the terminal", async () => {
    const { file, ids } = otherwiseDecided();
    const page = await browser.open(pageMake("otherwise.html", file));
    await chartsDrawn(page);
    const row = (id) => page.locator("#cases tbody tr", { hasText: id }).innerText();
    assert.match(await row(ids[0]), /time, budget\s+<= 1\.00 ms\s+53\.0 ms/);
    assert.match(await row(ids[1]), /probes\s+\+14\.6 %\s.*0\.432\s+0\.495/);
    const drawn = await page.locator("#changes .chart svg").innerHTML();
    assert.ok(!drawn.includes(ids[0]));
    assert.match(drawn, /\(probes\)/);
    assert.ok(!(await page.locator("#changes").innerText()).includes("5200"));
    assert.deepEqual(page.wrong, []);
});

test("a page of results says which budgets hold, and what no recording has to the end", async () => {
    const results = fileRead("base.json");
    const [first, second] = results.cases.filter(({ summary }) => summary?.median_ns);
    first.budgets = [{ metric: "time", relation: "<=", limit: 1e12 }];
    second.budgets = [{ metric: "time", relation: "<=", limit: 1 }];
    second.series.push({ name: "probes", source: "workload", better: "lower", threshold: 0.05, min_effect: 0, values: [0.432, 0.495, 0.495] });
    delete results.profile;
    const profile = JSON.parse(kgate("report", "base.kgprof", "--format", "json"));
    profile.processes[0].complete = false;
    const page = await browser.open(pageMake("budgets.html", fileWrite("budgets.json", results), fileWrite("open.json", profile)));
    const said = await text(page, "#verdict");
    assert.match(said, /Budgets: 1 met, 1 missed/);
    assert.ok(said.includes(`${second.id}: time is `), said);
    assert.match(said, /1 process had not ended the recording/);
    const row = (id) => page.locator("#cases tbody tr", { hasText: id }).innerText();
    assert.match(await row(second.id), /1 of 1 missed/);
    assert.match(await row(first.id), /met/);
    await page.evaluate((id) => (location.hash = `#case=${encodeURIComponent(id)}`), second.id);
    await page.waitForSelector("#case-title");
    assert.match(await text(page, "#case"), /probes\s+0\.495/);
    assert.deepEqual(page.wrong, []);
});

test("no axis of changes goes below -100 %, none of times below 0", async () => {
    const comparison = fileRead("out/comparison.json");
    for (const { metrics } of comparison.cases) for (const metric of metrics) metric.threshold = 4;
    const page = await browser.open(pageMake("doubtful.html", fileWrite("doubtful.json", comparison), "current.json", storedFile()));
    await chartsDrawn(page);
    const labels = await page.locator("#changes svg text, #history svg text").allTextContents();
    assert.ok(labels.some((label) => /^\+[1-9]\d\d$/.test(label)), String(labels));
    assert.deepEqual(labels.filter((label) => /^[-−]/.test(label) && !/^−\d\d?$/.test(label)), []);
});

test("a page of the CPU has no words of a GPU, and results have a heading of their own", async () => {
    const results = fileRead("base.json");
    delete results.profile;
    results.cases = results.cases.filter(({ status }) => status === "OK");
    const page = await browser.open(pageMake("cpu.html", fileWrite("cpu.json", results)));
    await chartsDrawn(page);
    assert.doesNotMatch(await page.locator("body").innerText(), /GPU|CUDA|NVIDIA/);
    assert.deepEqual((await page.locator("h2").allInnerTexts()).slice(0, 2), ["Results", "All cases"]);
    assert.ok((await heads(page)).every((name) => !/verdict|status/.test(name)), String(await heads(page)));
    assert.equal(await page.locator("#verdict .counts").count(), 0);
    results.cases[0].status = "FAILED";
    const failed = await browser.open(pageMake("failed.html", fileWrite("failed.json", results)));
    assert.ok((await heads(failed)).includes("status"));
    assert.match(await text(failed, "#verdict .counts"), /1 ✕ failed/);
});

test("a suggestion that two files have is shown once", async () => {
    const page = await browser.open(pageMake("twice.html", "out/comparison.json", "out/suggestions.json"));
    const said = await page.locator("#suggestions summary").allInnerTexts();
    assert.equal(said.length, new Set(said).size);
    assert.equal(await text(page, "#suggestions p"), await text(await browser.open(pageMake("once.html", "out/suggestions.json")), "#suggestions p"));
});

test("on a phone each memory label is another, and every side of the builds is in sight", async () => {
    const results = fileRead("base.json");
    delete results.profile;
    results.cases = results.cases.filter(({ status }) => status === "OK");
    results.cases.forEach((one, i) => (one.id = `bench_cjson.so/${i % 2 ? "parse" : "print"},pretty=no,n=${10 ** (i >> 1)},unformatted=no,copies=1/cpu`));
    const page = await browser.open(pageMake("labels.html", fileWrite("labels.json", results), storedFile()), "", { viewport: { width: 390, height: 800 } });
    await chartsDrawn(page);
    const labels = (await page.locator("#memory .chart text").allTextContents()).filter((label) => label.includes("cpu") || label.includes("…"));
    assert.equal(labels.length, results.cases.length, String(labels));
    assert.equal(new Set(labels).size, labels.length, String(labels));
    const hidden = (selector) => page.locator(selector).first().evaluate((region) => region.scrollWidth - region.clientWidth);
    assert.equal(await hidden("#machines .scrolled"), 0);
    const stored = await browser.open(pageMake("stored.html", storedFile()), "", { viewport: { width: 390, height: 800 } });
    assert.equal(await stored.locator("#statistics .scrolled").evaluate((region) => region.scrollWidth - region.clientWidth), 0);
    assert.deepEqual(await heads(stored), ["case", "newest stored", "stored runs"]);
});

test("suggestions name their case", async () => {
    const { suggestions } = fileRead("out/suggestions.json");
    assert.ok(suggestions.length > 0);
    const page = await browser.open(pageMake("advice.html", "out/suggestions.json"));
    for (const one of suggestions.slice(0, 5))
        assert.ok((await page.locator("#suggestions summary").allInnerTexts()).some((said) => said.includes(one.operation.split(";")[0])), one.operation);
});

test("a case shows every round, its density and its history", async () => {
    const { id } = fileRead("current.json").cases[1];
    const page = await browser.open(compared, `#case=${encodeURIComponent(id)}`);
    await chartsDrawn(page);
    assert.equal(await page.locator("#case .chart").count(), 2);
    assert.match(await text(page, "#case figure"), /baseline \d+ rounds, median .*; base \d+ rounds, .*; candidate \d+ rounds/);
    assert.ok((await (await figureRows(page, "#case")).count()) >= 12);
    assert.match(await text(page, "#case figure >> nth=1"), /2 stored runs: .* Now .* Compared: .*\d.* → /);
    assert.deepEqual(page.wrong, []);
});

test("both sides of an `ab` are beside each other", async () => {
    const sides = { base: fileRead("base.json"), head: fileRead("current.json") };
    for (const [side, json] of Object.entries(sides)) {
        json.pair = "one";
        delete json.profile;
        if (side === "head") for (const { rounds } of json.cases) rounds.base_ratio = rounds.median_ns?.map(() => 1);
        fileWrite(`ab-${side}.json`, json);
    }
    const page = await browser.open(pageMake("ab.html", "ab-head.json", "ab-base.json"), `#case=${encodeURIComponent(sides.head.cases[1].id)}`);
    await chartsDrawn(page);
    assert.match(await text(page, "#case figure"), /base \d+ rounds, median .*; head \d+ rounds, median/);
    assert.match(await text(page, "#case"), /kgate ab --base BASE --head HEAD -c suite\.yaml --filter encode/);
    assert.deepEqual(page.wrong, []);
});

test("a sweep's speedup is over the series that is chosen", async () => {
    const page = await browser.open(pageMake("sweep.html", fileWrite("sweep.json", twoLattices())));
    await chartsDrawn(page);
    const said = () => page.locator("#sweeps figure", { hasText: "Speedup" }).innerText();
    assert.match(await said(), /Over lattice=D4: from 0\.50x to 0\.50x/);
    await page.selectOption("#sweeps select", { label: "lattice=E8" });
    assert.match(await said(), /Over lattice=E8: from 2\.00x to 2\.00x/);
    assert.match(await page.locator("#sweeps .keys").first().innerText(), /lattice=D4\s+.*lattice=E8/);
    assert.deepEqual(page.wrong, []);
});

test("a sweep's figures are of this run, the base is dashed, and no name is cut", async () => {
    const page = await browser.open(compared, "", { viewport: { width: 360, height: 800 } });
    await chartsDrawn(page);
    const times = fileRead("current.json").cases.filter(({ id }) => id.startsWith("encode/")).map(({ summary }) => summary.median_ns);
    const figure = page.locator("#sweeps figure", { hasText: "Time per call" }).first();
    assert.ok((await figure.innerText()).includes(`From ${duration(Math.min(...times))} to ${duration(Math.max(...times))}`));
    assert.match(await figure.locator(".keys").innerText(), /the base/);
    assert.deepEqual(page.wrong, []);
});

test("memory is shown over time where a recording has seen it", async () => {
    const profile = JSON.parse(kgate("report", "base.kgprof", "--format", "json"));
    /* How many calls of which process a recording keeps differs from run to run. */
    const [one] = profile.entries;
    profile.entries = profile.processes.flatMap((_, process) =>
        [0, 1, 2].map((i) => ({ ...one, process, start_ns: 1000 * i, duration_ns: 500, allocated_bytes: 1000 + i, peak_bytes: 500 + i })),
    );
    const page = await browser.open(pageMake("memory.html", fileWrite("memory.json", profile)));
    await chartsDrawn(page);
    assert.equal(await page.locator("#memory .chart").count(), 2);
    const processes = await page.locator("#memory option").count();
    assert.equal(processes, profile.processes.length);
    const said = () => text(page, "#memory figure");
    const first = await said();
    await page.selectOption("#memory select", { index: processes - 1 });
    assert.notEqual(await said(), first);
    assert.deepEqual(page.wrong, []);
});

test("a long name of what allocated does not widen a narrow page", async () => {
    const profile = JSON.parse(kgate("report", "base.kgprof", "--format", "json"));
    profile.entries.forEach((entry) => Object.assign(entry, { allocated_bytes: 1000, peak_bytes: 500 }));
    for (const process of profile.processes) process.label = `${process.label}/${"long=name,".repeat(12)}`;
    const page = await browser.open(pageMake("long.html", fileWrite("long.json", profile)), "", { viewport: { width: 360, height: 800 } });
    await chartsDrawn(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
});

test("a link shows one case, with the command that measures it again", async () => {
    const { id } = fileRead("current.json").cases[1];
    const page = await browser.open(compared, `#case=${encodeURIComponent(id)}`);
    assert.equal(await text(page, "#case-title"), id);
    assert.equal(await page.evaluate(() => document.activeElement.id), "case-title");
    assert.match(await text(page, "#case"), /kgate run -c suite\.yaml --filter/);
    await page.getByRole("link", { name: "Close this case" }).click();
    await page.waitForFunction(() => !document.getElementById("case-title"));
    await page.evaluate(() => (location.hash = "#case=none"));
    assert.match(await text(page, "#case"), /No such case/);
    assert.deepEqual(page.wrong, []);
});

test("Escape closes a case, and the focus is where it was", async () => {
    const page = await browser.open(compared);
    await page.fill("#search", "copy");
    const link = page.locator("#cases a.case").first();
    await link.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#case-title");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.getElementById("case-title"));
    assert.equal(await link.evaluate((one) => one === document.activeElement), true);
    await page.goto(`${page.url().split("#")[0]}#case=none`);
    await page.focus("#search");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#case-title").count(), 1, "in a field Escape is the browser's");
    assert.deepEqual(page.wrong, []);
});

test("another file is opened by choosing and by dropping it", async () => {
    const page = await browser.open(pageMake("few.html", "base.json"));
    assert.equal(await page.locator("#changes").count(), 0);
    await page.setInputFiles("#chosen", fileWrite("chosen.json", fileRead("out/comparison.json")));
    await page.waitForSelector("#changes");
    await page.evaluate((json) => {
        const data = new DataTransfer();
        data.items.add(new File([json], "dropped.json"));
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    }, JSON.stringify(fileRead("out/suggestions.json")));
    await page.waitForFunction(() => document.getElementById("foot").textContent.includes("dropped.json"));
    assert.deepEqual(page.wrong, []);
});

test("a file that is not kgate's, or of another version, is refused in a sentence", async () => {
    const page = await browser.open(compared);
    for (const [json, said] of [
        [{ schema: "kgate.results.v99" }, /another version of kgate/],
        [{ name: "other" }, /its schema is missing or unknown/],
        [undefined, /longer than this browser reads/],
    ]) {
        const file = { name: "refused.json", mimeType: "application/json", buffer: Buffer.from(json ? JSON.stringify(json) : "") };
        await page.setInputFiles("#chosen", file);
        await page.waitForFunction((source) => new RegExp(source).test(document.querySelector(".problem")?.textContent), said.source);
    }
    assert.equal(await page.locator("#changes").count(), 1);
    assert.deepEqual(page.wrong, []);
});

test("names that look like HTML or markdown stay text", async () => {
    const id = fileRead("current-hostile.json").cases[0].id;
    const page = await browser.open(hostile, `#case=${encodeURIComponent(id)}`);
    await chartsDrawn(page);
    assert.equal(await text(page, "#case-title"), id);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("strong", { hasText: /^bold$/ }).count(), 0);
    assert.ok((await page.title()).includes(HOSTILE));
    const box = await page.locator("#changes .chart").boundingBox();
    for (let y = 20; y < box.height; y += 13) await page.mouse.move(box.x + box.width * 0.6, box.y + y);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(page.wrong, []);
});

test("light, dark and paper", async () => {
    const page = await browser.open(compared, "", { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.click("#theme");
    assert.notEqual(await ground(), dark);
    await page.click("#theme");
    assert.equal(await ground(), dark);
    const paper = await page.pdf();
    assert.ok(paper.length > 10000);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".tools").isVisible(), false);
    assert.deepEqual(page.wrong, []);
});

/* The page of the results beside the stored run, whose code is as given. */
async function machinesOf(change, environments = []) {
    const baseline = JSON.parse(readFileSync(`${folder}/${storedFile()}`, "utf8"));
    const results = fileRead("base.json");
    for (const one of results.cases) one.code_hash = "00000000000000aa";
    for (const run of baseline.runs) for (const one of run.cases) Object.assign(one, { code_hash: "00000000000000aa" }, change);
    for (const run of baseline.runs) run.environment = environments[0];
    results.environment = environments[1];
    const page = await browser.open(pageMake("sides.html", fileWrite("sides-base.json", baseline), fileWrite("sides.json", results)));
    const said = { text: await text(page, "#machines"), differs: await page.locator("#machines tr.differs").allInnerTexts(), unknown: await page.locator("#machines tr.unknown").allInnerTexts() };
    assert.deepEqual(page.wrong, []);
    await page.close();
    return said;
}

test("machine code that differs is a fact that differs, and what one side lacks is unknown", async () => {
    const same = await machinesOf({});
    assert.ok(![...same.differs, ...same.unknown].some((row) => row.startsWith("Machine code")));
    assert.match(same.text, /Machine code\s+of \d+ cases\s+the same in \d+ cases/);
    const other = await machinesOf({ code_hash: "00000000000000bb" });
    assert.ok(other.differs.some((row) => /^Machine code.*differs\s+of (\d+) cases\s+other in \1 of \1 cases/s.test(row)), other.text);
    assert.match(other.text, /\d+ facts? differs?, marked below\./);
    const none = await machinesOf({ code_hash: undefined });
    assert.ok(none.unknown.some((row) => row.startsWith("Machine code")), none.text);
    assert.match(none.text, /Unknown on one side: \d+ facts?\./);
    assert.ok(!none.text.includes("No fact differs."));
});

test("a variable of the environment that differs is a fact that differs, and an older file does not say", async () => {
    const variables = { LC_ALL: "C" };
    const row = (rows) => rows.find((one) => one.startsWith("Environment"));
    const other = await machinesOf({}, [{ known: true, variables }, { known: true }]);
    assert.match(row(other.differs) ?? "", /LC_ALL=C\s+none/);
    const same = await machinesOf({}, [{ known: true, variables }, { known: true, variables }]);
    assert.equal(row([...same.differs, ...same.unknown]), undefined);
    const older = await machinesOf({}, [{ known: false }, { known: true, variables }]);
    assert.match(row(older.unknown) ?? "", /–\s+LC_ALL=C/);
});

test("a long name of a workload does not widen a narrow page", async () => {
    const name = `encode_${"of_a_long_name".repeat(5)}`;
    const results = JSON.parse(JSON.stringify(fileRead("base.json")).replaceAll('"encode"', `"${name}"`).replaceAll("encode/", `${name}/`));
    delete results.profile;
    const page = await browser.open(pageMake("workload.html", fileWrite("workload.json", results)), "", { viewport: { width: 360, height: 800 } });
    await chartsDrawn(page);
    assert.match(await text(page, "#sweeps h3"), new RegExp(name));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
    await page.close();
});

test("nothing is wider than a page of 360 pixels", async () => {
    const page = await browser.open(hostile, "", { viewport: { width: 360, height: 800 } });
    await chartsDrawn(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
});

test("axe finds nothing serious, light, dark and with a case open", async () => {
    const id = fileRead("current.json").cases[0].id;
    for (const [colorScheme, hash] of [
        ["light", ""],
        ["dark", `#case=${encodeURIComponent(id)}`],
    ]) {
        const page = await browser.open(compared, hash, { colorScheme });
        await chartsDrawn(page);
        assert.deepEqual(await axeSerious(page), [], colorScheme);
    }
});
