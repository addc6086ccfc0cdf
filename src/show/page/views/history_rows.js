/* Rows of a history that are no series: changes, audits and runs. */
import { facts, firstAdd, h, table } from "../dom.js";
import { change, counted, interval, moment, share, whole } from "../format.js";
import { caseLink } from "../verdicts.js";

const COMMIT_SHOWN = 12;
const DAY = 10; /* characters of a date */
const heads = (...names) => names.map((name) => ({ name: name.replace(/#$/, ""), numeric: name.endsWith("#") }));
const short = (commit) => commit?.slice(0, COMMIT_SHOWN);
const caseCell = (model, id) => (model.caseById.has(id) ? caseLink(id) : id);

/* A narrow screen shows the first columns. */
const CHANGE_HEADS = heads("case", "change#", "cause", "state", "95 % interval#", "commits", "metric", "host", "kind", "found");
const changeRow = (model) => (one) => [
    caseCell(model, one.case),
    change(one.ratio),
    one.cause,
    one.state,
    interval(one.low, one.high),
    short(one.culprit) ?? [one.commit_before, one.commit_after].filter(Boolean).map(short).join(".."),
    one.metric,
    one.host ?? one.machine,
    one.kind,
    one.found?.slice(0, DAY) ?? "",
];

const NODE_HEADS = heads("suspect node", "suite", "change#", "beyond others#", "deviation#", "started");
const nodeRow = (one) => [one.host ?? one.machine, one.suite, change(one.ratio), change(one.excess), share(one.deviation), moment(one.started)];

const AUDIT_HEADS = heads("case", "metric", "runs#", "between runs#", "between rounds#", "smallest change#");
const auditRow = (model) => (one) => [caseCell(model, one.case), one.metric, whole(one.runs), share(one.between), share(one.within), one.visible > 1 ? "> 100 %" : share(one.visible)];

const small = (value) => `${(100 * value).toFixed(2)} %`;

const RUN_HEADS = heads("started", "suite", "kind", "commit", "branch", "host", "points#");
const runRow = (one) => [moment(one.started), one.suite, one.kind, short(one.commit) ?? "", one.branch ?? "", one.host ?? one.machine, whole(one.points)];

const rowsAdd = (section, caption, columns, rows) => firstAdd(section, rows, (place, some) => place.append(table(caption, columns, some)));

function auditAdd(model, section, audit) {
    const tests = audit.same ? `${whole(audit.alarms)} in ${whole(audit.same)} tests at unchanged code: ${small(audit.alarms / audit.same)}, 95 % interval ${small(audit.low)} to ${small(audit.high)}, nominal at most ${small(audit.nominal)}; ${whole(audit.blamed)} blamed on code` : "unknown: no tests at unchanged code";
    const sign = Number.isFinite(audit.sign_p) ? `; sign test: p = ${audit.sign_p.toPrecision(2)}` : "";
    section.append(
        h("h3", {}, `${audit.suite} on ${audit.host ?? audit.machine}`),
        facts([
            ["False alarms", tests],
            ["Code steps", `${counted(audit.regressions, "regression")}, ${counted(audit.improvements, "improvement")}${sign}`],
        ]),
    );
    rowsAdd(section, `Smallest changes that ${audit.rounds} rounds per side detect`, AUDIT_HEADS, audit.cases.map(auditRow(model)));
}

function draw(model, section) {
    for (const { content, changes = [], nodes = [], audits = [], runs = [] } of model.histories) {
        if (content === "changes") rowsAdd(section, "Changes, the newest first", CHANGE_HEADS, changes.map(changeRow(model)));
        if (nodes.length) rowsAdd(section, "Suspect nodes, the newest first", NODE_HEADS, nodes.map(nodeRow));
        if (content === "audits") for (const audit of audits) auditAdd(model, section, audit);
        if (content === "runs") rowsAdd(section, "Runs of the history", RUN_HEADS, runs.map(runRow).reverse());
    }
}

export const historyRows = { id: "history-rows", title: "History database", shows: ({ histories }) => histories.some(({ content }) => content !== "series"), draw };
