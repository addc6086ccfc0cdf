/* Sweeps: time, throughput, speedup and memory over the varied parameter of a workload. */
import { chartAdd, tip } from "../chart.js";
import { h, someAdd } from "../dom.js";
import { brief, count, counted, duration, rate, size } from "../format.js";
import { familiesOf } from "../families.js";
import { highest, lowest } from "../lists.js";
import { keyOf, SYMBOLS } from "../marks.js";

const FAMILIES_FIRST = 6;
const STEPS_MOST = 8;

const has = (points, member) => points.some((point) => point[member] > 0);

/* A vertical axis. A logarithmic axis has whole decades, or a part of one decade. */
const axis = ({ show, log, logBase }) => ({
    type: log ? "log" : "value",
    logBase,
    scale: true,
    axisLabel: { formatter: brief(show), hideOverlap: true },
});

const symbolOf = (nth) => SYMBOLS[nth % SYMBOLS.length];
const colourOf = (nth) => `series-${(nth % 8) + 1}`;

/* The step of a logarithmic axis as a power of two. If possible, the smallest and the largest value are steps. The
 * number of steps stays small, because with ten or more ECharts labels only each tenth. */
function stepOfTwo(values) {
    const [least, most] = [lowest(values), highest(values)].map(Math.log2);
    const fewest = Math.max(1, Math.ceil((most - least) / STEPS_MOST));
    const some = [0, 1, 2, 3].map((more) => fewest + more);
    return 2 ** (some.find((bits) => least % bits === 0 && most % bits === 0) ?? fewest);
}

/* The base of the axis. Sizes and powers of two such as 128 to 2048 use powers of two, because decades would leave the
 * axis half empty. */
function stepOf({ sized }, series) {
    const values = series.flatMap(({ points }) => points.map(([x]) => x));
    const isPower = (base) => values.every((x) => Math.abs(Math.log(x) / Math.log(base) - Math.round(Math.log(x) / Math.log(base))) < 1e-9);
    return sized || (isPower(2) && !isPower(10)) ? stepOfTwo(values) : 10;
}

/* The format of the parameter's values. */
const shownAt = ({ sized }) => (sized ? size : count);

/* Draws lines. drawn.series  [{name, nth, points: [[x, y, text], …], dashed}] */
function lines(family, drawn) {
    const { series, show } = drawn;
    return (colour) => ({
        grid: { left: 72, right: 24, top: 16, bottom: 44 },
        legend: { show: false },
        tooltip: { trigger: "item", formatter: ({ seriesName, data }) => tip(`${family.swept} ${shownAt(family)(data[0])}: ${show(data[1])}`, seriesName) },
        xAxis: { type: "log", logBase: stepOf(family, series), name: family.swept, nameLocation: "middle", nameGap: 26, axisLabel: { formatter: brief(shownAt(family)), hideOverlap: true } },
        yAxis: axis(drawn),
        series: series.map(({ name, points, dashed, nth }) => ({
            type: "line",
            name,
            data: points,
            symbol: symbolOf(nth)[0],
            symbolSize: 9,
            color: colour[colourOf(nth)],
            lineStyle: { type: dashed ? "dashed" : "solid", opacity: dashed ? 0.7 : 1 },
        })),
    });
}

/* The key of a chart with several lines; undefined for one line. */
function keyFor({ series }) {
    if (series.length < 2) return undefined;
    const now = series.filter(({ dashed }) => !dashed);
    const base = now.length < series.length ? [{ name: "the base", dash: "dashed", colour: "soft" }] : [];
    return keyOf(now.map(({ name, nth }) => ({ name, symbol: symbolOf(nth), colour: colourOf(nth) })), base);
}

const figures = (family, { series, show }) => () => {
    const at = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
    return {
        heads: [{ name: family.swept, numeric: true }, ...series.map(({ name }) => ({ name, numeric: true }))],
        rows: at.map((x) => [shownAt(family)(x), ...series.map(({ points }) => show(points.find(([other]) => other === x)?.[1]))]),
    };
};

