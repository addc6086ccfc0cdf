/* The rounds of a measured case. */

/* [{value, confirms, disturbed}]: medians in ns; disturbed where it waited for a CPU, or the GPU was held back. */
export function roundsOf(one) {
    const { rounds = {}, disturbance_limit: limit = Infinity } = one ?? {};
    return (rounds.median_ns ?? [])
        .map((value, i) => ({
            value,
            confirms: Boolean(rounds.confirms?.[i]),
            disturbed: rounds.disturbance?.[i] > limit || Boolean(rounds.throttled?.[i]),
        }))
        .filter(({ value }) => Number.isFinite(value));
}

/* Their medians, of the calm ones where there are any. */
export function timesOf(one) {
    const rounds = roundsOf(one);
    const calm = rounds.filter(({ disturbed }) => !disturbed);
    return (calm.length ? calm : rounds).map(({ value }) => value);
}
