/* A table of all cases with search, a filter by verdict, and sorting by any column. It shows a page of rows at a time,
 * so that thousands of cases stay fast. */
import { median } from "../density.js";
import { h, prose, scrolled } from "../dom.js";
import { amount, change, count, counted, duration, heldOf, interval, isBudget, rate, referenceOf, size, whole } from "../format.js";
import { roundsText } from "../rounds.js";
import { badge, caseLink, isOdd, verdictOf, VERDICTS } from "../verdicts.js";
import { rateOf } from "../work.js";

const ROWS = 100;
const COLUMNS_LEAST = 3; /* case, verdict and a figure */

/* Helpers for COLUMNS. Members of a column:
 *   wanted  whether the page of a model has the column.
 *   minor   left out on paper, which is narrower than a screen.
 *   spare   rank in which columns disappear on a narrow screen.
 *   order   sort key, if it differs from the shown value: times and bytes have no common order */
const summary = (name) => ({ get: (one) => one.summary[name], show: duration, numeric: true });
const metric = (name) => (one) => one.metric?.[name];
const time = (name) => (one) => (one.metric?.unit === "ns" ? one.metric[name] : undefined);
const decidedBy = ({ metric: by }) => (!by || (by.name === "time" && !isBudget(by)) ? undefined : `${by.name}${isBudget(by) ? ", budget" : ""}`);

/* The times of a case that is only stored, from its newest run. */
const newest = ({ current, runs }) => !current && runs.at(-1)?.series.find(({ name }) => name === "time")?.values;

const verdictPlace = ({ verdict }) => Object.keys(VERDICTS).indexOf(verdict);

/* The verdict, and below it the waiver's reason, or the reason why an accepted change no longer counts, or why the case is
 * missing. */
function verdictCell(_, { verdict, waived, compared }) {
    const reason = compared?.waiver ?? (verdict === "MISSING" ? compared.reason : undefined);
    return [badge(verdict, waived), reason ? h("div", { class: "waiver" }, prose(reason)) : ""];
}

const COLUMNS = [
    { name: "case", get: (one) => one.id, show: caseLink },
    { name: "verdict", wanted: ({ comparison }) => comparison, get: verdictPlace, show: verdictCell },
    { name: "status", wanted: ({ comparison, cases }) => !comparison && cases.some(isOdd), get: verdictPlace, show: verdictCell },
    { name: "node", get: ({ compared }) => compared?.node, show: (name) => name, spare: 15 },
    { name: "decided by", get: decidedBy, show: (name) => name, spare: 13 },
    { name: "budgets", get: (one) => (one.compared ? undefined : heldOf(one.current?.held)), show: (text) => text, spare: 14 },
    { name: "change", get: (one) => (isBudget(one.metric) ? undefined : one.metric?.ratio), show: change, numeric: true },
    { name: "95 % interval", get: metric("interval_low"), show: (_, one) => interval(one.metric.interval_low, one.metric.interval_high), numeric: true, spare: 10 },
    { name: "baseline", get: metric("baseline"), order: time("baseline"), show: (_, one) => referenceOf(one.metric), numeric: true, spare: 11 },
    { name: "candidate", get: metric("current"), order: time("current"), show: (now, one) => amount(now, one.metric.unit), numeric: true, spare: 12 },
    { name: "median", ...summary("median_ns"), spare: 9 },
    { name: "newest stored", get: (one) => (newest(one)?.length ? median(newest(one)) : undefined), show: duration, numeric: true },
    { name: "stored runs", get: (one) => (one.current || one.compared ? undefined : one.runs.length), show: count, numeric: true },
    { name: "mean", ...summary("mean_ns"), minor: true, spare: 2 },
    { name: "std. dev.", ...summary("standard_deviation_ns"), minor: true, spare: 1 },
    { name: "min", ...summary("min_ns"), minor: true, spare: 4 },
    { name: "max", ...summary("max_ns"), minor: true, spare: 3 },
    { name: "p95", ...summary("p95_ns"), minor: true, spare: 5 },
    {
        name: "rate",
        get: (one) => one.current?.work?.[rateOf(one.current.work)?.member],
        show: (perSecond, one) => rate(perSecond, rateOf(one.current.work).unit),
        numeric: true,
        minor: true,
        spare: 8,
    },
    { name: "peak memory", get: (one) => one.current?.memory?.peak_bytes || undefined, show: size, numeric: true, minor: true, spare: 7 },
    { name: "rounds", get: (one) => (one.compared?.rounds ?? one.current?.rounds?.median_ns?.length) || undefined, show: (rounds, one) => roundsText(rounds, one.compared), numeric: true, minor: true, spare: 6 },
];

const has = (found) => found !== undefined && found !== null && !Number.isNaN(found);

/* Sorts the cases. Missing values come last in both directions. */
function sorted(cases, { get, order = get }, down) {
    const sign = down ? -1 : 1;
    return cases
        .map((one) => [order(one), one])
        .sort(([a], [b]) => (!has(a) || !has(b) ? has(b) - has(a) : sign * (a < b ? -1 : a > b ? 1 : 0)))
        .map(([, one]) => one);
}

/* The cases whose id contains every word, in any order.
 * verdict  a name of VERDICTS, or the word of a waiver such as "accepted"; "": all
 * node     name of a machine of the fleet; "": all */
function matching(cases, words, verdict, node) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return cases.filter(
        (one) => (!verdict || [one.verdict, one.waived].includes(verdict)) && (!node || one.compared?.node === node) && wanted.every((word) => one.searched.includes(word)),
    );
}

const classOf = ({ numeric, minor }) => [numeric && "numeric", minor && "minor"].filter(Boolean).join(" ") || undefined;

