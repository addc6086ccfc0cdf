/* Horizontal bars: a name per row, and one or more numbers. */
import { chartAdd, namesAxis, NARROW, tip } from "./chart.js";
import { labelsOf } from "./labels.js";

const LETTER = 6.6; /* width of a letter of a name, in pixels */

/* Appends the chart.
 *   names   one per row
 *   series  [{name, colour, stack, values, words}]: `values` are numbers or undefined, `words` their texts
 *   axis    options of the axis of the numbers
 *   table   as for chartAdd */
export function barsAdd(parent, { title, summary, names, series, axis, table }) {
    const together = new Set(series.map(({ stack, name }) => stack ?? name)).size;
    const option = (colour, width) => {
        const narrow = width < NARROW;
        const room = Math.min(48, Math.max(16, ...names.map(({ length }) => length)), Math.floor(width / 18));
        const nameOf = labelsOf(names, narrow ? 30 : room);
        return {
            grid: { left: narrow ? 8 : Math.round(room * LETTER) + 12, right: narrow ? 12 : 24, top: 36, bottom: 44 },
            legend: { top: 0, left: 0, type: "scroll" },
            tooltip: { trigger: "item", formatter: ({ dataIndex: i }) => tip(names[i], ...series.filter(({ words }) => words[i]).map(({ name, words }) => `${name}: ${words[i]}`)) },
            xAxis: { type: "value", nameLocation: "middle", nameGap: 26, ...axis },
            yAxis: namesAxis(names, narrow, 9 * together, { formatter: nameOf, color: colour.text }),
            series: series.map(({ name, colour: paint, stack, values }) => ({ name, type: "bar", stack, barWidth: 12, itemStyle: { color: colour[paint] }, data: values.map((value) => value ?? "-") })),
        };
    };
    chartAdd(parent, { title, summary, height: (width) => names.length * (14 * together + (width < NARROW ? 26 : 12)) + 88, option, table });
}
