/* What the tests of the HTML page share: files of kgate's own making, pages of them, and a browser that may not
 * reach anything. The environment names the program: KGATE. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const folder = mkdtempSync(join(tmpdir(), "kgate-page-"));
const at = (name) => join(folder, name);
/* What another build of kgate measured of this CPU is no part of a test. */
process.env.XDG_CACHE_HOME = at("cache");

export function kgate(...given) {
    /* A comparison that fails exits with 1: what it leaves is looked at. */
    try {
        return execFileSync(process.env.KGATE, given, { cwd: folder, encoding: "utf8", stdio: "pipe", maxBuffer: 2 ** 30 });
    } catch (error) {
        if (error.status === 1 || error.status === 3 || error.status === 4) return error.stdout;
        throw error;
    }
}

/* Runs suite.yaml with a recording, once more where no case could be measured at all: what a busy machine did is not
 * what these tests are about. What kgate said is said. */
export function recorded(results) {
    for (const attempts = []; attempts.length < 3; ) {
        attempts.push(kgate("run", "-c", "suite.yaml", "-o", results, "--profile"));
        if (existsSync(at(results.replace(".json", ".kgprof")))) return;
        console.error(`there is no recording of ${results}:\n${attempts.at(-1)}`);
    }
    throw new Error("kgate run --profile recorded nothing, three times");
}

export const fileRead = (name) => JSON.parse(readFileSync(at(name), "utf8"));
export function fileWrite(name, json) {
    writeFileSync(at(name), JSON.stringify(json));
    return at(name);
}

/* A call of each case. What this machine's times would be is not told: which version is the faster one differs from
 * CPU to CPU, and with it what is suggested. */
const CALL_NS = { "batch=1/": 32, "batch=10/": 117, "batch=100/": 610, "version=plain/": 550, "version=fast/": 150 };

/* The rounds of a machine with nothing else to do: each within 2 % of the least. */
function calm({ id, rounds, summary }) {
    if (!rounds?.median_ns?.length) return;
    const least = Object.entries(CALL_NS).find(([part]) => id.includes(part))[1];
    const times = rounds.median_ns.map((_, i) => least * (1 + 0.01 * i));
    for (const column of ["median_ns", "mean_ns", "min_ns", "max_ns", "p95_ns"]) rounds[column] = times;
    for (const figure of Object.keys(summary)) summary[figure] = times[Math.floor(times.length / 2)];
    Object.assign(summary, { standard_deviation_ns: 0.01 * least, interval_low_ns: least, interval_high_ns: times.at(-1) });
}

/* Results that kgate wrote: a sweep, two versions, and a case that fails. */
export function measured(name) {
    writeFileSync(
        at("suite.yaml"),
        `version: 1
suite: page
defaults: {sample_time: 0ns, disturbance: 100%, threshold: 50%, rounds: {min: 3, max: 3}, min_time: 2ms, threads: 1, timeout: 120s}
workloads:
  - {name: encode, kernel: lattice_encode, params: {lattice: D4, q: 4, M: 2}, matrix: {batch: [1, 10, 100]}}
  - {name: copy, kernel: copy, params: {bytes: 16KiB}, matrix: {version: [plain, fast]}}
  - {name: broken, command: ["false"]}
`,
    );
    recorded(name);
    const results = fileRead(name);
    results.cases.forEach(calm);
    fileWrite(name, results);
    return results;
}

/* The same a minute later, or earlier, with the times of the case that begins with `id` multiplied. Its code is not known: kgate
 * calls other times of the same code unchanged. */
export function slower(results, id, factor, minutes = 1) {
    const later = structuredClone(results);
    later.created = new Date(Date.parse(later.created) + minutes * 60000).toISOString().replace(/\.\d+/, "");
    for (const one of later.cases.filter((other) => other.id.startsWith(id))) delete one.code_hash;
    for (const one of later.cases)
        if (one.id.startsWith(id) && one.rounds.median_ns)
            for (const name of ["median_ns", "mean_ns", "min_ns", "max_ns", "p95_ns"])
                one.rounds[name] = one.rounds[name].map((time) => time * factor);
    for (const { id: name, summary } of later.cases)
        if (name.startsWith(id)) for (const figure of Object.keys(summary)) summary[figure] *= factor;
    return later;
}

export function pageMake(name, ...files) {
    kgate("report", ...files, "--format", "html", "-o", name);
    return at(name);
}

/* How long the browser may take for what is waited for: a machine that is slow and busy takes long, and what never
 * comes fails the test all the same. */
const PATIENCE_MS = 240000;

/* A browser whose pages collect what goes wrong in them: errors, and requests beyond the file itself. */
export async function browserOpen() {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox"],
        timeout: PATIENCE_MS,
    });
    async function open(path, hash = "", options = {}) {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
        page.setDefaultTimeout(PATIENCE_MS);
        const wrong = [];
        const address = pathToFileURL(path).href;
        page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
        page.on("pageerror", (error) => wrong.push(error.message));
        page.on("dialog", (dialog) => {
            wrong.push(`a dialog: ${dialog.message()}`);
            return dialog.dismiss();
        });
        await page.route("**", (route) => {
            if (route.request().url().split("#")[0] === address) return route.continue();
            wrong.push(`a request: ${route.request().url()}`);
            return route.abort();
        });
        await page.goto(address + hash);
        return Object.assign(page, { wrong });
    }
    /* The page as a server sends it with these headers. */
    async function served(path, headers) {
        const page = await browser.newPage();
        page.setDefaultTimeout(PATIENCE_MS);
        await page.route("**", (route) => route.fulfill({ path, headers, contentType: "text/html" }));
        await page.goto("http://served.test/report.html");
        return page;
    }
    return { open, served, close: () => browser.close() };
}

/* Every chart is drawn, with shapes in it. */
export async function chartsDrawn(page) {
    await page.waitForFunction(() =>
        [...document.querySelectorAll(".chart")].every((chart) => chart.dataset.drawn && chart.querySelector("svg path, canvas")),
    );
    return page.locator(".chart").count();
}

/* The rows of the first table of figures in a section, opened: the browser says later that it was opened, and only
 * then the page makes the table. */
export async function figureRows(page, section) {
    const figures = page.locator(`${section} .figures`).first();
    await figures.locator("summary").click();
    const rows = figures.locator("tbody tr");
    await rows.first().waitFor();
    return rows;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/* What axe finds that is serious, a sentence each. */
export async function axeSerious(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    return violations
        .filter(({ impact }) => ["serious", "critical"].includes(impact))
        .map(({ id: rule, nodes }) => `${rule}: ${nodes[0].html}`);
}
