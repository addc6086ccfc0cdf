/* The page: makes a model from the files, and sections from the model, again whenever a reader opens a file. */
import { caseShow, caseStart } from "./case.js";
import { h } from "./dom.js";
import { filesFromReader, filesInPage } from "./files.js";
import { footDraw } from "./foot.js";
import { fileOf } from "./kinds.js";
import { modelOf } from "./model.js";
import { notesStart } from "./notes.js";
import { themeStart } from "./theme.js";
import { views } from "./views.js";

const files = [];
let model = modelOf([]);

/* A new file replaces an open file of the same name and kind. */
function filesAdd(added) {
    for (const file of added.map(fileOf)) {
        const same = files.findIndex((other) => other.name === file.name && other.kind === file.kind);
        if (same >= 0) files.splice(same, 1, file);
        else files.push(file);
    }
    model = modelOf(files.filter((file) => !file.problem));
    draw();
}

const titleOf = ({ title }) => (typeof title === "function" ? title(model) : title);

function sectionOf(view) {
    const section = h("section", { id: view.id, "aria-labelledby": `${view.id}-title` });
    section.append(h("h2", { id: `${view.id}-title`, tabindex: "-1" }, titleOf(view)));
    return section;
}

/* A section enters the page before its view draws, because charts need their width. */
function draw() {
    const shown = views.filter((view) => view.shows(model));
    const main = document.getElementById("main");
    main.replaceChildren(...problems(), h("div", { id: "case" }));
    for (const view of shown) {
        const section = sectionOf(view);
        main.append(section);
        view.draw(model, section);
    }
    if (!shown.some((view) => view.id !== "guide"))
        main.prepend(h("p", { class: "lead" }, "No file is open. Choose or drop results, comparisons, baselines or profiles of kgate."));
    document.getElementById("contents").replaceChildren(
        ...shown.map((view) => h("li", {}, h("a", { href: `#${view.id}` }, titleOf(view)))),
    );
    document.title = model.suite ? `${model.suite}: kgate report` : "kgate report";
    footDraw(files);
    caseShow(model, document.getElementById("case"));
}

function problems() {
    return files
        .filter((file) => file.problem)
        .map((file) => h("p", { class: "problem", role: "alert" }, `${file.name} is not shown: ${file.problem}.`));
}

/* These controls start hidden, because they do nothing without this script. */
for (const control of document.querySelectorAll("header [hidden]:not(input)")) control.hidden = false;
caseStart();
notesStart();
themeStart();
filesFromReader(filesAdd);
addEventListener("hashchange", () => caseShow(model, document.getElementById("case")));
filesAdd(filesInPage());
