/* What a case does in a second, in the unit that the other reports have too (src/show/columns.c). */

const MEMBERS = {
    items: (work) => ({ member: "items_per_second", unit: ` ${work.item_name ?? "items"}` }),
    flops: () => ({ member: "flops_per_second", unit: "FLOP" }),
    bytes: () => ({ member: "bytes_per_second", unit: "B" }),
};

/* {member, unit} of `work` of results: in what the case says that its items are, else what the device limits, else
 * items; undefined: it tells of none. */
export function rateOf(work = {}) {
    const has = (name) => Number.isFinite(work[MEMBERS[name](work).member]);
    const arithmetic = work.flops > 2 * (work.bytes ?? 0);
    const order = [work.item_name && "items", arithmetic && "flops", "bytes", "items", "flops"];
    const chosen = order.find((name) => name && has(name));
    return chosen && MEMBERS[chosen](work);
}
