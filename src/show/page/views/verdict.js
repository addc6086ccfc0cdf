/* The verdict in a sentence, the counts, the worst case, and the missing measurements. */
import { facts, h, prose, table } from "../dom.js";
import { change, counted, duration, interval, isBudget, moment, amount, size, whole } from "../format.js";
import { grouped } from "../lists.js";
import { notesOf } from "../notes.js";
import { hasParts, profilesOf } from "../profile.js";
import { badge, caseLink, isOdd, isShard, signOf, VERDICTS } from "../verdicts.js";
import { calibrationText } from "./calibration.js";
import { stepsOf } from "./steps.js";
import { causeTexts } from "./why_changed.js";

/* Cases of shards whose cases are unknown count as MISSING, although they are no case of the page.
 * returns  [{verdict, waived, count}] in the order of VERDICTS. Counting cases come before waived cases of the same verdict. */
function countsOf(cases, unnamed = 0) {
    const places = Object.keys(VERDICTS);
    const groups = [...grouped(cases, ({ verdict, waived = "" }) => `${verdict} ${waived}`).values()];
    return groups
        .map((those) => ({ verdict: those[0].verdict, waived: those[0].waived, count: those.length + (those[0].verdict === "MISSING" ? unnamed : 0) }))
        .sort((a, b) => places.indexOf(a.verdict) - places.indexOf(b.verdict) || Boolean(a.waived) - Boolean(b.waived));
}

function measuredOf(cases) {
    const measured = cases.filter((one) => one.verdict === "OK").length;
    return measured === cases.length ? `${counted(measured, "case")} measured` : `${whole(measured)} of ${counted(cases.length, "case")} measured`;
}

/* "solver: 1 process, 2 threads, 220 scopes, 61.5 ms", as in the text reports. */
function recordedOf({ processes, entry_count: scopes, wall_ns: wall }) {
    const program = (processes[0]?.program ?? "program").split("/").at(-1);
    const threads = processes.reduce((sum, one) => sum + (one.threads ?? 0), 0);
    const several = processes.some((one) => one.program !== processes[0].program || one.label !== processes[0].label);
    const label = processes[0]?.label && processes[0].label !== program ? ` (${processes[0].label})` : "";
    return `${program}${label}${several ? " and others" : ""}: ${processes.length === 1 ? "1 process" : `${whole(processes.length)} processes`}, ${counted(threads, "thread")}, ${counted(scopes ?? 0, "scope")}, ${duration(wall)}`;
}

function sentence({ comparison, current, cases, baselines, profiles, suggestions, calibrations }) {
    if (comparison)
        return h(
            "p",
            { class: `lead verdict ${comparison.verdict.toLowerCase()}` },
            h("span", { "aria-hidden": "true" }, `${signOf(comparison.verdict)} `),
            prose(comparison.first_run ? comparison.verdict_reasons[0] : [comparison.verdict, ...comparison.verdict_reasons.slice(0, 1)].join(": ")),
        );
    if (current)
        return h("p", { class: "lead" }, `${measuredOf(cases)} on ${moment(current.json.created)}; no comparison.`);
    if (baselines.length)
        return h("p", { class: "lead" }, `${counted(baselines[0].runs.length, "stored run")} of ${counted(cases.length, "case")}.`);
    if (calibrations.length) return h("p", { class: "lead" }, calibrationText(calibrations.at(-1)));
    if (profiles.length) return h("p", { class: "lead" }, profiles.map(({ json }) => recordedOf(json)).join("; "));
    return h("p", { class: "lead" }, `${counted(suggestions.list.length, "suggestion")}; no comparison.`);
}

/* The known facts of a side: "commit v1.7-3-gabc (main), 2026-11-23 10:02 UTC, newest of 3 stored runs". */
function sideOf({ given, commit, branch, created, more }) {
    const code = [commit && `commit ${commit}`, branch && (commit ? `(${branch})` : branch)].filter(Boolean).join(" ");
    return [given, code, created && moment(created), more].filter(Boolean).join(", ");
}

function machineOf({ cpu_model: model, cpu_count: cpus, memory_bytes: memory, gpus = [], fingerprint }) {
    if (!model) return undefined; /* a page with only profiles */
    const parts = [model, cpus && counted(cpus, "CPU"), memory && size(memory), ...gpus.map(({ name }) => name)];
    return `${parts.filter(Boolean).join(", ")}; fingerprint ${fingerprint}`;
}

/* The measured code, the time of the measurement, and the machine. */
function sides({ comparison, current }) {
    if (comparison) {
        const { base, head, baseline_runs: runs, machine } = comparison;
        const { baseline_commit: commit, baseline_branch: branch, baseline_created: created } = comparison;
        return facts([
            ["Suite", comparison.suite],
            ["Candidate", sideOf({ ...comparison, given: head, more: undefined })],
            ["Baseline", sideOf({ given: base, commit, branch, created, more: runs > 1 && `newest of ${runs} stored runs` })],
            ["Machine", machineOf(machine)],
        ]);
    }
    if (!current) return undefined;
    return facts([["Suite", current.json.suite], ["Measured", sideOf(current.json)], ["Machine", machineOf(current.json.machine)]]);
}

