/* Charts: an ECharts picture in a figure, with a sentence that says what it shows and its figures as a table. */
import { BarChart, CustomChart, LineChart, PieChart, ScatterChart } from "echarts/charts";
import {
    AriaComponent,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkAreaComponent,
    MarkLineComponent,
    TooltipComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { h, table } from "./dom.js";
import { colours, onPaper, onTheme } from "./theme.js";

/* A chart of another kind adds its module here. */
use([BarChart, CustomChart, LineChart, PieChart, ScatterChart]);
use([AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent]);
use([TooltipComponent, LabelLayout, CanvasRenderer, SVGRenderer]);

export const NARROW = 620; /* pixels, under which names stand above their rows */

/* The upright axis of a chart with a row for each name.
 * above  pixels from a name to its row in a narrow chart
 * more   further settings of the labels */
export const namesAxis = (names, narrow, above, more) => ({
    type: "category",
    inverse: true,
    data: names,
    axisTick: { show: false },
    axisLabel: { interval: 0, ...more, ...(narrow && { inside: true, margin: 0, align: "left", verticalAlign: "bottom", padding: [0, 0, above, 0] }) },
    z: 3,
});

const drawn = new Set();
const ON_PAPER = 0.8; /* of the height of a high one: more charts fit a sheet */
const HIGH = 240;

/* What all charts have in common, in the colours of the page. */
function common(colour) {
    const axis = {
        axisLine: { lineStyle: { color: colour.line } },
        axisLabel: { color: colour.soft },
        axisTick: { lineStyle: { color: colour.line } },
        nameTextStyle: { color: colour.soft },
        splitLine: { lineStyle: { color: colour.faint } },
        minorSplitLine: { lineStyle: { color: colour.faint } },
    };
    return {
        animation: false,
        color: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => colour[`series-${i}`]),
        textStyle: { fontFamily: "system-ui, sans-serif", color: colour.text },
        legend: { textStyle: { color: colour.text }, inactiveColor: colour.soft, type: "scroll" },
        tooltip: {
            backgroundColor: colour.raised,
            borderColor: colour.line,
            textStyle: { color: colour.text },
            confine: true,
        },
        axis,
    };
}

/* Settings of one object over those of another, deeply; lists are taken whole. */
function over(base, own) {
    if (own === undefined) return base;
    if (typeof base !== "object" || typeof own !== "object" || Array.isArray(own) || !base || !own) return own;
    const both = { ...base };
    for (const [name, value] of Object.entries(own)) both[name] = over(base[name], value);
    return both;
}

function optionOf(chart) {
    const colour = colours();
    const { axis, ...rest } = common(colour);
    const own = chart.option(colour, chart.element.clientWidth);
    const axes = (list) => [list ?? []].flat().map((one) => over(axis, one));
    return { ...over(rest, own), xAxis: axes(own.xAxis), yAxis: axes(own.yAxis) };
}

function draw(chart) {
    if (!chart.element.isConnected) {
        chart.picture?.dispose();
        chart.watch.disconnect();
        drawn.delete(chart);
        return;
    }
    if (!chart.element.clientWidth) return;
    chart.sized();
    if (!chart.picture) {
        chart.picture = init(chart.element, null, { renderer: chart.canvas ? "canvas" : "svg" });
        if (chart.onclick) chart.picture.on("click", chart.onclick);
    }
    chart.picture.resize();
    chart.picture.setOption(optionOf(chart), true);
    /* Where paper is narrower than it was drawn for, the whole picture becomes smaller, and nothing is cut. */
    chart.element.querySelector("svg")?.setAttribute("viewBox", `0 0 ${chart.picture.getWidth()} ${chart.picture.getHeight()}`);
    chart.element.dataset.drawn = "yes";
}

/* Adds a chart to an element.
 *   title    what it shows, its heading
 *   says     one sentence with the main figure: what a reader who cannot see it is told
 *   height   pixels, or (width) => pixels
 *   option   (colour, width) => options for ECharts, colours by name (colour.worse); animation, fonts and axes
 *            have the page's already. A tooltip's formatter returns an element made by `tip`, never HTML.
 *   canvas   true: thousands of shapes, which would be slow as elements
 *   onclick  ({data, …}) of the shape that is clicked; what it does can be done without a mouse elsewhere
 *   key      an element below the picture: what its signs mean, where ECharts' legend does not do
 *   table    {heads, rows} as of dom.js's table: the same figures; may be (): it is made when opened
 * returns {redraw()}: after what `option` reads has changed */
export function chartAdd(parent, { title, says, height = 320, option, canvas, onclick, key, table: figures }) {
    const element = h("div", { class: "chart", role: "img", "aria-label": `${title}. ${says}` });
    const details = h("details", { class: "figures" }, h("summary", {}, "Figures", h("span", { class: "hidden" }, ` of ${title}`)));
    const chart = { element, option, canvas, onclick };
    chart.sized = () => {
        const pixels = typeof height === "function" ? height(element.clientWidth) : height;
        element.style.height = `${Math.round(onPaper() && pixels >= HIGH ? ON_PAPER * pixels : pixels)}px`;
    };
    details.addEventListener("toggle", () => {
        if (!details.open || details.children.length > 1) return;
        const { heads, rows } = typeof figures === "function" ? figures() : figures;
        details.append(table(title, heads, rows));
    });
    parent.append(
        h("figure", {}, h("figcaption", {}, h("h3", {}, title), h("p", {}, says)), element, key, figures && details),
    );
    drawn.add(chart);
    let width;
    chart.watch = new ResizeObserver(() => {
        if (element.clientWidth === width) return;
        width = element.clientWidth;
        /* In the next frame: what an observer resizes itself is an error to browsers. */
        requestAnimationFrame(() => draw(chart));
    });
    chart.watch.observe(element);
    return { redraw: () => draw(chart) };
}

/* The content of a tooltip: lines of text, the first of them in bold. */
export function tip(...lines) {
    return h("div", {}, lines.filter(Boolean).map((line, i) => h(i ? "div" : "strong", {}, line)));
}

onTheme(() => drawn.forEach(draw));
