/* Detects the kind of a file by `schema`, and checks its version. */

/* The kinds that the page shows; all have the same version. */
const KINDS = ["results", "comparison", "suggestions", "baseline", "profile", "calibration", "history"];
const VERSION = 1;

/* Control characters and changes of writing direction can disguise a name. They become \x1b and the like, as on a
 * terminal. */
const HARMFUL = /[^\P{Cc}\t\n\r]|[\u2028-\u202e\u2066-\u2069]/gu;
const harmful = /[^\P{Cc}\t\n\r]|[\u2028-\u202e\u2066-\u2069]|\\u00[0189][0-9a-f]|\\u007f|\\u20[26]/iu;
const escaped = (text) => text.replace(HARMFUL, (one) => [...new TextEncoder().encode(one)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""));
function shown(_, value) {
    if (typeof value === "string") return escaped(value);
    if (!value || typeof value !== "object" || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [escaped(name), member]));
}

/* {name, kind, json}, or {name, problem}: a sentence. */
export function fileOf({ name, text }) {
    let json;
    /* For a script element above 512 MiB, Chromium returns an empty string. */
    if (!text.trim()) return { name, problem: "it is empty, or longer than this browser reads (Chromium: 512 MiB); make a page of fewer cases" };
    try {
        json = harmful.test(text) ? JSON.parse(text, shown) : JSON.parse(text);
    } catch (error) {
        return { name, problem: `it is not JSON: ${error.message}` };
    }
    const [, kind, version] = /^kgate\.(.*)\.v(\d+)$/.exec(json?.schema ?? "") ?? [];
    if (!KINDS.includes(kind)) return { name, problem: "its schema is missing or unknown, so this page cannot show it" };
    if (Number(version) !== VERSION)
        return { name, problem: `another version of kgate wrote it (${json.schema}); make the page with that version` };
    return { name, kind, json, bytes: text.length };
}
