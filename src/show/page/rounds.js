/* The rounds of a measured case. */
import { count } from "./format.js";

/* [{value, confirms, disturbed}]: value is the median in ns. A round is disturbed if it waited too long for a CPU, or
 * if the GPU was throttled. */
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

/* "30", or "4 of 30" if fewer rounds decided the time. A decision by paired rounds does not use this run's rounds. */
export function roundsText(rounds, compared) {
    const time = compared?.metrics.find(({ name, against, ratio }) => name === "time" && ["baseline", "base"].includes(against) && Number.isFinite(ratio));
    const judged = time && !(compared.pairs && time.against === "base") ? time.current_rounds : undefined;
    const those = compared?.confirming_rounds || rounds;
    return judged < those ? `${count(judged)} of ${count(those)}` : count(rounds);
}

/* The medians of the undisturbed rounds; if every round is disturbed, of all rounds. */
export function timesOf(one) {
    const rounds = roundsOf(one);
    const calm = rounds.filter(({ disturbed }) => !disturbed);
    return (calm.length ? calm : rounds).map(({ value }) => value);
}
