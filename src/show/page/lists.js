/* Functions for lists with one member per case. Each takes linear time. */

/* Groups the members by `keyOf`: a Map of lists, in order of each key's first member. */
export function grouped(list, keyOf) {
    const groups = new Map();
    for (const one of list) {
        const key = keyOf(one);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(one);
    }
    return groups;
}

/* Smallest and largest number of a list. Math.min fails on a hundred thousand arguments. */
export const lowest = (numbers) => numbers.reduce((least, one) => Math.min(least, one), Infinity);
export const highest = (numbers) => numbers.reduce((most, one) => Math.max(most, one), -Infinity);
