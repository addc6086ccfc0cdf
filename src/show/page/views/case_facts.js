/* The parameters and the measured figures of a case. */
import { median } from "../density.js";
import { facts, h, prose } from "../dom.js";
import { amount, duration, heldOf, rate, share, size } from "../format.js";
import { roundsText } from "../rounds.js";

const maybe = (number, show) => (Number.isFinite(number) ? show(number) : undefined);

/* The figures that the case's workload reports. */
const reportedOf = (current) =>
    (current?.series ?? [])
        .filter(({ source, values }) => source === "workload" && values?.length)
        .map(({ name, unit, values }) => ({ name, unit, value: median(values) }));

const budgetsOf = (current) => current?.held && prose([heldOf(current.held), current.held.reason].filter(Boolean).join(": "));

/* The machine of a merged comparison that measured the case. */
const nodeOf = (compared) => compared?.node && `node ${compared.node}, shard ${compared.shard}`;

function rowsOf({ current, summary, compared }) {
    const { work = {}, memory = {}, breakdown = {} } = current ?? {};
    return [
        ["Workload", current && `${current.workload}, ${current.source}${current.target ? ` ${current.target}` : ""}`],
        ["Measured by", nodeOf(compared)],
        ["Parameters", current && Object.entries(current.params).map(([name, text]) => `${name}=${text}`).join(", ")],
        ["Status", current && prose([current.status, current.reason].filter(Boolean).join(": "))],
        ["Note", current?.note && prose(current.note)],
        ["Budgets", budgetsOf(current)],
        ["Median", maybe(summary.median_ns, duration)],
        ["95 % interval", maybe(summary.interval_low_ns, (low) => `${duration(low)} to ${duration(summary.interval_high_ns)}`)],
        ["Mean ± standard deviation", maybe(summary.mean_ns, (mean) => `${duration(mean)} ± ${duration(summary.standard_deviation_ns)}`)],
        ["Least, most, 95th percentile", maybe(summary.min_ns, (least) => [least, summary.max_ns, summary.p95_ns].map(duration).join(", "))],
        ["Items", maybe(work.items_per_second, (v) => rate(v, ` ${work.item_name ?? "items"}`))],
        ["Bandwidth", maybe(work.bytes_per_second, (v) => rate(v, "B"))],
        ["Arithmetic", maybe(work.flops_per_second, (v) => rate(v, "FLOP"))],
        ["Share of the bandwidth ceiling", maybe(work.bandwidth_share, share)],
        ["CPU time", maybe(breakdown.cpu_ns, duration)],
        ["GPU time", maybe(breakdown.gpu_ns, duration)],
        ["Transfers", maybe(breakdown.transfer_ns, duration)],
        ["Peak memory", maybe(memory.peak_bytes, size)],
        ["Allocated", maybe(memory.allocated_bytes, size)],
        ["Peak memory of the GPU", maybe(memory.device_peak_bytes, size)],
        ["Rounds", maybe(compared?.rounds ?? current?.rounds?.median_ns?.length, (rounds) => roundsText(rounds, compared))],
        ["Error", current?.check?.checked ? `${current.check.error?.toPrecision(3)}, allowed ${current.check.tolerance?.toPrecision(3)}` : undefined],
        ...(compared?.figures ?? reportedOf(current)).map((figure) => [figure.name, amount(figure.value, figure.unit)]),
    ];
}

function draw(one, _, section) {
    section.append(h("h3", {}, "Figures"), facts(rowsOf(one)));
    if (one.current?.stderr_tail && !one.compared?.stderr_tail)
        section.append(h("h3", {}, "Standard error"), h("pre", { tabindex: "0" }, one.current.stderr_tail));
}

export const caseFacts = { shows: (one) => Boolean(one.current), draw };
