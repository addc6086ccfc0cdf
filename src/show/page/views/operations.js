/* The distribution of a case's time over operations: shares of own time, and time per call. */
import { chartAdd, namesAxis, NARROW, tip } from "../chart.js";
import { firstAdd, h, table } from "../dom.js";
import { brief, count, counted, duration, share, whole } from "../format.js";
import { shortened } from "../labels.js";
import { anyParts, bottleneckOf, coloursOf, operationsOf } from "../profile.js";
import { choiceAdd } from "../profile_choice.js";
import { caseLink } from "../verdicts.js";
import { operationPartsAdd } from "./operation_parts.js";

const SLICES_MOST = 8;
const BARS_MOST = 12;

/* The largest parts, and the rest as one part. */
function slicesOf({ named, outside }) {
    const all = [...named, outside].filter(({ own }) => own > 0).sort((a, b) => b.own - a.own);
    if (all.length <= SLICES_MOST) return all;
    const rest = all.slice(SLICES_MOST - 1);
    const sum = (member) => rest.reduce((total, one) => total + one[member], 0);
    return [...all.slice(0, SLICES_MOST - 1), { name: `${counted(rest.length, "other")}`, own: sum("own"), share: sum("share") }];
}

function pieOf(slices, found) {
    const nameOf = coloursOf(found);
    return (colour, width) => {
        const narrow = width < NARROW;
        const shares = new Map(slices.map((slice) => [slice.name, slice.share]));
        return {
            tooltip: { trigger: "item", formatter: ({ dataIndex: i }) => tip(slices[i].name, `${duration(slices[i].own)}, ${share(slices[i].share)}`) },
            legend: {
                type: "plain",
                orient: "vertical",
                ...(narrow ? { left: 0, top: 210 } : { left: 360, top: "middle" }),
                formatter: (name) => `${shortened(name, narrow ? 34 : 60)}   ${share(shares.get(name))}`,
            },
            series: [
                {
                    type: "pie",
                    center: [narrow ? "50%" : 180, narrow ? 100 : "50%"],
                    radius: ["0%", narrow ? 80 : 110],
                    label: { formatter: ({ dataIndex: i }) => share(slices[i].share), color: colour.text },
                    labelLine: { length: 6, length2: 4 },
                    minShowLabelAngle: 12,
                    itemStyle: { borderColor: colour.ground, borderWidth: 2 },
                    data: slices.map(({ name, own }) => ({ name, value: own, itemStyle: { color: colour[nameOf(name)] } })),
                },
            ],
        };
    };
}

const HEADS = [{ name: "operation" }, ...["calls", "total", "own time", "average", "std dev", "least", "most", "share"].map((name) => ({ name, numeric: true }))];

/* The rows of the table. Smallest and largest times are by the CPU's clock, so a case on the GPU has none. */
const rowsOf = ({ tree, gpu, loose }, { named, outside }) => [
    ...named.map((one) => [one.name, count(one.calls), ...[one.total, one.own, one.mean, ...(gpu ? [NaN, NaN, NaN] : [one.deviation, one.least, one.most])].map(duration), share(one.share)]),
    ...(loose ? [] : [[outside.name, "", "", duration(outside.own), "", "", "", "", share(outside.share)]]),
    ["total", count(tree.calls), duration(tree.total), duration(tree.total), tree.calls ? duration(tree.total / tree.calls) : "", "", "", "", share(1)],
];

function pieAdd(place, one, found) {
    const slices = slicesOf(found);
    chartAdd(place, {
        title: "Shares of the time",
        summary: `${counted(one.tree.calls, "call")}, ${duration(one.tree.total)}${one.gpu ? " on the GPU" : ""}; most in ${slices[0].name}, ${share(slices[0].share)}.${one.loose ? "" : " A scope's own time: without the scopes inside it."}`,
        height: (width) => (width < NARROW ? 220 + 24 * slices.length : 290),
        option: pieOf(slices, found),
        table: () => ({
            heads: [HEADS[0], HEADS[3], HEADS[8]],
            rows: slices.map(({ name, own, share: part }) => [name, duration(own), share(part)]),
        }),
    });
}

