/* What holds a case back, what changed with it, and what to try. */
import { h, prose } from "../dom.js";
import { suggestionOf } from "./suggestions.js";

function draw({ suggestions, findings, changes }, _, section) {
    section.append(h("h3", {}, "Cause, and what to try"));
    const said = [...changes, ...findings].map((one) => h("li", {}, prose(one.text)));
    if (said.length) section.append(h("ul", {}, said));
    section.append(...suggestions.map((one) => suggestionOf(one, false)));
}

export const caseSuggestions = {
    shows: (one) => one.suggestions.length + one.findings.length + one.changes.length > 0,
    draw,
};
