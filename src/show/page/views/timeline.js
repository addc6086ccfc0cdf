/* The timeline: every recorded scope over time, by thread and CUDA stream. */
import { chartAdd, NARROW, tip } from "../chart.js";
import { h } from "../dom.js";
import { counted, duration, whole } from "../format.js";
import { coloursOf, operationsOf, profilesOf } from "../profile.js";
import { choiceAdd } from "../profile_choice.js";

const ENTRIES_MOST = 20000;
const LANES_MOST = 48;
const ROWS_MOST = 200;
const LABEL_LEAST = 36; /* pixels */
const LANE = 22; /* pixels */

/* --- Lanes ------------------------------------------------------------------------------------- */

/* The entries of a process as bars: {track, depth, from, to, entry}. Work on a CUDA stream has a second bar there. */
function barsOf({ entries = [], paths }, process) {
    return entries
        .filter((entry) => entry.process === process && paths[entry.path])
        .flatMap((entry) => {
            const { name, depth, span } = paths[entry.path];
            const from = entry.start_ns;
            const own = { name, track: span ? "spans" : `thread ${entry.thread}`, depth: span ? 0 : depth, from, to: from + entry.duration_ns, entry };
            const gpu = entry.gpu_start_ns;
            if (!Number.isFinite(gpu) || !(entry.gpu_ns >= 0)) return [own];
            return [own, { ...own, track: `stream ${entry.stream ?? ""}`, depth: 0, from: gpu, to: gpu + entry.gpu_ns }];
        });
}

/* The bars with each track's outermost ones in its first lane: a thread of a parallel region begins below the region. */
function raised(bars) {
    const tops = new Map();
    for (const { track, depth } of bars) tops.set(track, Math.min(tops.get(track) ?? Infinity, depth));
    return bars.map((bar) => ({ ...bar, depth: bar.depth - tops.get(bar.track) }));
}

/* Order of tracks: threads by number, then streams and spans. */
const trackOrder = (a, b) => (a.startsWith("thread") ? 0 : 1) - (b.startsWith("thread") ? 0 : 1) || a.localeCompare(b, "en", { numeric: true });

/* [{track, depth, title}]: one lane per depth of each track. */
function lanesOf(bars, json, process) {
    const depths = new Map();
    for (const { track, depth } of bars) depths.set(track, Math.max(depths.get(track) ?? 0, depth));
    const nameOf = (track) => json.threads?.find((one) => one.process === process && `thread ${one.thread}` === track)?.name;
    return [...depths.keys()].sort(trackOrder).flatMap((track) =>
        Array.from({ length: depths.get(track) + 1 }, (_, depth) => ({ track, depth, title: depth ? "" : [track, nameOf(track)].filter(Boolean).join(": ") })),
    );
}

/* The drawn bars: the longest ones on the first lanes, and a sentence about the bars left out. */
function drawnOf(json, process) {
    const all = raised(barsOf(json, process));
    const lanes = lanesOf(all, json, process);
    const shown = lanes.slice(0, LANES_MOST);
    const laneOf = new Map(shown.map(({ track, depth }, i) => [`${track}/${depth}`, i]));
    const bars = all
        .map((bar) => ({ ...bar, lane: laneOf.get(`${bar.track}/${bar.depth}`) }))
        .filter(({ lane }) => lane !== undefined)
        .sort((a, b) => b.to - b.from - (a.to - a.from))
        .slice(0, ENTRIES_MOST);
    const recorded = json.paths.reduce((sum, path) => sum + (path.process_calls?.[process] ?? 0), 0);
    const count = new Set(bars.map(({ entry }) => entry)).size;
    const left = [
        recorded > count && `${whole(count)} of ${counted(recorded, "recorded scope")} are drawn`,
        lanes.length > shown.length && `${counted(lanes.length - shown.length, "lane")} of other threads are left out`,
    ].filter(Boolean);
    return { bars, lanes: shown, count, left };
}

/* --- The chart --------------------------------------------------------------------------------- */

/* Ticks in the unit of the whole range, with all their digits: after zooming in, only the last digits differ. */
function tickOf(last) {
    const [unit, word] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([size]) => last >= size) ?? [1, "ns"];
    return (value) => `${Number((value / unit).toPrecision(9))} ${word}`;
}

