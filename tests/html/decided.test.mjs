/* What the page says of a gate that settled a case by pairs, of rounds far out, of reasons and of widths. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readdirSync } from "node:fs";
import { axeSerious, browserOpen, chartsDrawn, fileRead, fileWrite, folder, kgate, measured, pageMake, slower } from "./support.mjs";

let browser, gate, id;

/* A round fifty times as long as the others, of twelve. */
function farOut(results) {
    const { rounds } = results.cases.find((one) => one.id === id);
    for (const [name, values] of Object.entries(rounds)) if (Array.isArray(values) && values.length === 3) rounds[name] = [...values, ...values, ...values, ...values];
    rounds.median_ns[5] *= 50;
}

/* The comparison as a gate leaves it that settled the case by pairs: +130.9 %, where this run alone was four times. */
function settled(comparison) {
    const one = comparison.cases.find((other) => other.id === id);
    Object.assign(one, { pairs: 8, reason: "settled by 8 pairs; measure again by `kgate run`, or ` alone" });
    Object.assign(one.metrics[0], { name: "time", against: "base", baseline: 57000, current: 131613, ratio: 2.309, interval_low: 2.3, interval_high: 2.32 });
    comparison.created = fileRead("current.json").created;
}

before(async () => {
    const base = measured("base.json");
    id = base.cases[0].id;
    kgate("baseline", "update", "base.json", "-b", "store");
    fileWrite("older.json", slower(base, "", 1.01, -1));
    kgate("baseline", "update", "older.json", "-b", "store");
    const current = slower(base, "encode/", 4);
    fileWrite("current.json", current);
    kgate("compare", "base.json", "current.json", "-o", "out");
    const comparison = fileRead("out/comparison.json");
    settled(comparison);
    fileWrite("comparison.json", comparison);
    farOut(current);
    delete current.profile;
    fileWrite("current.json", current);
    const [stored] = readdirSync(`${folder}/store`).filter((name) => name.endsWith(".json"));
    gate = pageMake("gate.html", "comparison.json", "current.json", `store/${stored}`);
    browser = await browserOpen();
});
after(() => browser.close());

test("an accepted case says so with the reason: in the banner, the chart, the table and the case", async () => {
    const comparison = fileRead("comparison.json");
    const [accepted, counted] = comparison.cases.filter(({ metrics }) => metrics.length);
    Object.assign(accepted, { change: "REGRESSION", fails: false, waived: "accepted", waiver: "accepted up to +200.0 %: sums are <b>exact</b> now" });
    Object.assign(counted, { change: "REGRESSION", fails: true, waived: "none" });
    comparison.cases = [accepted, counted];
    const page = await browser.open(pageMake("accepted.html", fileWrite("accepted.json", comparison)));
    await chartsDrawn(page);
    const banner = await page.locator("#verdict").innerText();
    assert.match(banner, /1 ▲ regression\s+1 ▲ regression, accepted/);
    assert.match(banner, new RegExp(`Worst: ${counted.id}`));
    assert.match(banner, /▲ regression, accepted.*: accepted up to \+200\.0 %: sums are <b>exact<\/b> now/);
    await page.locator("#changes .figures summary").click();
    assert.match(await page.locator("#changes tbody tr").first().innerText(), /regression, accepted/);
    assert.match(await page.locator("#cases tbody tr").first().innerText(), /regression, accepted\s+accepted up to \+200\.0 %: sums are/);
    assert.match(await page.locator("#cases tbody tr").nth(1).innerText(), /regression\s/);
    await page.selectOption("#filter", "accepted");
    assert.equal(await page.locator("#cases tbody tr").count(), 1);
    await page.evaluate((name) => (location.hash = `#case=${encodeURIComponent(name)}`), accepted.id);
    await page.waitForSelector("#case-title");
    assert.match(await page.locator("#case").innerText(), /regression, accepted[^]+The gate does not fail on this case: accepted up to/);
    assert.deepEqual(page.wrong, []);
});

/* A page of four cases whose changes are these, in per cent, each with an interval of one per cent around it. */
function changedBy(...changes) {
    const comparison = fileRead("comparison.json");
    const one = comparison.cases.find(({ metrics }) => metrics.length);
    comparison.cases = changes.map((percent, i) => {
        const ratio = 1 + percent / 100;
        const metric = { ...one.metrics[0], against: "baseline", threshold: 0.05, ratio, interval_low: ratio - 0.005, interval_high: ratio + 0.005 };
        return { ...one, id: `w/n=${i}/cpu`, reason: undefined, change: percent > 5 ? "REGRESSION" : "NO_CHANGE", metrics: [metric] };
    });
    return pageMake("changed.html", fileWrite("changed.json", comparison));
}

