/* The distribution of values: a smooth density and its modes. */

function quantile(sortedValues, p) {
    const place = p * (sortedValues.length - 1);
    const below = Math.floor(place);
    return sortedValues[below] + (place - below) * ((sortedValues[below + 1] ?? sortedValues[below]) - sortedValues[below]);
}

const FAR_OUT = 3;
const QUARTILES_LEAST = 5; /* with fewer values, a single value would shift the quartiles */

/* The values without far outliers. An outlier lies more than three interquartile ranges beyond a quartile (Tukey
 * 1977). */
export function usualOf(values) {
    const sortedValues = [...values].sort((a, b) => a - b);
    if (values.length < QUARTILES_LEAST) return sortedValues;
    const [low, high] = [quantile(sortedValues, 0.25), quantile(sortedValues, 0.75)];
    const reach = FAR_OUT * (high - low);
    return sortedValues.filter((value) => value >= low - reach && value <= high + reach);
}

export const median = (values) => quantile([...values].sort((a, b) => a - b), 0.5);

/* Silverman's rule (1986, equation 3.31), with the smaller of standard deviation and interquartile range. */
function bandwidth(sortedValues) {
    const n = sortedValues.length;
    const mean = sortedValues.reduce((sum, x) => sum + x, 0) / n;
    const deviation = Math.sqrt(sortedValues.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1));
    const quartiles = (quantile(sortedValues, 0.75) - quantile(sortedValues, 0.25)) / 1.34;
    return 0.9 * (quartiles > 0 ? Math.min(deviation, quartiles) : deviation) * n ** -0.2;
}

const POINTS = 81;

/* [[value, density relative to the maximum], …]. If there are fewer than three values, or all are equal: []. */
export function densityOf(values) {
    const sortedValues = [...values].sort((a, b) => a - b);
    const width = sortedValues.length > 2 ? bandwidth(sortedValues) : 0;
    if (!(width > 0)) return [];
    const from = sortedValues[0] - 2 * width;
    const step = (sortedValues.at(-1) + 2 * width - from) / (POINTS - 1);
    const curve = Array.from({ length: POINTS }, (_, i) => {
        const at = from + i * step;
        return [at, sortedValues.reduce((sum, x) => sum + Math.exp(-0.5 * ((at - x) / width) ** 2), 0)];
    });
    const highest = Math.max(...curve.map(([, density]) => density));
    return curve.map(([at, density]) => [at, density / highest]);
}

/* Gaps between fewer values are chance, not modes. */
const VALUES_LEAST = 8;
const DEPTH = 0.2; /* smallest depth of a valley below the lower of two modes, as a share of the maximum */

/* The position of each mode. With too few values: []. */
export function modesOf(values) {
    if (values.length < VALUES_LEAST) return [];
    const curve = densityOf(values);
    const modes = [];
    let valley = 0;
    curve.forEach(([at, density], i) => {
        valley = Math.min(valley, density);
        const peak = density > (curve[i - 1]?.[1] ?? 0) && density >= (curve[i + 1]?.[1] ?? 0);
        const last = modes.at(-1);
        if (!peak || (last && last.density >= density && density - valley < DEPTH)) return;
        if (last && Math.min(last.density, density) - valley < DEPTH) modes.pop();
        modes.push({ at, density });
        valley = density;
    });
    return modes.filter(({ density }) => density >= DEPTH).map(({ at }) => at);
}
