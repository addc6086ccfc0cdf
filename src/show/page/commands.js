/* Commands of kgate about one case, quoted for a shell. */
import { quoted, quotedGlob } from "./format.js";

/* OLD from "NAME (OLD)", the name of a side in a comparison of two commands. */
const given = (text) => / \((.*)\)$/s.exec(text)?.[1] ?? text;

/* The arguments that select the case: suite, id and GPU. Undefined if the suite's file is unknown. */
export function caseArguments({ id, device }, { comparison, current }) {
    const { suite_path: suite, machine } = current?.json ?? comparison;
    const gpu = device === "cuda" && machine.gpu_chosen ? ` --device cuda:${machine.gpu_chosen}` : "";
    return suite && `-c ${quoted(suite)} --filter ${quotedGlob(id)}${gpu}`;
}

/* The command that measures both sides of a case again, in paired rounds. Undefined if the suite's file is unknown.
 * BASE and HEAD stand for the builds if the comparison does not name them. */
export function pairedCommand(one, model) {
    const { base, head } = model.comparison ?? {};
    const selected = caseArguments(one, model);
    if (base && head) return `kgate ab ${quoted(given(base))} ${quoted(given(head))}`;
    return selected && `kgate ab --base BASE --head HEAD ${selected}`;
}

/* The command that measures only the candidate. Undefined if the suite's file is unknown. */
export function aloneCommand(one, model) {
    const selected = caseArguments(one, model);
    return selected && `kgate run ${selected} -o again.json`;
}

export const explainCommand = ({ id }, { current }) => `kgate explain ${quotedGlob(id)} ${quoted(current.name)}`;
