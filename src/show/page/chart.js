/* Charts: an ECharts picture in a figure, with a sentence about its main figure, and a table of all figures. */
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

/* A new kind of chart needs its module here. */
use([BarChart, CustomChart, LineChart, PieChart, ScatterChart]);
use([AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent]);
use([TooltipComponent, LabelLayout, CanvasRenderer, SVGRenderer]);

export const NARROW = 620; /* width in pixels below which names stand above their rows */

/* The vertical axis of a chart with one row per name.
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
const ON_PAPER = 0.8; /* factor on the height of high charts, so that more charts fit a sheet */
const HIGH = 240;

/* The common settings of all charts, in the colours of the page. */
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

/* Merges `own` over `base`, recursively. A list replaces the whole list. */
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
    /* If the paper is narrower than the drawing, the browser shrinks the whole picture instead of cutting it. */
    chart.element.querySelector("svg")?.setAttribute("viewBox", `0 0 ${chart.picture.getWidth()} ${chart.picture.getHeight()}`);
    chart.element.dataset.drawn = "yes";
}

/* Adds a chart to an element.
 *   title    heading
 *   summary  one sentence with the main figure, also for readers who cannot see the picture.
 *   height   pixels, or (width) => pixels.
 *   option   (colour, width) => options for ECharts. colour.NAME is a colour of the page (colour.worse). Animation,
 *            fonts and axes have the page's settings. A tooltip's formatter returns an element from `tip`, never HTML.
 *   canvas   true for thousands of shapes, which would be slow as elements
 *   onclick  called with {data, …} of the clicked shape; the page must offer the same action without a mouse.
 *   key      element below the picture that explains its signs, instead of ECharts' legend.
 *   table    {heads, rows} for dom.js's table with the same figures; a function is called when the table opens
 * returns {redraw()}, for the caller after the input of `option` changed */
export function chartAdd(parent, { title, summary, height = 320, option, canvas, onclick, key, table: figures }) {
    const element = h("div", { class: "chart", role: "img", "aria-label": `${title}. ${summary}` });
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
        h("figure", {}, h("figcaption", {}, h("h3", {}, title), h("p", {}, summary)), element, key, figures && details),
    );
    drawn.add(chart);
    let width;
    chart.watch = new ResizeObserver(() => {
        if (element.clientWidth === width) return;
        width = element.clientWidth;
        /* The chart waits for the next frame: browsers report an error if an observer resizes its own element. */
        requestAnimationFrame(() => draw(chart));
    });
    chart.watch.observe(element);
    return { redraw: () => draw(chart) };
}

/* The content of a tooltip: lines of text, the first line in bold. */
export function tip(...lines) {
    return h("div", {}, lines.filter(Boolean).map((line, i) => h(i ? "div" : "strong", {}, line)));
}

onTheme(() => drawn.forEach(draw));
