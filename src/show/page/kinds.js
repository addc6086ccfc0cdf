/* What a file is: its kind by `schema`, and whether this page knows its version. */

/* The newest version of each kind that the page reads, and the oldest that has the same members. */
const KINDS = {
    "kgate.results": { kind: "results", oldest: 2, newest: 2 },
    "kgate.comparison": { kind: "comparison", oldest: 1, newest: 1 },
    "kgate.suggestions": { kind: "suggestions", oldest: 1, newest: 1 },
    "kgate.baseline": { kind: "baseline", oldest: 2, newest: 2 },
    "kgate.profile": { kind: "profile", oldest: 1, newest: 1 },
    "kgate.calibration": { kind: "calibration", oldest: 1, newest: 1 },
};

/* What could make a name read as another, controls and changes of direction, is shown as on a terminal: \x1b. */
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
    /* Chromium makes an empty string of a script element with more than 512 MiB. */
    if (!text.trim()) return { name, problem: "it is empty, or longer than this browser reads (Chromium: 512 MiB); make a page of fewer cases" };
    try {
        json = harmful.test(text) ? JSON.parse(text, shown) : JSON.parse(text);
    } catch (error) {
        return { name, problem: `it is not JSON: ${error.message}` };
    }
    const [, schema, version] = /^(.*)\.v(\d+)$/.exec(json?.schema ?? "") ?? [];
    const known = KINDS[schema];
    if (!known) return { name, problem: "it is no file of kgate that this page shows: its schema is missing or another" };
    if (Number(version) > known.newest)
        return { name, problem: `it was written by a newer kgate (${json.schema}); make a page with that one` };
    if (Number(version) < known.oldest)
        return { name, problem: `it is of an older version (${json.schema}); \`kgate report FILE --format json\` renews it` };
    return { name, kind: known.kind, json, bytes: text.length };
}
