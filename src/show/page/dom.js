/* Elements. Text from files only ever becomes text: nothing here, or elsewhere in the page, parses HTML. */
import { whole } from "./format.js";

/* An element with attributes ("class", "onclick", …; undefined and false are left out) and children: elements,
 * or texts, or lists of them. */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== ""));
    return element;
}

/* What kgate says, as children: `code` between two backticks is an element, as in the markdown; one alone stays. */
export function prose(text) {
    const parts = String(text).split("`");
    if (parts.length % 2 === 0) parts.splice(-2, 2, parts.slice(-2).join("`"));
    return parts.map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/* A list of {term, value} as <dl>; what has no value is left out. */
export function facts(rows) {
    return h(
        "dl",
        { class: "facts" },
        rows
            .filter(([, value]) => value !== undefined && value !== null && value !== "")
            .map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))),
    );
}

/* First columns of long names. */
const LONG = ["case", "scope", "operation", "time in"];

/* A table of texts, numbers or elements that scrolls by itself where it is too wide.
 * heads  [{name, numeric}] */
export function table(caption, heads, rows) {
    const cell = (value, i) => h(i ? "td" : "th", { class: heads[i].numeric && "numeric", scope: !i && "row" }, value);
    return scrolled(
        caption,
        h(
            "table",
            { class: LONG.includes(heads[0].name) && "ids" },
            h("caption", {}, caption),
            h(
                "thead",
                {},
                h("tr", {}, heads.map((head) => h("th", { scope: "col", class: head.numeric && "numeric" }, head.name))),
            ),
            h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell)))),
        ),
    );
}

export function scrolled(label, element) {
    return h("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": label }, element);
}

/* Adds the first few of a list, each by add(one).
 * words(left, shown)  of the button that adds `step` more
 * returns  the button */
export function someAdd(all, first, step, add, words) {
    let shown = 0;
    const more = h("button", { type: "button", onclick: () => show(step) });
    function show(number) {
        for (const one of all.slice(shown, shown + number)) add(one);
        shown = Math.min(shown + number, all.length);
        more.hidden = shown === all.length;
        more.textContent = words(all.length - shown, shown);
    }
    show(first);
    return more;
}

const ROWS_FIRST = 30;
const ROWS_MORE = 100;

/* Appends what `add(place, rows)` draws of the first rows, and a button that draws more of them. */
export function firstAdd(parent, all, add) {
    let most = ROWS_FIRST;
    const place = h("div");
    const more = h("button", { type: "button", onclick: () => show((most += ROWS_MORE)) });
    function show() {
        const rows = all.slice(0, most);
        place.replaceChildren();
        add(place, rows);
        more.hidden = rows.length === all.length;
        more.textContent = `Show ${Math.min(ROWS_MORE, all.length - rows.length)} more of ${whole(all.length)}`;
    }
    parent.append(place, more);
    show();
}
