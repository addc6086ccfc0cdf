/* Memory: peak and allocated bytes of each case, and memory over time from recordings. */
import { chartAdd, namesAxis, NARROW, tip } from "../chart.js";
import { h } from "../dom.js";
import { brief, counted, duration, size, sizeIfKnown } from "../format.js";
import { labelsOf } from "../labels.js";

const CASES_MOST = 30;
const ROWS_MOST = 500; /* rows of a table of figures */

/* The figures of a case, with their names in the legend. */
const KINDS = [
    ["peak", (memory) => memory.peak_bytes],
    ["allocated", (memory) => memory.allocated_bytes],
    ["in use", (memory) => memory.malloc_used_bytes],
    ["cached", (memory) => memory.malloc_cached_bytes],
    ["GPU: peak", (memory) => memory.device_peak_bytes],
    ["GPU: allocated", (memory) => memory.device_allocated_bytes],
    ["GPU: cached", (memory) => memory.device_cached_bytes],
];

const measured = (model) =>
    model.cases
        .filter((one) => one.current?.memory?.peak_bytes > 0 || one.current?.memory?.device_peak_bytes > 0)
        .sort((a, b) => mostOf(b) - mostOf(a));
const mostOf = ({ current: { memory } }) => Math.max(memory.peak_bytes, memory.device_peak_bytes ?? 0);

/* --- By case ----------------------------------------------------------------------------------------------------- */

function barsOf(cases, kinds) {
    return (colour, width) => {
        const narrow = width < NARROW;
        const label = narrow ? Math.floor((width - 40) / 7) : Math.min(46, Math.floor(width / 18));
        const nameOf = labelsOf(cases.map(({ id }) => id), label);
        return {
            grid: { left: narrow ? 12 : Math.round(label * 6.6) + 8, right: 24, top: 32, bottom: 28 },
            legend: { top: 0 },
            tooltip: { trigger: "item", formatter: ({ seriesName, value, dataIndex }) => tip(`${size(value)} ${seriesName}`, cases[dataIndex].id) },
            xAxis: { type: "log", logBase: 4, axisLabel: { formatter: brief(size), hideOverlap: true } },
            yAxis: namesAxis(cases.map(({ id }) => id), narrow, 6, { formatter: nameOf, color: narrow ? colour.text : undefined }),
            series: kinds.map(([name, get], i) => ({
                type: "scatter",
                name,
                symbol: ["circle", "diamond", "rect", "triangle", "roundRect", "pin", "arrow"][i],
                symbolSize: 10,
                data: cases.map((one) => get(one.current.memory) || null),
            })),
        };
    };
}

function casesAdd(section, all) {
    const cases = all.slice(0, CASES_MOST);
    const kinds = KINDS.filter(([, get]) => cases.some((one) => get(one.current.memory) > 0));
    chartAdd(section, {
        title: "Memory of each case",
        summary: `${cases.length < all.length ? `The ${cases.length} largest of ` : ""}${counted(all.length, "case")}; the largest, ${cases[0].id}, has a peak of ${size(mostOf(cases[0]))}. Logarithmic.`,
        height: (width) => cases.length * (width < NARROW ? 40 : 24) + 70,
        option: barsOf(cases, kinds),
        table: () => ({
            heads: [{ name: "case" }, ...kinds.map(([name]) => ({ name, numeric: true }))],
            rows: cases.map((one) => [one.id, ...kinds.map(([, get]) => sizeIfKnown(get(one.current.memory)))]),
        }),
    });
}

/* --- Over time --------------------------------------------------------------------------------------------------- */

/* The scopes with allocations, per process of a recording: [{label, entries}]. `peak_bytes` is the peak above the
 * memory at the scope's start; `allocated_bytes` is the sum of all allocations inside the scope. */
function processesOf({ json }) {
    const processes = json.processes.map((process, i) => ({ label: process.label ?? process.program ?? `process ${i + 1}`, entries: [] }));
    for (const entry of json.entries ?? [])
        if (entry.peak_bytes || entry.allocated_bytes)
            processes[entry.process]?.entries.push({ ...entry, name: json.paths[entry.path].name, depth: json.paths[entry.path].depth });
    return processes.filter(({ entries }) => entries.length);
}

const recorded = (model) => model.profiles.flatMap(processesOf);

/* An axis of bytes from 0, with steps of a power of two. */
function bytesAxis(most) {
    const interval = 2 ** Math.ceil(Math.log2(most / 5));
    return { type: "value", min: 0, max: Math.ceil(most / interval) * interval, interval, axisLabel: { formatter: brief(size) } };
}

const timeAxis = { type: "value", min: 0, name: "time since the start of the recording", nameLocation: "middle", nameGap: 26, axisLabel: { formatter: brief(duration), hideOverlap: true } };

