/* A case over the baseline's runs: the median of each, the range of its rounds, and where this run is. */
import { chartAdd, tip } from "../chart.js";
import { median, usualOf } from "../density.js";
import { h } from "../dom.js";
import { axisOfTimes, change, counted, duration, moment, whole } from "../format.js";
import { shortened } from "../labels.js";
import { timesOf } from "../rounds.js";
import { caseLink } from "../verdicts.js";

const CASES_FIRST = 12;
const CASES_MORE = 24;
const RUNS_LEAST = 2;

const storedTimes = (series) => series.find(({ name }) => name === "time")?.values ?? [];
const pointOf = (values, created, name) => ({ created, name, median: median(values), low: Math.min(...values), high: Math.max(...values) });

/* What was decided of the time, against the stored runs or by pairs beside the base; undefined: nothing. */
const decidedOf = ({ compared }) => compared?.metrics.find(({ name, against, ratio }) => name === "time" && ["baseline", "base"].includes(against) && Number.isFinite(ratio));

/* Where pairs decided: their rounds of the head, or their figure of it. */
function pairsPoint({ pair, compared }, created) {
    const metric = decidedOf({ compared });
    if (metric?.against !== "base") return [];
    const times = timesOf(pair.head);
    return [{ ...pointOf(times.length ? times : [metric.current], created, "this run, pairs"), now: "pairs" }];
}

/* [{created, name, median, low, high, now}], oldest first; this run last: "now", and where pairs decided "pairs". */
export function pointsOf(one, model) {
    const { runs, current } = one;
    const stored = runs
        .filter(({ series }) => storedTimes(series).length)
        .map(({ run, series }) => pointOf(storedTimes(series), run.created, run.pin ? `pin ${run.pin}` : "stored run"));
    const now = timesOf(current);
    const created = model.current?.json.created ?? model.comparison?.created;
    const seen = stored.some((point) => point.created === created);
    if (now.length && !seen) stored.push({ ...pointOf(now, created, "this run"), now: "now" });
    return [...stored, ...(current === one.pair.head ? [] : pairsPoint(one, created))];
}

const inkOf = ({ now }, colour) => colour[now ? "series-2" : "series-1"];

/* This run as it was before the pairs, which decided. */
const isBefore = (point, points) => point.now === "now" && points.at(-1).now === "pairs";

/* A line from the least to the greatest round of each run. */
const ranges = (points, colour) => (params, api) => {
    const { low, high, now } = points[params.dataIndex];
    const [x, y1] = api.coord([params.dataIndex, low]);
    const [, y2] = api.coord([params.dataIndex, high]);
    return { type: "line", shape: { x1: x, y1, x2: x, y2 }, style: { stroke: inkOf({ now }, colour), lineWidth: 2, opacity: 0.6 } };
};

/* The day of each run, or where all are of one day the time. */
function daysOf(points) {
    const [from, to] = points.every(({ created }) => created.slice(0, 10) === points[0].created.slice(0, 10)) ? [11, 16] : [5, 10];
    return points.map(({ created, now }) => now ?? created.slice(from, to));
}

/* All medians and the threshold, and of the rounds those that do not squeeze them. */
function axisOf(points, band) {
    const rounds = usualOf(points.flatMap(({ low, high }) => [low, high]));
    const shown = [...points.map((point) => point.median), ...band, ...rounds];
    return axisOfTimes(Math.min(...shown), Math.max(...shown));
}