test("the chart of changes holds the worst of four cases, and has the figure of each", async () => {
    const page = await browser.open(changedBy(16.5, 6, 0.1, -0.2));
    await chartsDrawn(page);
    const labels = await page.locator("#changes svg text").allTextContents();
    assert.ok(labels.includes("+15"), labels.join("; "));
    for (const figure of ["+16.5 %", "+6.0 %"]) assert.ok(labels.includes(figure), labels.join("; "));
    assert.match(await page.locator("#changes figcaption").innerText(), /4 compared cases; the whole interval of 2 is beyond the threshold\. Worst first: w\/n=0\/cpu, \+16\.5 %/);
    assert.ok(labels.includes("faster  ←  change (%)  →  slower"), labels.join("; "));
    assert.deepEqual(page.wrong, []);
});

test("changes of +209 % and +113 % stand at different places", async () => {
    const page = await browser.open(changedBy(209, 113, ...Array.from({ length: 12 }, () => 6)));
    await chartsDrawn(page);
    const labels = await page.locator("#changes svg text").allTextContents();
    for (const label of ["+100", "+200", "+209.0 %", "+113.0 %"]) assert.ok(labels.includes(label), labels.join("; "));
    assert.ok(!labels.some((label) => /\+209\.0 % \(/.test(label)), "no arrow");
});

test("unchanged cases are one line, and a chart when it is opened", async () => {
    const page = await browser.open(changedBy(16.5, 0.1, -0.2));
    await chartsDrawn(page);
    assert.ok(!(await page.locator("#changes svg text").allTextContents()).includes("+0.1 %"));
    assert.equal(await page.locator("#unchanged summary").first().innerText(), "2 unchanged cases: −0.2 % to +0.1 %");
    await page.locator("#unchanged summary").first().click();
    await page.waitForFunction(() => document.querySelector("#unchanged .chart svg path"));
    assert.ok((await page.locator("#unchanged svg text").allTextContents()).includes("+0.1 %"));
    const none = await browser.open(changedBy(0.1, -0.2));
    assert.equal(await none.locator("#changes .chart").count(), 0);
    assert.deepEqual([...page.wrong, ...none.wrong], []);
});

test("the chart of changes has a drawn key of the signs that it uses", async () => {
    const signs = async (page) => (await page.locator("#changes .keys .sign").evaluateAll((all) => all.map((one) => one.className))).join(",");
    assert.equal(await signs(await browser.open(changedBy(16.5, 0.1))), "sign point,sign interval,sign band");
    assert.equal(await signs(await browser.open(changedBy(9900, ...Array.from({ length: 11 }, () => 6)))), "sign point,sign interval,sign band,sign beyond");
});

test("a change that would squeeze the others is an arrow with its interval", async () => {
    const page = await browser.open(changedBy(9900, ...Array.from({ length: 11 }, () => 6)));
    await chartsDrawn(page);
    const labels = await page.locator("#changes svg text").allTextContents();
    assert.ok(labels.includes("+9900 % (+9900 % to +9901 %)"), labels.join("; "));
    assert.ok(!labels.includes("+9900"), labels.join("; "));
});

test("a page that fails has suite, commits, machine and date, and three commands under the banner", async () => {
    const comparison = fileRead("comparison.json");
    const failing = comparison.cases.find(({ metrics }) => metrics.length);
    Object.assign(failing, { change: "REGRESSION", fails: true });
    Object.assign(comparison, { verdict: "FAIL", commit: "v1.8", branch: "faster", baseline_commit: "v1.7", baseline_branch: "main", suite_path: "suite.yaml", cases: [failing] });
    comparison.next_commands = ["ab --filter a", "accept a", "quarantine a"].map((words) => ({ purpose: words.split(" ")[0], command: `kgate ${words}` }));
    for (const width of [1280, 390]) {
        const page = await browser.open(pageMake("steps.html", fileWrite("steps.json", comparison)), "", { viewport: { width, height: 800 } });
        const facts = page.locator("#verdict .facts").first();
        assert.match(await facts.innerText(), /Suite\s+page\s+Candidate\s+commit v1\.8 \(faster\), \d{4}-\d\d-\d\d .*\s+Baseline\s+commit v1\.7 \(main\)[^]*Machine\s+\S+/);
        const { y, height } = await facts.boundingBox();
        assert.ok(y + height < 800, `${width}: ${y + height}`);
        const commands = await page.locator("#steps code").allInnerTexts();
        assert.deepEqual(commands, ["kgate ab --filter a", "kgate accept a", "kgate quarantine a"]);
        assert.match(await page.locator("#steps").innerText(), /^Ab\s+kgate ab --filter a\s+Accept/);
        assert.deepEqual(page.wrong, []);
    }
    const passed = await browser.open(pageMake("passed.html", fileWrite("passed.json", { ...comparison, verdict: "PASS", next_commands: undefined, cases: [{ ...failing, fails: false }] })));
    assert.equal(await passed.locator("#steps").count(), 0);
});

test("history tells what pairs decided, and what this run was before them", async () => {
    const page = await browser.open(gate, `#case=${encodeURIComponent(id)}`);
    await chartsDrawn(page);
    const figure = page.locator("#case figure", { hasText: "History" });
    const said = await figure.innerText();
    assert.match(said, /2 stored runs: .*Paired rounds decided: \+130\.9 %, 57\.0 µs → 132 µs\. This run alone: /);
    assert.match(await figure.locator(".chart").innerHTML(), /pairs/);
    assert.deepEqual(page.wrong, []);
});

test("history marks where the code changed, names commits, and no two runs of it read the same", async () => {
    const [stored] = readdirSync(`${folder}/store`).filter((name) => name.endsWith(".json"));
    const baseline = fileRead(`store/${stored}`);
    const runs = ["T21:58:03Z", "T21:58:41Z", "T21:59:00Z"].map((time, i) => {
        const run = structuredClone(baseline.runs[0]);
        Object.assign(run, { created: `2026-01-31${time}`, commit: `v1.${i}`, branch: "main" });
        for (const one of run.cases) one.code_hash = i ? "00000000000000bb" : "00000000000000aa";
        return run;
    });
    const page = await browser.open(pageMake("runs.html", fileWrite("runs.json", { ...baseline, runs })), `#case=${encodeURIComponent(id)}`);
    await chartsDrawn(page);
    const figure = page.locator("#case figure", { hasText: "History" });
    assert.match(await figure.innerText(), /3 stored runs: .*The code changed once\./);
    const labels = (await figure.locator(".chart text").allTextContents()).filter((label) => label.startsWith("21:"));
    assert.ok(labels.length >= 2, String(labels));
    assert.equal(new Set(labels).size, labels.length, String(labels));
    assert.equal(await figure.locator(".chart svg path[stroke-dasharray]").count(), 1);
    await figure.locator(".figures summary").click();
    const rows = figure.locator("tbody tr");
    await rows.first().waitFor();
    assert.match(await rows.nth(0).innerText(), /commit v1\.0 \(main\)\s+00000000\s/);
    assert.match(await rows.nth(1).innerText(), /commit v1\.1 \(main\)\s+00000000, changed/);
    assert.deepEqual(page.wrong, []);
});

test("a round far out is counted, and does not squeeze the others", async () => {
    const page = await browser.open(gate, `#case=${encodeURIComponent(id)}`);
    await chartsDrawn(page);
    assert.match(await page.locator("#case figure", { hasText: "Every round" }).innerText(), /1 round lies above the axis, at its edge: up to/);
});

test("the density of scattered rounds does not take the axis below 0", async () => {
    const json = fileRead("base.json");
    delete json.profile;
    const one = json.cases[0];
    for (const values of Object.values(one.rounds)) if (Array.isArray(values) && values.length === 3) values.push(...values);
    one.rounds.median_ns = [30, 40, 50, 4000, 7000, 9000];
    const page = await browser.open(pageMake("scattered.html", fileWrite("scattered.json", json)), `#case=${encodeURIComponent(one.id)}`);
    await chartsDrawn(page);
    const labels = await page.locator("#case figure", { hasText: "Every round" }).locator("svg text").allTextContents();
    assert.ok(labels.some((label) => /µs$/.test(label)), String(labels));
    assert.deepEqual(labels.filter((label) => /^[-−]/.test(label)), []);
});

test("code between backticks is an element, and a backtick alone stays", async () => {
    const page = await browser.open(gate, `#case=${encodeURIComponent(id)}`);
    assert.equal(await page.locator("#case code", { hasText: /^kgate run$/ }).count(), 1);
    assert.match(await page.locator("#case").innerText(), /by kgate run, or ` alone/);
});

test("of a suite that asks for no GPU, none is missed", async () => {
    const page = await browser.open(gate);
    assert.doesNotMatch(await page.locator("#verdict").innerText(), /GPU/);
    const json = fileRead("base.json");
    for (const one of json.cases.slice(0, 2)) Object.assign(one, { id: one.id.replace(/cpu$/, "cuda"), device: "cuda", status: "SKIPPED", reason: "no CUDA device: no driver" });
    delete json.profile;
    const other = await browser.open(pageMake("skipped.html", fileWrite("skipped.json", json)));
    assert.match(await other.locator("#verdict").innerText(), /2 cases skipped: no CUDA device: no driver/);
});

test("where most cases are undecided, the overall change is that of all, which decides nothing", async () => {
    const comparison = fileRead("comparison.json");
    comparison.overall = [{ cases: 5, counted: 0, baseline_ns: 0, current_ns: 0, compared: 4, compared_ratio: 1.3 }];
    const page = await browser.open(pageMake("open.html", fileWrite("open.json", comparison)));
    assert.match(await page.locator("#verdict").innerText(), /Mean change: \+30\.0 % \(geometric mean of all 4 compared cases, not decided\)/);
    comparison.overall[0] = { ...comparison.overall[0], counted: 1, geometric_ratio: 1.1, baseline_ns: 100, current_ns: 110 };
    const other = await browser.open(pageMake("few.html", fileWrite("few.json", comparison)));
    assert.match(await other.locator("#verdict").innerText(), /Mean change: \+10\.0 % \(geometric mean of 1 case\); \+30\.0 % \(geometric mean of all 4 /);
});

test("on paper the whole of a chart is there, smaller", async () => {
    const page = await browser.open(gate);
    await chartsDrawn(page);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 700, height: 900 });
    for (const picture of await page.locator(".chart svg").all()) {
        const { cut, wide } = await picture.evaluate((svg) => {
            const { width, height } = svg.viewBox.baseVal;
            const box = svg.getBoundingClientRect();
            return { cut: Math.abs(width / height - box.width / box.height) > 0.02, wide: box.right > document.documentElement.clientWidth };
        });
        assert.deepEqual({ cut, wide }, { cut: false, wide: false });
    }
});

test("axe finds nothing serious in comparisons, results and baselines, light and dark", async () => {
    const [stored] = readdirSync(`${folder}/store`).filter((name) => name.endsWith(".json"));
    for (const path of [gate, pageMake("results.html", "current.json"), pageMake("baseline.html", `store/${stored}`)])
        for (const colorScheme of ["light", "dark"]) {
            const page = await browser.open(path, "", { colorScheme });
            await chartsDrawn(page);
            assert.deepEqual(await axeSerious(page), [], `${path} ${colorScheme}`);
        }
});

test("at 960 pixels every link of the sections and every metric is in sight", async () => {
    const page = await browser.open(gate, `#case=${encodeURIComponent(id)}`, { viewport: { width: 960, height: 900 } });
    await chartsDrawn(page);
    const tools = await page.locator(".tools").boundingBox();
    for (const link of await page.locator("#contents a").all()) {
        const box = await link.boundingBox();
        assert.ok(box.x + box.width <= tools.x, await link.innerText());
    }
    const wide = await page.locator("#case .scrolled").first().evaluate((region) => region.scrollWidth - region.clientWidth);
    assert.equal(wide, 0);
});

test("a table says how many rounds were judged, an improvement is not the worst, and notes are open on paper", async () => {
    const base = fileRead("base.json");
    const head = structuredClone(base);
    base.pair = head.pair = "one";
    for (const one of head.cases) one.rounds.base_ratio = one.rounds.median_ns.map(() => 1);
    for (const json of [base, head]) delete json.profile;
    const comparison = fileRead("out/comparison.json");
    const timeOf = (one) => one.metrics.find(({ name }) => name === "time");
    const first = comparison.cases.find(timeOf);
    comparison.cases = [first, ...comparison.cases.filter((one) => one !== first)];
    Object.assign(first, { change: "IMPROVEMENT", rounds: 30, confirming_rounds: 0, pairs: 0 });
    first.metrics = [{ ...timeOf(first), against: "base", ratio: 0.5, current_rounds: 4 }];
    comparison.notes = ["26 of 30 rounds waited"];
    fileWrite("comparison.json", comparison);
    /* the page calls the results so that it is of */
    fileWrite("results", head);
    const page = await browser.open(pageMake("judged.html", "comparison.json", "results", fileWrite("base.json", base)));
    await page.setViewportSize({ width: 2400, height: 900 });
    const shown = page.locator("#statistics table").first();
    const heads = await shown.locator("thead th").allInnerTexts();
    const at = heads.findIndex((text) => /^rounds/.test(text));
    const row = shown.locator("tbody tr", { hasText: first.id });
    assert.equal(await row.locator("th, td").nth(at).innerText(), "4 of 30", String(heads));
    const sides = await page.locator("table.sides thead th").allInnerTexts();
    assert.deepEqual(sides, ["fact", "head", "base.json"]);
    assert.match(await page.locator("#verdict").innerText(), /Largest change: /);
    const notes = page.locator("#verdict details.notes");
    const isOpen = () => notes.evaluate((one) => one.open);
    assert.equal(await isOpen(), false);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.equal(await isOpen(), true);
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.equal(await isOpen(), false);
    assert.deepEqual(page.wrong, []);
});
