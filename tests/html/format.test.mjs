/* Figures, axes and words of the page, without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualOf } from "../../src/show/page/density.js";
import { amount, axisOfTimes, changeOf, referenceOf, sizeIfKnown, tidy } from "../../src/show/page/format.js";
import { fileOf } from "../../src/show/page/kinds.js";
import { labelsOf } from "../../src/show/page/labels.js";
import { bottleneckOf } from "../../src/show/page/profile.js";
import { rateOf } from "../../src/show/page/work.js";

function labels({ min, max, interval, axisLabel }) {
    return Array.from({ length: Math.round((max - min) / interval) + 1 }, (_, i) => axisLabel.formatter(min + i * interval));
}

test("a tick has no digits that binary fractions leave", () => {
    assert.equal(String(tidy(0.1 + 0.2)), "0.3");
    assert.equal(String(tidy(-0.1 * 3)), "-0.3");
});

test("a figure has the three digits that it has elsewhere, below 1 too", () => {
    for (const [value, unit, said] of [
        [0.432, "", "0.432"],
        [0.4951, "", "0.495"],
        [0.0432, "", "0.0432"],
        [0.385, "ns", "0.385 ns"],
        [0.99996, "", "1.00"],
        [1.234, "", "1.23"],
        [13.54e3, "ns", "13.5 µs"],
    ])
        assert.equal(amount(value, unit), said);
});

test("two operations with almost the same share are too close to tell apart", () => {
    const node = (name, own) => ({ name, own, total: own, time: own, calls: 1, inside: [], path: { total_ns: own, min_ns: own, max_ns: own } });
    const of = (...times) => bottleneckOf({ loose: true, tree: { total: 100, own: 0, inside: times.map((own, i) => node("abcd"[i], own)) } });
    assert.equal(of(31, 30, 20, 19), "a or b, 31 and 30 % of the time of all scopes: too close to tell apart");
    assert.equal(of(60, 40), "a, 60 % of the time of all scopes (b 40 %)");
});

test("an unknown size is empty, not 0 B", () => {
    assert.deepEqual([0, 2048, null, undefined].map(sizeIfKnown), ["0 B", "2.00 KiB", "", ""]);
});

test("a budget is a limit, no baseline that changed", () => {
    const metric = { name: "time", against: "budget", unit: "ns", baseline: 1e6, ratio: 53, better: "lower" };
    assert.equal(referenceOf(metric), "<= 1.00 ms");
    assert.equal(referenceOf({ ...metric, unit: "1/s", better: "higher" }), ">= 1.00 M/s");
    assert.equal(changeOf(metric), "");
    assert.equal(changeOf({ ...metric, against: "baseline", ratio: 2 }), "+100.0 %");
});

test("controls and changes of direction in a file are shown as on a terminal", () => {
    const json = { schema: "kgate.results.v1", suite: "a\u001b[31mb\u202egnp.exe", note: "two\nlines", "na\u0007me": "日本語" };
    const { json: read } = fileOf({ name: "x", text: JSON.stringify(json) });
    assert.deepEqual(read, { schema: "kgate.results.v1", suite: "a\\x1b[31mb\\xe2\\x80\\xaegnp.exe", note: "two\nlines", "na\\x07me": "日本語" });
});

test("labels of different names differ, however short they are", () => {
    const ids = [1, 10, 100, 1000].flatMap((n) => ["parse", "print"].map((name) => `bench_cjson.so/${name},pretty=no,n=${n},unformatted/cpu`));
    for (const most of [12, 21, 30, 60]) {
        const labelOf = labelsOf(ids, most);
        assert.equal(new Set(ids.map(labelOf)).size, ids.length, ids.map(labelOf).join("; "));
        assert.ok(ids.every((id) => labelOf(id).length <= most), ids.map(labelOf).join("; "));
    }
    assert.equal(labelsOf(["one/cpu"], 21)("one/cpu"), "one/cpu");
    const two = ["bench.so/parse,version=plain,threads=1/cpu", "bench.so/print,version=plain,threads=1/cpu"];
    assert.deepEqual(two.map(labelsOf(two, 21)), ["…parse,…", "…print,…"]);
});

test("an axis of times holds its values, and its labels differ", () => {
    for (const [low, high] of [
        [100.1e3, 100.4e3],
        [53.2, 53.9],
        [0, 12],
        [9.99e8, 1.01e9],
        [7e5, 2.4e6],
        [5e3, 5e3],
    ]) {
        const axis = axisOfTimes(low, high);
        const said = labels(axis);
        assert.ok(axis.min <= low && axis.max >= high, `${low} to ${high}: ${said}`);
        assert.equal(new Set(said).size, said.length, `${low} to ${high}: ${said}`);
        assert.ok(said.length >= 2 && said.length <= 9, `${low} to ${high}: ${said}`);
    }
});

test("a round far out is not among the usual ones; a second mode is", () => {
    assert.deepEqual(usualOf([10, 11, 10, 12, 11, 500]), [10, 10, 11, 11, 12]);
    assert.equal(usualOf([10, 11, 10, 230, 231, 229]).length, 6);
    assert.equal(usualOf([10, 11, 500]).length, 3);
});

test("a rate is in the case's own unit, else in what the device limits", () => {
    assert.equal(rateOf({ item_name: "vectors", items_per_second: 1, flops: 9, flops_per_second: 9 }).unit, " vectors");
    assert.equal(rateOf({ items_per_second: 1, flops: 9, bytes: 1, flops_per_second: 9, bytes_per_second: 1 }).unit, "FLOP");
    assert.equal(rateOf({ items_per_second: 1, flops: 1, bytes: 8, flops_per_second: 1, bytes_per_second: 8 }).unit, "B");
    assert.equal(rateOf({ items_per_second: 1 }).unit, " items");
    assert.equal(rateOf({}), undefined);
});
