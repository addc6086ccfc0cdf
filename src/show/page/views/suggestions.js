/* The suggestions, by priority. */
import { barsAdd } from "../bars.js";
import { h, prose } from "../dom.js";
import { brief, counted, duration, share, size } from "../format.js";
import { notesOf } from "../notes.js";
import { caseLink } from "../verdicts.js";

const PRIORITIES = ["critical", "high", "medium", "low"];
const SHOWN = 50; /* suggestions per priority; the page prints the number of the others */

/* The gain of a suggestion, and the basis of the estimate. */
function gainOf(one) {
    const most = one.basis === "at most" ? "at most " : "";
    const basis = most ? "" : ` (${one.basis})`;
    if (Number.isFinite(one.saved_ns))
        return `${most}${one.speedup.toFixed(2)}x, saves ${duration(one.saved_ns)} of ${duration(one.current_ns)}${basis}`;
    if (Number.isFinite(one.estimated_bytes))
        return `peak memory ${size(one.current_bytes)} → ${size(one.estimated_bytes)}${basis}`;
    if (Number.isFinite(one.share)) return `explains ${share(one.share)} of ${duration(one.current_ns)}${basis}`;
    return one.basis;
}

const placeOf = ({ function: name, file, line }) => [name, file && (line ? `${file}:${line}` : file)].filter(Boolean).join(" in ");

/* The place of a suggestion: the case, then its scopes. */
const operationOf = (one) => one.operation.split(";").join(" › ");

/* One folded suggestion. The summary has the problem, with `named` also the place. The content has the advice and its
 * reason. */
export function suggestionOf(one, named) {
    const code = (title, text) => (text ? [h("p", {}, title), h("pre", { tabindex: "0" }, text)] : []);
    return h(
        "details",
        { class: "suggestion" },
        h("summary", {}, h("span", { class: `priority ${one.priority}` }, one.priority), " ", named ? [h("span", { class: "operation" }, operationOf(one)), ": "] : "", prose(one.description), " ", h("span", { class: "gain" }, gainOf(one))),
        h("p", {}, caseLink(one.whole ?? one.operation.split(";")[0]), one.operation.includes(";") ? ` in ${one.operation.split(";").slice(1).join(" › ")}` : ""),
        h("p", {}, prose(one.hint)),
        placeOf(one) ? h("p", {}, "Where: ", h("code", {}, placeOf(one))) : "",
        one.evidence?.length ? h("ul", {}, one.evidence.map((fact) => h("li", {}, prose(fact.text)))) : "",
        code("Often found:", one.before),
        code("Mended:", one.after),
        h("p", { class: "soft" }, `Rule ${one.rule}, ${one.type}.`),
    );
}

const DRAWN = 20;

/* The way ahead as bars, the largest saving first: the part of a time that a suggestion saves, and the part that is left. */
function roadmapAdd(list, section) {
    const estimated = list.filter(({ saved_ns: saved }) => Number.isFinite(saved));
    const rows = estimated.slice(0, DRAWN);
    if (rows.length < 2) return;
    const times = (name, colour, member) => ({ name, colour, stack: "time", values: rows.map((one) => one[member]), words: rows.map((one) => duration(one[member])) });
    const figures = (one) => [`${operationOf(one)}: ${one.rule}`, one.priority, duration(one.current_ns), duration(one.saved_ns), one.basis];
    barsAdd(section, {
        title: "Roadmap",
        summary: `${counted(estimated.length, "suggestion")} with an estimate, the largest saving first: ${operationOf(rows[0])}, ${gainOf(rows[0])}.`,
        names: rows.map((one, i) => `${i + 1}. ${one.rule} (${one.priority}), ${operationOf(one)}`),
        series: [times("left", "series-7", "estimated_ns"), times("saved", "better", "saved_ns")],
        axis: { name: "time per call", axisLabel: { formatter: brief(duration) } },
        table: { heads: [{ name: "suggestion" }, { name: "priority" }, { name: "time", numeric: true }, { name: "saved", numeric: true }, { name: "basis" }], rows: rows.map(figures) },
    });
}

function draw(model, section) {
    const { list, notes } = model.suggestions;
    section.append(h("p", {}, `${counted(list.length, "suggestion")}, by priority and saving. Open one for the remedy.`));
    roadmapAdd(list, section);
    for (const priority of PRIORITIES) {
        const those = list.filter((one) => one.priority === priority);
        if (!those.length) continue;
        section.append(h("h3", {}, `${priority[0].toUpperCase()}${priority.slice(1)} (${those.length})`), ...those.slice(0, SHOWN).map((one) => suggestionOf(one, true)));
        if (those.length > SHOWN) section.append(h("p", {}, `${those.length - SHOWN} more are with their cases.`));
    }
    section.append(notesOf(notes));
}

export const suggestions = {
    id: "suggestions",
    title: "What to try",
    shows: (model) => model.suggestions.list.length > 0,
    draw,
};
