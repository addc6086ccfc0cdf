/* How each change of a case, and each status of a measured one, is shown: by a sign and a word, never by colour
 * alone. The colours are in style/colours.css as --NAME. */
import { h } from "./dom.js";

export const VERDICTS = {
    FAILED: { sign: "✕", word: "failed", colour: "failed" },
    REGRESSION: { sign: "▲", word: "regression", colour: "worse" },
    SUSPECT: { sign: "?", word: "suspect", colour: "doubt" },
    INCONCLUSIVE: { sign: "~", word: "inconclusive", colour: "doubt" },
    IMPROVEMENT: { sign: "▼", word: "improvement", colour: "better" },
    NEW: { sign: "+", word: "new", colour: "other" },
    REMOVED: { sign: "−", word: "removed", colour: "other" },
    SKIPPED: { sign: "○", word: "skipped", colour: "other" },
    UNMEASURED: { sign: "○", word: "not measured", colour: "other" },
    NO_CHANGE: { sign: "=", word: "no change", colour: "same" },
    UNCHANGED: { sign: "=", word: "code unchanged", colour: "same" },
    OK: { sign: "✓", word: "measured", colour: "same" },
    STORED: { sign: "·", word: "stored", colour: "other" },
};

export const verdictOf = (name) => VERDICTS[name] ?? { sign: "·", word: String(name), colour: "other" };

/* Whether a case that was compared with nothing has more to say than that it was measured, or is stored. */
export const isOdd = ({ verdict }) => !["OK", "STORED"].includes(verdict);

/* Why a case fails nothing although it became worse, in the words of the other reports. */
const WAIVERS = { accepted: "accepted", quarantined: "in quarantine", untrusted: "not judged" };
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
