/* Notes: folded on a screen, open on paper. */
import { h, prose } from "./dom.js";

/* A folded list of notes; "" if there are none. */
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
