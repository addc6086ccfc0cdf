/* Elements of the page. Text from files always stays text: no code of the page parses HTML. */
import { whole } from "./format.js";

/* Makes an element.
 * attributes  {name: value}, also "onclick"; undefined and false are left out
 * children    elements, texts, or lists of elements and texts */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== ""));
    return element;
}

/* Converts a sentence of kgate to children: text between two backticks becomes a <code>. A single backtick stays. */
export function prose(text) {
    const parts = String(text).split("`");
    if (parts.length % 2 === 0) parts.splice(-2, 2, parts.slice(-2).join("`"));
    return parts.map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/* A list of [term, value] as <dl>. Rows without a value are left out. */
export function facts(rows) {
    return h(
        "dl",
        { class: "facts" },
        rows
            .filter(([, value]) => value !== undefined && value !== null && value !== "")
            .map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))),
    );
}

/* Heads of first columns with long names. */
const LONG = ["case", "scope", "operation", "time in"];

/* A table of texts, numbers or elements. A table that is too wide scrolls by itself.
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

/* Adds the first few members of a list by add(one), and makes a button that adds `step` more.
 * words(left, shown)  text of the button
 * returns             the button */
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

/* Draws the first rows by `add(place, rows)`, and appends a button that draws more rows. */
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
