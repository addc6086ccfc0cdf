/* The bottleneck of each case in the words of the other reports, the slowest case first. */
import { h, someAdd, table } from "../dom.js";
import { count, counted, duration, share } from "../format.js";
import { bottleneckOf, operationsOf, profilesOf } from "../profile.js";
import { caseLink } from "../verdicts.js";

const LINES_FIRST = 16;

function lineOf(one, model) {
    const name = model.caseById.has(one.name) ? caseLink(one.name) : h("span", {}, one.name);
    return h("li", {}, name, ": ", bottleneckOf(one));
}

/* Loose scopes beside nested ones are mostly those of other threads. */
const explained = ({ cases }) => cases.filter(({ words, loose }) => words || (loose && cases.length === 1));

const HEADS = [{ name: "operation" }, ...["own time", "share", "calls", "average", "std dev", "most"].map((name) => ({ name, numeric: true }))];
const OPERATIONS_MOST = 5;

/* The operations with the most own time in the slowest case, with their figures. */
function figuresAdd([one], section) {
    const rows = operationsOf(one)
        .named.slice(0, OPERATIONS_MOST)
        .map(({ name, own, share: part, calls, mean, deviation, most }) => [name, duration(own), share(part), count(calls), ...[mean, ...(one.gpu ? [NaN, NaN] : [deviation, most])].map(duration)]);
    if (rows.length) section.append(table(`Most own time in ${one.name}`, HEADS, rows));
}

function listAdd(profile, model, section, several) {
    const all = explained(profile);
    const list = h("ol");
    if (several) section.append(h("h3", {}, profile.file.name));
    section.append(list, someAdd(all, LINES_FIRST, all.length, (one) => list.append(lineOf(one, model)), (left) => `Show ${counted(left, "more case")}`));
    figuresAdd(all, section);
}

function draw(model, section) {
    const profiles = profilesOf(model).filter((profile) => explained(profile).length);
    const flat = profiles.every(({ cases }) => cases.every(({ loose }) => loose));
    section.append(h("p", { class: "key" }, flat ? "The operation with the most time." : "The scope with the largest own time in each recorded case. The slowest case comes first."));
    for (const profile of profiles) listAdd(profile, model, section, profiles.length > 1);
}

export const bottlenecks = {
    id: "bottlenecks",
    title: "Bottlenecks",
    shows: (model) => profilesOf(model).some((profile) => explained(profile).length),
    draw,
};
