/* Families: cases that differ in one number. Charts draw a family over this number. */
import { timesOf } from "./rounds.js";
import { median } from "./density.js";
import { grouped } from "./lists.js";
import { rateOf } from "./work.js";

const VALUES_LEAST = 3;

/* Units of numbers such as "16KiB"; "1e6" is a number too. */
const SIZES = { "": 1, k: 1e3, M: 1e6, G: 1e9, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, KB: 1e3, kB: 1e3, MB: 1e6, GB: 1e9 };

function numberOf(text) {
    const [, digits, unit] = /^([\d.]+(?:e[+-]?\d+)?)\s*([A-Za-z]*)$/.exec(text) ?? [];
    return digits !== undefined && unit in SIZES ? Number(digits) * SIZES[unit] : NaN;
}

/* The figures of a measured case for a chart. */
function pointOf(measured, at, rateMember) {
    const times = timesOf(measured);
    return {
        at,
        id: measured.id,
        time: measured.summary.median_ns ?? (times.length ? median(times) : NaN),
        rate: measured.work?.[rateMember],
        memory: measured.memory?.peak_bytes,
        figures: measured.figures,
    };
}

/* The numeric parameter with the most values; undefined with fewer than VALUES_LEAST. */
function sweptOf(cases) {
    const counts = new Map();
    for (const one of cases)
        for (const [name, text] of Object.entries(one.params))
            if (Number.isFinite(numberOf(text))) counts.set(name, (counts.get(name) ?? new Set()).add(text));
    const [name, values] = [...counts].sort(([, a], [, b]) => b.size - a.size)[0] ?? [];
    return values?.size >= VALUES_LEAST ? name : undefined;
}

/* [{name, swept, sized, unit, series: [{name, points}]}]. The family of a workload has one series per set of the other
 * parameters and the device.
 * side  member of the model's cases to draw: "current" or "base" */
export function familiesOf(model, side = "current") {
    const measured = model.cases.flatMap((one) => (one[side]?.status === "OK" ? [one[side]] : []));
    return [...grouped(measured, ({ workload }) => workload)].flatMap(([name, cases]) => {
        const swept = sweptOf(cases);
        return swept ? [familyOf(name, swept, cases)].filter(({ series }) => series.length) : [];
    });
}

function familyOf(name, swept, cases) {
    const rate = cases.map(({ work }) => rateOf(work)).find(Boolean);
    const others = ({ params }) => Object.entries(params).filter(([param]) => param !== swept);
    const keyOf = (one) => [...others(one).map(([param, text]) => `${param}=${text}`), one.device].join(", ");
    const series = [...grouped(cases, keyOf)].map(([key, those]) => [
        key,
        those.map((one) => pointOf(one, numberOf(one.params[swept]), rate?.member)).filter(({ at }) => Number.isFinite(at) && at > 0),
    ]);
    const long = series.filter(([, points]) => points.length >= VALUES_LEAST);
    const sized = cases.every((one) => /B$/.test(one.params[swept] ?? ""));
    return { name, swept, sized, unit: (rate?.unit ?? "").trim(), series: named(long).map(([key, points]) => ({ name: key, points: points.sort((a, b) => a.at - b.at) })) };
}

/* Removes the parts that all series share from their names. */
function named(series) {
    const parts = series.map(([key]) => key.split(", "));
    const common = new Set(parts[0]?.filter((part) => parts.every((all) => all.includes(part))));
    return series.map(([key, points], i) => [series.length > 1 ? parts[i].filter((part) => !common.has(part)).join(", ") : key, points]);
}
