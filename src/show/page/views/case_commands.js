/* How to measure a case again, and how to link it. */
import { h } from "../dom.js";
import { quoted, quotedGlob } from "../format.js";

/* OLD of "NAME (OLD)", as a comparison of two commands has it. */
const given = (said) => / \((.*)\)$/s.exec(said)?.[1] ?? said;

/* The command that measures the case again, as it was measured: in pairs, or alone; undefined: it is not known. */
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
