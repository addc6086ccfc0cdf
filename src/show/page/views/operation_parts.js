/* The parts of each operation's time: GPU events, transfers, CPU time, the profiler's overhead. */
import { counted, duration } from "../format.js";
import { largestOf, stackAdd } from "../stack.js";

const ROWS_MOST = 20;

/* The GPU works in parallel to the CPU. If the GPU time is known, the rest is CPU time for launching and waiting. */
function rowOf({ name, clock, gpu, transfer, cpu, overhead }) {
    const own = Math.min(overhead, clock);
    const busy = Math.min(cpu, clock - own);
    const parts = { gpu, transfer, cpu: gpu + transfer > 0 ? 0 : busy, overhead: own };
    return { name, total: Math.max(clock, gpu + transfer + own), parts: { ...parts, rest: Math.max(0, clock - gpu - transfer - parts.cpu - own) } };
}

const timed = ({ gpu, transfer, cpu }) => gpu + transfer + cpu > 0;

export function operationPartsAdd(place, { named }) {
    const known = named.some(timed);
    const all = (known ? named.filter(timed) : named).map(rowOf).sort((a, b) => b.total - a.total);
    const rows = all.slice(0, ROWS_MOST);
    const inside = named.some(({ own, total }) => own < total) ? " with the scopes inside" : "";
    if (!rows.length) return;
    stackAdd(place, {
        title: "Parts of each operation",
        summary: `${counted(all.length, "operation")}${inside}, the longest first: ${all[0].name}, ${duration(all[0].total)}. Largest part: ${largestOf(rows.slice(0, 1))}.${rows.some(({ parts }) => parts.gpu + parts.transfer > 0) ? " Where the GPU works, the rest is what the CPU had besides." : ""}${known ? "" : " The rest is work and waiting of the CPU: KGATE_PROFILE_CPU=1 records them apart."}`,
        what: "operation",
        rows,
        shares: false,
    });
}
