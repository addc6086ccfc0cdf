/* Symbols and dashes of series, and the key below a chart that explains them. The key replaces ECharts' legend, which
 * shows long names in pages, unreadable on paper. */
import { h } from "./dom.js";

/* Symbols of ECharts, each with a similar character for the key. */
export const SYMBOLS = [["circle", "●"], ["rect", "■"], ["triangle", "▲"], ["diamond", "◆"], ["pin", "◗"], ["arrow", "➤"]];
const STROKES = { solid: [1, 1], dashed: [6, 9], dotted: [2, 5], long: [12, 16] }; /* pixels: dash, and dash with gap */

/* The key of a chart.
 * groups  [{name, symbol: one of SYMBOLS, colour}]
 * lines   [{name, dash: solid, dashed, dotted or long, colour}] */
export function keyOf(groups, lines) {
    const styled = (tag, attributes, style, ...children) => {
        const element = h(tag, attributes, ...children);
        Object.assign(element.style, style);
        return element;
    };
    const mark = ({ symbol, colour }) => styled("span", { "aria-hidden": "true" }, { color: `var(--${colour})` }, `${symbol[1]} `);
    const strokes = ({ dash, colour }) => `repeating-linear-gradient(90deg, var(--${colour}) 0 ${STROKES[dash][0]}px, transparent 0 ${STROKES[dash][1]}px)`;
    const line = (one) => styled("span", { class: "dash", "aria-hidden": "true" }, { background: strokes(one) });
    return h("ul", { class: "keys" }, groups.map((group) => h("li", {}, mark(group), group.name)), lines.map((one) => h("li", {}, line(one), one.name)));
}

/* A key with drawn signs, for a chart of points, intervals and bands.
 * signs  [sign, words] or false; `sign` is a class in style/parts.css: point, hollow, interval, band, beyond */
export const drawnKey = (signs) =>
    h("ul", { class: "keys" }, signs.filter(Boolean).map(([sign, words]) => h("li", {}, h("span", { class: `sign ${sign}`, "aria-hidden": "true" }), words)));
