/* Series of a history: the value of each run, levels, changes with their causes, and the user's place. Runs stand at
 * equal distances, because commits have an order and no distance. */
import { chartAdd, tip } from "../chart.js";
import { h, prose, someAdd } from "../dom.js";
import { amount, axisOfTimes, change, counted, interval, moment, whole } from "../format.js";
import { shortened } from "../labels.js";
import { highest, lowest } from "../lists.js";
import { caseLink } from "../verdicts.js";

const TRENDS_FIRST = 12;
const TRENDS_MORE = 24;
const LISTED_MOST = 8; /* changes below a chart; the table of figures has all */
const SHAPES_MOST = 400; /* points drawn as elements */
const COMMIT_SHOWN = 12;
const NUMBER_WIDTH = 16; /* pixels between the numbers of two changes */

/* Whether a change may be the code's. */
export const isCode = ({ cause, state }) => ["code", "unknown"].includes(cause) && state !== "refuted";

const short = (commit) => commit?.slice(0, COMMIT_SHOWN);
const rangeOf = ({ culprit, commit_before: before, commit_after: after }) => (culprit ? `commit ${short(culprit)}` : before && after && `${short(before)}..${short(after)}`);

/* {series, points: [{run, value, error, …}], marks: [{mark, change, number}], levels: [{first, end, value}], here, known}
 *   here   index of the newest point of the user's checkout (`known`), else of the newest point */
function trendOf({ history, series }) {
    const points = series.points.map((point) => ({ ...point, run: history.runs[point.run] }));
    const found = points.findLastIndex(({ run }) => history.here && run.commit === history.here);
    return {
        series,
        points,
        marks: (series.marks ?? []).map((mark, i) => ({ mark, change: history.changes[mark.change], number: i + 1 })),
        levels: (series.levels ?? []).map((level, i, all) => ({ ...level, end: all[i + 1]?.first ?? points.length })),
        here: found < 0 ? points.length - 1 : found,
        known: found >= 0,
    };
}

/* "step +5.0 % (+4.7 % to +5.3 %), cause code, suspected, v1.20..v1.21" */
function changeText(one) {
    const { kind, ratio, low, high, cause, state } = one;
    const range = Number.isFinite(low) && Number.isFinite(high) ? ` (${interval(low, high)})` : "";
    return [`${kind} ${change(ratio)}${range}`, `cause ${cause}`, state, rangeOf(one)].filter(Boolean).join(", ");
}

/* --- The picture ------------------------------------------------------------------------------ */

function axisOf({ points, series }) {
    const values = points.flatMap(({ value, error }) => [value - (error ?? 0), value + (error ?? 0)]);
    const [low, high] = [lowest(values), highest(values)];
    if (series.unit === "ns") return axisOfTimes(low, high);
    return { type: "value", scale: true, axisLabel: { formatter: (value) => amount(value, series.unit) } };
}

/* Days, or times if all runs are of one day. */
function labelsOf(points) {
    const started = points.map(({ run }) => run.started);
    const oneDay = started[0].slice(0, 10) === started.at(-1).slice(0, 10);
    return started.map((time) => (oneDay ? time.slice(11, 16) : time.slice(0, 10)));
}

const errorBar = (colour) => (_, api) => {
    const [x, y1] = api.coord([api.value(0), api.value(1)]);
    const [, y2] = api.coord([api.value(0), api.value(2)]);
    return { type: "line", shape: { x1: x, y1, x2: x, y2 }, style: { stroke: colour["series-1"], lineWidth: 1.5, opacity: 0.5 } };
};

const levelLine = (colour) => (_, api) => {
    const half = api.size([1, 0])[0] / 2;
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const [x2] = api.coord([api.value(1) - 1, api.value(2)]);
    return { type: "line", shape: { x1: x1 - half, y1: y, x2: x2 + half, y2: y }, style: { stroke: colour.text, lineWidth: 2.5 } };
};

