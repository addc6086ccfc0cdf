/* Lists that may be as long as there are cases: each function is linear in them. */

/* The members by what `keyOf` says of each: a Map of lists, in the order in which the keys come. */
export function grouped(list, keyOf) {
    const groups = new Map();
    for (const one of list) {
        const key = keyOf(one);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(one);
    }
    return groups;
}

/* Of numbers. Math.min takes no list of a hundred thousand arguments. */
export const lowest = (numbers) => numbers.reduce((least, one) => Math.min(least, one), Infinity);
export const highest = (numbers) => numbers.reduce((most, one) => Math.max(most, one), -Infinity);
