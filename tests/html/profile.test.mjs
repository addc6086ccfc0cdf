/* The page of a profile: where the time of each case goes, from recordings of kgate's own. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axeSerious, browserOpen, chartsDrawn, figureRows, fileRead, fileWrite, folder, kgate, pageMake, recorded } from "./support.mjs";

let browser, page;

/* Two cases of attention, recorded for a second each. */
const SUITE = `version: 1
suite: profile
defaults: {sample_time: 0ns, disturbance: 100%, rounds: {min: 1, max: 1}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - {name: attention, kernel: attention, params: {seq_len: 64, d_model: 64, num_heads: 2}, matrix: {version: [blas, fused]}}
`;

const text = (selector) => page.locator(selector).first().innerText();

before(async () => {
    writeFileSync(`${folder}/suite.yaml`, SUITE);
    recorded("now.json");
    browser = await browserOpen();
    page = await browser.open(pageMake("now.html", "now.json"));
    await chartsDrawn(page);
});
after(() => browser.close());

test("time by operation adds up to the whole, and another case can be chosen", async () => {
    const chosen = page.locator("#operations select.wide");
    assert.match(await text("#operations figure"), /Shares of the time\s+[\d,]+ calls, .*; most in /);
    const shares = await (await figureRows(page, "#operations")).locator("td:last-child").allInnerTexts();
    const sum = shares.reduce((total, share) => total + parseFloat(share), 0);
    assert.ok(Math.abs(sum - 100) < 0.1 * shares.length, `${shares}`);
    const first = await text("#operations figure");
    await chosen.selectOption({ index: 1 });
    await chartsDrawn(page);
    assert.notEqual(await text("#operations figure"), first);
    assert.deepEqual(page.wrong, []);
});

test("no pie has more than eight slices: the rest is one", async () => {
    kgate("report", "now.kgprof", "--format", "json", "-o", "many.json");
    const json = fileRead("many.json");
    const [root] = json.paths;
    const one = (name, total) => ({ ...root, name, parent: 0, depth: 1, total_ns: total, self_ns: total });
    json.paths = [{ ...root, self_ns: 0, total_ns: 200 }, ...Array.from({ length: 20 }, (_, i) => one(`part ${i}`, 10))];
    json.thread_shares = json.names = json.entries = json.bottlenecks = [];
    const many = await browser.open(pageMake("many.html", fileWrite("many-parts.json", json)));
    await chartsDrawn(many);
    assert.match(await many.locator("#operations .chart").first().innerHTML(), /13 others/);
    assert.deepEqual(many.wrong, []);
});

test("bottlenecks are in the words of the text report", async () => {
    const printed = kgate("report", "now.kgprof", "--format", "tree").match(/^bottleneck of .*: .*$/gm);
    const lines = await page.locator("#bottlenecks li").allInnerTexts();
    assert.deepEqual(lines.map((line) => `bottleneck of ${line}`), printed);
});

test("a case's own page has its operations", async () => {
    await page.locator("#bottlenecks a").first().click();
    await page.waitForSelector("#case-title");
    await chartsDrawn(page);
    assert.match(await text("#case"), /Shares of the time[^]*Nested scopes/);
    await page.getByRole("link", { name: "Close this case" }).click();
});

/* The same cases once more, a part of one case slower by as much as the whole case took: what share of it the part
 * has on this machine, or under a sanitizer, is not told. */
function slowerRecording() {
    kgate("report", "now.kgprof", "--format", "json", "-o", "later.json");
    const json = fileRead("later.json");
    const part = json.paths.findIndex(({ depth, name }) => depth === 1 && name !== "(profiler)");
    const more = json.paths[json.paths[part].parent].total_ns;
    json.paths[part].total_ns += more;
    json.paths[part].self_ns += more;
    json.paths[json.paths[part].parent].total_ns += more;
    for (const process of json.processes) process.started_ns += 60e9;
    fileWrite("later.json", json);
    return { name: json.paths[part].name, of: json.paths[json.paths[part].parent].name };
}

test("the flame graph widens by keys, goes back, and finds names", async () => {
    const boxes = page.locator("#flame .flames button");
    const all = await boxes.count();
    assert.ok(all > 3);
    await boxes.first().focus();
    await page.keyboard.press("ArrowDown");
    const name = (await page.locator("#flame .flames button:focus").getAttribute("aria-label")).split(";")[0];
    await page.keyboard.press("Enter");
    const width = await page.locator("#flame .flames button:focus").evaluate((box) => box.style.width);
    assert.equal(width, "100%");
    assert.match(await text("#flame .flame-detail"), new RegExp(name.replace(/[()]/g, "\\$&")));
    await page.keyboard.press("Escape");
    assert.equal(await boxes.count(), all);
    await page.fill("#flame input", name);
    assert.match(await text("#flame [role=status]"), /^\d+ scopes? found, \d+\.\d % of the time$/);
    assert.ok((await page.locator("#flame .found").count()) >= 1);
    assert.ok((await (await figureRows(page, "#flame")).count()) >= all);
    assert.deepEqual(page.wrong, []);
});

