/* The model: the content of all files together, by case. Views read only the model and do not change it. */
import { waivedOf } from "./verdicts.js";

/* files: from kinds.js, without a problem */
export function modelOf(files) {
    const of = (kind) => files.filter((file) => file.kind === kind);
    const comparison = of("comparison").at(-1)?.json;
    const runs = rolesOf(of("results"));
    const model = {
        files,
        comparison,
        ...runs,
        baselines: of("baseline").map((file) => file.json),
        suggestions: suggestionsOf(of("suggestions").map((file) => file.json)),
        profiles: of("profile"),
        calibrations: of("calibration").map((file) => file.json),
        histories: of("history").map((file) => file.json),
    };
    model.suite = comparison?.suite ?? runs.current?.json.suite ?? model.baselines[0]?.runs.at(-1)?.suite ?? model.calibrations.at(-1)?.suite;
    const all = casesOf(model);
    model.cases = all.filter(({ trendOnly }) => !trendOnly);
    model.caseById = new Map(all.map((one) => [one.id, one]));
    return model;
}

/* Finds the role of each results file. `ab` writes both sides of its pairs. `gate` writes them too, beside its results,
 * for the cases that it decided by paired rounds. Only the candidate's rounds have a ratio to the baseline's.
 *   current   the candidate's results
 *   base      the baseline's results, if a file has them
 *   pair      {base, head}: both sides of the pairs */
function rolesOf(results) {
    const isHead = (json) => json.cases.some((one) => one.rounds?.base_ratio?.some(Number.isFinite));
    const paired = results.filter((file) => file.json.pair);
    const head = paired.find((file) => isHead(file.json));
    const base = paired.find((file) => file !== head && file.json.pair === head?.json.pair);
    const alone = results
        .filter((file) => !file.json.pair)
        .sort((a, b) => (a.json.created < b.json.created ? -1 : a.json.created > b.json.created ? 1 : 0));
    if (!alone.length) return { current: head ?? paired.at(-1), base, pair: { base, head }, results };
    const current = alone.at(-1);
    const older = alone.find((file) => file !== current && file.json.suite === current.json.suite);
    return { current, base: older, pair: { base, head }, results };
}

function suggestionsOf(list) {
    /* A comparison brings the suggestions beside it, and a reader may open the same file again. */
    const all = (member) => [...new Map(list.flatMap((json) => json[member] ?? []).map((one) => [JSON.stringify(one), one])).values()];
    return { list: all("suggestions"), findings: all("findings"), changes: all("changes"), differences: all("differences"), notes: all("notes") };
}

/* Collects the facts of each case. With a comparison the worst case comes first. Without one: the cases that failed or
 * miss a budget, then the others in the suite's order.
 *   compared       from the comparison
 *   current, base  from results
 *   pair           {base, head}
 *   runs           [{run, series, code}] from baselines
 *   trends         [{history, series}] from histories. `trendOnly`: no other file has the case */
function casesOf(model) {
    const cases = new Map();
    const at = (id) => {
        if (!cases.has(id)) cases.set(id, { id, pair: {}, runs: [], trends: [], suggestions: [], findings: [], changes: [] });
        return cases.get(id);
    };
    for (const one of model.comparison?.cases ?? []) at(one.id).compared = one;
    for (const one of model.current?.json.cases ?? []) at(one.id).current = one;
    for (const one of model.base?.json.cases ?? []) at(one.id).base = one;
    for (const side of ["base", "head"])
        for (const one of model.pair[side]?.json.cases ?? []) at(one.id).pair[side] = one;
    for (const run of model.baselines.flatMap((baseline) => baseline.runs))
        if (!model.suite || run.suite === model.suite)
            for (const one of run.cases) at(one.id).runs.push({ run, series: one.series, code: codeOf(one) });
    const idOf = caseOfOperation(cases);
    for (const one of model.suggestions.list) at(idOf(one)).suggestions.push(one);
    for (const one of model.suggestions.findings) at(idOf(one)).findings.push(one);
    for (const one of model.suggestions.changes) at(one.operation).changes.push(one);
    for (const one of model.suggestions.differences) at(one.operation).difference = one;
    trendsAdd(model, cases, at);
    const all = [...cases.values()].map(completed);
    return model.comparison ? all : all.sort((a, b) => isBad(b) - isBad(a));
}

/* Adds the series of histories to their cases. */
function trendsAdd({ histories, suite }, cases, at) {
    const others = new Set(cases.keys());
    for (const history of histories)
        for (const series of history.series ?? [])
            if (!suite || series.suite === suite) at(series.case).trends.push({ history, series });
    for (const one of cases.values()) one.trendOnly = !others.has(one.id);
}

/* The hashes of a case's machine code and libraries as one text; undefined: unknown. */
export const codeOf = ({ code_hash: hash, libraries = [] }) => (hash ? [hash, ...libraries].join(" ") : undefined);

const isBad = ({ verdict, current }) => verdict === "FAILED" || current?.held?.missed > 0;

/* The case of a suggestion or finding. A compared profile has a case for each path and device: "main;step/cpu" for
 * the operation "main;step". */
function caseOfOperation(cases) {
    const paths = new Map([...cases.keys()].map((id) => [id.slice(0, id.lastIndexOf("/")), id]));
    return (one) => {
        const whole = one.whole ?? one.operation.split(";")[0];
        return cases.has(whole) ? whole : (paths.get(one.operation) ?? paths.get(whole) ?? whole);
    };
}

function completed(one) {
    const measured = one.current ?? one.base ?? one.pair.head ?? {};
    const metric = one.compared?.metrics?.[0];
    return {
        ...one,
        metric,
        workload: one.compared?.workload ?? measured.workload ?? one.id.split("/")[0],
        device: one.compared?.device ?? measured.device ?? one.id.split("/").at(-1),
        params: measured.params ?? {},
        summary: one.current?.summary ?? {},
        waived: waivedOf(one.compared),
        verdict: one.compared?.change ?? (one.current ? one.current.status : "STORED"),
        order: one.compared?.order ?? Infinity,
    };
}
