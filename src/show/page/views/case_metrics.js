/* The metrics of a case, each with its baseline or limit and the reason of the decision. */
import { h, prose, table } from "../dom.js";
import { amount, changeOf, interval, isBudget, referenceOf, share } from "../format.js";
import { badge, verdictOf } from "../verdicts.js";

const HEADS = ["metric", "against", "verdict", "baseline", "candidate", "change", "95 % interval", "threshold"].map(
    (name, i) => ({ name, numeric: i > 2 }),
);

const rowOf = (waived) => (metric) => [
    metric.name,
    metric.against,
    badge(metric.change, verdictOf(metric.change).waivable ? waived : undefined),
    referenceOf(metric),
    amount(metric.current, metric.unit),
    changeOf(metric),
    isBudget(metric) ? "" : interval(metric.interval_low, metric.interval_high),
    isBudget(metric) ? "" : share(metric.threshold),
];

/* The reason of a metric's decision. It often contains the remark about the code already. */
function reasonOf({ reason = "", code = "" }) {
    return reason.includes(code) ? reason : [reason, code].filter(Boolean).join("; ");
}

function draw({ compared, waived }, _, section) {
    const repeated = compared.metrics.some((metric) => metric.reason === compared.reason);
    if (compared.reason && !repeated) section.append(h("p", {}, prose(compared.reason)));
    if (compared.waiver) section.append(h("p", {}, waived ? "The gate does not fail on this case: " : "", prose(compared.waiver)));
    if (compared.metrics.length) section.append(table("Metrics", HEADS, compared.metrics.map(rowOf(waived))));
    const reasons = compared.metrics.map((metric) => [metric.name, reasonOf(metric)]).filter(([, reason]) => reason);
    if (reasons.length) section.append(h("ul", {}, reasons.map(([name, reason]) => h("li", {}, `${name}: `, prose(reason)))));
    if (compared.stderr_tail) section.append(h("h3", {}, "Standard error"), h("pre", { tabindex: "0" }, compared.stderr_tail));
}

export const caseMetrics = { shows: ({ compared }) => Boolean(compared), draw };