test("two recordings show what became slower, with its sign", async () => {
    const slow = slowerRecording();
    const two = await browser.open(pageMake("two.html", "now.kgprof", "later.json"));
    await chartsDrawn(two);
    assert.match(await two.locator("#flame-change figcaption").innerText(), new RegExp(`Most changed: ${slow.name}, \\+`));
    const box = two.locator("#flame-change .flames button", { hasText: `+ ${slow.name}` }).first();
    await box.hover();
    assert.match(await two.locator("#flame-change .flame-detail").innerText(), /own time .* → .*, \+.* \(\+[\d.]+ %\)/);
    assert.match(await box.getAttribute("style"), /--worse/);
    assert.equal(await two.locator("#flame-change select").first().locator("option:checked").innerText(), slow.of);
    assert.deepEqual(await axeSerious(two), []);
    assert.deepEqual(two.wrong, []);
});

test("the timeline is a picture of what was recorded, and zooms", async () => {
    const chart = page.locator("#timeline .chart");
    assert.match(await text("#timeline figcaption"), /scopes on one thread; longest: attention/);
    await chart.scrollIntoViewIfNeeded();
    const picture = async () => (await chart.screenshot()).toString("base64");
    const { x, y, width } = await chart.boundingBox();
    const whole = await picture();
    await page.mouse.move(x + width / 2, y + 40);
    await page.keyboard.down("Control");
    for (let i = 0; i < 10; i++) await page.mouse.wheel(0, -120);
    await page.keyboard.up("Control");
    await page.mouse.move(0, 0);
    /* It is drawn again in a later frame: a page that never does so ends at the test's time-out. */
    while ((await picture()) === whole) await page.waitForTimeout(100);
    assert.deepEqual(page.wrong, []);
});

test("time on the GPU is on its stream, and apart from the CPU's", async () => {
    kgate("report", "now.kgprof", "--format", "json", "-o", "gpu.json");
    const json = fileRead("gpu.json");
    for (const path of json.paths) path.gpu_ns = path.total_ns / 2;
    for (const entry of json.entries) Object.assign(entry, { gpu_start_ns: entry.start_ns, gpu_ns: entry.duration_ns / 2, stream: "0x7f" });
    const gpu = await browser.open(pageMake("gpu.html", fileWrite("gpu.json", json)));
    await chartsDrawn(gpu);
    assert.match(await gpu.locator("#timeline figcaption").innerText(), /on 2 threads or streams/);
    assert.match(await gpu.locator("#operations").innerText(), /Parts of each operation[^]*Largest part: GPU, 50\.0 %/);
    assert.deepEqual(gpu.wrong, []);
});

test("parts of a call, and the roofline with a point for each case that leads to it", async () => {
    const now = fileRead("now.json");
    assert.equal(await (await figureRows(page, "#parts")).count(), now.cases.length);
    assert.match(await text("#roofline figcaption"), /2 cases; most: attention/);
    assert.match(await text("#roofline .keys"), /memory [\d.]+ GB\/s, 1 thread/);
    const points = page.locator("#roofline .chart svg path[fill='#0b62c4']");
    assert.equal(await points.count(), 2);
    await points.last().click({ force: true });
    await page.waitForSelector("#case-title");
    assert.ok(now.cases.some(({ id }) => id === decodeURIComponent(new URL(page.url()).hash.slice("#case=".length))));
    await page.getByRole("link", { name: "Close this case" }).click();
    assert.deepEqual(page.wrong, []);
});

test("names that look like HTML stay text", async () => {
    const name = "<img src=x onerror=alert(1)>";
    kgate("report", "now.kgprof", "--format", "json", "-o", "plain.json");
    const json = fileRead("plain.json");
    for (const one of [...json.paths, ...json.names]) one.name = `${name} ${one.name}`;
    for (const thread of json.threads) thread.name = name;
    const hostile = await browser.open(pageMake("hostile.html", fileWrite("hostile-profile.json", json)));
    await chartsDrawn(hostile);
    for (const section of ["#operations .chart", "#flame .flames", "#timeline .chart"]) {
        const place = hostile.locator(section).first();
        await place.scrollIntoViewIfNeeded();
        const { x, y, width, height } = await place.boundingBox();
        for (let at = 10; at < height; at += 17) await hostile.mouse.move(x + width * 0.15, y + at);
    }
    assert.match(await hostile.locator("#flame .flame-detail").innerText(), /<img src=x/);
    assert.equal(await hostile.locator("img").count(), 0);
    assert.deepEqual(hostile.wrong, []);
});

test("on paper the flame graph and the chosen case's name are there", async () => {
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("#flame .flames button").first().isVisible(), true);
    assert.equal(await page.locator("#timeline .paper").isVisible(), true);
    assert.equal(await page.locator("#timeline select").isVisible(), false);
    await page.emulateMedia({ media: "screen" });
});

