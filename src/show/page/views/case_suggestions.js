/* The bottleneck of a case, its further changes, and its suggestions. */
import { causesOf } from "../places.js";
import { h, prose } from "../dom.js";
import { suggestionOf } from "./suggestions.js";

const furtherOf = (one) => one.changes.filter((change) => !causesOf(one).includes(change));

function draw(one, _, section) {
    const { suggestions, findings } = one;
    section.append(h("h3", {}, "Cause and remedy"));
    const items = [...furtherOf(one), ...findings].map(({ text }) => h("li", {}, prose(text)));
    if (items.length) section.append(h("ul", {}, items));
    section.append(...suggestions.map((suggestion) => suggestionOf(suggestion, false)));
}

export const caseSuggestions = {
    shows: (one) => one.suggestions.length + one.findings.length + furtherOf(one).length > 0,
    draw,
};
