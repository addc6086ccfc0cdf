/* The content of a profile by case: the scopes of a case as a tree, and summed by name. */

/* Makes the trees of a profile's paths. Spans do not nest, so no tree contains them. */
function treesOf({ paths }) {
    const nodes = paths.map((path) => ({ path, name: path.name, calls: path.calls, time: path.total_ns, total: path.total_ns - (path.elsewhere_ns ?? 0), own: path.self_ns, inside: [] }));
    const outermost = [];
    nodes.forEach((node, i) => {
        if (node.path.span) return;
        if (node.path.parent === i) outermost.push(node);
        else nodes[node.path.parent]?.inside.push(node);
    });
    /* Threads of a parallel region work beside the thread that runs the case, whose time the shares divide. */
    const isSplit = ({ path, inside }) => [path, ...inside.map((part) => part.path)].some(({ elsewhere_ns: ns }) => ns > 0);
    for (const node of nodes.filter(isSplit)) node.own = Math.max(0, node.total - node.inside.reduce((sum, { total }) => sum + total, 0));
    return { nodes, outermost };
}

const gpuOf = ({ gpu_ns: gpu = 0, transfer_ns: transfer = 0 }) => gpu + transfer;

/* The tree with GPU times: the total of a scope is the time of its events, its own time excludes the inner scopes. */
function onGpu(node) {
    const inside = node.inside.map(onGpu);
    const total = gpuOf(node.path);
    return { ...node, inside, time: total, total, own: Math.max(0, total - inside.reduce((sum, { total: part }) => sum + part, 0)) };
}

/* The outermost scopes that are no case of their own, as one case: a recording without nesting has only such scopes. */
const LOOSE = "scopes outside of others";

function looseOf(outermost, cases) {
    const inside = outermost.filter((node) => !cases.some(({ tree }) => tree.path === node.path) && node.path.kind !== "profiler");
    if (!inside.length) return [];
    const sum = (part) => inside.reduce((all, one) => all + (one.path[part] ?? 0), 0);
    const [total, calls, gpu, transfer] = ["total_ns", "calls", "gpu_ns", "transfer_ns"].map(sum);
    const name = cases.length ? LOOSE : "all operations";
    const path = { name, calls, total_ns: total, self_ns: 0, gpu_ns: gpu, transfer_ns: transfer, kind: "compute", device: "cpu" };
    const [longest] = [...inside].sort((a, b) => b.total - a.total);
    const process = Math.max(0, (longest.path.process_calls ?? []).findIndex((count) => count > 0));
    return [{ name, gpu: false, loose: true, tree: { path, name, calls, time: total, total, own: 0, inside }, process }];
}

/* The cases of a profile, the slowest first: [{name, words, gpu, loose, tree, process}]. If the file does not list its
 * cases, each outermost scope with others inside is a case. */
function casesOf(json) {
    const { nodes, outermost } = treesOf(json);
    const nested = outermost.filter(({ inside }) => inside.length);
    const listed = json.bottlenecks?.length ? json.bottlenecks : nested.map(({ path }) => ({ path: json.paths.indexOf(path) }));
    const cases = listed
        .filter(({ path, flat }) => nodes[path] && !flat)
        .map(({ path, words, on_gpu: gpu = false }) => ({
            name: nodes[path].name,
            words,
            gpu,
            tree: gpu ? onGpu(nodes[path]) : nodes[path],
            process: Math.max(0, (nodes[path].path.process_calls ?? []).findIndex((calls) => calls > 0)),
        }));
    return [...cases, ...looseOf(outermost, cases)];
}

const started = ({ json }) => Math.min(...json.processes.map((process) => process.started_ns));
const read = new WeakMap();

/* The profiles of a page, the newest recording first: [{file, json, cases, caseByName}]. */
export function profilesOf(model) {
    return model.profiles
        .map((file) => {
            if (!read.has(file)) {
                const cases = casesOf(file.json);
                read.set(file, { file, json: file.json, cases, caseByName: new Map(cases.map((one) => [one.name, one])) });
            }
            return read.get(file);
        })
        .filter(({ cases }) => cases.length)
        .sort((a, b) => started(b) - started(a));
}

/* Whether a case has inner scopes, which divide its time. */
export const hasParts = ({ tree }) => tree.inside.length > 0;
export const isNested = (one) => hasParts(one) && !one.loose;
export const anyParts = (model) => profilesOf(model).some(({ cases }) => cases.some(hasParts));

