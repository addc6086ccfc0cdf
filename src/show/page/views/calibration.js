/* The calibration of a suite on a machine: its rate of false alarms, and the smallest change that it detects. */
import { firstAdd, h, prose, table } from "../dom.js";
import { count, share } from "../format.js";

const HEADS = [{ name: "case" }, ...["runs differ", "rounds differ", "alarms", "doubts", "catches", "rounds"].map((name) => ({ name, numeric: true })), { name: "advice" }];

const rowOf = (pairs) => (one) => [
    one.id,
    share(one.run_scatter),
    share(one.round_scatter),
    `${one.alarms} of ${pairs}`,
    `${one.doubts} of ${pairs}`,
    Number.isFinite(one.caught) ? share(one.caught) : "> 50 %",
    count(Math.round(one.rounds)),
    prose(one.advice ?? ""),
];

export const calibrationText = ({ suite, runs, pairs, alarmed_pairs: alarmedPairs, alarmed_runs: alarmedRuns }) =>
    `${suite}: ${runs} runs of the same code: the gate alarmed in ${alarmedPairs} of ${pairs} pairs of runs, and in ${alarmedRuns} of ${runs} runs against all others.`;

function draw({ calibrations }, section) {
    for (const one of calibrations) {
        section.append(h("p", {}, calibrationText(one)));
        firstAdd(section, one.cases, (place, rows) => place.append(table(`Calibrated cases of ${one.suite}`, HEADS, rows.map(rowOf(one.pairs)))));
    }
    section.append(h("p", { class: "key" }, "Catches: smallest slowdown that the gate caught in every pair of runs, with rounds slowed by calculation. Alarms and doubts: pairs of runs of the same code."));
}

export const calibration = { id: "calibration", title: "Calibrated cases", shows: ({ calibrations }) => calibrations.length > 0, draw };
