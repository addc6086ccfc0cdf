/* A case over the stored runs: the median and the range of each run's rounds, and the current run. */
import { chartAdd, tip } from "../chart.js";
import { median, usualOf } from "../density.js";
import { h, someAdd } from "../dom.js";
import { axisOfTimes, change, counted, duration, moment, whole } from "../format.js";
import { shortened } from "../labels.js";
import { codeOf } from "../model.js";
import { timesOf } from "../rounds.js";
import { caseLink } from "../verdicts.js";

const CASES_FIRST = 12;
const CASES_MORE = 24;
const RUNS_LEAST = 2;

const storedTimes = (series) => series.find(({ name }) => name === "time")?.values ?? [];
const pointOf = (values, { created, commit, branch }, name, code) => ({ created, commit, branch, name, code, median: median(values), low: Math.min(...values), high: Math.max(...values) });

/* The metric with the decision on the time, against the stored runs or by paired rounds; undefined: no decision. */
const decidedOf = ({ compared }) => compared?.metrics.find(({ name, against, ratio }) => name === "time" && ["baseline", "base"].includes(against) && Number.isFinite(ratio));

/* If paired rounds decided: a point with the candidate's rounds, or with the candidate's figure. */
function pairsPoint({ pair, compared }, measured) {
    const metric = decidedOf({ compared });
    if (metric?.against !== "base") return [];
    const times = timesOf(pair.head);
    return [{ ...pointOf(times.length ? times : [metric.current], measured, "this run, pairs", pair.head && codeOf(pair.head)), now: "pairs" }];
}

/* Marks each point whose code differs from the last known code before. */
function codesMark(points) {
    let last;
    for (const point of points) {
        point.other = last !== undefined && point.code !== undefined && point.code !== last;
        last = point.code ?? last;
    }
    return points;
}

/* [{created, commit, branch, name, code, other, median, low, high, now}], the oldest first. The current run is last,
 * with `now` = "now"; if paired rounds decided, a point with "pairs" follows. */
function pointsOf(one, model) {
    const { runs, current } = one;
    const stored = runs
        .filter(({ series }) => storedTimes(series).length)
        .map(({ run, series, code }) => pointOf(storedTimes(series), run, run.pin ? `pin ${run.pin}` : "stored run", code));
    const now = timesOf(current);
    const measured = model.current?.json ?? model.comparison ?? {};
    const seen = stored.some((point) => point.created === measured.created);
    if (now.length && !seen) stored.push({ ...pointOf(now, measured, "this run", codeOf(current)), now: "now" });
    return codesMark([...stored, ...(current === one.pair.head ? [] : pairsPoint(one, measured))]);
}

const inkOf = ({ now }, colour) => colour[now ? "series-2" : "series-1"];

/* Whether a point is the current run before the deciding paired rounds. */
const isBefore = (point, points) => point.now === "now" && points.at(-1).now === "pairs";

/* Draws a line from the smallest to the largest round of each run, and a dashed line before a run of other code. */
const ranges = (points, colour) => (params, api) => {
    const { low, high, now, other } = points[params.dataIndex];
    const [x, y1] = api.coord([params.dataIndex, low]);
    const [, y2] = api.coord([params.dataIndex, high]);
    const { y: top, height } = params.coordSys;
    const before = x - api.size([1, 0])[0] / 2;
    const mark = { type: "line", shape: { x1: before, y1: top, x2: before, y2: top + height }, style: { stroke: colour.text, lineWidth: 1, lineDash: [4, 4] } };
    const range = { type: "line", shape: { x1: x, y1, x2: x, y2 }, style: { stroke: inkOf({ now }, colour), lineWidth: 2, opacity: 0.6 } };
    return { type: "group", children: other ? [range, mark] : [range] };
};

/* Parts [from, to] of "2026-11-23T21:58:03Z" for labels: the day, or the time if all runs are of one day. Later entries
 * are more precise, for runs that follow each other closely. */
const MOMENTS = { day: [[5, 10], [5, 16], [5, 19]], time: [[11, 16], [11, 19]] };