/* Draws a box from the scope's start to its end, as high as its peak. Outer scopes lie behind inner scopes. */
function boxes(entries, colour) {
    return (params, api) => {
        const entry = entries[params.dataIndex];
        const [left, top] = api.coord([entry.start_ns, entry.peak_bytes ?? 0]);
        const [right, bottom] = api.coord([entry.start_ns + entry.duration_ns, 0]);
        const shape = { x: left, y: top, width: Math.max(right - left, 1), height: bottom - top };
        return { type: "rect", shape, style: { fill: colour["series-1"], fillOpacity: 0.25, stroke: colour["series-1"] } };
    };
}

const peakOf = (entries) => entries.reduce((a, b) => ((b.peak_bytes ?? 0) > (a.peak_bytes ?? 0) ? b : a));

const peakOption = (entries) => (colour) => ({
    grid: { left: 76, right: 24, top: 16, bottom: 44 },
    tooltip: {
        trigger: "item",
        formatter({ dataIndex }) {
            const { name, start_ns: from, duration_ns: long, peak_bytes: peak = 0, allocated_bytes: allocated = 0 } = entries[dataIndex];
            return tip(name, `peak ${size(peak)}, allocated ${size(allocated)}`, `at ${duration(from)} for ${duration(long)}`);
        },
    },
    xAxis: timeAxis,
    yAxis: bytesAxis(peakOf(entries).peak_bytes || 1),
    series: [
        {
            type: "custom",
            clip: true,
            renderItem: boxes(entries, colour),
            encode: { x: [0, 1], y: 2 },
            data: entries.map((entry) => [entry.start_ns, entry.start_ns + entry.duration_ns, entry.peak_bytes ?? 0]),
        },
    ],
});

/* [[end, sum of allocated bytes until then], …]. Each scope adds its own allocations, without inner scopes, at its
 * end. */
function totalOf(entries) {
    const open = []; /* ended scopes that no outer scope has subtracted yet */
    let total = 0;
    return [...entries]
        .sort((a, b) => a.start_ns + a.duration_ns - (b.start_ns + b.duration_ns) || b.depth - a.depth)
        .map((entry) => {
            let own = entry.allocated_bytes ?? 0;
            while (open.length && open.at(-1).start_ns >= entry.start_ns && open.at(-1).depth > entry.depth) own -= open.pop().allocated_bytes ?? 0;
            open.push(entry);
            total += Math.max(own, 0);
            return [entry.start_ns + entry.duration_ns, total];
        });
}

const totalOption = (points) => (colour) => ({
    grid: { left: 76, right: 24, top: 16, bottom: 44 },
    tooltip: { trigger: "axis", formatter: ([{ data }]) => tip(size(data[1]), `allocated until ${duration(data[0])}`) },
    xAxis: timeAxis,
    yAxis: bytesAxis(points.at(-1)[1] || 1),
    series: [{ type: "line", step: "end", showSymbol: false, color: colour["series-2"], areaStyle: { opacity: 0.2 }, data: [[0, 0], ...points] }],
});

function peaksAdd(place, { label, entries }) {
    const most = peakOf(entries);
    chartAdd(place, {
        title: "Peak of each scope over time",
        summary: `${counted(entries.length, "scope")} of ${label} allocated; the highest peak is ${size(most.peak_bytes ?? 0)}, of ${most.name}.`,
        height: 280,
        option: peakOption(entries),
        table: () => ({
            heads: [{ name: "scope" }, ...["at", "for", "peak", "allocated"].map((name) => ({ name, numeric: true }))],
            rows: entries
                .slice(0, ROWS_MOST)
                .map((entry) => [entry.name, duration(entry.start_ns), duration(entry.duration_ns), size(entry.peak_bytes ?? 0), size(entry.allocated_bytes ?? 0)]),
        }),
    });
}

function totalAdd(place, { entries }) {
    const points = totalOf(entries);
    chartAdd(place, {
        title: "Allocated memory over time, cumulative",
        summary: `${size(points.at(-1)[1])} in total, including released memory.`,
        height: 280,
        option: totalOption(points),
        table: () => ({
            heads: [{ name: "at", numeric: true }, { name: "allocated until then", numeric: true }],
            rows: points.slice(0, ROWS_MOST).map(([at, total]) => [duration(at), size(total)]),
        }),
    });
}

function timeAdd(section, processes) {
    const place = h("div", { class: "sweep" });
    const chosen = h("select", { class: "wide", onchange: () => show() }, processes.map(({ label }, i) => h("option", { value: i }, label)));
    function show() {
        const process = processes[Number(chosen.value)];
        process.entries.sort((a, b) => a.depth - b.depth);
        place.replaceChildren();
        peaksAdd(place, process);
        totalAdd(place, process);
    }
    section.append(h("p", {}, h("label", {}, "Memory over time of ", chosen)), place);
    show();
}

function draw(model, section) {
    const cases = measured(model);
    const processes = recorded(model);
    if (cases.length) casesAdd(section, cases);
    if (processes.length) timeAdd(section, processes);
}

export const memory = { id: "memory", title: "Memory", shows: (model) => measured(model).length + recorded(model).length > 0, draw };