function chart(parent, family, title, summary, drawn) {
    if (drawn.series.some(({ points }) => points.length))
        chartAdd(parent, { title, summary, height: 300, option: lines(family, drawn), key: keyFor(drawn), table: figures(family, drawn) });
}

/* The series with the points that have the member. */
const seriesOf = (family, member) =>
    family.series
        .map(({ name, points }, nth) => ({ name, nth, points: points.filter((point) => point[member] > 0).map((point) => [point.at, point[member]]) }))
        .filter(({ points }) => points.length);

/* The candidate's series, followed by the baseline's series. */
function withBase(family, base, member) {
    const now = seriesOf(family, member);
    const then = base ? seriesOf(base, member) : [];
    return [...now, ...then.map((series) => ({ ...series, name: `${series.name} (base)`, dashed: true }))];
}

function speedups(family, reference) {
    const times = new Map(family.series[reference].points.map(({ at, time }) => [at, time]));
    return family.series
        .map(({ name, points }, nth) => ({ name, nth, points: points.filter(({ at }) => times.has(at)).map(({ at, time }) => [at, times.get(at) / time]) }))
        .filter(({ nth, points }) => nth !== reference && points.length);
}

const factor = (value) => (Number.isFinite(value) ? `${value.toFixed(2)}x` : "–");

/* Speedup over a series that the reader chooses. */
function speedupAdd(parent, family) {
    const place = h("div");
    const chosen = h("select", { onchange: () => show() }, family.series.map(({ name }, i) => h("option", { value: i }, name)));
    function show() {
        const reference = Number(chosen.value);
        const series = speedups(family, reference);
        const all = series.flatMap(({ points }) => points.map(([, value]) => value));
        place.replaceChildren();
        chart(place, family, "Speedup", `Over ${family.series[reference].name}: from ${factor(lowest(all))} to ${factor(highest(all))}.`, { series, show: factor });
    }
    parent.append(h("div", {}, h("label", {}, "Speedup over ", chosen), place));
    show();
}

/* The range of the candidate's values, without the baseline's. */
function range(series, show) {
    const all = series.filter(({ dashed }) => !dashed).flatMap(({ points }) => points.map(([, y]) => y));
    return `From ${show(lowest(all))} to ${show(highest(all))}`;
}

function familyAdd(section, family, base) {
    const grid = h("div", { class: "sweep" });
    const points = family.series.flatMap((series) => series.points);
    const [least, most] = [Math.min, Math.max].map((end) => brief(shownAt(family))(end(...points.map(({ at }) => at))));
    const span = `${family.swept} ${least} to ${most}`;
    section.append(h("h3", {}, `${family.name} over ${family.swept}`), h("p", { class: "key" }, `${counted(points.length, "case")}, ${span}. Both axes are logarithmic, except speedup.`), grid);
    const rates = (value) => rate(value, "").replace("/s", "");
    const add = (title, member, show) => {
        const series = withBase(family, base, member);
        if (series.length) chart(grid, family, title, `${range(series, show)} for ${span}.`, { series, show, log: true, logBase: show === size ? stepOfTwo(series.flatMap(({ points: all }) => all.map(([, y]) => y))) : 10 });
    };
    add("Time per call", "time", duration);
    add(`Throughput (${family.unit}/s)`, "rate", rates);
    if (family.series.length > 1) speedupAdd(grid, family);
    if (has(points, "memory")) add("Peak memory", "memory", size);
}

function draw(model, section) {
    const all = familiesOf(model);
    const bases = familiesOf(model, "base");
    const place = h("div");
    section.append(place);
    const add = (family) => familyAdd(place, family, bases.find(({ name }) => name === family.name));
    section.append(someAdd(all, FAMILIES_FIRST, all.length, add, (left) => `Show ${left} more sweeps`));
}

export const sweeps = { id: "sweeps", title: "Sweeps", shows: (model) => familiesOf(model).length > 0, draw };
