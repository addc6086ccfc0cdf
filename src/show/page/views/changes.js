/* The changes: each compared case with its 95 % interval, in front of the band of changes below the threshold. The
 * order is the comparison's, the worst case first. */
import { chartAdd, namesAxis, NARROW, tip } from "../chart.js";
import { firstAdd, h } from "../dom.js";
import { change, counted, interval, isBudget, share, amount, tidy } from "../format.js";
import { labelsOf } from "../labels.js";
import { lowest } from "../lists.js";
import { caseAddress, colourOf, wordsOf } from "../verdicts.js";

const LETTER = 6.6; /* typical width of a label's letter, in pixels */
const LETTER_MOST = 7.4; /* generous width, so that a name does not reach the figure beside it */

/* A budget is a limit: the distance to a limit is no change. */
const compared = (model) => model.cases.filter((one) => one.compared && !isBudget(one.metric) && Number.isFinite(one.metric?.ratio));
const percent = (ratio) => 100 * (ratio - 1);
const LEAST = -100; /* per cent: a metric cannot fall below 0 */
const labelOf = ({ id, metric }) => (metric.name === "time" ? id : `${id} (${metric.name})`);

const SQUEEZE_MOST = 5; /* largest axis, as a multiple of the range of 90 % of the rows: these stay readable */

/* The largest distance of a row from 0, by its interval or its change, in per cent. */
const endOf = ({ metric: { ratio, interval_low: low = ratio, interval_high: high = ratio } }) => Math.max(...[ratio, low, high].map((one) => Math.abs(percent(one))));

/* The axis includes every change with its interval. If a few outliers would squeeze the other rows, the outliers become
 * arrows at the edge, with their figures. The band of a threshold may exceed the axis. */
function reach(rows) {
    const ends = rows.map(endOf).sort((a, b) => a - b);
    const bands = rows.map(({ metric }) => 100 * metric.threshold);
    const usual = Math.max(ends[Math.floor(0.9 * (ends.length - 1))], lowest(bands) * 1.5, 1);
    const most = 1.1 * (ends.at(-1) <= SQUEEZE_MOST * usual ? Math.max(ends.at(-1), usual) : usual);
    const power = 10 ** Math.floor(Math.log10(most / 4));
    const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= most / 4);
    return { most: tidy(Math.ceil(most / step) * step), step: tidy(step) };
}

const figureOf = ({ metric, waived }) => [change(metric.ratio), waived].filter(Boolean).join(", ");
const withInterval = ({ metric }) => `${change(metric.ratio)}${Number.isFinite(metric.interval_low) ? ` (${interval(metric.interval_low, metric.interval_high)})` : ""}`;

/* Draws one row: band, interval, point, and the figure at the right. */
function shapes(rows, most, colour, narrow) {
    return (params, api) => {
        const row = rows[params.dataIndex];
        const { metric, verdict, waived } = row;
        const inside = (x) => Math.max(LEAST, -most, Math.min(most, x));
        const at = (x) => api.coord([inside(x), params.dataIndex])[0];
        const height = api.size([0, 1])[1];
        const bottom = api.coord([0, params.dataIndex])[1] + (narrow ? height * 0.24 : 0);
        const half = narrow ? height * 0.2 : height * 0.3;
        const point = percent(metric.ratio);
        const paint = colour[colourOf(verdict, waived)];
        const style = { fill: ["INCONCLUSIVE", "SUSPECT"].includes(verdict) ? colour.ground : paint, stroke: paint, lineWidth: 2 };
        const text = (words, x, y, textAlign) => ({ type: "text", style: { text: words, x, y, textAlign, textVerticalAlign: "middle", font: "12px system-ui, sans-serif", fill: colour.text } });
        const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
        /* A value beyond the axis becomes an arrow at the edge. */
        const arrow = (x, size) => {
            const [end, back] = [at(x), at(x) - Math.sign(x) * size];
            return { type: "polygon", shape: { points: [[end, bottom], [back, bottom - size / 2], [back, bottom + size / 2]] }, style };
        };
        const limit = (x) => (Math.abs(x) > most ? arrow(x, 8) : line(at(x), bottom - 4, at(x), bottom + 4));
        const band = { x: at(-100 * metric.threshold), y: bottom - half, height: 2 * half };
        const children = [{ type: "rect", shape: { ...band, width: at(100 * metric.threshold) - band.x }, style: { fill: colour.band } }];
        const { x: left, width: wide } = params.coordSys;
        children.push(narrow ? text(figureOf(row), left + wide, bottom - height * 0.24 - 8, "right") : text(figureOf(row), left + wide + 10, bottom, "left"));
        if (Number.isFinite(metric.interval_low)) {
            const [low, high] = [percent(metric.interval_low), percent(metric.interval_high)];
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
        const { most, step } = reach(rows);
        const figures = Math.round(LETTER * Math.max(...rows.map((row) => figureOf(row).length))) + 12;
        const label = narrow ? Math.floor((width - figures - 28) / LETTER_MOST) : Math.min(48, Math.floor(width / 18));
        const nameOf = labelsOf(rows.map(labelOf), label);
        return {
            grid: { left: narrow ? 12 : Math.round(label * LETTER) + 8, right: narrow ? 16 : figures + 10, top: 8, bottom: 44 },
            tooltip: { trigger: "item", formatter: ({ dataIndex }) => tipOf(rows[dataIndex]) },
            xAxis: {
                min: Math.max(LEAST, -most),
                max: most,
                interval: step,
                name: "change (%): right is more",
                nameLocation: "middle",
                nameGap: 26,
                axisLabel: { hideOverlap: true, formatter: (x) => `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(tidy(x))}` },
            },
            yAxis: namesAxis(rows.map(labelOf), narrow, 2, { formatter: nameOf, color: narrow ? colour.text : undefined }),
            series: [
                {
                    type: "custom",
                    renderItem: shapes(rows, most, colour, narrow),
                    data: rows.map(({ metric }, i) => [percent(metric.ratio), i]),
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

function saysOf(all) {
    const [first] = all;
    const beyond = all.filter(({ metric }) => metric.interval_low > 1 + metric.threshold || metric.interval_high < 1 - metric.threshold);
    const [lies, its] = beyond.length === 1 ? ["lies", "its"] : ["lie", "their"];
    return `${counted(all.length, "compared case")}, worst first; ${beyond.length} ${lies} with ${its} whole interval beyond the threshold. First: ${first.id}, ${withInterval(first)}.`;
}

function draw(model, section) {
    const all = compared(model);
    section.append(
        h("p", { class: "key" }, "Point: the change; filled where it was decided. Line: its 95 % interval. Arrow: beyond the axis. Shaded: the threshold. A change counts where its interval reaches beyond it; a whole interval within it is no change."),
    );
    firstAdd(section, all, (place, rows) =>
        chartAdd(place, {
            title: "Change of each case",
            says: saysOf(all),
            height: (width) => rows.length * (width < NARROW ? 40 : 26) + 60,
            option: optionOf(rows),
            table: figures(rows),
        }),
    );
}

export const changes = { id: "changes", title: "What changed", shows: (model) => compared(model).length > 0, draw };
