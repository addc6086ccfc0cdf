/* A flame graph of buttons. Width is time; inner scopes stand below their scope. Pointing at a box shows its figures. A
 * click or Enter makes a box as wide as the page, Escape undoes this, and the arrow keys move between boxes. */
import { h, table } from "../dom.js";
import { counted } from "../format.js";
import { everyNode, flameLayout } from "../flame_layout.js";

const LABEL_LEAST = 0.02; /* smallest width of a box with a name, as a share of the page */
const BOXES_MOST = 4000;

/* The next box for each key. */
const MOVES = {
    ArrowUp: (box) => box.around,
    ArrowDown: (box, boxes) => boxes.find(({ around }) => around === box),
    ArrowLeft: (box, boxes) => boxes.filter(({ depth, left }) => depth === box.depth && left < box.left).at(-1),
    ArrowRight: (box, boxes) => boxes.find(({ depth, left }) => depth === box.depth && left > box.left),
    Home: (_, boxes) => boxes[0],
};

function buttonOf(box, graph) {
    const { node, left, width, depth } = box;
    const element = h(
        "button",
        { type: "button", class: `flame ${graph.classOf(node)}`, tabindex: "-1", "aria-label": graph.label(node), onclick: () => graph.focusOn(node) },
        width >= LABEL_LEAST ? `${graph.signOf?.(node) ?? ""}${node.name}` : "",
    );
    element.style.left = `${100 * left}%`;
    element.style.width = `${100 * width}%`;
    element.style.top = `${1.5 * depth}rem`;
    if (graph.paint) element.style.background = graph.paint(node);
    element.addEventListener("pointermove", () => graph.describe(node)); /* not when boxes move below the pointer */
    element.addEventListener("focus", () => graph.describe(node));
    return element;
}

/* Handles a key on any box. */
function keys(event, graph) {
    const at = graph.boxes.findIndex(({ element }) => element === event.target);
    const box = graph.boxes[at];
    if (!box) return;
    if (event.key === "Escape") graph.focusOn(graph.tree);
    else if (MOVES[event.key]) {
        const next = MOVES[event.key](box, graph.boxes);
        if (next) rove(graph, next);
    } else return;
    event.preventDefault();
}

/* Moves the focus to a box. The Tab key reaches only this box. */
function rove(graph, box) {
    for (const { element } of graph.boxes) element.tabIndex = -1;
    box.element.tabIndex = 0;
    box.element.focus();
}

function show(graph, focus) {
    const { boxes, hidden } = flameLayout(graph.tree, focus);
    const had = graph.place.contains(document.activeElement);
    graph.boxes = boxes.slice(0, BOXES_MOST).map((box) => Object.assign(box, { element: buttonOf(box, graph) }));
    graph.place.replaceChildren(...graph.boxes.map(({ element }) => element));
    graph.place.style.height = `${1.5 * (Math.max(...graph.boxes.map(({ depth }) => depth)) + 1)}rem`;
    const left = hidden + boxes.length - graph.boxes.length;
    graph.left.textContent = left ? `${counted(left, "scope")} too narrow to draw; widen the scopes around them.` : "";
    graph.back.hidden = focus === graph.tree;
    const box = graph.boxes.find(({ node }) => node === focus);
    box.element.tabIndex = 0;
    if (had) box.element.focus();
    graph.describe(focus);
    mark(graph);
}

/* Highlights the boxes whose name contains the searched text. A found scope inside another found scope counts once. */
function mark(graph) {
    const wanted = graph.search.value.trim().toLowerCase();
    const matches = (node) => wanted !== "" && node.name.toLowerCase().includes(wanted);
    for (const { node, element } of graph.boxes) {
        element.classList.toggle("found", matches(node));
        element.classList.toggle("other", wanted !== "" && !matches(node));
    }
    let found = 0;
    const time = (node) => (matches(node) ? node.value : node.inside.reduce((sum, part) => sum + time(part), 0));
    everyNode(graph.tree, (node) => (found += matches(node)));
    const part = graph.tree.value ? (100 * time(graph.tree)) / graph.tree.value : 0;
    graph.status.textContent = wanted ? `${counted(found, "scope")} found, ${part.toFixed(1)} % of the time` : "";
}

/* Appends a flame graph.
 *   title, summary heading, and a sentence with the main figure.
 *   tree           {name, value, inside, …}, from flame_layout.js
 *   key            element that explains the colours.
 *   linesOf(node)  lines with the figures of a scope; the first line is its name.
 *   classOf(node)  CSS class of a box
 *   paint(node)    colour of a box, if classes do not suffice.
 *   signOf(node)   sign before the name, for readers who do not see the colour.
 *   figures()      {heads, rows} with the same figures, for the table */
export function flameAdd(parent, { title, summary, tree, key, linesOf, classOf, signOf, paint, figures }) {
    const graph = { tree, classOf, signOf, paint, boxes: [] };
    graph.place = h("div", { class: "flames", role: "group", "aria-label": `${title}: arrows move, Enter widens, Escape shows all` });
    graph.detail = h("p", { class: "flame-detail" });
    graph.left = h("p", { class: "key" });
    graph.status = h("span", { role: "status", class: "key" });
    graph.search = h("input", { type: "search", placeholder: "part of a name", oninput: () => mark(graph) });
    graph.back = h("button", { type: "button", onclick: () => graph.focusOn(tree), hidden: true }, "Show all");
    graph.label = (node) => linesOf(node).join("; ");
    graph.describe = (node) => {
        const [name, ...rest] = linesOf(node);
        graph.detail.replaceChildren(h("strong", {}, name), ...rest.map((line) => h("span", {}, line)));
    };
    graph.focusOn = (node) => show(graph, node);
    graph.place.addEventListener("keydown", (event) => keys(event, graph));
    const details = h("details", { class: "figures" }, h("summary", {}, "Figures", h("span", { class: "hidden" }, ` of ${title}`)));
    details.addEventListener("toggle", () => {
        if (!details.open || details.children.length > 1) return;
        const { heads, rows } = figures();
        details.append(table(title, heads, rows));
    });
    parent.append(
        h(
            "figure",
            {},
            h("figcaption", {}, h("h3", {}, title), h("p", {}, summary)),
            h("p", { class: "controls" }, h("label", {}, "Search ", graph.search), graph.back, graph.status),
            key,
            graph.place,
            graph.left,
            graph.detail,
            details,
        ),
    );
    show(graph, tree);
}
