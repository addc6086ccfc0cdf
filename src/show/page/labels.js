/* labels.js: shortens long names to one line. Names of cases mostly differ at their ends, so the function drops the
 * middle. If two shortened names would be equal, they keep their differing parts. */
import { grouped } from "./lists.js";

/* The name in at most `most` characters, without its middle. */
export function shortened(full, most) {
    const name = full.replace(/\s+/g, " ");
    if (name.length <= most) return name;
    const front = Math.floor((most - 1) * 0.4);
    return `${name.slice(0, front)}…${name.slice(name.length - (most - 1 - front))}`;
}

const partsOf = (name) => name.split(/(?<=[/,;])/);

/* Drops the parts that all names share: "…parse,…n=10,…". All names have the same number of parts. */
function differing(names) {
    const all = names.map(partsOf);
    const same = all[0].map((part, i) => all.every((parts) => parts[i] === part));
    return (name) => partsOf(name).map((part, i) => (same[i] ? "…" : part)).join("").replace(/…+/g, "…");
}

/* Numbers the labels that are still equal. */
function numbered(labels, most) {
    const counts = new Map();
    for (const [name, label] of labels) {
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        if (count > 1) labels.set(name, `${label.slice(0, most - 3 - String(count).length)} (${count})`);
    }
}

/* Makes a label of at most `most` characters for each name. Different names have different labels.
 * returns (name) => label */
export function labelsOf(names, most) {
    const all = [...new Set(names)];
    const labels = new Map(all.map((name) => [name, shortened(name, most)]));
    const alike = [...grouped(all, (name) => labels.get(name)).values()].filter(({ length }) => length > 1).flat();
    for (const group of grouped(alike, (name) => partsOf(name).length).values()) {
        const partOf = differing(group);
        for (const name of group) labels.set(name, shortened(partOf(name), most));
    }
    numbered(labels, most);
    return (name) => labels.get(name);
}
