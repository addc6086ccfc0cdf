/* The distribution of one case's time, from its recording. */
import { hasParts, profilesOf } from "../profile.js";
import { flameOfCase } from "./flame.js";
import { operationsAdd } from "./operations.js";

const recorded = ({ id }, model) => profilesOf(model).map(({ caseByName }) => caseByName.get(id)).find((found) => found && hasParts(found));

function draw(one, model, section) {
    operationsAdd(section, recorded(one, model));
    flameOfCase(section, recorded(one, model));
}

export const caseProfile = { shows: (one, model) => Boolean(recorded(one, model)), draw };
