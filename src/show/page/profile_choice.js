/* Which case of which profile a section shows: a list to choose from, where there are several. */
import { h } from "./dom.js";
import { hasParts, profilesOf } from "./profile.js";

/* Appends the list, and a place that show(place, profile, one) fills, at once and for each choice.
 * wanted  which cases: at least one is; those with scopes inside where nothing is said */
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
