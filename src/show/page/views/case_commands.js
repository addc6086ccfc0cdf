/* The command that measures a case again, and the link to the case. */
import { h } from "../dom.js";
import { quoted, quotedGlob } from "../format.js";

/* OLD from "NAME (OLD)", the name of a side in a comparison of two commands. */
const given = (said) => / \((.*)\)$/s.exec(said)?.[1] ?? said;

/* The command that repeats the measurement of a case, in paired rounds or alone; undefined: unknown. */
function againOf({ id, device, metric }, { comparison, current }) {
    const { suite_path: suite, machine, pair } = current.json;
    const gpu = device === "cuda" && machine.gpu_chosen ? ` --device cuda:${machine.gpu_chosen}` : "";
    const paired = metric?.against === "base" || pair;
    if (paired && comparison?.base && comparison.head) return `kgate ab ${quoted(given(comparison.base))} ${quoted(given(comparison.head))}`;
    if (!suite) return undefined;
    const words = paired ? "ab --base BASE --head HEAD" : "run";
    return `kgate ${words} -c ${quoted(suite)} --filter ${quotedGlob(id)}${gpu}${paired ? "" : " -o again.json"}`;
}

function draw(one, model, section) {
    const { id } = one;
    const { current } = model;
    const again = againOf(one, model);
    section.append(
        ...(again ? [h("h3", {}, "Measure the case again"), h("pre", { tabindex: "0" }, again)] : []),
        h("h3", {}, "All that is known of the case"),
        h("pre", { tabindex: "0" }, `kgate explain ${quotedGlob(id)} ${quoted(current.name)}`),
        h("p", {}, h("a", { href: location.href }, "Link to this case")),
    );
}

export const caseCommands = { shows: (_, { current }) => Boolean(current), draw };