/* A band over the possible place of a change, a dashed line at its likely place, and its number above. Numbers leave
 * each other room: the table has all. */
const changeMark = (marks, colour) => (params, api) => {
    const { mark, change: one, number } = marks[params.dataIndex];
    const ink = isCode(one) ? colour.worse : colour.soft;
    const { y: top, height } = params.coordSys;
    const half = api.size([1, 0])[0] / 2;
    const xOf = (index) => api.coord([index, 0])[0];
    const x = xOf(mark.at) - half;
    const next = marks[params.dataIndex + 1];
    const crowded = next && xOf(next.mark.at) - half - x < NUMBER_WIDTH;
    const line = { type: "line", shape: { x1: x, y1: top, x2: x, y2: top + height }, style: { stroke: ink, lineWidth: 1.5, lineDash: [4, 4] } };
    const band = { type: "rect", shape: { x: xOf(mark.before), y: top, width: xOf(mark.after) - xOf(mark.before), height }, style: { fill: colour.band, opacity: 0.7 } };
    const label = { type: "text", style: { text: String(number), x, y: top - 14, align: "center", fill: ink, font: "bold 12px system-ui, sans-serif" } };
    return { type: "group", children: crowded ? [band, line] : [band, line, label] };
};

const remarksOf = ({ run, flags = [], code }, before) =>
    [run.kind !== "commit" && run.kind, before?.code && code && before.code !== code && "code changed", before?.run.epoch && run.epoch && before.run.epoch !== run.epoch && "machine updated", ...flags].filter(Boolean).join(", ");

const commitText = ({ commit, branch, dirty }) => [commit && `commit ${short(commit)}${dirty ? "+" : ""}`, branch && `(${branch})`].filter(Boolean).join(" ");

function tipOf({ points, marks, series }, index) {
    const point = points[index];
    const own = marks.filter(({ mark }) => mark.at === index).map(({ number, change: one }) => `${number}: ${changeText(one)}`);
    const error = Number.isFinite(point.error) && point.value ? ` ± ${((100 * point.error) / point.value).toFixed(1)} %` : "";
    return tip(`${amount(point.value, series.unit)}${error}`, moment(point.run.started), commitText(point.run), remarksOf(point, points[index - 1]), ...own);
}

function optionOf(trend) {
    const { points, marks, levels, here, known } = trend;
    return (colour) => ({
        grid: { left: 76, right: 24, top: 30, bottom: 28 },
        tooltip: { trigger: "axis", formatter: (shown) => tipOf(trend, shown[0].dataIndex) },
        xAxis: { type: "category", data: labelsOf(points), axisLabel: { hideOverlap: true } },
        yAxis: axisOf(trend),
        series: [
            { type: "custom", renderItem: changeMark(marks, colour), data: marks.map(({ mark }) => [mark.at, 0]), encode: { x: 0, y: [] }, tooltip: { show: false }, silent: true, z: 1 },
            { type: "custom", clip: true, renderItem: errorBar(colour), data: points.map(({ value, error }, i) => [i, value - (error ?? 0), value + (error ?? 0)]), encode: { x: 0, y: [1, 2] }, tooltip: { show: false }, silent: true },
            { type: "scatter", data: points.map(({ value }) => value), symbolSize: points.length > 100 ? 4 : 6, itemStyle: { color: colour["series-1"] } },
            { type: "custom", clip: true, renderItem: levelLine(colour), data: levels.map(({ first, end, value }) => [first, end, value]), encode: { x: 0, y: 2 }, tooltip: { show: false }, silent: true, z: 3 },
            {
                type: "scatter",
                data: [[here, points[here].value]],
                symbol: "diamond",
                symbolSize: 14,
                itemStyle: { color: colour["series-2"], borderColor: colour.ground, borderWidth: 1.5 },
                label: { show: true, formatter: known ? "you are here" : "newest", position: "top", align: here > points.length / 2 ? "right" : "left", color: colour.text, backgroundColor: colour.ground, padding: [1, 3] },
                tooltip: { show: false },
                silent: true,
                z: 4,
            },
        ],
    });
}

