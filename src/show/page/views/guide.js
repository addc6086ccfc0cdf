/* The guide: how to read the page. */
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
            h("li", {}, "A round is one fresh process that measures a case. Its median is one value; statistics are over rounds, not over calls."),
            h("li", {}, "The change is current / baseline − 1. A change counts where its 95 % interval reaches the threshold, also if the change itself is smaller. Noise between the baseline's runs makes the interval wider."),
            h("li", {}, "Size and significance are two things: a point far from the middle with a long interval may mean nothing, a near one with a short interval is certain and small."),
            h("li", {}, "Verdicts are corrected for the number of cases, so that a whole suite gives few false alarms, not each case."),
        ),
        h("h3", {}, "What to do"),
        h(
            "ol",
            {},
            h("li", {}, "Open the worst case: its link shows every round, what is known of the cause, and the command that measures it again."),
            h("li", {}, "If builds or machines differ, ask whether that explains it before you look at the code."),
            h("li", {}, "If its code is unchanged, the machine moved, not the code."),
        ),
    );
}

export const guide = { id: "guide", title: "How to read this", shows: () => true, draw };
