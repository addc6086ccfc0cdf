/* The bottleneck of each case in the words of the other reports, the slowest case first. */
import { h, someAdd } from "../dom.js";
import { counted } from "../format.js";
import { bottleneckOf, profilesOf } from "../profile.js";
import { caseLink } from "../verdicts.js";

const LINES_FIRST = 16;

function lineOf(one, model) {
    const name = model.caseById.has(one.name) ? caseLink(one.name) : h("span", {}, one.name);
    return h("li", {}, name, ": ", bottleneckOf(one));
}

const explained = ({ cases }) => cases.filter(({ words }) => words);

function listAdd(profile, model, section, several) {
    const all = explained(profile);
    const list = h("ol");
    if (several) section.append(h("h3", {}, profile.file.name));
    section.append(list, someAdd(all, LINES_FIRST, all.length, (one) => list.append(lineOf(one, model)), (left) => `Show ${counted(left, "more case")}`));
}

function draw(model, section) {
    const profiles = profilesOf(model).filter((profile) => explained(profile).length);
    section.append(h("p", { class: "key" }, "The scope with the largest own time in each recorded case. The slowest case comes first."));
    for (const profile of profiles) listAdd(profile, model, section, profiles.length > 1);
}

export const bottlenecks = {
    id: "bottlenecks",
    title: "Bottlenecks",
    shows: (model) => profilesOf(model).some((profile) => explained(profile).length),
    draw,
};
