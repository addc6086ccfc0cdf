/* Builds and machines side by side, with marked differences. */
import { h, scrolled } from "../dom.js";
import { counted, moment, size } from "../format.js";

/* The caller's environment variables that change how programs run. */
const environmentOf = ({ run }) =>
    run.environment?.known
        ? Object.entries(run.environment.variables ?? {}).map(([name, value]) => `${name}=${value}`).join(" ") || "none"
        : undefined;

const gpuOf = ({ gpus, gpu_chosen: chosen }) => gpus?.[chosen ?? 0];

/* The compared facts: [name, function of {machine, run, files}, options].
 * free: a difference is normal; gpu: only if the page has a case on the GPU */
const FACTS = [
    ["Measured", ({ run }) => moment(run.created), { free: true }],
    ["Commit", ({ run }) => run.commit, { free: true }],
    ["Branch", ({ run }) => run.branch, { free: true }],
    ["kgate", ({ run }) => run.kgate_version],
    ["Suite", ({ run }) => run.suite],
    ["Fingerprint", ({ machine }) => machine.fingerprint],
    ["CPU", ({ machine }) => machine.cpu_model],
    ["CPUs", ({ machine }) => machine.cpu_count],
    ["Memory", ({ machine }) => machine.memory_bytes && size(machine.memory_bytes)],
    ["Kernel", ({ machine, run }) => run.kernel ?? machine.kernel],
    ["Governor", ({ machine, run }) => run.governor ?? machine.governor],
    ["Virtual", ({ machine }) => machine.hypervisor],
    ["Vectors", ({ machine, run }) => run.vectors ?? machine.vectors],
    ["Compiler of kgate", ({ machine, run }) => run.compiler ?? machine.compiler],
    ["Build type", ({ machine }) => machine.build_type],
    ["GPU", ({ machine }) => gpuOf(machine)?.name ?? machine.cuda_missing, { gpu: true }],
    ["GPU's UUID", ({ machine }) => gpuOf(machine)?.uuid, { gpu: true }],
    ["GPU's memory", ({ machine }) => gpuOf(machine) && size(gpuOf(machine).memory_bytes), { gpu: true }],
    ["NVIDIA driver", ({ machine, run }) => run.nvidia_driver ?? machine.nvidia_driver, { gpu: true }],
    ["CUDA toolkit", ({ machine, run }) => run.cuda_toolkit ?? machine.cuda_toolkit, { gpu: true }],
    ["Environment", environmentOf],
    ["Host", ({ machine }) => machine.host],
];

const MARKS = { differs: "≠ differs", unknown: "? unknown" };

const isKnown = (value) => value !== undefined && value !== "";

const nameOf = (file) => file.path.split("/").at(-1);

/* One fact per measured file of any side: the hash of its code. */
function codeFacts(sides) {
    const names = new Set(sides.flatMap(({ files = [] }) => files.map(nameOf)));
    return [...names].map((name) => [`Code of ${name}`, ({ files = [] }) => files.find((file) => nameOf(file) === name)?.hash.slice(0, 12)]);
}

const codesOf = ({ run }) => new Map((run.cases ?? []).filter(({ code_hash: hash }) => hash).map(({ id, code_hash: hash }) => [id, hash]));

/* One fact for the machine code of all cases, which baselines have too. The reference is the first side with code. */
function casesFact(sides) {
    const codes = sides.map(codesOf);
    const first = codes.findIndex(({ size: known }) => known);
    const cells = codes.map((side, i) => {
        const common = [...side].filter(([id]) => codes[first]?.has(id));
        const other = common.filter(([id, hash]) => codes[first].get(id) !== hash).length;
        if (!common.length) return { other };
        if (i === first) return { other, text: `of ${counted(common.length, "case")}` };
        return { other, text: other ? `other in ${other} of ${counted(common.length, "case")}` : `the same in ${counted(common.length, "case")}` };
    });
    return row("Machine code", cells.map(({ text }) => text), { differs: cells.some(({ other }) => other) });
}

/* The columns: the baselines first, then the results. */
function sidesOf({ baselines, results, pair, comparison, suite }) {
    const stored = baselines.flatMap((baseline) => {
        const run = baseline.runs.findLast((one) => (!suite || one.suite === suite) && !one.pin) ?? baseline.runs.at(-1);
        return run ? [{ name: "baseline", machine: baseline.machine, run }] : [];
    });
    const measured = results.map(({ name, json }) => ({ name: pair.head?.json === json && name === "results" ? "head" : name, machine: json.machine, run: json, files: json.files }));
    const compared = comparison && !measured.length ? [{ name: "current", machine: comparison.machine, run: comparison }] : [];
    return [...stored, ...measured, ...compared];
}

/* A row of the table. If only some sides have the fact, the row is marked as unknown. */
function row(name, values, { free, differs = !free && new Set(values.filter(isKnown)).size > 1 } = {}) {
    const known = values.filter(isKnown);
    if (!known.length) return undefined;
    const state = differs ? "differs" : !free && known.length < values.length ? "unknown" : undefined;
    return h(
        "tr",
        { class: state },
        h("th", { scope: "row" }, name, state ? h("span", { class: "badge doubt" }, MARKS[state]) : ""),
        values.map((value) => h("td", {}, value ?? "–")),
    );
}

function summaryOf(sides, rows) {
    if (sides.length < 2) return "The files in this page describe one side only.";
    const of = (state) => rows.filter((one) => one.classList.contains(state)).length;
    const differing = of("differs"), unknown = of("unknown");
    return `${differing ? `${counted(differing, "fact")} ${differing === 1 ? "differs" : "differ"}, marked below.` : unknown ? "No known fact differs." : "No fact differs."}${unknown ? ` Unknown on one side: ${counted(unknown, "fact")}.` : ""}`;
}

function draw(model, section) {
    const sides = sidesOf(model);
    const onGpu = model.cases.some(({ device }) => device === "cuda");
    const facts = [...FACTS.filter(([, , how]) => onGpu || !how?.gpu), ...codeFacts(sides)].map(([name, get, how]) => row(name, sides.map(get), how));
    const rows = [...facts, casesFact(sides)].filter(Boolean);
    section.append(
        h("p", {}, summaryOf(sides, rows)),
        scrolled(
            "Builds and machines",
            h(
                "table",
                { class: "sides" },
                h("caption", { class: "hidden" }, "Builds and machines"),
                h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "fact"), sides.map((side) => h("th", { scope: "col" }, side.name)))),
                h("tbody", {}, rows),
            ),
        ),
    );
}

export const machines = {
    id: "machines",
    title: "Builds and machines",
    shows: (model) => sidesOf(model).length > 0,
    draw,
};
