/* The layout of a flame graph: where each scope of a tree lies, as parts of the width. Pure. */

const WIDTH_LEAST = 0.0005; /* of the whole: half a pixel of a wide page */

/* Scopes inside each other from the top: [{node, left, width, depth, around}], those around `focus` in full width.
 * What is narrower than can be seen is left out, with all inside it; `hidden` counts those. */
export function flameLayout(tree, focus = tree) {
    const boxes = [];
    let hidden = 0;
    function lay(node, left, width, depth, around) {
        if (width < WIDTH_LEAST) {
            hidden++;
            return;
        }
        const box = { node, left, width, depth, around };
        boxes.push(box);
        const inside = node.inside.reduce((sum, { value }) => sum + value, 0);
        const per = inside > 0 ? width / Math.max(node.value, inside) : 0;
        let at = left;
        for (const part of node.inside) {
            lay(part, at, part.value * per, depth + 1, box);
            at += part.value * per;
        }
    }
    let around;
    for (const node of pathTo(tree, focus).slice(0, -1)) {
        around = { node, left: 0, width: 1, depth: boxes.length, around };
        boxes.push(around);
    }
    lay(focus, 0, 1, boxes.length, around);
    return { boxes, hidden };
}

/* The nodes from the tree's root to one of its nodes, both with them. */
function pathTo(tree, wanted) {
    if (tree === wanted) return [tree];
    for (const part of tree.inside) {
        const rest = pathTo(part, wanted);
        if (rest.length) return [tree, ...rest];
    }
    return [];
}

/* Every node with the names around it, outermost first. */
export function everyNode(tree, visit, names = []) {
    const place = [...names, tree.name];
    visit(tree, place);
    for (const part of tree.inside) everyNode(part, visit, place);
}

/* Of a profile's case: times of one call, so that recordings of different lengths compare. */
export function perCall({ tree }) {
    const calls = tree.calls || 1;
    const scaled = (node) => ({
        name: node.name,
        kind: node.path.kind,
        device: node.path.device,
        place: [node.path.file, node.path.line].filter(Boolean).join(":"),
        calls: node.calls / calls,
        value: node.total / calls,
        own: node.own / calls,
        inside: node.inside.map(scaled).sort((a, b) => b.value - a.value),
    });
    return scaled(tree);
}

/* Both sides' trees as one: each node of either with `now` and `then`, {value, own, calls} of a call of the case;
 * undefined where a side has none. `value` is the side's that gives the widths: "now" or "then". */
export function flamesJoined(now, then, widths) {
    const figures = (node) => node && { value: node.value, own: node.own, calls: node.calls };
    const names = [...new Set([...(now?.inside ?? []), ...(then?.inside ?? [])].map(({ name }) => name))];
    const inside = names.map((name) => {
        const of = (side) => side?.inside.find((part) => part.name === name);
        return flamesJoined(of(now), of(then), widths);
    });
    const side = { now, then };
    return {
        ...(now ?? then),
        value: side[widths]?.value ?? 0,
        now: figures(now),
        then: figures(then),
        inside: inside.sort((a, b) => b.value - a.value),
    };
}
