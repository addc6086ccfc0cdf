/* The time of each case on each machine, if the files have results of several machines. It compares nothing: a time of one
 * machine says nothing about another. */
import { barsAdd } from "../bars.js";
import { firstAdd, h } from "../dom.js";
import { counted, duration } from "../format.js";
import { grouped, highest } from "../lists.js";

const COLOURS = 8;

/* The GPU if the results have cases on it; else the CPU. */
function kindOf({ machine, cases }) {
    const gpu = machine.gpus?.[machine.gpu_chosen ?? 0];
    return gpu && cases.some(({ device, summary }) => device === "cuda" && summary?.median_ns) ? gpu.name : machine.cpu_model;
}

const measured = ({ results }) => results.filter(({ json }) => !json.pair);

/* [{name, times}]: `times` maps a case to its median in ns. Machines of one kind have the names of their files. */
function machinesOf(model) {
    const files = measured(model);
    const kinds = grouped(files, ({ json }) => kindOf(json));
    return files.map(({ name, json }) => ({
        name: kinds.get(kindOf(json)).length > 1 ? `${kindOf(json)}, ${name}` : kindOf(json),
        times: new Map(json.cases.filter(({ summary }) => summary?.median_ns).map(({ id, summary }) => [id, summary.median_ns])),
    }));
}

/* The cases that two machines measured. */
function sharedCases(machines) {
    const ids = [...new Set(machines.flatMap(({ times }) => [...times.keys()]))];
    return ids.filter((id) => machines.filter(({ times }) => times.has(id)).length > 1);
}

function chartOf(place, ids, machines) {
    const slowest = new Map(ids.map((id) => [id, highest(machines.map(({ times }) => times.get(id) ?? 0))]));
    barsAdd(place, {
        title: "Time on each machine",
        summary: `${counted(ids.length, "case")} on ${counted(machines.length, "machine")}. The longest bar of a case is its slowest machine.`,
        names: ids,
        series: machines.map(({ name, times }, i) => ({
            name,
            colour: `series-${1 + (i % COLOURS)}`,
            values: ids.map((id) => times.get(id) && times.get(id) / slowest.get(id)),
            words: ids.map((id) => times.get(id) && duration(times.get(id))),
        })),
        axis: { name: "time over the slowest machine of the case", max: 1 },
        table: {
            heads: [{ name: "case" }, ...machines.map(({ name }) => ({ name, numeric: true }))],
            rows: ids.map((id) => [id, ...machines.map(({ times }) => (times.has(id) ? duration(times.get(id)) : ""))]),
        },
    });
}

function draw(model, section) {
    const machines = machinesOf(model);
    section.append(h("p", { class: "key" }, "No verdict: machines differ for other reasons than the code."));
    firstAdd(section, sharedCases(machines), (place, ids) => chartOf(place, ids, machines));
}

const severalMachines = (model) => new Set(measured(model).map(({ json }) => json.machine.fingerprint)).size > 1;

export const sideBySide = {
    id: "side-by-side",
    title: "Machines side by side",
    shows: (model) => severalMachines(model) && sharedCases(machinesOf(model)).length > 0,
    draw,
};
