/* The changes: each changed case with its 95 % interval, in front of the band of changes below the threshold. The order
 * is the comparison's, the worst case first. Unchanged cases are one folded line. */
import { chartAdd, namesAxis, NARROW, tip } from "../chart.js";
import { firstAdd, h } from "../dom.js";
import { change, counted, interval, isBudget, share, amount, tidy } from "../format.js";
import { labelsOf } from "../labels.js";
import { highest, lowest } from "../lists.js";
import { drawnKey } from "../marks.js";
import { caseAddress, colourOf, wordsOf } from "../verdicts.js";

const LETTER = 6.6; /* typical width of a label's letter, in pixels */
const LETTER_MOST = 7.4; /* generous width, so that a name does not reach the figure beside it */

/* A budget is a limit: the distance to a limit is no change. */
const compared = (model) => model.cases.filter((one) => one.compared && !isBudget(one.metric) && Number.isFinite(one.metric?.ratio));
const isUnchanged = ({ verdict, waived }) => verdict === "NO_CHANGE" && !waived;
const labelOf = ({ id, metric }) => (metric.name === "time" ? id : `${id} (${metric.name})`);

/* --- The axis --------------------------------------------------------------------------------- */

/* Positions are logarithms of the ratio, so that half and double lie equally far from the middle. */
const FURTHEST = Math.log(1e6);
const placeOf = (ratio) => Math.max(-FURTHEST, Math.min(FURTHEST, Math.log(Math.max(ratio, 0))));

const SQUEEZE_MOST = 5; /* largest axis, as a multiple of the range of 90 % of the rows: these stay readable */
const WIDE = Math.log(16); /* axis up to which no change becomes an arrow */

const pointOf = ({ metric: { ratio } }) => Math.abs(placeOf(ratio));
const endOf = ({ metric: { ratio, interval_low: low = ratio, interval_high: high = ratio } }) => highest([ratio, low, high].map((one) => Math.abs(placeOf(one))));

/* The largest position of the axis. It includes every change up to a factor of 16, and its interval unless that would
 * squeeze the other rows. A value beyond the axis becomes an arrow at the edge. The band may exceed the axis. */
function reach(rows) {
    const ends = rows.map(endOf).sort((a, b) => a - b);
    const bands = rows.map(({ metric }) => Math.log1p(metric.threshold));
    const usual = Math.max(ends[Math.floor(0.9 * (ends.length - 1))], lowest(bands) * 1.5, 0.01);
    const wanted = ends.at(-1) <= SQUEEZE_MOST * usual ? ends.at(-1) : highest(rows.map(pointOf));
    return 1.08 * Math.min(Math.max(wanted, usual), Math.max(WIDE, usual));
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]; /* per cent */
const FAR = [-99, -90, -80, -50, -20, 0, 20, 50, 100, 200, 400, 900, 1900, 4900, 9900, 99900];

