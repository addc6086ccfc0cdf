/* The differential flame graph. Widths are the times of one side. Colours show the growth of each scope's own time from
 * baseline to candidate, per call of the case. */
import { h } from "../dom.js";
import { change, duration, share } from "../format.js";
import { everyNode, flamesJoined, perCall } from "../flame_layout.js";
import { hasParts, placeOf, profilesOf } from "../profile.js";
import { flameAdd } from "./flame_graph.js";

const FULL = 0.1; /* growth with the full colour, as a share of the case's time */
const INK_MOST = 45; /* percent of colour: text stays legible on it */
const ROWS_MOST = 1000;
const HEADS = [{ name: "scope" }, ...["base, own", "now, own", "change", "base, total", "now, total", "change of total"].map((name) => ({ name, numeric: true }))];

const own = (side) => side?.own ?? 0;
const changed = ({ now, then }) => own(now) - own(then);
export const signed = (ns) => `${ns < 0 ? "−" : "+"}${duration(Math.abs(ns))}`;

/* The two recordings: the newest, and the older one with the most common cases. Cases that became slower come first. */
function sidesOf(model) {
    const [now, ...older] = profilesOf(model);
    const common = (then) => now.cases.filter((one) => hasParts(one) && then.caseByName.has(one.name)).map((one) => ({ now: one, then: then.caseByName.get(one.name) }));
    const then = older.filter(({ file }) => file !== now.file).sort((a, b) => common(b).length - common(a).length)[0];
    if (!then) return { cases: [] };
    const perCallOf = ({ tree }) => tree.total / (tree.calls || 1);
    const ratio = (both) => perCallOf(both.now) / (perCallOf(both.then) || 1);
    return { now, then, cases: common(then).sort((a, b) => ratio(b) - ratio(a)) };
}

function wordsOf(name, before, after) {
    if (!before || !after) return `${name}: ${after ? "new" : "gone"}, ${duration((after ?? before)[name === "own time" ? "own" : "value"])}`;
    const member = name === "own time" ? "own" : "value";
    return `${name} ${duration(before[member])} → ${duration(after[member])}, ${signed(after[member] - before[member])} (${change(after[member] / before[member])})`;
}

const linesOf = (node) => [node.name, wordsOf("own time", node.then, node.now), wordsOf("total", node.then, node.now)];

/* A sign for each node with a visible colour.
 *   grown(node)  growth of the node's own time in ns
 *   base         time of the whole call in ns */
export const growthSign = (grown, base) => (node) => (Math.abs(grown(node)) < 0.1 * FULL * base ? "" : grown(node) > 0 ? "+ " : "− ");

export function growthPaint(grown, base) {
    return (node) => {
        const part = Math.max(-1, Math.min(1, grown(node) / base / FULL));
        const ink = Math.round(INK_MOST * Math.abs(part));
        return `color-mix(in srgb, var(--${part > 0 ? "worse" : "better"}) ${ink}%, var(--raised))`;
    };
}

function nodesOf(tree) {
    const nodes = [];
    everyNode(tree, (node, names) => nodes.push({ node, place: placeOf(names.slice(names.length > 1 ? 1 : 0)) }));
    return nodes.sort((a, b) => Math.abs(changed(b.node)) - Math.abs(changed(a.node)));
}

function rowOf({ node: { now, then }, place }) {
    const time = (side, member) => (side ? duration(side[member]) : "");
    const both = now && then;
    return [
        place,
        time(then, "own"),
        time(now, "own"),
        signed(own(now) - own(then)),
        time(then, "value"),
        time(now, "value"),
        both ? change(now.value / then.value) : now ? "new" : "gone",
    ];
}

const KEY = [
    ["worse", "+ more own time"],
    ["same", "about the same"],
    ["better", "− less"],
];

export function growthKey() {
    const colour = (name) => (name === "same" ? "var(--raised)" : `color-mix(in srgb, var(--${name}) ${INK_MOST}%, var(--raised))`);
    const swatch = (name) => {
        const element = h("span", { class: "swatch flame", "aria-hidden": "true" });
        element.style.background = colour(name);
        return element;
    };
    return h("ul", { class: "keys" }, KEY.map(([name, word]) => h("li", {}, swatch(name), word)));
}

function summaryOf(tree, nodes) {
    const { node, place } = nodes[0];
    const { now, then } = tree;
    return `A call: ${duration(then.value)} → ${duration(now.value)} (${change(now.value / then.value)}). Most changed: ${place}, ${signed(changed(node))} own time. Full colour: ${share(FULL)} of the call or more. There is one recording per side, so some changes are noise.`;
}

function show(place, { now, then }, widths) {
    const tree = flamesJoined(perCall(now), perCall(then), widths);
    const nodes = nodesOf(tree);
    place.replaceChildren();
    flameAdd(place, {
        title: "Slower and faster scopes",
        summary: summaryOf(tree, nodes),
        tree,
        key: growthKey(),
        linesOf,
        classOf: (node) => (changed(node) > 0 ? "more" : "less"),
        signOf: growthSign(changed, tree.then.value || 1),
        paint: growthPaint(changed, tree.then.value || 1),
        figures: () => ({ heads: HEADS, rows: nodes.slice(0, ROWS_MOST).map(rowOf) }),
    });
}

function draw(model, section) {
    const { now, then, cases } = sidesOf(model);
    const place = h("div");
    const redraw = () => show(place, cases[Number(list.value)], widths.value);
    const list = h("select", { class: "wide", onchange: redraw }, cases.map((one, i) => h("option", { value: i }, one.now.name)));
    const widths = h("select", { onchange: redraw }, h("option", { value: "now" }, now.file.name), h("option", { value: "then" }, then.file.name));
    section.append(
        h("p", { class: "key" }, `${then.file.name} (baseline) → ${now.file.name} (candidate).`),
        h("p", { class: "controls" }, h("label", {}, "Case ", list), h("label", {}, "Widths of ", widths)),
        place,
    );
    redraw();
}

export const flameChange = { id: "flame-change", title: "Flame graph of the change", shows: (model) => sidesOf(model).cases.length > 0, draw };
