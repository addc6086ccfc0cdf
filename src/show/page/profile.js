/* The content of a profile by case: the scopes of a case as a tree, and summed by name. */

/* Makes the trees of a profile's paths. Spans do not nest, so no tree contains them. */
function treesOf({ paths }) {
    const nodes = paths.map((path) => ({ path, name: path.name, calls: path.calls, total: path.total_ns, own: path.self_ns, inside: [] }));
    const outermost = [];
    nodes.forEach((node, i) => {
        if (node.path.span) return;
        if (node.path.parent === i) outermost.push(node);
        else nodes[node.path.parent]?.inside.push(node);
    });
    return { nodes, outermost };
}

const gpuOf = ({ gpu_ns: gpu = 0, transfer_ns: transfer = 0 }) => gpu + transfer;

/* The tree with GPU times: the total of a scope is the time of its events, its own time excludes the inner scopes. */
function onGpu(node) {
    const inside = node.inside.map(onGpu);
    const total = gpuOf(node.path);
    return { ...node, inside, total, own: Math.max(0, total - inside.reduce((sum, { total: part }) => sum + part, 0)) };
}

/* The cases of a profile, the slowest first: [{name, words, gpu, tree, process}]. If the file does not list its cases,
 * each outermost scope is a case. */
function casesOf(json) {
    const { nodes, outermost } = treesOf(json);
    const listed = json.bottlenecks?.length ? json.bottlenecks : outermost.map(({ path }) => ({ path: json.paths.indexOf(path) }));
    return listed
        .filter(({ path }) => nodes[path])
        .map(({ path, words, on_gpu: gpu = false }) => ({
            name: nodes[path].name,
            words,
            gpu,
            tree: gpu ? onGpu(nodes[path]) : nodes[path],
            process: Math.max(0, (nodes[path].path.process_calls ?? []).findIndex((calls) => calls > 0)),
        }));
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
export const anyParts = (model) => profilesOf(model).some(({ cases }) => cases.some(hasParts));

/* Adds the times of a scope, which include its inner scopes. */
function outermostAdd(one, { total, path }) {
    one.total += total;
    one.clock += path.total_ns;
    for (const part of ["gpu", "transfer", "cpu", "overhead"]) one[part] += path[`${part}_ns`] ?? 0;
}

const nothing = (name) => ({ name, calls: 0, total: 0, own: 0, time: 0, least: Infinity, most: 0, clock: 0, gpu: 0, transfer: 0, cpu: 0, overhead: 0 });

/* The scopes of a case, summed by name.
 *   named    [{name, calls, total, own, mean, share, …}], the largest own time first. A recursive scope counts once
 *            towards `total`, `clock` (CPU clock), `gpu`, `transfer`, `cpu` and `overhead`.
 *   outside  {name, own, share}: the time outside of all inner scopes */
export function operationsOf({ tree }) {
    const found = new Map();
    const at = (name) => found.get(name) ?? found.set(name, nothing(name)).get(name);
    function add(node, around) {
        const one = at(node.name);
        one.calls += node.calls;
        one.own += node.own;
        one.time += node.total;
        one.least = Math.min(one.least, node.path.min_ns);
        one.most = Math.max(one.most, node.path.max_ns);
        if (!around.has(node.name)) outermostAdd(one, node);
        const inside = new Set(around).add(node.name);
        for (const part of node.inside) add(part, inside);
    }
    for (const part of tree.inside) add(part, new Set());
    const whole = tree.total || 1;
    const named = [...found.values()]
        .map((one) => ({ ...one, mean: one.calls ? one.time / one.calls : 0, share: one.own / whole }))
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

/* The bottleneck in the words of the text reports, without the case's name; "" if it is unknown. */
export function bottleneckOf({ name, words = "" }) {
    const before = `${BEGINNING}${name}: `;
    return words.startsWith(before) ? words.slice(before.length) : words;
}
