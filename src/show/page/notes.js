/* Notes, folded away on a screen and open on paper, where nobody can open them. */
import { h, prose } from "./dom.js";

/* A folded list; nothing where there are no notes. */
export function notesOf(list) {
    if (!list?.length) return "";
    return h("details", { class: "notes" }, h("summary", {}, `Notes: ${list.length}`), h("ul", {}, list.map((note) => h("li", {}, prose(note)))));
}

export function notesStart() {
    let opened = [];
    addEventListener("beforeprint", () => {
        opened = [...document.querySelectorAll("details.notes:not([open])")];
        for (const one of opened) one.open = true;
    });
    addEventListener("afterprint", () => {
        for (const one of opened) one.open = false;
    });
}
