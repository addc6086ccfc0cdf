/* Formats figures as in the other reports of kgate: three significant digits and a unit. */

const NONE = "–";

function digits(value) {
    const size = Math.abs(value);
    if (size < 0.9995) return value.toPrecision(3);
    return size >= 99.95 ? value.toFixed(0) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value, steps) {
    if (!Number.isFinite(value)) return NONE;
    if (value === 0) return `0 ${steps[0][1]}`.trim();
    let step = steps[0];
    for (const next of steps) if (Math.abs(value) >= next[0] * 0.9995) step = next;
    return `${digits(value / step[0])} ${step[1]}`.trim();
}

const TIMES = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];
const SIZES = [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]];
const COUNTS = [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"]];

export const duration = (ns) => scaled(ns, TIMES);
export const size = (bytes) => (bytes < 1024 ? `${Math.round(bytes)} B` : scaled(bytes, SIZES));
export const sizeIfKnown = (bytes) => (Number.isFinite(bytes) ? size(bytes) : "");
export const count = (value) => (Number.isInteger(value) && Math.abs(value) < 1e4 ? String(value) : scaled(value, COUNTS));
export const rate = (perSecond, of) => (Number.isFinite(perSecond) ? `${scaled(perSecond, COUNTS)}${of}/s`.replace("  ", " ") : NONE);

/* For labels of an axis: drops final zeros, "10 ms" for "10.0 ms". */
export const brief = (show) => (number) => show(number).replace(/\.0+(?=\D|$)|(\.\d*?)0+(?=\D|$)/, "$1");

/* Removes the rounding error of binary fractions: 0.3 for 0.30000000000000004. */
export const tidy = (number) => Number(number.toPrecision(9));

/* A vertical axis of times that includes `low` and `high`, in ns. Its steps are round, and its labels differ. */
export function axisOfTimes(low, high) {
    const span = high - low || Math.abs(high) || 1;
    const power = 10 ** Math.floor(Math.log10(span / 4));
    const interval = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= span / 4);
    const [scale, unit] = TIMES.findLast(([from]) => high >= from) ?? TIMES[0];
    const decimals = Math.max(0, Math.ceil(-Math.log10(interval / scale) - 1e-9));
    return {
        type: "value",
        min: tidy(Math.floor(tidy(low / interval)) * interval),
        max: tidy(Math.ceil(tidy(high / interval)) * interval),
        interval: tidy(interval),
        axisLabel: { formatter: (ns) => `${(ns / scale).toFixed(decimals)} ${unit}` },
    };
}

/* Whole numbers with all digits: "1,250", "3 cases", "1 case". */
export const whole = (number) => number.toLocaleString("en");
export const counted = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

/* A ratio as a change: 1.115 is "+11.5 %". */
export function change(ratio) {
    if (!Number.isFinite(ratio)) return NONE;
    const percent = 100 * (ratio - 1);
    return `${percent < 0 ? "−" : "+"}${digitsOfPercent(Math.abs(percent))} %`;
}

export const share = (value) => (Number.isFinite(value) ? `${digitsOfPercent(100 * value)} %` : NONE);

const digitsOfPercent = (value) => (value >= 1000 ? value.toFixed(0) : value.toFixed(1));

export const interval = (low, high) =>
    Number.isFinite(low) && Number.isFinite(high) ? `${change(low)} to ${change(high)}` : NONE;

/* A value with its unit from a comparison: ns, bytes, J, 1/s or none. */
export function amount(number, unit) {
    const units = { ns: duration, bytes: size, "1/s": (v) => rate(v, ""), J: (v) => scaled(v, [[1e-3, "mJ"], [1, "J"]]) };
    if (!Number.isFinite(number)) return NONE;
    return (units[unit] ?? count)(number);
}

/* A budget is a limit, not a baseline: "<= 1.00 ms". The distance to a limit is no change, so it has no per cent. */
export const isBudget = (metric) => metric?.against === "budget";
export const referenceOf = (metric) => `${isBudget(metric) ? (metric.better === "higher" ? ">= " : "<= ") : ""}${amount(metric.baseline, metric.unit)}`;
export const changeOf = (metric) => (isBudget(metric) ? "" : change(metric.ratio));

/* The budget result of a case, in the words of the terminal; undefined: no budget. */
export function heldOf(held) {
    if (!held) return undefined;
    const [number, word] = held.missed ? [held.missed, "missed"] : [held.unknown, "unknown"];
    return number ? `${number} of ${held.count} ${word}` : "met";
}

/* "2026-11-22T21:16:30Z" as "2026-11-22 21:16 UTC". */
export const moment = (created) => (created ? `${created.slice(0, 10)} ${created.slice(11, 16)} UTC` : NONE);

/* Quotes an argument for a shell. */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/* Quotes a glob that matches only this name, as an argument for a shell. */
export const quotedGlob = (name) => quoted(name.replace(/[*?[\\]/g, "\\$&"));
