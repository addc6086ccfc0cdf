/* The foot of the page: the shown files, with buttons to save them, and the tools that made the page. */
import { h } from "./dom.js";
import { size } from "./format.js";

function save(file) {
    const address = URL.createObjectURL(new Blob([JSON.stringify(file.json, null, 2)], { type: "application/json" }));
    h("a", { href: address, download: file.name.endsWith(".json") ? file.name : `${file.name}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const row = (file) =>
    h(
        "li",
        {},
        `${file.name}: ${file.kind}, ${size(file.bytes)} `,
        h("button", { type: "button", onclick: () => save(file) }, `Save ${file.name}`),
    );

export function footDraw(files) {
    const shown = files.filter((file) => !file.problem);
    document.getElementById("foot").replaceChildren(
        shown.length
            ? h("details", {}, h("summary", {}, `Files in this page: ${shown.length}`), h("ul", {}, shown.map(row)))
            : "",
        h("p", {}, "Made by kgate. Charts by Apache ECharts. The page loads nothing: it is one file."),
    );
}
