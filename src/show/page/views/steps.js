/* What to do after a FAIL: one command per line, for the worst case that fails the gate. */
import { explainCommand, aloneCommand, pairedCommand } from "../commands.js";
import { facts, h } from "../dom.js";
import { counted, isBudget, quoted, quotedGlob } from "../format.js";
import { caseLink, verdictOf } from "../verdicts.js";

const command = (words, more = "") => words && [h("code", {}, words), more];

/* The commands that let the gate pass although the case is worse. They need the suite's file. */
function waiversOf({ id, verdict, metric, compared }, { files, comparison: { suite_path: suite } }) {
    if (!suite || !verdictOf(verdict).waivable) return [];
    const from = files.findLast(({ kind }) => kind === "comparison").name;
    const about = (verb) => `kgate ${verb} ${quotedGlob(id)} -c ${quoted(suite)}`;
    const accepted = verdict === "REGRESSION" && metric && !compared.metrics.every(isBudget);
    return [
        accepted && ["If it is intended", command(`${about("accept")} --from ${quoted(from)} --because "REASON"`)],
        ["If it is unstable", command(`${about("quarantine")} --because "REASON"`)],
    ].filter(Boolean);
}

function rowsOf(one, model) {
    const failed = one.verdict === "FAILED";
    const paired = pairedCommand(one, model);
    const sides = paired?.includes("--base BASE") && " (BASE and HEAD: both builds)";
    const again = failed ? command(aloneCommand(one, model)) : command(paired, sides || "");
    const waivers = waiversOf(one, model);
    return [
        ["Reproduce", again],
        waivers.length < 2 && model.current && ["Explain", command(explainCommand(one, model))],
        ...waivers,
    ].filter((row) => row && row[1]);
}

/* Undefined unless a case fails the gate. */
export function stepsOf(model) {
    const failing = model.comparison?.verdict === "FAIL" ? model.comparison.cases.filter(({ fails }) => fails) : [];
    if (!failing.length) return undefined;
    const rows = rowsOf(model.caseById.get(failing[0].id), model);
    if (!rows.length) return undefined;
    const which = failing.length > 1 ? [`${counted(failing.length, "case")} fail the gate. For the worst, `, caseLink(failing[0].id), ":"] : [];
    return h("div", { id: "steps" }, which.length ? h("p", {}, which) : "", facts(rows));
}