/* Adds the times of a scope, which include its inner scopes. */
function outermostAdd(one, { total, path }) {
    one.total += total;
    one.clock += path.total_ns;
    for (const part of ["gpu", "transfer", "cpu", "overhead"]) one[part] += path[`${part}_ns`] ?? 0;
}

const nothing = (name) => ({ name, calls: 0, total: 0, own: 0, time: 0, squares: 0, least: Infinity, most: 0, clock: 0, gpu: 0, transfer: 0, cpu: 0, overhead: 0 });

/* Adds the calls of a path to those of its name, with their squared deviations from the mean (Chan, Golub and LeVeque 1979). */
function callsAdd(one, { calls, time, path }) {
    const off = one.calls && calls ? time / calls - one.time / one.calls : 0;
    const own = (path.standard_deviation_ns ?? 0) ** 2 * Math.max(0, calls - 1);
    one.squares += own + (calls ? (off ** 2 * one.calls * calls) / (one.calls + calls) : 0);
    one.calls += calls;
    one.time += time;
    one.least = Math.min(one.least, path.min_ns);
    one.most = Math.max(one.most, path.max_ns);
}

/* The scopes of a case, summed by name.
 *   named    [{name, calls, total, own, mean, deviation, share, …}], the largest own time first. A recursive scope counts once
 *            towards `total`, `clock` (CPU clock), `gpu`, `transfer`, `cpu` and `overhead`.
 *   outside  {name, own, share}: the time outside of all inner scopes */
export function operationsOf({ tree }) {
    const found = new Map();
    const at = (name) => found.get(name) ?? found.set(name, nothing(name)).get(name);
    function add(node, around) {
        const one = at(node.name);
        callsAdd(one, node);
        one.own += node.own;
        if (!around.has(node.name)) outermostAdd(one, node);
        const inside = new Set(around).add(node.name);
        for (const part of node.inside) add(part, inside);
    }
    for (const part of tree.inside) add(part, new Set());
    const whole = tree.total || 1;
    const named = [...found.values()]
        .map((one) => ({ ...one, mean: one.calls ? one.time / one.calls : 0, deviation: one.calls > 1 ? Math.sqrt(one.squares / (one.calls - 1)) : 0, share: one.own / whole }))
        .sort((a, b) => b.own - a.own);
    const outside = { name: named.length ? "(in none of these)" : "(no scopes inside)", own: tree.own, share: tree.own / whole };
    return { named, outside };
}

/* "a > b > c": the place of a path in its case. */
export const placeOf = (names) => names.join(" > ");

/* The colours of operations, the same in every chart. The operations with the most own time have their own colours. */
const PAINTS = [1, 2, 3, 4, 5, 6, 8].map((i) => `series-${i}`);

export function coloursOf({ named }) {
    const colours = new Map(named.slice(0, PAINTS.length).map(({ name }, i) => [name, PAINTS[i]]));
    return (name) => colours.get(name) ?? "line";
}

const BEGINNING = "bottleneck of ";
const BOTTLENECK = 0.2; /* limits of the text reports: src/profiler/read/bottleneck.c */
const NOTABLE = 0.1;
const LEAD = 0.03;

/* The bottleneck in the words of the text reports, without the case's name; "" if it is unknown. Scopes without nesting
 * have no case there. */
export function bottleneckOf(one) {
    const { name, words = "", loose } = one;
    const before = `${BEGINNING}${name}: `;
    if (loose) return looseWords(operationsOf(one));
    return words.startsWith(before) ? words.slice(before.length) : words;
}

const percent = (part) => `${(100 * part).toFixed(0)} %`;

function looseWords({ named: [first, second] }) {
    if (!first || first.share < BOTTLENECK) return `none: no scope has ${percent(BOTTLENECK)} of the time of all scopes`;
    if (second && first.share - second.share < LEAD)
        return `${first.name} or ${second.name}, ${(100 * first.share).toFixed(0)} and ${percent(second.share)} of the time of all scopes: too close to tell apart`;
    const also = second?.share >= NOTABLE ? ` (${second.name} ${percent(second.share)})` : "";
    return `${first.name}, ${percent(first.share)} of the time of all scopes${also}`;
}