function shapeOf(bars, nameOf, colour) {
    return (params, api) => {
        const bar = bars[api.value(3)];
        const { x: least, width } = params.coordSys;
        const [from, y] = api.coord([bar.from, bar.lane]);
        const left = Math.max(from, least);
        const right = Math.min(api.coord([bar.to, bar.lane])[0], least + width);
        if (right < least || left > least + width) return undefined;
        const height = LANE - 4;
        const wide = right - left > LABEL_LEAST;
        return {
            type: "rect",
            shape: { x: left, y: y - height / 2, width: Math.max(right - left, 0.5), height },
            style: { fill: colour[nameOf(bar.name)], opacity: 0.45, stroke: colour.ground, lineWidth: right - left > 3 ? 1 : 0 },
            /* Without room the text is empty; if it were missing, ECharts would keep the old text. */
            textContent: { style: { text: wide ? bar.name : "", fill: colour.text, fontSize: 11, width: Math.max(right - left - 8, 0), overflow: "truncate" } },
            textConfig: { position: "insideLeft", distance: 4 },
        };
    };
}

const tipOf = ({ name, track, from, to, entry }, first) =>
    tip(name, `${track}, at ${duration(from - first)}`, `took ${duration(to - from)}`, entry.unfinished && "the recording ended first");

function optionOf({ bars, lanes }, nameOf) {
    const first = bars.reduce((least, { from }) => Math.min(least, from), Infinity);
    const last = bars.reduce((most, { to }) => Math.max(most, to), 0);
    return (colour, width) => ({
        grid: { left: width < NARROW ? 12 : 130, right: 20, top: 20, bottom: 80 },
        tooltip: { trigger: "item", formatter: ({ data }) => tipOf(bars[data[3]], first) },
        dataZoom: [
            { type: "inside", filterMode: "weakFilter", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false },
            { type: "slider", filterMode: "weakFilter", height: 20, bottom: 34, brushSelect: false, showDataShadow: false, labelFormatter: tickOf(last), textStyle: { color: colour.soft }, borderColor: colour.line },
        ],
        xAxis: { type: "value", min: first, max: last, name: "time since the start of the recording", nameLocation: "middle", nameGap: 58, splitNumber: width < NARROW ? 2 : 6, axisLabel: { formatter: tickOf(last), hideOverlap: true, showMinLabel: false, showMaxLabel: false } },
        yAxis: {
            type: "category",
            inverse: true,
            data: lanes.map(({ title }, i) => title || i),
            axisTick: { show: false },
            splitLine: { show: false },
            axisLabel: {
                interval: 0,
                width: 118,
                overflow: "truncate",
                formatter: (_, i) => lanes[i].title,
                ...(width < NARROW && { show: false }),
            },
        },
        series: [
            {
                type: "custom",
                clip: true,
                renderItem: shapeOf(bars, nameOf, colour),
                encode: { x: [1, 2], y: 0 },
                data: bars.map(({ lane, from, to }, i) => [lane, from, to, i]),
            },
        ],
    });
}

function keyOf(bars, nameOf) {
    const names = [...new Set(bars.map(({ name }) => name))];
    const own = names.filter((name) => nameOf(name) !== "line");
    const swatch = (colour) => {
        const element = h("span", { class: "swatch bar", "aria-hidden": "true" });
        element.style.setProperty("--ink", `var(--${colour})`);
        return element;
    };
    const rest = names.length > own.length && h("li", {}, swatch("line"), "all others");
    return h("ul", { class: "keys" }, own.map((name) => h("li", {}, swatch(nameOf(name)), name)), rest || []);
}

function timelineAdd(place, { json }, one) {
    const drawn = drawnOf(json, one.process);
    const nameOf = coloursOf(operationsOf(one));
    const { bars, lanes, count, left } = drawn;
    if (!bars.length) {
        place.append(h("p", {}, "The entries of this case's process were left out of the file."));
        return;
    }
    const tracks = new Set(lanes.map(({ track }) => track)).size;
    chartAdd(place, {
        title: "Scopes over time",
        summary: `${counted(count, "scope")} on ${tracks === 1 ? "one thread" : `${tracks} threads or streams`}; longest: ${bars[0].name}, ${duration(bars[0].to - bars[0].from)}. ${left.length ? `${left.join("; ")}. ` : ""}To zoom, drag the handles below, or use Ctrl and the wheel.`,
        height: lanes.length * LANE + 104,
        canvas: true,
        option: optionOf(drawn, nameOf),
        key: keyOf(bars, nameOf),
        table: () => ({
            heads: [{ name: "scope" }, { name: "on" }, ...["begins", "takes"].map((name) => ({ name, numeric: true }))],
            rows: bars.slice(0, ROWS_MOST).map(({ name, track, from, to }) => [name, track, duration(from), duration(to - from)]),
        }),
    });
}

function draw(model, section) {
    choiceAdd(model, section, timelineAdd, () => true);
}

export const timeline = {
    id: "timeline",
    title: "Timeline",
    shows: (model) => profilesOf(model).some(({ json }) => json.entries?.length),
    draw,
};
