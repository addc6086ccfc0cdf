/* The rate of a case, in the same unit as in the other reports (src/show/columns.c). */

const MEMBERS = {
    items: (work) => ({ member: "items_per_second", unit: ` ${work.item_name ?? "items"}` }),
    flops: () => ({ member: "flops_per_second", unit: "FLOP" }),
    bytes: () => ({ member: "bytes_per_second", unit: "B" }),
};

/* {member, unit} for the `work` of results. If the case names its items: items. Else the throughput that the device
 * limits, else items. Without any rate: undefined. */
export function rateOf(work = {}) {
    const has = (name) => Number.isFinite(work[MEMBERS[name](work).member]);
    const arithmetic = work.flops > 2 * (work.bytes ?? 0);
    const order = [work.item_name && "items", arithmetic && "flops", "bytes", "items", "flops"];
    const chosen = order.find((name) => name && has(name));
    return chosen && MEMBERS[chosen](work);
}
