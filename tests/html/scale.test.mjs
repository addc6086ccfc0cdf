/* Five thousand cases: how long until something is seen, and a search; printed, and bounded loosely, as a busy
 * machine takes longer. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { browserOpen, chartsDrawn, fileRead, fileWrite, kgate, measured, pageMake, slower } from "./support.mjs";

const CASES = 5000;
let browser, path;

function many(results, name) {
    const [one] = results.cases;
    const cases = Array.from({ length: CASES }, (_, i) => {
        const batch = String(i + 1);
        const id = one.id.replace(/batch=\d+/, `batch=${batch}`);
        const turned = one.rounds.median_ns.map((time, round) => time * (1 + ((i * 7 + round * 3) % 11) / 400));
        return { ...one, id, params: { ...one.params, batch }, rounds: { ...one.rounds, median_ns: turned } };
    });
    fileWrite(name, { ...results, profile: undefined, cases });
}

before(async () => {
    const base = measured("few.json");
    many(base, "base.json");
    many(slower(base, "encode/", 1.02), "current.json");
    kgate("compare", "base.json", "current.json", "-o", "out");
    path = pageMake("many.html", "out/comparison.json", "base.json", "current.json");
    browser = await browserOpen();
});
after(() => browser.close());

test("5,000 cases are usable", async (t) => {
    const page = await browser.open(path);
    await chartsDrawn(page);
    const figures = await page.evaluate(async () => {
        const [paint] = performance.getEntriesByName("first-contentful-paint");
        const { domContentLoadedEventEnd: loaded } = performance.getEntriesByType("navigation")[0];
        const search = document.getElementById("search");
        const started = performance.now();
        search.value = "batch=4999";
        search.dispatchEvent(new Event("input", { bubbles: true }));
        const found = document.querySelectorAll("#cases tbody tr").length;
        document.body.getBoundingClientRect();
        const searched = performance.now() - started;
        search.value = "";
        const sorting = performance.now();
        document.querySelector("#cases thead button").click();
        document.body.getBoundingClientRect();
        return { paint: paint.startTime, loaded, searched, sorted: performance.now() - sorting, found };
    });
    t.diagnostic(
        `${(statSync(path).size / 2 ** 20).toFixed(1)} MiB; first paint ${figures.paint.toFixed(0)} ms, drawn ` +
            `${figures.loaded.toFixed(0)} ms, search ${figures.searched.toFixed(0)} ms, sort ${figures.sorted.toFixed(0)} ms`,
    );
    assert.equal(figures.found, 1);
    assert.equal(fileRead("out/comparison.json").cases.length, CASES);
    /* What needs no script is bounded. */
    const plain = /<main[\s\S]*<\/main>/.exec(readFileSync(path, "utf8"))[0];
    assert.equal(plain.match(/<th scope="row">/g).length, 200);
    assert.ok(plain.length < 400000, String(plain.length));
    assert.ok(figures.paint < 20000 && figures.searched < 2000);
    assert.deepEqual(page.wrong, []);
});
