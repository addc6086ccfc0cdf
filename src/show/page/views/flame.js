/* The flame graph of a case: nested scopes whose width is their time. */
import { h } from "../dom.js";
import { duration, share } from "../format.js";
import { everyNode, perCall } from "../flame_layout.js";
import { isNested, placeOf, profilesOf } from "../profile.js";
import { choiceAdd } from "../profile_choice.js";
import { flameAdd } from "./flame_graph.js";

/* Kinds of a scope's time, which decide its colour. */
const KINDS = [
    ["compute", "work"],
    ["transfer", "transfer"],
    ["wait", "waiting"],
    ["parallel", "parallel region"],
    ["profiler", "the profiler"],
];

const ROWS_MOST = 1000;
const HEADS = [{ name: "scope" }, ...["calls in a call", "total", "own time", "share"].map((name) => ({ name, numeric: true }))];

const callsOf = (calls) => (Number.isInteger(calls) ? String(calls) : calls.toPrecision(3));

function linesOf(tree) {
    return (node) =>
        [
            node.name,
            `${duration(node.value)} in total, ${share(node.value / tree.value)}`,
            `${duration(node.own)} own time, ${share(node.own / tree.value)}`,
            node !== tree && `calls in each call of the case: ${callsOf(node.calls)}`,
            node.place,
        ].filter(Boolean);
}

function rowsOf(tree) {
    const rows = [];
    everyNode(tree, (node, names) => rows.push([placeOf(names.slice(names.length > 1 ? 1 : 0)), callsOf(node.calls), duration(node.value), duration(node.own), share(node.own / tree.value)]));
    return rows.slice(0, ROWS_MOST);
}

function keyOf(tree) {
    const seen = new Set();
    everyNode(tree, ({ kind }) => seen.add(kind));
    const swatch = ([kind, word]) => h("li", {}, h("span", { class: `swatch flame ${kind}`, "aria-hidden": "true" }), word);
    return h("ul", { class: "keys" }, KINDS.filter(([kind]) => seen.has(kind)).map(swatch));
}

export function flameOfCase(place, one) {
    const tree = perCall(one);
    flameAdd(place, {
        title: "Nested scopes",
        summary: `Mean time per call: ${duration(tree.value)}${one.gpu ? " on the GPU" : ""}. Width is time; each scope lies below the one around it. Click or press Enter to widen one.`,
        tree,
        key: keyOf(tree),
        linesOf: linesOf(tree),
        classOf: ({ kind }) => kind ?? "compute",
        figures: () => ({ heads: HEADS, rows: rowsOf(tree) }),
    });
}

function draw(model, section) {
    choiceAdd(model, section, (place, _, one) => flameOfCase(place, one), isNested);
}

export const flame = { id: "flame", title: "Flame graph", shows: (model) => profilesOf(model).some(({ cases }) => cases.some(isNested)), draw };
