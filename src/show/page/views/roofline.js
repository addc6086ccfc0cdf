/* Rooflines: FLOP/s of each case over FLOP/byte, below the machine's measured peaks (Williams, Waterman and Patterson,
 * 2009). */
import { chartAdd, NARROW, tip } from "../chart.js";
import { h } from "../dom.js";
import { brief, counted, duration, rate } from "../format.js";
import { grouped, highest, lowest } from "../lists.js";
import { keyOf, SYMBOLS } from "../marks.js";
import { caseAddress, caseLink } from "../verdicts.js";

const DASHES = { solid: "solid", dashed: [6, 3], dotted: [2, 3], long: [12, 4] };

/* --- Roofs ------------------------------------------------------------------------------------- */

function roofsOfCpu({ one, all }, points) {
    const sides = [
        [one, points.some(({ threads }) => threads === 1)],
        [all, points.some(({ threads }) => threads !== 1) && all?.threads > 1],
    ];
    return sides
        .filter(([side, used]) => side && used)
        .map(([side]) => ({
            name: counted(side.threads, "thread"),
            slopes: [
                ["L1", side.l1_bytes_per_s, "dotted"],
                ["L2", side.l2_bytes_per_s, "dashed"],
                ["L3", side.l3_bytes_per_s, "long"],
                ["memory", side.memory_bytes_per_s, "solid"],
            ],
            tops: [
                ["vectors", side.vector_flops_per_s, "solid"],
                ["scalar", side.scalar_flops_per_s, "dashed"],
            ],
        }));
}

const roofsOfGpu = (ceilings) => [
    {
        name: "GPU",
        slopes: [["memory", ceilings.copy_bytes_per_s ?? ceilings.read_bytes_per_s, "solid"]],
        tops: [
            ["tensor cores, bf16", ceilings.tensor_flops_per_s, "dashed"],
            ["f32", ceilings.fma_flops_per_s, "solid"],
        ],
    },
];

const measured = (list) => list.filter(([, value]) => value > 0);

/* The lines of one roofline: slopes up to the highest top, and tops from the steepest slope to the right. */
function linesOf({ name, slopes, tops }, from, to) {
    const steepest = highest(measured(slopes).map(([, value]) => value));
    const top = highest(measured(tops).map(([, value]) => value));
    return [
        ...measured(slopes).map(([word, bytes, dash]) => ({
            name: `${word} ${rate(bytes, "B")}, ${name}`,
            dash,
            colour: "line",
            data: [[from, bytes * from], [Math.min(to, top / bytes), Math.min(bytes * to, top)]],
        })),
        ...measured(tops).map(([word, flops, dash]) => ({
            name: `${word} ${rate(flops, "FLOP")}, ${name}`,
            dash,
            colour: "text",
            data: [[Math.max(from, Math.min(flops / steepest, to / 2)), flops], [to, flops]],
        })),
    ];
}

/* --- Points ------------------------------------------------------------------------------------ */

function pointOf({ id, workload, current }) {
    const { flops, bytes, flops_per_second: speed } = current.work;
    return { id, workload, threads: current.threads, intensity: flops / bytes, speed, time: current.summary?.median_ns ?? current.breakdown?.wall_ns };
}

const placed = ({ intensity, speed }) => Number.isFinite(intensity) && intensity > 0 && speed > 0;

/* Groups the points by workload, the largest group first. Workloads without a free symbol form one group. */
function groupsOf(points) {
    const all = [...grouped(points, ({ workload }) => workload)].sort(([, a], [, b]) => b.length - a.length).map(([name, of]) => ({ name, points: of }));
    const own = all.length > SYMBOLS.length ? SYMBOLS.length - 1 : all.length;
    const rest = all.slice(own);
    const others = { name: counted(rest.length, "other workload"), points: rest.flatMap((group) => group.points) };
    return [...all.slice(0, own), ...(rest.length ? [others] : [])].map((group, i) => ({ ...group, symbol: SYMBOLS[i], colour: `series-${i + 1}` }));
}

/* Powers of ten below and above all values. */
const below = (values) => 10 ** Math.floor(Math.log10(lowest(values)));
const above = (values) => 10 ** Math.ceil(Math.log10(highest(values) * 1.01));

/* --- The chart --------------------------------------------------------------------------------- */

