/* The guide: how to read the page. A page of profiles alone has no verdicts. */
import { h } from "../dom.js";
import { badge, MEANINGS } from "../verdicts.js";

function draw(_, section) {
    section.append(
        h(
            "dl",
            { class: "meanings" },
            MEANINGS.map(([name, text]) => h("div", {}, h("dt", {}, badge(name)), h("dd", {}, text))),
        ),
        h("h3", {}, "What the figures are"),
        h(
            "ul",
            {},
            h("li", {}, "A round is one fresh process that measures a case. Its median is one value. Statistics use rounds, not calls."),
            h("li", {}, "The change is candidate / baseline − 1. A change counts if its 95 % interval reaches the threshold, even if the change itself is smaller. Noise between the baseline's runs widens the interval."),
            h("li", {}, "Size and significance differ. A large change with a long interval may be noise. A small change with a short interval is certain."),
            h("li", {}, "kgate corrects verdicts for the number of cases. The rate of false alarms holds for the whole suite, not for each case."),
        ),
        h("h3", {}, "What to do"),
        h(
            "ol",
            {},
            h("li", {}, "Open the worst case. Its page shows every round, the known causes, and the command that measures it again."),
            h("li", {}, "If builds or machines differ, check first whether the difference explains the change."),
            h("li", {}, "If the machine code is unchanged, suspect the machine or the input data."),
        ),
    );
}

export const guide = { id: "guide", title: "How to read this", shows: ({ files, profiles }) => !files.length || profiles.length < files.length, draw };
