/* The command that measures a case again, and the link to the case. */
import { aloneCommand, explainCommand, pairedCommand } from "../commands.js";
import { h } from "../dom.js";

/* The command that repeats the measurement of a case, in paired rounds or alone. */
const againOf = (one, model) => (one.metric?.against === "base" || model.current.json.pair ? pairedCommand : aloneCommand)(one, model);

function draw(one, model, section) {
    const again = againOf(one, model);
    section.append(
        ...(again ? [h("h3", {}, "Measure the case again"), h("pre", { tabindex: "0" }, again)] : []),
        h("h3", {}, "Explain the case"),
        h("pre", { tabindex: "0" }, explainCommand(one, model)),
        h("p", {}, h("a", { href: location.href }, "Link to this case")),
    );
}

/* A MISSING case is not in the results. Its shard must be measured again. */
export const caseCommands = { shows: ({ verdict }, { current }) => Boolean(current) && verdict !== "MISSING", draw };
