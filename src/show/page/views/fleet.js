/* The machines of a merged comparison, and the cases that no shard measured. */
import { firstAdd, h, prose, table } from "../dom.js";
import { change, counted, duration, whole } from "../format.js";
import { grouped } from "../lists.js";
import { badge, caseLink, isShard } from "../verdicts.js";
import { nodeChoose } from "./statistics.js";

const NAMED_MOST = 5; /* missing cases of a shard that its row names */

/* The remark stands beside the name, so that a narrow screen shows both. */
const HEADS = [{ name: "node" }, { name: "remark" }, ...["shards", "cases", "missing", "measured time", "clock", "memory"].map((name) => ({ name, numeric: true }))];
const SHARD_HEADS = [{ name: "shard" }, { name: "missing", numeric: true }, { name: "cases" }, { name: "reason" }];

const shiftOf = (shift) => (Number.isFinite(shift) ? change(1 + shift) : "");

function remarkOf({ suspect, missing, reason }) {
    const badges = [suspect && badge("SUSPECT"), missing && badge("MISSING")].filter(Boolean);
    return [badges.flatMap((one, i) => (i ? [", ", one] : [one])), reason && badges.length ? h("div", { class: "under" }, prose(reason)) : ""];
}

/* The name filters the table of all cases. */
const nameOf = ({ name, cases }) => (cases ? h("a", { href: "#statistics", onclick: () => nodeChoose(name) }, name) : name);

const rowOf = (node) => [
    nameOf(node),
    remarkOf(node),
    whole(node.shards),
    whole(node.cases),
    whole(node.missing),
    node.seconds ? duration(1e9 * node.seconds) : "",
    shiftOf(node.clock_shift),
    shiftOf(node.bandwidth_shift),
];

function casesOf(missing) {
    const named = missing.filter((one) => !isShard(one));
    if (!named.length) return "unknown";
    const links = named.slice(0, NAMED_MOST).map(({ id }) => h("div", {}, caseLink(id)));
    return [links, named.length > NAMED_MOST ? h("div", {}, `and ${counted(named.length - NAMED_MOST, "more case")}`) : ""];
}

const shardRow = ([shard, missing]) => [
    shard ? whole(shard) : "unknown",
    missing.some(isShard) ? "" : whole(missing.length),
    casesOf(missing),
    prose(missing[0].compared.reason ?? ""),
];

export const missingOf = ({ comparison, cases }) => cases.filter(({ verdict }) => verdict === "MISSING").length + (comparison?.unnamed ?? 0);

function summaryOf(model) {
    const { nodes } = model.comparison;
    const sum = (member) => nodes.reduce((all, node) => all + node[member], 0);
    const measured = nodes.filter(({ shards }) => shards).length;
    const suspects = nodes.filter(({ suspect }) => suspect);
    const missing = missingOf(model);
    return [
        `${measured < nodes.length ? `${measured} of ` : ""}${counted(nodes.length, "machine")} measured ${counted(sum("cases"), "case")} in ${counted(sum("shards"), "shard")}`,
        suspects.length && `${suspects.map(({ name }) => name).join(", ")} ${suspects.length === 1 ? "is" : "are"} slower than the others, so regressions against stored runs there are only suspect`,
        missing && `${counted(missing, "case")} ${missing === 1 ? "is" : "are"} missing`,
    ]
        .filter(Boolean)
        .join(". ");
}

/* Machines with a remark come first. */
const byRemark = (nodes) => [...nodes].sort((a, b) => b.suspect - a.suspect || b.missing - a.missing);

function draw(model, section) {
    const shards = [...grouped(model.cases.filter(({ verdict }) => verdict === "MISSING"), ({ compared }) => compared.shard ?? 0)];
    const nodes = byRemark(model.comparison.nodes);
    section.append(h("p", {}, `${summaryOf(model)}.`));
    firstAdd(section, nodes, (place, some) => place.append(table("Machines of the fleet", HEADS, some.map(rowOf))));
    if (nodes.some((node) => Number.isFinite(node.clock_shift) || Number.isFinite(node.bandwidth_shift)))
        section.append(h("p", { class: "key" }, "Clock and memory: time of a probe against the median of the other machines of the same kind; + is slower. A node's name selects its cases below."));
    if (!shards.length) return;
    section.append(h("h3", {}, "Missing, by shard"));
    firstAdd(section, shards, (place, some) => place.append(table("Shards without results", SHARD_HEADS, some.map(shardRow))));
}

export const fleet = { id: "fleet", title: "Fleet", shows: ({ comparison }) => comparison?.nodes?.length > 0, draw };
