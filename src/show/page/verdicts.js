/* The sign, word and colour of each change and status of a case. Colour is never the only mark. style/colours.css has
 * the colours as --NAME. */
import { h } from "./dom.js";

/* global CHANGES, SIGNS, WAIVERS -- build.mjs reads them from changes.def: {NAME: {sign, word, colour, waivable,
 * meaning}}, worst first; {VERDICT: sign}; and {name: word} */
export const MEANINGS = Object.entries(CHANGES).map(([name, { meaning }]) => [name, meaning]);
export const signOf = (verdict) => SIGNS[verdict];

export const VERDICTS = {
    ...CHANGES,
    UNMEASURED: { sign: "○", word: "not measured", colour: "other" },
    UNCHANGED: { sign: "=", word: "code unchanged", colour: "same" },
    OK: { sign: "✓", word: "measured", colour: "same" },
    STORED: { sign: "·", word: "stored", colour: "other" },
};

export const verdictOf = (name) => VERDICTS[name] ?? { sign: "·", word: String(name), colour: "other" };

/* Whether a case stands for a shard whose cases are unknown: "shard 2 of 3". */
export const isShard = ({ id }) => !id.includes("/");

/* Whether a case without a comparison needs a remark: its status is neither measured nor stored. */
export const isOdd = ({ verdict }) => !["OK", "STORED"].includes(verdict);

/* The reason in words why a worse case does not fail the gate, as in the other reports. */
export const waivedOf = (compared) => WAIVERS[compared?.waived];

/* "regression", or "regression, accepted". A waived change has a neutral colour. */
export const wordsOf = (name, waived) => [verdictOf(name).word, waived].filter(Boolean).join(", ");
export const colourOf = (name, waived) => (waived ? "other" : verdictOf(name).colour);

/* The badge of a change or status.
 * waived  `waived` of the model's case; undefined: the change counts */
export function badge(name, waived) {
    return h("span", { class: `badge ${colourOf(name, waived)}` }, h("span", { "aria-hidden": "true" }, verdictOf(name).sign), ` ${wordsOf(name, waived)}`);
}

/* A case's name. Long names wrap between their parts. */
export const caseName = (id) => id.split(/(?<=[/,;])/).flatMap((part, i) => (i ? [h("wbr"), part] : part));
export const caseLink = (id) => h("a", { class: "case", href: caseAddress(id) }, caseName(id));
export const caseAddress = (id) => `#case=${encodeURIComponent(id)}`;
