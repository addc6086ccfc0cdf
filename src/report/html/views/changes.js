/* What changed: each compared case's change with its 95 % interval, before the band in which a change is too small
 * to count. Worst first, as the comparison orders them. */
import { chartAdd, tip } from "../chart.js";
import { firstAdd, h } from "../dom.js";
import { change, counted, interval, isBudget, share, shortened, amount, tidy } from "../format.js";
import { highest } from "../lists.js";
import { caseAddress, colourOf, wordsOf } from "../verdicts.js";

const NARROW = 620; /* pixels, under which ids stand above their rows */

/* A budget is a limit: how far it is away is no change. */
const compared = (model) => model.cases.filter((one) => one.compared && !isBudget(one.metric) && Number.isFinite(one.metric?.ratio));
const percent = (ratio) => 100 * (ratio - 1);
const LEAST = -100; /* per cent: nothing falls below 0 */
const labelOf = ({ id, metric }) => (metric.name === "time" ? id : `${id} (${metric.name})`);

/* The axis reaches as far as most rows need: what goes beyond is drawn at the edge, with its figure. */
function reach(rows) {
    const ends = rows
        .map(({ metric }) => Math.max(Math.abs(percent(metric.interval_low ?? metric.ratio)), Math.abs(percent(metric.interval_high ?? metric.ratio))))
        .sort((a, b) => a - b);
    const bands = rows.map(({ metric }) => 100 * metric.threshold);
    const most = Math.max(ends[Math.floor(0.9 * (ends.length - 1))] * 1.1, highest(bands) * 1.5, 1);
    const power = 10 ** Math.floor(Math.log10(most / 4));
    const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= most / 4);
    return { most: tidy(Math.ceil(most / step) * step), step: tidy(step) };
}

/* The shapes of one row: band, interval, point, and the figure at the right. */
function shapes(rows, most, colour, narrow) {
    return (params, api) => {
        const { metric, verdict, waived } = rows[params.dataIndex];
        const inside = (x) => Math.max(LEAST, -most, Math.min(most, x));
        const at = (x) => api.coord([inside(x), params.dataIndex])[0];
        const height = api.size([0, 1])[1];
        const bottom = api.coord([0, params.dataIndex])[1] + (narrow ? height * 0.24 : 0);
        const half = narrow ? height * 0.2 : height * 0.3;
        const point = percent(metric.ratio);
        const paint = colour[colourOf(verdict, waived)];
        const style = { fill: ["INCONCLUSIVE", "SUSPECT"].includes(verdict) ? colour.ground : paint, stroke: paint, lineWidth: 2 };
        const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
        /* What lies beyond the axis is an arrow at its edge. */
        const arrow = (x, size) => {
            const [end, back] = [at(x), at(x) - Math.sign(x) * size];
            return { type: "polygon", shape: { points: [[end, bottom], [back, bottom - size / 2], [back, bottom + size / 2]] }, style };
        };
        const limit = (x) => (Math.abs(x) > most ? arrow(x, 8) : line(at(x), bottom - 4, at(x), bottom + 4));
        const band = { x: at(-100 * metric.threshold), y: bottom - half, height: 2 * half };
        const children = [{ type: "rect", shape: { ...band, width: at(100 * metric.threshold) - band.x }, style: { fill: colour.band } }];
        if (Number.isFinite(metric.interval_low)) {
            const [low, high] = [percent(metric.interval_low), percent(metric.interval_high)];
            children.push(line(at(low), bottom, at(high), bottom), limit(low), limit(high));
        }
        if (Math.abs(point) <= most) children.push({ type: "circle", shape: { cx: at(point), cy: bottom, r: 5 }, style });
        else
            children.push(arrow(point, 12), {
                type: "text",
                style: { text: change(metric.ratio), x: at(point) - Math.sign(point) * 18, y: bottom, textAlign: point > 0 ? "right" : "left", textVerticalAlign: "middle", font: "12px system-ui, sans-serif", fill: colour.text },
            });
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
        const label = narrow ? 44 : Math.min(48, Math.floor(width / 18));
        return {
            grid: { left: narrow ? 12 : Math.round(label * 6.6) + 8, right: 16, top: 8, bottom: 44 },
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
            yAxis: {
                type: "category",
                inverse: true,
                data: rows.map(labelOf),
                axisTick: { show: false },
                axisLabel: {
                    interval: 0,
                    formatter: (id) => shortened(id, label),
                    ...(narrow && { inside: true, margin: 0, align: "left", verticalAlign: "bottom", padding: [0, 0, 2, 0], color: colour.text }),
                },
                z: 3,
            },
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
    return `${counted(all.length, "compared case")}, worst first; ${beyond.length} lie with their whole interval beyond the threshold. First: ${first.id}, ${change(first.metric.ratio)}.`;
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
