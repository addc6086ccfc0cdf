/* A case's time per call of each code place, on both sides: names, the tree of a flame graph, and rows of a table. The
 * figures equal those of `kgate explain --base`. Pure. */

/* Whether a change locates the time: a place in code, or the compiler's options. */
const isPlace = ({ name }) => ["function", "compiler"].includes(name);

/* The changes of a case that every report prints first. */
export const causesOf = ({ changes }) => changes.filter((one, i) => !i || isPlace(one));

const ownName = ({ place = {} }) => place.function ?? place.module ?? "code without a name";
const sourceOf = ({ place: { file, line, module: code } = {} }) => (file && line ? `${file.split("/").at(-1)}:${line}` : code);
const calledName = ({ callee, call }) => (callee?.function && call ? `${callee.function} (${call})` : (callee?.function ?? call));
const enteredName = (row) => [calledName(row), row.header?.function].filter(Boolean).join(" in ");

/* "strlen in parse_string (cJSON.c:818)" */
export function placeName(row) {
    const source = row.place?.function && sourceOf(row);
    return [enteredName(row), [ownName(row), source && `(${source})`].filter(Boolean).join(" ")].filter(Boolean).join(" in ");
}

export const growthOf = ({ base_ns: base, current_ns: current }) => current - base;

/* The time that no row covers. */
function restOf({ base_ns: base, current_ns: current, rows }) {
    const left = (whole, member) => Math.max(0, rows.reduce((sum, row) => sum - row[member], whole));
    return { name: "other code", base_ns: left(base, "base_ns"), current_ns: left(current, "current_ns"), sure: false };
}

/* [{name, caller, base_ns, current_ns, sure, note}]: every row, then the rest, then the whole call. */
export function rowsOf(difference) {
    const rows = difference.rows.map((row) => ({ ...row, name: placeName(row), caller: row.caller?.function }));
    const { base_ns: base, current_ns: current } = difference;
    return [...rows, restOf(difference), { name: "whole call", base_ns: base, current_ns: current, sure: true }];
}

const emptyNode = (name) => ({ name, base_ns: 0, current_ns: 0, own: 0, ownBase: 0, sure: false, inside: [] });

/* Finds the node `name` inside another node, or adds it. */
function inner(node, name) {
    if (!node.inside.some((one) => one.name === name)) node.inside.push(emptyNode(name));
    return node.inside.find((one) => one.name === name);
}

/* Makes a tree of three levels: caller, function, and the library function or system call that the function entered.
 * base_ns and current_ns include the inner nodes; `own` and `ownBase` exclude them.
 * widths  "current_ns" or "base_ns": the side that decides the widths */
export function treeOf(difference, widths) {
    const root = emptyNode("whole call");
    for (const row of [...difference.rows, restOf(difference)]) {
        const path = row.name ? [row.name] : [row.caller?.function, ownName(row), enteredName(row)].filter(Boolean);
        let node = root;
        for (const part of [undefined, ...path]) {
            node = part ? inner(node, part) : node;
            node.base_ns += row.base_ns;
            node.current_ns += row.current_ns;
        }
        node.own += row.current_ns;
        node.ownBase += row.base_ns;
        node.sure ||= row.sure;
        node.note ??= row.note;
        node.source ??= row.place?.function && sourceOf(row);
    }
    return withWidths(root, widths);
}

function withWidths(node, widths) {
    const inside = node.inside.map((one) => withWidths(one, widths)).sort((a, b) => b.value - a.value);
    return { ...node, inside, value: node[widths] };
}