/* The most important case: the first case that fails the policy, or else the first compared case. A new case that
 * passes is not worse than any other. */
function worst({ comparison, caseById }) {
    const first = comparison?.cases.find(({ fails }) => fails) ?? comparison?.cases.find(({ change: kind }) => kind !== "NEW");
    if (!first) return undefined;
    const one = caseById.get(first.id);
    const { metric, waived } = one;
    const figures =
        metric && !isBudget(metric) && Number.isFinite(metric.ratio)
            ? [
                  ` ${metric.name}: ${amount(metric.baseline, metric.unit)} → ${amount(metric.current, metric.unit)}, `,
                  h("strong", {}, change(metric.ratio)),
                  ` (95 % interval ${interval(metric.interval_low, metric.interval_high)}).`,
              ]
            : [" ", prose(first.reason ?? "")];
    const label = first.change === "IMPROVEMENT" ? "Largest change: " : "Worst: "; /* no case became worse */
    const line = h("p", {}, label, caseLink(first.id), " ", badge(first.change, waived), figures);
    return h("div", {}, line, causeTexts(one).map((cause) => h("p", {}, cause)));
}

const WAIVED_MOST = 10;

/* Worse cases that a waiver keeps from failing, each with the reason. The verdict itself names only one. */
function waivedAdd({ cases }) {
    const all = cases.filter(({ waived, compared }) => waived && compared.waiver);
    const rows = all
        .slice(0, WAIVED_MOST)
        .map(({ id, verdict, waived, metric, compared }) =>
            h("li", {}, caseLink(id), " ", badge(verdict, waived), metric && !isBudget(metric) && Number.isFinite(metric.ratio) ? ` ${change(metric.ratio)}` : "", ": ", prose(compared.waiver)),
        );
    const more = all.length - rows.length;
    return all.length ? h("div", { id: "waived" }, h("h3", {}, "Worse, but accepted or in quarantine"), h("ul", {}, rows, more ? h("li", {}, counted(more, "more case")) : "")) : "";
}

const REASONS_MOST = 3;

/* The number of cases per reason, the most frequent reason first. If there are many reasons, which then differ only in
 * figures, one is the example. */
function reasons(list, what) {
    const groups = grouped(list, (one) => one.compared?.reason ?? one.current?.reason ?? "");
    if (groups.size > REASONS_MOST) return [`${counted(list.length, "case")} ${what}; ${list[0].id}: ${list[0].compared?.reason ?? list[0].current?.reason}`];
    return [...groups]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([reason, those]) => [`${counted(those.length, "case")} ${what}`, reason].filter(Boolean).join(": "));
}

/* Of a merged comparison. A shard whose cases are unknown has one case, whose reason says enough. */
function missingReasons(list) {
    const shards = list.filter(isShard);
    const named = list.filter((one) => !isShard(one));
    return [...reasons(named, "missing"), ...shards.slice(0, REASONS_MOST).map(({ compared }) => compared.reason), shards.length > REASONS_MOST && counted(shards.length - REASONS_MOST, "more shard")];
}

/* The recordings without inner scopes in any case, so that no case's time is divided. */
function scopeless(model) {
    const withParts = profilesOf(model).filter((profile) => profile.cases.some(hasParts));
    return model.profiles
        .filter((file) => !withParts.some((profile) => profile.file === file))
        .map(({ name }) => `no case of ${name} has scopes inside: \`kgate/profiler.h\` names parts of a program, and \`kgate explain\` shows its functions without any`);
}

/* Sentences on missing measurements. */
function missing(model) {
    const { comparison, current, cases, profiles } = model;
    const open = profiles.flatMap(({ json }) => json.processes).filter(({ complete }) => complete === false).length;
    const results = current?.json;
    const having = (name) => cases.filter((one) => one.verdict === name);
    const casesText = (list, what) => list.length && `${counted(list.length, "case")} ${what}`;
    return [
        casesText(having("FAILED"), "failed"),
        ...reasons(having("SKIPPED"), "skipped"),
        ...missingReasons(having("MISSING")),
        ...reasons(having("UNMEASURED"), "not measured"),
        casesText(having("REMOVED"), "in the baseline and no longer in the suite"),
        comparison?.not_measured && `${counted(comparison.not_measured, "case")} not measured: code as in the baseline`,
        (comparison?.complete === false || results?.complete === false) && "the run was interrupted: later cases are missing",
        results?.filter && `cases were left out by ${results.filter}`,
        open && `${open} ${open === 1 ? "process" : "processes"} had not ended the recording, so data in buffers is missing`,
        results?.no_profile && `nothing was recorded: ${results.no_profile}`,
        ...scopeless(model),
        results?.cpu_ceilings?.reason && `no peaks of the CPU: ${results.cpu_ceilings.reason}`,
    ].filter(Boolean);
}

