/* A flame graph of buttons: width is time, below each scope those inside it. Pointing at one says its figures, a
 * click makes it as wide as the page; arrows move between them, Enter widens, Escape goes back. */
import { h, table } from "../dom.js";
import { counted } from "../format.js";
import { everyNode, flameLayout } from "../flame.js";

const LABEL_LEAST = 0.02; /* of the width, under which a name would be a letter */
const BOXES_MOST = 4000;

/* The box that an arrow leads to. */
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
        { type: "button", class: `flame ${graph.classOf(node)}`, tabindex: "-1", "aria-label": graph.says(node), onclick: () => graph.focusOn(node) },
        width >= LABEL_LEAST ? `${graph.signOf?.(node) ?? ""}${node.name}` : "",
    );
    element.style.left = `${100 * left}%`;
    element.style.width = `${100 * width}%`;
    element.style.top = `${1.5 * depth}rem`;
    if (graph.paint) element.style.background = graph.paint(node);
    element.addEventListener("pointermove", () => graph.tell(node)); /* not when boxes move below the pointer */
    element.addEventListener("focus", () => graph.tell(node));
    return element;
}

/* Keys on any of the boxes. */
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

/* One box can be reached by Tab: the one that has, or had, the focus. */
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
    graph.left.textContent = left ? `${counted(left, "scope")} too narrow to be seen: widen what is around them.` : "";
    graph.back.hidden = focus === graph.tree;
    const box = graph.boxes.find(({ node }) => node === focus);
    box.element.tabIndex = 0;
    if (had) box.element.focus();
    graph.tell(focus);
    mark(graph);
}

/* Search: what has the text in its name stands out. Time of scopes inside a found one counts once. */
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
 *   title, says   its heading, and a sentence with the main figure
 *   tree          {name, value, inside, …}: what `flame.js` makes
 *   key           what colours mean: an element
 *   tellOf(node)  lines of what a scope took; the first is its name
 *   classOf(node), paint(node)  a class, and where classes do not do, a colour
 *   signOf(node)  before its name, so that colour is not needed to tell
 *   figures()     {heads, rows} of the same, for its table */
export function flameAdd(parent, { title, says, tree, key, tellOf, classOf, signOf, paint, figures }) {
    const graph = { tree, classOf, signOf, paint, boxes: [] };
    graph.place = h("div", { class: "flames", role: "group", "aria-label": `${title}: arrows move, Enter widens, Escape shows all` });
    graph.told = h("p", { class: "told" });
    graph.left = h("p", { class: "key" });
    graph.status = h("span", { role: "status", class: "key" });
    graph.search = h("input", { type: "search", placeholder: "part of a name", oninput: () => mark(graph) });
    graph.back = h("button", { type: "button", onclick: () => graph.focusOn(tree), hidden: true }, "Show all");
    graph.says = (node) => tellOf(node).join("; ");
    graph.tell = (node) => {
        const [name, ...rest] = tellOf(node);
        graph.told.replaceChildren(h("strong", {}, name), ...rest.map((line) => h("span", {}, line)));
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
            h("figcaption", {}, h("h3", {}, title), h("p", {}, says)),
            h("p", { class: "controls" }, h("label", {}, "Search ", graph.search), graph.back, graph.status),
            key,
            graph.place,
            graph.left,
            graph.told,
            details,
        ),
    );
    show(graph, tree);
}
