/* labels.js: long names on one line each. What tells cases apart is mostly at an end of their names, so the middle is
 * left out. Names that would then read the same keep the part in which they differ. */
import { grouped } from "./lists.js";

/* A name in at most so many characters, with its middle left out. */
export function shortened(full, most) {
    const name = full.replace(/\s+/g, " ");
    if (name.length <= most) return name;
    const front = Math.floor((most - 1) * 0.4);
    return `${name.slice(0, front)}…${name.slice(name.length - (most - 1 - front))}`;
}

const partsOf = (name) => name.split(/(?<=[/,;])/);

/* Names of as many parts each, without the parts that all have in common: "…parse,…n=10,…". */
function differing(names) {
    const all = names.map(partsOf);
    const same = all[0].map((part, i) => all.every((parts) => parts[i] === part));
    return (name) => partsOf(name).map((part, i) => (same[i] ? "…" : part)).join("").replace(/…+/g, "…");
}

/* Labels that are still alike are numbered. */
function numbered(labels, most) {
    const counts = new Map();
    for (const [name, label] of labels) {
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        if (count > 1) labels.set(name, `${label.slice(0, most - 3 - String(count).length)} (${count})`);
    }
}

/* A label for each of the names, of at most so many characters. Different names have different labels.
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