/* The labels of the runs on the axis. Labels differ, unless two runs began in the same second. */
function momentsOf(points) {
    const oneDay = points.every(({ created }) => created.slice(0, 10) === points[0].created.slice(0, 10));
    const stored = points.filter(({ now }) => !now).map(({ created }) => created);
    const spans = MOMENTS[oneDay ? "time" : "day"];
    const differ = ([from, to]) => new Set(stored.map((created) => created.slice(from, to))).size === new Set(stored).size;
    const [from, to] = spans.find(differ) ?? spans.at(-1);
    return points.map(({ created, now }) => now ?? created.slice(from, to).replace("T", " "));
}

const codeText = ({ commit, branch }) => [commit && `commit ${commit}`, branch && `(${branch})`].filter(Boolean).join(" ");

/* The axis includes all medians, the threshold, and the rounds without outliers, which would squeeze the rest. */
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
                    return tip(duration(point.median), point.name, moment(point.created), codeText(point), point.other && "other code than the run before", `rounds ${duration(point.low)} to ${duration(point.high)}`);
                },
            },
            xAxis: { type: "category", data: momentsOf(points), axisLabel: { hideOverlap: true } },
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

/* A sentence on the current run: its decision, or its distance from the median of the stored runs. */
function nowText(points, metric) {
    const now = points.find((point) => point.now === "now");
    const middle = median(points.filter((point) => !point.now).map((point) => point.median));
    if (metric?.against === "base") {
        const before = now && isBefore(now, points) ? ` This run alone: ${duration(now.median)}.` : "";
        return ` Paired rounds decided: ${change(metric.ratio)}, ${duration(metric.baseline)} → ${duration(metric.current)}.${before}`;
    }
    if (!now) return "";
    if (!metric) return ` Now ${duration(now.median)}: ${change(now.median / middle)} against the stored runs.`;
    return ` Now ${duration(now.median)}. Compared: ${change(metric.ratio)}, ${duration(metric.baseline)} → ${duration(metric.current)}.`;
}

function summaryOf(points, metric) {
    const stored = points.filter(({ now }) => !now);
    const last = stored.length > 1 ? ` first, ${duration(stored.at(-1).median)} last` : "";
    const changes = points.filter(({ other }) => other).length;
    const code = changes ? ` The code changed ${changes === 1 ? "once" : `${changes} times`}.` : "";
    return `${counted(stored.length, "stored run")}: ${duration(stored[0].median)}${last}.${code}${nowText(points, metric)}`;
}

const codeWord = ({ code, other }) => (code ? `${code.slice(0, 8)}${other ? ", changed" : ""}` : "");

function historyAdd(parent, one, model, { title, height }) {
    const points = pointsOf(one, model);
    chartAdd(parent, {
        title,
        summary: summaryOf(points, decidedOf(one)),
        height,
        option: optionOf(points, one.metric?.name === "time" ? one.metric.threshold : undefined),
        table: () => ({
            heads: [...["run", "measured", "commit", "code"].map((name) => ({ name })), ...["median", "least", "most"].map((name) => ({ name, numeric: true }))],
            rows: points.map((point) => [point.name, moment(point.created), codeText(point), codeWord(point), ...[point.median, point.low, point.high].map(duration)]),
        }),
    });
}

const hasHistory = (one, model) => one.runs.some(({ series }) => storedTimes(series).length) && pointsOf(one, model).length >= RUNS_LEAST;
const shown = (model) => model.cases.filter((one) => hasHistory(one, model));

function draw(model, section) {
    const all = shown(model);
    const grid = h("div", { class: "multiples" });
    section.append(
        h("p", { class: "key" }, "Line: median of each stored run. Upright: its least to its greatest round, cut at the edge if it would squeeze the rest. Diamond: this run, hollow if paired rounds decided; the last diamond shows them. Square: a pinned run. Dashed: the code changed. Shaded: threshold around the median of the stored runs. The verdict compares trimmed means of the rounds, at the baseline's clock."),
        grid,
    );
    const add = (one) => {
        const place = h("div", {}, caseLink(one.id));
        grid.append(place);
        historyAdd(place, one, model, { title: shortened(one.id, 48), height: 160 });
    };
    section.append(someAdd(all, CASES_FIRST, CASES_MORE, add, (_, seen) => `Show more: ${whole(seen)} of ${whole(all.length)}`));
}

export const history = { id: "history", title: "History", shows: (model) => shown(model).length > 0, draw };
export const caseHistory = {
    shows: hasHistory,
    draw: (one, model, section) => historyAdd(section, one, model, { title: "History", height: 240 }),
};
