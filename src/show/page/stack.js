/* Stacked bars: the parts of a time, one bar per case or operation. */
import { chartAdd, namesAxis, NARROW, tip } from "./chart.js";
import { h } from "./dom.js";
import { brief, duration, share } from "./format.js";
import { labelsOf } from "./labels.js";

/* The parts of a time, in the order of the bars. Patterns distinguish the parts without colour: striped(width of the
 * lines, distance, rotation). */
const striped = (width, distance, turned) => ({ symbol: "rect", dashArrayX: [1, 0], dashArrayY: [width, distance], rotation: turned });
const PARTS = [
    { name: "gpu", word: "GPU", colour: "series-1", pattern: striped(1.5, 7, Math.PI / 4) },
    { name: "transfer", word: "transfers", colour: "series-2", pattern: striped(1.5, 4, Math.PI / 2) },
    { name: "cpu", word: "CPU", colour: "series-4", plain: true },
    { name: "overhead", word: "overhead", colour: "series-5", pattern: striped(1.5, 4, -Math.PI / 4) },
    { name: "rest", word: "the rest", colour: "series-7", pattern: { symbol: "circle", symbolSize: 0.6, dashArrayX: [[5, 0], [0, 5]], dashArrayY: [5, 0] } },
];


const partsOf = (rows) => PARTS.filter(({ name }) => rows.some(({ parts }) => parts[name] > 0));
const whole = ({ parts }) => PARTS.reduce((sum, { name }) => sum + (parts[name] ?? 0), 0);

function seriesOf(rows, asShares, colour) {
    return partsOf(rows).map(({ name, word, colour: paint, plain, pattern }) => ({
        name: word,
        type: "bar",
        stack: "all",
        barWidth: 14,
        itemStyle: { color: colour[paint], borderColor: colour.ground, borderWidth: 1, decal: { ...pattern, color: plain ? "transparent" : colour.ground } },
        data: rows.map((row) => (asShares ? (100 * (row.parts[name] ?? 0)) / (whole(row) || 1) : (row.parts[name] ?? 0))),
    }));
}

function tipOf(row, rows) {
    const lines = partsOf(rows)
        .filter(({ name }) => row.parts[name] > 0)
        .map(({ name, word }) => `${word}: ${duration(row.parts[name])}, ${share(row.parts[name] / whole(row))}`);
    return tip(row.name, `${duration(row.total)} in all`, ...lines, row.note);
}

function optionOf(rows, asShares) {
    return (colour, width) => {
        const narrow = width < NARROW;
        const room = Math.min(48, Math.max(16, ...rows.map(({ name }) => name.length)), Math.floor(width / 18));
        const nameOf = labelsOf(rows.map(({ name }) => name), narrow ? 30 : room);
        return {
            aria: { enabled: true, label: { enabled: false }, decal: { show: true } },
            grid: { left: narrow ? 8 : Math.round(room * 6.6) + 12, right: narrow ? 12 : 24, top: 36, bottom: 44 },
            legend: { top: 0, left: 0, type: "scroll" },
            tooltip: { trigger: "item", formatter: ({ dataIndex }) => tipOf(rows[dataIndex], rows) },
            xAxis: {
                type: "value",
                ...(asShares && { max: 100, interval: 25 }),
                name: asShares ? "share of the time per call (%)" : "time",
                nameLocation: "middle",
                nameGap: 26,
                splitNumber: narrow ? 3 : 5,
                axisLabel: { formatter: asShares ? String : brief(duration) },
            },
            yAxis: namesAxis(rows.map(({ name }) => name), narrow, 9, {
                formatter: (name, i) => (narrow ? `${nameOf(name)}: ${duration(rows[i].total)}` : nameOf(name)),
                color: colour.text,
            }),
            series: seriesOf(rows, asShares, colour),
        };
    };
}

const figuresOf = (rows, what) => () => ({
    heads: [{ name: what }, ...["in all", ...partsOf(rows).map(({ word }) => word)].map((name) => ({ name, numeric: true }))],
    rows: rows.map((row) => [
        row.link ?? row.name,
        duration(row.total),
        ...partsOf(rows).map(({ name }) => (row.parts[name] > 0 ? `${duration(row.parts[name])}, ${share(row.parts[name] / whole(row))}` : "")),
    ]),
});

/* The name and share of the largest part, over all rows together. */
export function largestOf(rows) {
    const sums = PARTS.map(({ name, word }) => ({ word, sum: rows.reduce((sum, row) => sum + (row.parts[name] ?? 0), 0) }));
    const all = sums.reduce((sum, part) => sum + part.sum, 0) || 1;
    const [most] = sums.sort((a, b) => b.sum - a.sum);
    return `${most.word}, ${share(most.sum / all)}`;
}

/* Appends the chart with a choice between shares and times.
 *   rows   [{name, total, parts: {gpu, transfer, cpu, overhead, rest}, note, link}], in ns; a part may be missing
 *   what   noun for a row: "case", "operation" */
export function stackAdd(parent, { title, summary, what, rows, shares = true }) {
    const place = h("div");
    const chosen = h("select", { onchange: () => show() }, h("option", { value: "shares", selected: shares }, "shares"), h("option", { value: "times", selected: !shares }, "times"));
    function show() {
        place.replaceChildren();
        chartAdd(place, {
            title,
            summary,
            height: (width) => rows.length * (width < NARROW ? 40 : 24) + 88,
            option: optionOf(rows, chosen.value === "shares"),
            table: figuresOf(rows, what),
        });
    }
    parent.append(h("p", { class: "controls" }, h("label", {}, "Shown as ", chosen)), place);
    show();
}
