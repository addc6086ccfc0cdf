/* The parts of the time per call, by case: GPU, transfers, CPU, overhead. */
import { firstAdd } from "../dom.js";
import { counted, duration } from "../format.js";
import { largestOf, stackAdd } from "../stack.js";
import { caseLink } from "../verdicts.js";

/* On the GPU the parts add up to the whole, and the CPU time runs in parallel. On the CPU the rest of the whole is
 * waiting; with several threads the CPU time can exceed the whole. */
function rowOf({ id, device, current }) {
    const { wall_ns: wall, gpu_ns: gpu, transfer_ns: transfer = 0, cpu_ns: cpu, overhead_ns: overhead = 0 } = current.breakdown;
    const row = { name: id, link: caseLink(id), total: wall };
    if (device === "cuda" || Number.isFinite(gpu))
        return { ...row, note: Number.isFinite(cpu) && `CPU time beside it: ${duration(cpu)}`, parts: { gpu: gpu ?? 0, transfer, overhead, rest: Math.max(0, wall - (gpu ?? 0) - transfer - overhead) } };
    const own = Math.min(cpu ?? 0, Math.max(0, wall - overhead));
    return {
        ...row,
        note: cpu > wall * 1.05 && `CPU time of all threads: ${duration(cpu)}, ${(cpu / wall).toFixed(2)} cores busy`,
        parts: { cpu: own, overhead, rest: Math.max(0, wall - own - overhead) },
    };
}

const known = ({ current }) => current?.breakdown?.wall_ns > 0 && ["gpu_ns", "cpu_ns"].some((name) => Number.isFinite(current.breakdown[name]));
const rowsOf = (model) => model.cases.filter(known).map(rowOf).sort((a, b) => b.total - a.total);

function draw(model, section) {
    const all = rowsOf(model);
    firstAdd(section, all, (place, rows) =>
        stackAdd(place, {
            title: "Parts of a call",
            summary: `${counted(all.length, "case")}, the slowest first: ${all[0].name}, ${duration(all[0].total)}. Largest part of all together: ${largestOf(all)}. ${onGpu(model) ? "On the CPU the rest" : "The rest"} is waiting.`,
            what: "case",
            rows,
        }),
    );
}

const onGpu = (model) => rowsOf(model).some(({ parts: { gpu } }) => gpu !== undefined);

export const parts = { id: "parts", title: (model) => (onGpu(model) ? "GPU, CPU, transfers, overhead" : "CPU time and overhead"), shows: (model) => model.cases.some(known), draw };