function optionOf(groups, lines, [from, to]) {
    const speeds = [...groups.flatMap(({ points }) => points.map(({ speed }) => speed)), ...lines.flatMap(({ data }) => data.slice(1).map(([, y]) => y))];
    return (colour, width) => ({
        legend: { show: false },
        grid: { left: 76, right: 20, top: 12, bottom: 48 },
        tooltip: {
            trigger: "item",
            formatter: ({ data, seriesName }) =>
                data.point ? tip(data.point.id, `${rate(data.point.speed, "FLOP")} at ${number(data.point.intensity)} FLOP/byte`, `${duration(data.point.time)} per call`) : tip(seriesName),
        },
        xAxis: { type: "log", min: from, max: to, name: "FLOP per byte", nameLocation: "middle", nameGap: 28, axisLabel: { formatter: number, hideOverlap: true } },
        yAxis: { type: "log", min: below(speeds), max: above(speeds), axisLine: { show: false }, axisLabel: { formatter: (v) => brief((x) => rate(x, "FLOP"))(v) } },
        series: [
            ...lines.map((line) => ({
                name: line.name,
                type: "line",
                data: line.data,
                symbol: "none",
                clip: true,
                lineStyle: { type: DASHES[line.dash], color: colour[line.colour], width: 2 },
                itemStyle: { color: colour[line.colour] },
            })),
            ...groups.map((group) => ({
                name: group.name,
                type: "scatter",
                symbol: group.symbol[0],
                symbolSize: width < NARROW ? 10 : 12,
                itemStyle: { color: colour[group.colour], borderColor: colour.ground, borderWidth: 1 },
                data: group.points.map((point) => ({ value: [point.intensity, point.speed], point })),
            })),
        ],
    });
}

const number = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

function summaryOf(points, left) {
    const [best] = [...points].sort((a, b) => b.speed - a.speed);
    return `${counted(points.length, "case")}; most: ${best.id}, ${rate(best.speed, "FLOP")} at ${number(best.intensity)} FLOP per byte.${left ? ` Not drawn: ${counted(left, "case")} with unknown operations or bytes.` : ""} A click on a point shows its case.`;
}

function rooflineAdd(section, title, points, left, roofs) {
    const groups = groupsOf(points);
    const intensities = points.map(({ intensity }) => intensity);
    const ridges = roofs.flatMap(({ slopes, tops }) => measured(tops).flatMap(([, flops]) => measured(slopes).map(([, bytes]) => flops / bytes)));
    const span = [below([...intensities, ...ridges].map((value) => value / 2)), above([...intensities, ...ridges].map((value) => value * 2))];
    const lines = roofs.flatMap((set) => linesOf(set, ...span));
    chartAdd(section, {
        title,
        summary: summaryOf(points, left),
        height: (width) => (width < NARROW ? 340 : 460),
        option: optionOf(groups, lines, span),
        key: keyOf(groups, lines),
        onclick: ({ data }) => data?.point && (location.hash = caseAddress(data.point.id)),
        table: () => ({
            heads: [{ name: "case" }, ...["flop a byte", "rate", "median"].map((name) => ({ name, numeric: true }))],
            rows: points.map((point) => [caseLink(point.id), number(point.intensity), rate(point.speed, "FLOP"), duration(point.time)]),
        }),
    });
}

/* One chart per device with placeable cases. */
function chartsOf({ cases, current }) {
    const { cpu_ceilings: cpu, ceilings: gpu } = current?.json ?? {};
    return [
        ["cpu", "On the CPU", cpu?.one && ((points) => roofsOfCpu(cpu, points))],
        ["cuda", "On the GPU", gpu?.fma_flops_per_s && (() => roofsOfGpu(gpu))],
    ].flatMap(([device, title, roofs]) => {
        const all = cases.filter((one) => one.device === device && one.current?.work && one.current.status !== "SKIPPED");
        const points = all.map(pointOf).filter(placed);
        return points.length ? [{ title, points, left: all.length - points.length, roofs: roofs ? roofs(points) : [] }] : [];
    });
}

function draw(model, section) {
    for (const { title, points, left, roofs } of chartsOf(model)) {
        if (!roofs.length) section.append(h("p", { class: "key" }, `${title} no peaks were measured, so the chart has no limits.`));
        rooflineAdd(section, title, points, left, roofs);
    }
    const note = model.current.json.cpu_ceilings?.note;
    if (note) section.append(h("p", { class: "key" }, `CPU peaks: ${note}.`));
}

export const roofline = { id: "roofline", title: "Roofline", shows: (model) => chartsOf(model).length > 0, draw };