/* For results without a comparison: the number of budgets met, and the first missed budgets. */
function budgets({ comparison, cases }) {
    const judged = comparison ? [] : cases.filter((one) => one.current?.held);
    if (!judged.length) return [];
    const sum = (name) => judged.reduce((all, { current }) => all + current.held[name], 0);
    const [missed, unknown] = [sum("missed"), sum("unknown")];
    const bad = judged.filter(({ current }) => current.held.missed);
    const text = [`${sum("count") - missed - unknown} met`, `${missed} missed`, unknown && `${unknown} unknown`].filter(Boolean).join(", ");
    return [
        h("p", {}, "Budgets: ", missed ? h("strong", {}, text) : text, "."),
        h("ul", {}, bad.slice(0, REASONS_MOST).map(({ id, current }) => h("li", {}, caseLink(id), ": ", prose(current.held.reason))), bad.length > REASONS_MOST ? h("li", {}, counted(bad.length - REASONS_MOST, "more case")) : ""),
    ];
}

/* Whether most compared cases are undecided, so that the decided cases do not represent them. */
const isOpen = ({ counted: decided, compared = 0 }) => 2 * decided < compared;

/* "+1.2 %, the geometric mean of 38 cases". If most cases are undecided, the mean of all compared cases follows. */
function meansOf(one) {
    if (one.of_program) return `${change(one.geometric_ratio)} (${counted(one.cases, "outermost scope")}, ${duration(one.baseline_ns)} → ${duration(one.current_ns)} per process)`;
    const decided = one.counted && `${change(one.geometric_ratio)} (geometric mean of ${counted(one.counted, "case")})`;
    const all = isOpen(one) && `${change(one.compared_ratio)} (geometric mean of all ${counted(one.compared, "compared case")}, not decided)`;
    return [decided, all].filter(Boolean).join("; ");
}

/* The overall change of all compared times, and of each workload. */
function overall({ overall: list = [] }) {
    const rows = list.filter((one) => one.counted || isOpen(one));
    const suite = rows.find((one) => !one.workload);
    if (!suite) return undefined;
    if (suite.of_program) return h("p", {}, `Overall change: ${meansOf(suite)}`);
    const open = rows.some(isOpen);
    const heads = ["cases", "geometric mean", "total before", "total now", ...(open ? ["compared", "not decided"] : [])].map((name) => ({ name, numeric: true }));
    const total = (one, ns) => (one.counted ? duration(ns) : "");
    const all = (one) => (isOpen(one) ? [one.compared, change(one.compared_ratio)] : ["", ""]);
    return h(
        "details",
        {},
        h("summary", {}, `Mean change: ${meansOf(suite)}`),
        table(
            "Overall change, by workload",
            [{ name: "workload" }, ...heads],
            rows.map((one) => [one.workload ?? "all", whole(one.counted), change(one.geometric_ratio), total(one, one.baseline_ns), total(one, one.current_ns), ...(open ? all(one) : [])]),
        ),
    );
}

function draw(model, section) {
    const { comparison } = model;
    /* Without odd cases the sentence already has the number of measured or stored cases. */
    const counts = comparison || model.cases.some(isOdd) ? countsOf(model.cases, comparison?.unnamed) : [];
    const gone = missing(model);
    const steps = stepsOf(model);
    section.append(
        sentence(model),
        sides(model) ?? "",
        steps ?? "",
        comparison?.next && !steps ? h("p", {}, "Next: ", prose(comparison.next)) : "",
        counts.length
            ? h("ul", { class: "counts", "aria-label": "Cases by verdict" }, counts.map(({ verdict: name, waived, count }) => h("li", {}, h("strong", {}, whole(count)), " ", badge(name, waived))))
            : "",
        worst(model) ?? "",
        waivedAdd(model),
        ...budgets(model),
        comparison?.verdict_reasons.length > 1 ? h("ul", {}, comparison.verdict_reasons.slice(1).map((reason) => h("li", {}, prose(reason)))) : "",
        comparison?.trust ? h("p", {}, "Suite and thresholds: ", prose(comparison.trust), comparison.edits?.length ? ". This change edits:" : ".") : "",
        comparison?.edits?.length ? h("ul", {}, comparison.edits.map((edit) => h("li", {}, prose(edit)))) : "",
        gone.length ? h("div", {}, h("h3", {}, "Not measured"), h("ul", {}, gone.map((text) => h("li", {}, prose(text))))) : "",
        (comparison && overall(comparison)) ?? "",
        notesOf(comparison?.notes),
    );
}

const titleOf = ({ comparison, current, baselines, profiles, calibrations }) =>
    comparison ? "Verdict" : current ? "Results" : baselines.length ? "Stored runs" : calibrations.length ? "Calibration" : profiles.length ? "Profile" : "Suggestions";

export const verdict = {
    id: "verdict",
    title: titleOf,
    shows: (model) => model.files.length > 0,
    draw,
};