/* The labelled positions of an axis: equal steps in per cent, or on a wide axis round factors. */
function ticksOf(most) {
    const step = STEPS.find((one) => one >= (100 * Math.expm1(most)) / 4);
    const percents = step ? [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((i) => i * step) : FAR;
    return percents.map((percent) => Math.log1p(percent / 100)).filter((place) => Math.abs(place) <= most);
}

function tickLabel(place) {
    const percent = tidy(Math.round(1000 * Math.expm1(place)) / 10);
    return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent)}`;
}

/* The directions in words. Above 0 is worse for times and memory, but better for some counters. */
function axisName(rows) {
    if (rows.every(({ metric }) => metric.name === "time")) return "faster  ←  change (%)  →  slower";
    return rows.every(({ metric }) => metric.better !== "higher") ? "better  ←  change (%)  →  worse" : "less  ←  change (%)  →  more";
}

/* --- The rows --------------------------------------------------------------------------------- */

const figureOf = ({ metric, waived }) => [change(metric.ratio), waived].filter(Boolean).join(", ");
const withInterval = ({ metric }) => `${change(metric.ratio)}${Number.isFinite(metric.interval_low) ? ` (${interval(metric.interval_low, metric.interval_high)})` : ""}`;
const isUndecided = ({ verdict }) => ["INCONCLUSIVE", "SUSPECT"].includes(verdict);
const isBeyond = ({ metric: { ratio, interval_low: low = ratio, interval_high: high = ratio } }, most) => [ratio, low, high].some((one) => Math.abs(placeOf(one)) > most);

/* Draws one row: band, interval, point, and the figure at the right. */
function shapes(rows, most, colour, narrow) {
    return (params, api) => {
        const row = rows[params.dataIndex];
        const { metric, verdict, waived } = row;
        const at = (place) => api.coord([Math.max(-most, Math.min(most, place)), params.dataIndex])[0];
        const height = api.size([0, 1])[1];
        const bottom = api.coord([0, params.dataIndex])[1] + (narrow ? height * 0.24 : 0);
        const half = narrow ? height * 0.2 : height * 0.3;
        const point = placeOf(metric.ratio);
        const paint = colour[colourOf(verdict, waived)];
        const style = { fill: isUndecided(row) ? colour.ground : paint, stroke: paint, lineWidth: 2 };
        const text = (words, x, y, textAlign) => ({ type: "text", style: { text: words, x, y, textAlign, textVerticalAlign: "middle", font: "12px system-ui, sans-serif", fill: colour.text } });
        const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
        const arrow = (place, size) => {
            const [end, back] = [at(place), at(place) - Math.sign(place) * size];
            return { type: "polygon", shape: { points: [[end, bottom], [back, bottom - size / 2], [back, bottom + size / 2]] }, style };
        };
        const limit = (place) => (Math.abs(place) > most ? arrow(place, 8) : line(at(place), bottom - 4, at(place), bottom + 4));
        const band = { x: at(placeOf(1 - metric.threshold)), y: bottom - half, height: 2 * half };
        const children = [{ type: "rect", shape: { ...band, width: at(Math.log1p(metric.threshold)) - band.x }, style: { fill: colour.band } }];
        const { x: left, width: wide } = params.coordSys;
        children.push(narrow ? text(figureOf(row), left + wide, bottom - height * 0.24 - 8, "right") : text(figureOf(row), left + wide + 10, bottom, "left"));
        if (Number.isFinite(metric.interval_low)) {
            const [low, high] = [placeOf(metric.interval_low), placeOf(metric.interval_high)];
            children.push(line(at(low), bottom, at(high), bottom), limit(low), limit(high));
        }
        if (Math.abs(point) <= most) children.push({ type: "circle", shape: { cx: at(point), cy: bottom, r: 5 }, style });
        else
            children.push(arrow(point, 12), text(withInterval(row), at(point) - Math.sign(point) * 18, bottom, point > 0 ? "right" : "left"));
        return { type: "group", children };
    };
}

function tipOf({ id, metric, verdict, waived, compared: { waiver } }) {
    return tip(
        id,
        `${wordsOf(verdict, waived)}: ${change(metric.ratio)} (${interval(metric.interval_low, metric.interval_high)})`,
        `${metric.name} against ${metric.against}: ${amount(metric.baseline, metric.unit)} → ${amount(metric.current, metric.unit)}`,
        `threshold ${share(metric.threshold)}`,
        waiver,
    );
}

function optionOf(rows) {
    return (colour, width) => {
        const narrow = width < NARROW;
        const most = reach(rows);
        const ticks = ticksOf(most);
        const figures = Math.round(LETTER * Math.max(...rows.map((row) => figureOf(row).length))) + 12;
        const label = narrow ? Math.floor((width - figures - 28) / LETTER_MOST) : Math.min(48, Math.floor(width / 18));
        const nameOf = labelsOf(rows.map(labelOf), label);
        return {
            grid: { left: narrow ? 12 : Math.round(label * LETTER) + 8, right: narrow ? 16 : figures + 10, top: 8, bottom: 44 },
            tooltip: { trigger: "item", formatter: ({ dataIndex }) => tipOf(rows[dataIndex]) },
            xAxis: {
                min: -most,
                max: most,
                name: axisName(rows),
                nameLocation: "middle",
                nameGap: 26,
                axisTick: { customValues: ticks },
                axisLabel: { customValues: ticks, hideOverlap: true, formatter: tickLabel },
            },
            yAxis: namesAxis(rows.map(labelOf), narrow, 2, { formatter: nameOf, color: narrow ? colour.text : undefined }),
            series: [
                {
                    type: "custom",
                    renderItem: shapes(rows, most, colour, narrow),
                    data: rows.map(({ metric }, i) => [placeOf(metric.ratio), i]),
                    markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour.soft, type: "solid" }, data: [{ xAxis: 0 }] },
                },
            ],
        };
    };
}

const figures = (rows) => () => ({
    heads: [
        { name: "case" },
        { name: "verdict" },
        { name: "change", numeric: true },
        { name: "95 % interval", numeric: true },
        { name: "threshold", numeric: true },
    ],
    rows: rows.map(({ id, verdict, waived, metric }) => [
        h("a", { href: caseAddress(id) }, id),
        wordsOf(verdict, waived),
        change(metric.ratio),
        interval(metric.interval_low, metric.interval_high),
        share(metric.threshold),
    ]),
});

/* --- The section ------------------------------------------------------------------------------ */

function summaryOf(all, rows) {
    const beyond = all.filter(({ metric }) => metric.interval_low > 1 + metric.threshold || metric.interval_high < 1 - metric.threshold);
    return `${counted(all.length, "compared case")}; the whole interval of ${beyond.length} is beyond the threshold. Worst first: ${rows[0].id}, ${withInterval(rows[0])}.`;
}

/* Only the signs that the rows use. */
const keyOfRows = (rows) =>
    drawnKey([
        ["point", "change"],
        rows.some(isUndecided) && ["hollow", "change, undecided"],
        ["interval", "95 % interval"],
        ["band", "threshold"],
        rows.some((row) => isBeyond(row, reach(rows))) && ["beyond", "beyond the axis"],
    ]);

const chartOf = (place, rows, title, summary) =>
    chartAdd(place, {
        title,
        summary,
        height: (width) => rows.length * (width < NARROW ? 40 : 26) + 60,
        option: optionOf(rows),
        key: keyOfRows(rows),
        table: figures(rows),
    });

/* The unchanged cases in one line. Their chart is drawn when a reader opens it. */
function unchangedAdd(section, rows) {
    const ratios = rows.map(({ metric }) => metric.ratio);
    const words = `${counted(rows.length, "unchanged case")}: ${interval(lowest(ratios), highest(ratios))}`;
    const folded = h("details", { id: "unchanged" }, h("summary", {}, words));
    folded.addEventListener("toggle", () => {
        if (!folded.open || folded.children.length > 1) return;
        firstAdd(folded, rows, (place, some) => chartOf(place, some, "Unchanged cases", `${words}.`));
    });
    section.append(folded);
}

function draw(model, section) {
    const all = compared(model);
    const changed = all.filter((one) => !isUnchanged(one));
    const unchanged = all.filter(isUnchanged);
    if (changed.length) {
        firstAdd(section, changed, (place, rows) => chartOf(place, rows, "Change of each case", summaryOf(all, changed)));
        section.append(h("p", { class: "key" }, "kgate counts a change if its interval reaches beyond the threshold. If the whole interval lies within the threshold, the case is unchanged."));
    }
    if (unchanged.length) unchangedAdd(section, unchanged);
}

export const changes = { id: "changes", title: "What changed", shows: (model) => compared(model).length > 0, draw };
