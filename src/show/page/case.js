/* One case in full. The address #case=ID shows it at the top of the page. */
import { caseViews } from "./case_views.js";
import { h } from "./dom.js";
import { badge, caseName } from "./verdicts.js";

function wanted() {
    if (!location.hash.startsWith("#case=")) return undefined;
    try {
        return decodeURIComponent(location.hash.slice("#case=".length));
    } catch {
        return location.hash;
    }
}

const CLOSED = "#verdict";
const close = () => h("p", {}, h("a", { href: CLOSED }, "Close this case"));

/* Escape closes the case. In a field the browser handles Escape. */
export function caseStart() {
    addEventListener("keydown", ({ key, target, defaultPrevented }) => {
        const field = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
        if (key === "Escape" && !field && !defaultPrevented && wanted() !== undefined) location.hash = CLOSED;
    });
}

/* The element with the focus before the case opened. It gets the focus back when the case closes. */
let opener;

function focusReturn() {
    const back = opener?.isConnected && opener !== document.body ? opener : document.getElementById("verdict-title");
    if (opener && location.hash === CLOSED) back?.focus();
    opener = undefined;
}

/* Shows the section of the case in the address and moves the focus to it. Without a case in the address, the place is
 * empty. */
export function caseShow(model, place) {
    const id = wanted();
    place.replaceChildren();
    if (id === undefined) {
        focusReturn();
        return;
    }
    opener ??= document.activeElement;
    const one = model.caseById.get(id);
    const title = h("h2", { id: "case-title", tabindex: "-1" }, one ? caseName(id) : "No such case");
    const section = h("section", { class: "one", "aria-labelledby": "case-title" }, title);
    place.append(section);
    if (one) {
        section.append(h("p", {}, badge(one.verdict, one.waived)));
        for (const view of caseViews) if (view.shows(one, model)) view.draw(one, model, section);
    } else section.append(h("p", {}, `No open file has the case ${id}.`));
    section.append(close());
    title.focus();
}
