/* How to measure a case again, and how to link it. */
import { h } from "../dom.js";
import { quoted, quotedGlob } from "../format.js";

function draw({ id, device }, { current }, section) {
    const { suite_path: suite, machine } = current.json;
    const gpu = device === "cuda" && machine.gpu_chosen ? ` --device cuda:${machine.gpu_chosen}` : "";
    section.append(
        h("h3", {}, "Measure it again"),
        h("pre", { tabindex: "0" }, `kgate run -c ${quoted(suite)} --filter ${quotedGlob(id)}${gpu} -o again.json`),
        h("p", {}, "Everything known of it:"),
        h("pre", { tabindex: "0" }, `kgate explain ${quotedGlob(id)} ${quoted(current.name)}`),
        h("p", {}, h("a", { href: location.href }, "Link to this case")),
    );
}

export const caseCommands = { shows: (_, { current }) => Boolean(current), draw };
