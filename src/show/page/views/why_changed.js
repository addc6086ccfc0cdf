/* The causes of a slower or faster case: a sentence, and a flame graph of both sides. Widths are the time per call of
 * one side; colours are the growth of each box's own time. */
import { growthOf, causesOf, rowsOf, treeOf } from "../places.js";
import { firstAdd, h, prose } from "../dom.js";
import { change, counted, duration, isBudget } from "../format.js";
import { badge, caseLink } from "../verdicts.js";
import { growthKey, growthPaint, growthSign, signed } from "./flame_change.js";
import { flameAdd } from "./flame_graph.js";

const NONE = "–";
const time = (ns) => (ns > 0 ? duration(ns) : NONE);
const percent = (number) => `${number < 0 ? "−" : ""}${Math.abs(number)} %`;
const partOf = (growth, whole) => percent(Math.round((100 * growth) / growthOf(whole)));
const wordOf = (whole) => (growthOf(whole) > 0 ? "of the slowdown" : "of the gain");

/* The growth of a box's own time if the samples prove it, else 0. It decides the colour. */
const grown = ({ own, ownBase, sure }) => (sure ? own - ownBase : 0);

function linesOf(whole) {
    return (node) => {
        const growth = growthOf(node);
        return [
            node.name,
            `per call: ${time(node.base_ns)} → ${time(node.current_ns)}`,
            `${signed(growth)}, ${partOf(growth, whole)} ${wordOf(whole)}`,
            node.own + node.ownBase > 0 && !node.sure && node.inside.length === 0 && "within the noise of the samples",
            node.note,
            node.source,
        ].filter(Boolean);
    };
}

const furtherOf = ({ caller, note }) => [caller && `called from ${caller}`, note].filter(Boolean);

function figuresOf(whole) {
    const numeric = ["baseline", "candidate", "difference", wordOf(whole)].map((name) => ({ name, numeric: true }));
    return {
        heads: [{ name: "time in" }, ...numeric],
        rows: rowsOf(whole).map((row) => [
            [row.name, furtherOf(row).map((words) => h("div", { class: "soft" }, words))],
            time(row.base_ns),
            time(row.current_ns),
            signed(growthOf(row)),
            partOf(growthOf(row), whole),
        ]),
    };
}

/* Appends the flame graph, with a choice of the side that decides the widths. At first the slower side decides. */
function flameShow(parent, whole) {
    const place = h("div");
    const slower = growthOf(whole) > 0;
    const option = (value, word, selected) => h("option", { value, selected }, word);
    const widths = h("select", { onchange: () => redraw() }, option("current_ns", "the candidate", slower), option("base_ns", "the baseline", !slower));
    function redraw() {
        const base = Math.max(whole.base_ns, 1);
        place.replaceChildren();
        flameAdd(place, {
            title: "Time per call on both sides",
            summary: `A call: ${duration(whole.base_ns)} → ${duration(whole.current_ns)} (${change(whole.current_ns / whole.base_ns)}), by ${whole.base_samples} and ${whole.current_samples} samples. Below each caller its functions, and the library functions and system calls that they enter. A change within the noise of the samples has no colour.`,
            tree: treeOf(whole, widths.value),
            key: growthKey(),
            linesOf: linesOf(whole),
            classOf: (node) => (grown(node) > 0 ? "more" : "less"),
            signOf: growthSign(grown, base),
            paint: growthPaint(grown, base),
            figures: () => figuresOf(whole),
        });
    }
    parent.append(h("p", { class: "controls" }, h("label", {}, "Widths of ", widths)), place);
    redraw();
}

export const causeTexts = (one) => causesOf(one).map(({ text }) => prose(text));

/* The changed source at the place of a cause, if git knows it. */
const sourceShown = ({ diff, commits }) =>
    diff && [
        h("div", { class: "soft" }, `source changed${commits ? ` by ${commits.replaceAll("\n", ", ")}` : ""}:`),
        h("pre", { tabindex: "0", "aria-label": "source that changed" }, diff),
    ];

const hintShown = ({ hint }) => hint && h("div", {}, "try: ", prose(hint));

const causesShown = (one, element) =>
    causesOf(one).map((cause) => h(element, {}, prose(cause.text), hintShown(cause), sourceShown(cause)));

/* --- One case --------------------------------------------------------------------------------- */

function drawOne(one, _, section) {
    section.append(h("h3", {}, "Why it changed"), h("ul", {}, causesShown(one, "li")));
    if (one.difference) flameShow(section, one.difference);
}

export const caseWhy = { shows: (one) => causesOf(one).length > 0 || Boolean(one.difference), draw: drawOne };

/* --- All cases -------------------------------------------------------------------------------- */

const changedCases = ({ cases }) => cases.filter((one) => causesOf(one).length);
const ratioOf = ({ metric }) => (metric && !isBudget(metric) && Number.isFinite(metric.ratio) ? ` ${change(metric.ratio)}` : "");

function draw(model, section) {
    const all = changedCases(model);
    const drawn = all.filter(({ difference: whole }) => whole);
    const item = (one) => h("li", {}, caseLink(one.id), " ", badge(one.verdict, one.waived), ratioOf(one), causesShown(one, "div"));
    firstAdd(section, all, (place, rows) => place.append(h("ul", { class: "causes" }, rows.map(item))));
    if (!drawn.length) return;
    const place = h("div");
    const list = h("select", { class: "wide", onchange: () => show() }, drawn.map(({ id }, i) => h("option", { value: i }, id)));
    function show() {
        place.replaceChildren();
        flameShow(place, drawn[Number(list.value)].difference);
    }
    if (drawn.length > 1) section.append(h("p", { class: "controls" }, h("label", {}, `${counted(drawn.length, "case")}: `, list)));
    section.append(place);
    show();
}

export const whyChanged = { id: "why", title: "Why it changed", shows: (model) => changedCases(model).length > 0, draw };