/* The two charts of bars. `figure` is the bar's length, `words` its label. */
const BARS = [
    {
        title: "Average time per call",
        axis: "average of a call",
        figure: ({ mean }) => mean,
        words: duration,
        says: ({ name, mean, calls, own, total }) => `Longest: ${name}, ${duration(mean)} in each of ${counted(calls, "call")}${own < total ? ", with the scopes inside it" : ""}.`,
        left: "shorter one",
    },
    {
        title: "Number of calls",
        axis: "calls",
        figure: ({ calls }) => calls,
        words: count,
        says: ({ name, calls }) => `Most: ${name}, ${counted(calls, "call")}.`,
        left: "rarer one",
    },
];

function barsOf(bars, nameOf, { axis, figure, words }) {
    return (colour, width) => {
        const narrow = width < NARROW;
        const label = narrow ? 40 : 34;
        return {
            grid: { left: narrow ? 8 : 250, right: narrow ? 8 : 80, top: 8, bottom: 44 },
            tooltip: {
                trigger: "item",
                formatter: ({ dataIndex: i }) => tip(bars[i].name, `${duration(bars[i].mean)} per call, ${counted(bars[i].calls, "call")}`, `least ${duration(bars[i].least)}, most ${duration(bars[i].most)}`),
            },
            xAxis: { type: "value", name: axis, nameLocation: "middle", nameGap: 26, splitNumber: narrow ? 3 : 5, axisLabel: { formatter: brief(words) } },
            yAxis: namesAxis(bars.map(({ name }) => name), narrow, 9, {
                formatter: (name, i) => (narrow ? `${shortened(name, label - 10)}: ${words(figure(bars[i]))}` : shortened(name, label)),
                color: colour.text,
            }),
            series: [
                {
                    type: "bar",
                    barWidth: narrow ? 10 : 14,
                    label: { show: !narrow, position: "right", color: colour.text, formatter: ({ dataIndex: i }) => words(figure(bars[i])) },
                    data: bars.map((bar) => ({ value: figure(bar), itemStyle: { color: colour[nameOf(bar.name)] } })),
                },
            ],
        };
    };
}

function barsAdd(place, found, kind) {
    const { named } = found;
    const bars = [...named].sort((a, b) => kind.figure(b) - kind.figure(a)).slice(0, BARS_MOST);
    if (!bars.length) return;
    const left = named.length - bars.length;
    chartAdd(place, {
        title: kind.title,
        summary: `${kind.says(bars[0])}${left ? ` ${counted(left, kind.left)} left out.` : ""}`,
        height: (width) => bars.length * (width < NARROW ? 40 : 28) + 60,
        option: barsOf(bars, coloursOf(found), kind),
        table: () => ({
            heads: [HEADS[0], { name: kind.axis, numeric: true }],
            rows: bars.map((bar) => [bar.name, kind.words(kind.figure(bar))]),
        }),
    });
}

/* The main figures: operations, different operations, time, average. */
function cardsAdd(place, { tree, gpu }, { named }) {
    const calls = named.reduce((sum, one) => sum + one.calls, 0);
    const cards = [
        [whole(calls), "operations"],
        [whole(named.length), "different operations"],
        [duration(tree.total), gpu ? "on the GPU" : "total time"],
        [calls ? duration(named.reduce((sum, { own }) => sum + own, 0) / calls) : duration(NaN), "average own time"],
    ];
    place.append(h("ul", { class: "counts cards" }, cards.map(([figure, word]) => h("li", {}, h("strong", {}, figure), " ", word))));
}

/* The table of all operations, the largest own time first. */
function tableAdd(place, one, found) {
    const rows = rowsOf(one, found);
    firstAdd(place, rows, (part, first) => part.append(table("All operations", HEADS, first)));
}

/* Appends all charts of one case; case_profile.js uses it too. */
export function operationsAdd(place, one) {
    const found = operationsOf(one);
    cardsAdd(place, one, found);
    if (one.words || one.loose) place.append(h("p", {}, `Bottleneck: ${bottleneckOf(one)}`));
    pieAdd(place, one, found);
    for (const kind of BARS) barsAdd(place, found, kind);
    operationPartsAdd(place, found);
    tableAdd(place, one, found);
}

function draw(model, section) {
    choiceAdd(model, section, (place, _, one) => {
        if (model.caseById.has(one.name)) place.append(h("p", {}, caseLink(one.name)));
        operationsAdd(place, one);
    });
}

export const operations = { id: "operations", title: "Time by operation", shows: anyParts, draw };