function cell(column, one, i, hidden) {
    const { get, show } = column;
    const found = get(one);
    return h(i ? "td" : "th", { class: classOf(column), scope: !i && "row", hidden }, has(found) ? show(found, one) : "");
}

/* Hides columns while the table is wider than its place, and again after each change of the width. A button shows all
 * columns.
 * returns {button, hidden: the numbers of the hidden columns} */
function columnsFit(place, table, columns) {
    const hidden = new Set();
    let all = false;
    let width;
    const button = h("button", { type: "button", hidden: true, onclick: () => fit((all = !all)) });
    function fit() {
        const toggle = (column, gone) => [...table.rows].forEach((row) => (row.cells[column].hidden = gone));
        const spare = columns.map(({ spare: rank }, i) => [rank, i]).filter(([rank]) => rank).sort(([a], [b]) => a - b);
        hidden.forEach((column) => toggle(column, false));
        hidden.clear();
        while (!all && place.scrollWidth > place.clientWidth && spare.length && columns.length - hidden.size > COLUMNS_LEAST) {
            const [, column] = spare.shift();
            hidden.add(column);
            toggle(column, true);
        }
        button.hidden = !all && !hidden.size;
        button.textContent = all ? "Columns that fit" : `Show ${counted(hidden.size, "more column")}`;
    }
    new ResizeObserver(() => {
        if (place.clientWidth === width) return;
        width = place.clientWidth;
        requestAnimationFrame(fit);
    }).observe(place);
    return { button, hidden };
}

/* The state of the table, and its elements. */
function tableOf(model) {
    const cases = model.cases.map((one) => ({ ...one, searched: one.id.toLowerCase() }));
    const columns = COLUMNS.filter(({ wanted, get }) => (!wanted || wanted(model)) && cases.some((one) => has(get(one))));
    const state = { words: "", verdict: "", node: "", column: undefined, down: false, from: 0 };
    const body = h("tbody");
    const status = h("p", { role: "status", class: "count" });
    const pages = h("p", { class: "pages" });
    const heads = columns.map((column) => h("th", { scope: "col", class: classOf(column) }, h("button", { type: "button", onclick: () => sort(column) }, column.name)));

    function sort(column) {
        state.down = state.column === column ? !state.down : Boolean(column.numeric);
        state.column = column;
        heads.forEach((head, i) => head.setAttribute("aria-sort", columns[i] !== column ? "none" : state.down ? "descending" : "ascending"));
        update({});
    }
    function step(name, from) {
        return h("button", { type: "button", onclick: () => update({ from }) }, name);
    }
    function update(what) {
        Object.assign(state, { from: 0 }, what);
        let found = matching(cases, state.words, state.verdict, state.node);
        if (state.column) found = sorted(found, state.column, state.down);
        const shown = found.slice(state.from, state.from + ROWS);
        body.replaceChildren(...shown.map((one) => h("tr", {}, columns.map((column, i) => cell(column, one, i, hidden.has(i))))));
        status.textContent = `${counted(found.length, "case")}${found.length === cases.length ? "" : ` of ${whole(cases.length)}`}`;
        pages.replaceChildren(
            ...(state.from ? [step("Previous", state.from - ROWS)] : []),
            ...(found.length > ROWS ? [` ${state.from + 1} to ${state.from + shown.length} `] : []),
            ...(state.from + ROWS < found.length ? [step("Next", state.from + ROWS)] : []),
        );
    }
    const table = h("table", { id: "cases", class: "ids" }, h("caption", { class: "hidden" }, "All cases"), h("thead", {}, h("tr", {}, heads)), body);
    const place = scrolled("All cases", table);
    const { button, hidden } = columnsFit(place, table, columns);
    update({});
    return { parts: [status, place, pages], button, update };
}

/* Filters the table by a machine of the fleet. */
export function nodeChoose(name) {
    const select = document.getElementById("node");
    select.value = name;
    select.dispatchEvent(new Event("change"));
}

/* The filter by machine; "" without a fleet. */
function nodeFilter({ comparison }, update) {
    const nodes = (comparison?.nodes ?? []).filter(({ cases }) => cases);
    if (!nodes.length) return "";
    return h(
        "label",
        {},
        "Node ",
        h(
            "select",
            { id: "node", onchange: (event) => update({ node: event.target.value }) },
            h("option", { value: "" }, "all"),
            nodes.map(({ name }) => h("option", { value: name }, name)),
        ),
    );
}

function draw(model, section) {
    const { parts, button, update } = tableOf(model);
    const verdicts = Object.keys(VERDICTS).filter((name) => model.cases.some((one) => one.verdict === name));
    const waivers = [...new Set(model.cases.map(({ waived }) => waived).filter(Boolean))];
    const filter = h(
        "label",
        {},
        model.comparison ? "Verdict " : "Status ",
        h(
            "select",
            { id: "filter", onchange: (event) => update({ verdict: event.target.value }) },
            h("option", { value: "" }, "all"),
            verdicts.map((name) => h("option", { value: name }, verdictOf(name).word)),
            waivers.map((word) => h("option", { value: word }, word)),
        ),
    );
    section.append(
        h(
            "div",
            { class: "controls" },
            h("label", {}, "Search ", h("input", { type: "search", id: "search", oninput: (event) => update({ words: event.target.value }) })),
            verdicts.length + waivers.length > 1 ? filter : "",
            nodeFilter(model, update),
            button,
        ),
        model.comparison && model.current ? h("p", { class: "key" }, "Change, interval, baseline and candidate belong to the deciding metric. It is time, unless the row names another. Median and the columns after it use only this run's rounds.") : "",
        ...parts,
    );
}

export const statistics = { id: "statistics", title: "All cases", shows: (model) => model.cases.length > 0, draw };