function optionOf(points, threshold) {
    return (colour) => {
        const middle = median(points.filter(({ now }) => !now).map((point) => point.median));
        const band = threshold ? [middle * Math.max(0, 1 - threshold), middle * (1 + threshold)] : [];
        return {
            grid: { left: 72, right: 16, top: 12, bottom: 28 },
            tooltip: {
                trigger: "axis",
                formatter: ([{ dataIndex }]) => {
                    const point = points[dataIndex];
                    return tip(duration(point.median), point.name, moment(point.created), `rounds ${duration(point.low)} to ${duration(point.high)}`);
                },
            },
            xAxis: { type: "category", data: daysOf(points), axisLabel: { hideOverlap: true } },
            yAxis: axisOf(points, band),
            series: [
                { type: "custom", clip: true, renderItem: ranges(points, colour), data: points.map(({ low, high }, i) => [i, low, high]), encode: { y: [1, 2] }, silent: true },
                {
                    type: "line",
                    data: points.map((point) => ({
                        value: point.median,
                        symbol: point.now ? "diamond" : point.name.startsWith("pin") ? "rect" : "circle",
                        symbolSize: point.now ? 14 : 8,
                        itemStyle: { color: isBefore(point, points) ? colour.ground : inkOf(point, colour), borderColor: inkOf(point, colour), borderWidth: 2 },
                    })),
                    lineStyle: { color: colour["series-1"] },
                    markArea: threshold && {
                        silent: true,
                        itemStyle: { color: colour.band, opacity: 0.7 },
                        data: [band.map((yAxis) => ({ yAxis }))],
                    },
                },
            ],
        };
    };
}

/* What this run says, by what was decided of it; else against the middle of the stored runs. */
function nowText(points, metric) {
    const now = points.find((point) => point.now === "now");
    const middle = median(points.filter((point) => !point.now).map((point) => point.median));
    if (metric?.against === "base") {
        const before = now && isBefore(now, points) ? ` Before them this run: ${duration(now.median)}.` : "";
        return ` Pairs decided: ${change(metric.ratio)}, ${duration(metric.baseline)} → ${duration(metric.current)}.${before}`;
    }
    if (!now) return "";
    if (!metric) return ` Now ${duration(now.median)}: ${change(now.median / middle)} against them.`;
    return ` Now ${duration(now.median)}. Compared: ${change(metric.ratio)}, ${duration(metric.baseline)} → ${duration(metric.current)}.`;
}

function saysOf(points, metric) {
    const stored = points.filter(({ now }) => !now);
    const last = stored.length > 1 ? ` first, ${duration(stored.at(-1).median)} last` : "";
    return `${counted(stored.length, "stored run")}: ${duration(stored[0].median)}${last}.${nowText(points, metric)}`;
}

export function historyAdd(parent, one, model, { title, height }) {
    const points = pointsOf(one, model);
    chartAdd(parent, {
        title,
        says: saysOf(points, decidedOf(one)),
        height,
        option: optionOf(points, one.metric?.name === "time" ? one.metric.threshold : undefined),
        table: () => ({
            heads: [{ name: "run" }, { name: "measured" }, { name: "median", numeric: true }, { name: "least", numeric: true }, { name: "most", numeric: true }],
            rows: points.map((point) => [point.name, moment(point.created), ...[point.median, point.low, point.high].map(duration)]),
        }),
    });
}

const hasHistory = (one, model) => one.runs.some(({ series }) => storedTimes(series).length) && pointsOf(one, model).length >= RUNS_LEAST;
const shown = (model) => model.cases.filter((one) => hasHistory(one, model));

function draw(model, section) {
    const all = shown(model);
    const grid = h("div", { class: "multiples" });
    const more = h("button", { type: "button", onclick: () => add(CASES_MORE) });
    let from = 0;
    function add(number) {
        for (const one of all.slice(from, from + number)) {
            const place = h("div", {}, caseLink(one.id));
            grid.append(place);
            historyAdd(place, one, model, { title: shortened(one.id, 48), height: 160 });
        }
        from = Math.min(from + number, all.length);
        more.hidden = from === all.length;
        more.textContent = `Show more: ${whole(from)} of ${whole(all.length)}`;
    }
    section.append(
        h("p", { class: "key" }, "Line: the median of each stored run. Upright: from its least round to its greatest, cut at the edge where it would squeeze the rest. Diamond: this run; hollow where pairs decided, which the last one shows. Square: a pinned run. Shaded: the threshold around the stored runs' median. Compared: the trimmed means of the rounds, at the baseline's clock, which decide."),
        grid,
        more,
    );
    add(CASES_FIRST);
}

export const history = { id: "history", title: "History", shows: (model) => shown(model).length > 0, draw };
export const caseHistory = {
    shows: hasHistory,
    draw: (one, model, section) => historyAdd(section, one, model, { title: "History", height: 240 }),
};