/* --- Words ------------------------------------------------------------------------------------ */

function summaryOf({ series, points, marks, here, known }) {
    const { run, value } = points[here];
    const place = `${known ? "You are here" : "Newest run"}: ${[short(run.commit), amount(value, series.unit)].filter(Boolean).join(", ")}.`;
    const last = marks.at(-1)?.change;
    const changes = last ? ` ${counted(marks.length, "change")}, the last ${change(last.ratio)}, cause ${last.cause}, ${last.state}.` : " No change found.";
    return `${series.metric}, ${counted(points.length, "run")} on ${series.host ?? series.machine}. ${place}${changes}`;
}

/* The newest changes with their numbers. */
function listOf({ marks }) {
    if (!marks.length) return undefined;
    const item = ({ change: one, number }) => h("li", { value: number, class: !isCode(one) && "soft" }, changeText(one), one.proof ? [": ", prose(one.proof)] : "");
    const older = marks.length - LISTED_MOST;
    return h("div", {}, h("ol", { class: "marks" }, marks.slice(-LISTED_MOST).reverse().map(item)), older > 0 ? h("p", { class: "key marks" }, `and ${counted(older, "older change")}`) : "");
}

const figuresOf = ({ series, points, marks }) => ({
    heads: [...["measured", "commit"].map((name) => ({ name })), { name: series.metric, numeric: true }, { name: "error", numeric: true }, { name: "remarks" }],
    rows: points.map((point, i) => [
        moment(point.run.started),
        commitText(point.run),
        amount(point.value, series.unit),
        Number.isFinite(point.error) ? amount(point.error, series.unit) : "",
        [...marks.filter(({ mark }) => mark.at === i).map(({ change: one, number }) => `${number}: ${changeText(one)}`), remarksOf(point, points[i - 1])].filter(Boolean).join("; "),
    ]),
});

function trendAdd(parent, source, { title, height }) {
    const trend = trendOf(source);
    chartAdd(parent, {
        title,
        summary: summaryOf(trend),
        height,
        option: optionOf(trend),
        canvas: trend.points.length > SHAPES_MOST,
        key: listOf(trend),
        table: () => figuresOf(trend),
    });
}

/* --- Sections --------------------------------------------------------------------------------- */

/* The series with the newest change comes first. */
function trendsOf(model) {
    const foundOf = ({ history, series }) => (series.marks ?? []).reduce((newest, { change: index }) => (newest > (history.changes[index].found ?? "") ? newest : history.changes[index].found), "");
    const all = [...model.caseById.values()].flatMap(({ trends }) => trends).map((one) => [one, foundOf(one)]);
    return all.sort(([, a], [, b]) => (a < b) - (a > b)).map(([one]) => one);
}

function draw(model, section) {
    const all = trendsOf(model);
    const grid = h("div", { class: "multiples" });
    section.append(
        h("p", { class: "key" }, "Dot: a run, with its standard error. Line: level, the median between two steps. Diamond: the newest run of your checkout's commit, else the newest run. Dashed, with a number: a change; grey if the code is not to blame. Shaded: the change lies in this range."),
        grid,
    );
    const add = (one) => {
        const place = h("div", {}, caseLink(one.series.case));
        grid.append(place);
        trendAdd(place, one, { title: shortened(one.series.case, 48), height: 220 });
    };
    section.append(someAdd(all, TRENDS_FIRST, TRENDS_MORE, add, (_, seen) => `Show more: ${whole(seen)} of ${whole(all.length)}`));
}

export const trend = { id: "trend", title: "Trends", shows: (model) => trendsOf(model).length > 0, draw };
export const caseTrend = {
    shows: ({ trends }) => trends.length > 0,
    draw: ({ trends }, _, section) => trends.forEach((one) => trendAdd(section, one, { title: `Trend of ${one.series.metric} on ${one.series.host ?? one.series.machine}`, height: 320 })),
};