test("axe finds nothing serious, and nothing is wider than 360 pixels", async () => {
    assert.deepEqual(await axeSerious(page), []);
    const narrow = await browser.open(`${folder}/now.html`, "", { viewport: { width: 360, height: 800 }, colorScheme: "dark" });
    await chartsDrawn(narrow);
    assert.ok((await narrow.evaluate(() => document.documentElement.scrollWidth)) <= 360);
    assert.deepEqual(await axeSerious(narrow), []);
    assert.deepEqual(narrow.wrong, []);
});

/* A recording whose scopes do not nest: what a program with one scope per operation gives. */
function flatRecording() {
    kgate("report", "now.kgprof", "--format", "json", "-o", "flat.json");
    const json = fileRead("flat.json");
    const [root] = json.paths;
    const one = (name, i, calls, mean, deviation) => ({ ...root, name, parent: i, depth: 0, calls, total_ns: calls * mean, self_ns: calls * mean, mean_ns: mean, min_ns: mean / 2, max_ns: 2 * mean, standard_deviation_ns: deviation, gpu_ns: 0, transfer_ns: 0, overhead_ns: 0, share: 0, process_calls: [calls], rounds_ns: [calls * mean] });
    json.paths = [one("matrix_multiply", 0, 30, 2e6, 3e5), one("graph_search", 1, 10, 1e6, 1e5), one("copy", 2, 60, 5e5, 1e4)];
    Object.assign(json.paths[0], { gpu_ns: 4e7, transfer_ns: 1e7 });
    json.processes = [{ ...json.processes[0], program: "/opt/app", label: undefined }];
    json.entries = [0, 1, 2].map((path) => ({ process: 0, thread: 1, path, start_ns: path * 1e6, duration_ns: 9e5 }));
    json.names = json.threads = json.thread_shares = json.bottlenecks = [];
    return fileWrite("flat.json", json);
}

test("a flat recording has cards, pie, bars, parts, bottleneck, table and a coloured timeline", async () => {
    const flat = await browser.open(pageMake("flat.html", flatRecording()));
    await chartsDrawn(flat);
    const shown = (selector) => flat.locator(selector).first().innerText();
    assert.match(await shown("#verdict .lead"), /^app: 1 process, /);
    assert.doesNotMatch(await flat.locator("main").innerText(), /no comparison|nothing was compared|no case of/i);
    const cards = await flat.locator("#operations .cards li").allInnerTexts();
    assert.deepEqual(cards.map((card) => card.replace(/\s+/g, " ")), ["100 operations", "3 different operations", "100 ms total time", "1.00 ms average own time"]);
    const operations = await shown("#operations");
    for (const chart of ["Shares of the time", "Average time per call", "Number of calls", "Parts of each operation", "All operations"]) assert.ok(operations.includes(chart), chart);
    assert.match(operations, /Bottleneck: matrix_multiply, 60 % of the time of all scopes \(copy 30 %\)/);
    assert.match(operations, /Largest part: GPU, 66\.7 %/);
    const row = flat.locator("#operations .scrolled tbody tr").filter({ hasText: "matrix_multiply" }).last();
    assert.equal((await row.innerText()).replace(/\s+/g, " "), "matrix_multiply 30 60.0 ms 60.0 ms 2.00 ms 300 µs 1.00 ms 4.00 ms 60.0 %");
    assert.match(await shown("#bottlenecks"), /matrix_multiply, 60 %[^]*graph_search/);
    assert.deepEqual(await flat.locator("#timeline .keys li").allInnerTexts(), ["matrix_multiply", "graph_search", "copy"]);
    assert.deepEqual(await axeSerious(flat), []);
    assert.deepEqual(flat.wrong, []);
    const narrow = await browser.open(`${folder}/flat.html`, "", { viewport: { width: 360, height: 800 } });
    await chartsDrawn(narrow);
    assert.ok((await narrow.evaluate(() => document.documentElement.scrollWidth)) <= 360);
});

test("kgate init --demo writes a page with example data", async () => {
    kgate("init", "--demo", "--force");
    const demo = await browser.open(`${folder}/kgate-demo.html`);
    await chartsDrawn(demo);
    assert.match(await demo.locator("#verdict .lead").innerText(), /\(example data\): 1 process, /);
    assert.match(await demo.locator("#operations").innerText(), /Bottleneck: [^]*All operations/);
    assert.deepEqual(demo.wrong, []);
});

test("a comparison of profiles has a case for each path, and no other", async () => {
    const json = JSON.parse(kgate("report", "now.kgprof", "--format", "json"));
    for (const one of json.processes) {
        one.program = "/app";
        delete one.label;
    }
    fileWrite("program.json", json);
    kgate("compare", "program.json", "program.json", "-o", "same");
    const same = await browser.open(pageMake("same.html", "same/comparison.json", "same/suggestions.json"));
    const counts = await same.locator("#verdict .counts").innerText();
    const { cases } = fileRead("same/comparison.json");
    assert.ok(fileRead("same/suggestions.json").findings.length > 0);
    assert.match(counts, new RegExp(`^${cases.length}\\s`));
    assert.doesNotMatch(counts, /stored/i);
    assert.deepEqual(same.wrong, []);
});
