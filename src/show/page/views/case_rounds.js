/* The rounds of a case as dots, baseline beside candidate, with the density of the rounds and its modes. */
import { chartAdd, tip } from "../chart.js";
import { densityOf, median, modesOf, usualOf } from "../density.js";
import { axisOfTimes, counted, duration } from "../format.js";
import { roundsOf } from "../rounds.js";

/* Horizontal offset of a round in its column, so that equal rounds do not hide each other. */
const aside = (i) => (((i * 7) % 11) - 5) / 40;

/* Rounds stand at the edge only if the axis becomes narrower by this factor. */
const SQUEEZE_LEAST = 3;

function columnOf(name, one, colour) {
    return { name, colour, values: roundsOf(one) };
}

const numbersOf = ({ values }) => values.map(({ value }) => value);
const spanOf = (numbers) => [Math.min(...numbers), Math.max(...numbers)];

/* The values of a column within [low, high], for its density. */
const within = (column, [low, high]) => numbersOf(column).filter((value) => value >= low && value <= high);

/* The range [low, high] of the drawn rounds. If a few outliers would squeeze the others: the range without outliers. */
function spanShown(columns) {
    const all = spanOf(columns.flatMap(numbersOf));
    const usual = spanOf(columns.flatMap((column) => usualOf(numbersOf(column))));
    return all[1] - all[0] > SQUEEZE_LEAST * (usual[1] - usual[0]) ? usual : all;
}

/* An axis with room for the densities. A smooth density can extend below 0, so it is cut there. */
function axisOf(columns, span) {
    const ends = columns.flatMap((column) => densityOf(within(column, span)).map(([at]) => Math.max(0, at)));
    return axisOfTimes(...spanOf([...span, ...ends]));
}

/* The columns: stored runs, then the baseline's and the candidate's results, then both sides of the pairs. */
function columnsOf({ runs, base, current, pair }) {
    const time = (run) => run.series.find((series) => series.name === "time")?.values ?? [];
    const stored = runs.flatMap(time).map((value) => ({ value }));
    return [
        { name: "baseline", colour: "series-1", values: stored },
        columnOf("base", base, "series-1"),
        columnOf("candidate", current === pair.head ? undefined : current, "series-2"),
        columnOf("pairs: baseline", pair.base === base ? undefined : pair.base, "series-1"),
        columnOf(pair.base && pair.base !== base ? "pairs: head" : "head", pair.head, "series-2"),
    ].filter(({ values }) => values.length);
}

function modesText({ name, values }) {
    const modes = modesOf(numbersOf({ values }));
    return modes.length > 1 ? `${name} has ${modes.length} modes: ${modes.map(duration).join(", ")}` : undefined;
}

/* "2 rounds lie above the axis, up to 1.03 ms" */
function outsideText(columns, [low, high]) {
    const numbers = columns.flatMap(numbersOf);
    const text = (outside, where, end) => outside.length && `${counted(outside.length, "round")} ${outside.length === 1 ? "lies" : "lie"} ${where} the axis, at its edge: ${end}`;
    const above = numbers.filter((value) => value > high);
    const below = numbers.filter((value) => value < low);
    return [text(above, "above", `up to ${duration(Math.max(...above))}`), text(below, "below", `down to ${duration(Math.min(...below))}`)];
}

function summaryOf(columns) {
    const medians = columns.map(({ name, values }) => `${name} ${counted(values.length, "round")}, median ${duration(median(numbersOf({ values })))}`);
    const modes = columns.map(modesText).filter(Boolean);
    return `${[...medians, ...modes, ...outsideText(columns, spanShown(columns)).filter(Boolean)].join("; ")}.`;
}

/* Draws the density of a column to the right of its dots, and a line at the median. */
function shapes(columns, span, colour) {
    return (params, api) => {
        const column = columns[params.dataIndex];
        const width = api.size([1, 0])[0];
        const paint = colour[column.colour];
        const middle = api.coord([params.dataIndex, median(numbersOf(column))]);
        const points = densityOf(within(column, span)).map(([at, density]) => [middle[0] + width * (0.16 + 0.28 * density), api.coord([params.dataIndex, at])[1]]);
        const edge = middle[0] + width * 0.16;
        const outline = points.length ? [[edge, points[0][1]], ...points, [edge, points.at(-1)[1]]] : [];
        return {
            type: "group",
            children: [
                ...(outline.length ? [{ type: "polygon", shape: { points: outline }, style: { fill: paint, opacity: 0.25 } }] : []),
                { type: "line", shape: { x1: middle[0] - width * 0.16, y1: middle[1], x2: edge, y2: middle[1] }, style: { stroke: colour.text, lineWidth: 2 } },
            ],
        };
    };
}

const kindOf = ({ confirms, disturbed }) => (disturbed ? "disturbed" : confirms ? "confirming" : "round");

/* The dots. A triangle at the edge is a round beyond the axis. */
function dotsOf(columns, [low, high], { min, max }, colour) {
    return columns.flatMap(({ colour: name, values }, column) =>
        values.map((one, i) => ({
            value: [column + aside(i), one.value > high ? max : one.value < low ? min : one.value],
            symbol: one.value > high || one.value < low ? "triangle" : one.confirms ? "diamond" : "circle",
            symbolRotate: one.value < low ? 180 : 0,
            itemStyle: { color: one.disturbed ? colour.ground : colour[name], borderColor: colour[name], borderWidth: 1.5 },
            summary: `round ${i + 1}: ${duration(one.value)}`,
            kind: kindOf(one),
        })),
    );
}

function optionOf(columns) {
    const span = spanShown(columns);
    const axis = axisOf(columns, span);
    return (colour, width) => ({
        grid: { left: 76, right: 16, top: 16, bottom: 40 },
        tooltip: { trigger: "item", formatter: ({ data }) => data?.summary && tip(data.summary, data.kind) },
        xAxis: [
            { type: "category", data: columns.map(({ name }) => name), axisLabel: { interval: 0, width: Math.min(96, (width - 100) / columns.length), overflow: "break" } },
            { type: "value", min: -0.5, max: columns.length - 0.5, show: false },
        ],
        yAxis: { ...axis, axisLine: { show: false }, axisTick: { show: false } },
        series: [
            { type: "custom", clip: true, renderItem: shapes(columns, span, colour), data: columns.map((column, i) => [i, median(numbersOf(column))]), encode: { y: 1 }, silent: true },
            { type: "scatter", xAxisIndex: 1, symbolSize: 8, data: dotsOf(columns, span, axis, colour) },
        ],
    });
}

function draw(one, _, section) {
    const columns = columnsOf(one);
    chartAdd(section, {
        title: "Every round",
        summary: summaryOf(columns),
        height: 300,
        option: optionOf(columns),
        table: () => ({
            heads: [{ name: "of" }, { name: "round", numeric: true }, { name: "median", numeric: true }, { name: "kind" }],
            rows: columns.flatMap(({ name, values }) => values.map((value, i) => [name, i + 1, duration(value.value), kindOf(value)])),
        }),
    });
}

export const caseRounds = { shows: (one) => columnsOf(one).length > 0, draw };
