/* The layout of a flame graph: the place of each scope as shares of the width. Pure. */

const WIDTH_LEAST = 0.0005; /* share of the width: half a pixel of a wide page */

/* Lays out nested scopes from the top: {boxes: [{node, left, width, depth, around}], hidden}. The scopes around `focus`
 * have the full width. A scope below WIDTH_LEAST is left out with its inner scopes; `hidden` counts such scopes. */
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

/* The path of nodes from the tree's root to the node `wanted`, both included. */
function pathTo(tree, wanted) {
    if (tree === wanted) return [tree];
    for (const part of tree.inside) {
        const rest = pathTo(part, wanted);
        if (rest.length) return [tree, ...rest];
    }
    return [];
}

/* Calls visit(node, names) for every node. `names` is the path from the root to the node. */
export function everyNode(tree, visit, names = []) {
    const place = [...names, tree.name];
    visit(tree, place);
    for (const part of tree.inside) everyNode(part, visit, place);
}

/* The tree of a profile's case with times per call, so that recordings of different lengths are comparable. */
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

/* Joins the trees of both sides. Each node has `now` and `then`: {value, own, calls} per call of the case, undefined if
 * the side lacks the node.
 * widths  "now" or "then": the side that decides `value` */
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
