/* The choice of the case and profile that a section shows. If there are several cases, the reader gets a list. */
import { h } from "./dom.js";
import { hasParts, profilesOf } from "./profile.js";

/* Appends the list, and a place that show(place, profile, one) fills, at once and after each choice.
 * wanted  filter of cases, which keeps at least one; default: cases with inner scopes */
export function choiceAdd(model, section, show, wanted = hasParts) {
    const profiles = profilesOf(model);
    const all = profiles.flatMap((profile) => profile.cases.filter(wanted).map((one) => ({ profile, one })));
    const place = h("div");
    const nameOf = ({ profile, one }) => (profiles.length > 1 ? `${profile.file.name}: ${one.name}` : one.name);
    const draw = ({ profile, one }) => {
        place.replaceChildren(...(all.length > 1 ? [h("p", { class: "paper" }, nameOf({ profile, one }))] : []));
        show(place, profile, one);
    };
    const list = h(
        "select",
        { class: "wide", onchange: () => draw(all[Number(list.value)]) },
        all.map((each, i) => h("option", { value: i }, nameOf(each))),
    );
    if (all.length > 1) section.append(h("p", { class: "controls" }, h("label", {}, "Case ", list)));
    section.append(place);
    draw(all[0]);
}
