/* What to do after a FAIL: the commands of the comparison for the worst case that fails. */
import { facts, h } from "../dom.js";
import { counted } from "../format.js";
import { caseLink } from "../verdicts.js";

/* A purpose begins a row, so it begins with a capital letter. */
const titled = (purpose) => purpose[0].toUpperCase() + purpose.slice(1);

/* Undefined if the comparison has no commands. */
export function stepsOf({ comparison }) {
    const commands = comparison?.next_commands ?? [];
    if (!commands.length) return undefined;
    const failing = comparison.cases.filter(({ fails }) => fails);
    const which = failing.length > 1 ? h("p", {}, `${counted(failing.length, "case")} fail the gate. For the worst, `, caseLink(failing[0].id), ":") : "";
    return h("div", { id: "steps" }, which, facts(commands.map(({ purpose, command }) => [titled(purpose), h("code", {}, command)])));
}
