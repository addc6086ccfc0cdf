/* How each change of a case, and each status of a measured one, is shown: by a sign and a word, never by colour
 * alone. The colours are in style/colours.css as --NAME. */
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

/* Whether a case that was compared with nothing has more to say than that it was measured, or is stored. */
export const isOdd = ({ verdict }) => !["OK", "STORED"].includes(verdict);

/* Why a case fails nothing although it became worse, in the words of the other reports. */
export const waivedOf = (compared) => WAIVERS[compared?.waived];

/* "regression", or "regression, accepted", which has no colour of alarm. */
export const wordsOf = (name, waived) => [verdictOf(name).word, waived].filter(Boolean).join(", ");
export const colourOf = (name, waived) => (waived ? "other" : verdictOf(name).colour);

/* waived  of the model's case; undefined: the case counts */
export function badge(name, waived) {
    return h("span", { class: `badge ${colourOf(name, waived)}` }, h("span", { "aria-hidden": "true" }, verdictOf(name).sign), ` ${wordsOf(name, waived)}`);
}

/* A case's name, which wraps between its parts where it has to. */
export const caseName = (id) => id.split(/(?<=[/,;])/).flatMap((part, i) => (i ? [h("wbr"), part] : part));
export const caseLink = (id) => h("a", { class: "case", href: caseAddress(id) }, caseName(id));
export const caseAddress = (id) => `#case=${encodeURIComponent(id)}`;
