/** How plots look: colours told apart by most eyes, in light and dark. */
import { number } from "../ui/format.js";

const COLOURS = [
    "#3878d8",
    "#d97b22",
    "#2f9e62",
    "#cc4468",
    "#8b62cc",
    "#1b98a8",
    "#94801f",
    "#6e7a88",
];
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];

/** @returns {{colour: string, dash: number[]}} */
export function seriesStyle(colour, dash) {
    return { colour: COLOURS[colour % COLOURS.length], dash: DASHES[dash % DASHES.length] };
}

/** A colour of the page's theme. */
export function themed(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const FONT = '12px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';

function axis(extra) {
    return {
        stroke: () => themed("--muted"),
        grid: { stroke: () => themed("--grid"), width: 1 },
        ticks: { show: false },
        font: FONT,
        ...extra,
    };
}

/**
 * @param {object} figure
 * @param {{colour: string, dash: number[]}[]} styles
 * @param {number} width
 * @param {() => [number, number]|null} zoom
 */
export function plotOptions(figure, styles, width, zoom) {
    const labels = (_plot, values) => values.map((v) => (v === null ? "" : number(v, 5)));
    return {
        width,
        height: figure.height ?? 170,
        padding: [8, 20, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
            x: { time: false, range: (_plot, low, high) => zoom() ?? spread(low, high) },
            y: figure.log ? { distr: 3, range: decadeRange } : { distr: 1, range: yRange },
        },
        axes: [
            axis({ size: 28, values: labels, space: 60 }),
            axis({
                size: 62,
                values: labels,
                space: 28,
                ...(figure.log ? { splits: decades, filter: (_plot, splits) => splits } : {}),
            }),
        ],
        series: [
            {},
            ...styles.map(({ colour, dash }) => ({
                stroke: colour,
                dash,
                width: 1.6,
                pxAlign: 0,
                points: { show: false },
                ...figure.lineOptions,
            })),
        ],
    };
}

function spread(low, high) {
    return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

/** A little room above and below; a constant shows as a flat line in the middle, not as noise. */
function yRange(_plot, low, high) {
    if (low === null || high === null) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    const room = high - low > 1e-12 * size ? 0.08 * (high - low) : 0.1 * size || 1;
    return [low - room, high + room];
}

/** Whole decades; uPlot's own steps on a log axis fail on values as small as rounding errors. */
function decadeRange(_plot, low, high) {
    if (!(low > 0) || !(high > 0)) return [0.1, 1];
    const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    return [10 ** from, 10 ** Math.max(to, from + 1)];
}

/** At most five labels. */
function decades(_plot, _axis, low, high) {
    const [from, to] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
    const step = Math.ceil((to - from) / 5) || 1;
    const out = [];
    for (let k = from; k <= to; k += step) out.push(10 ** k);
    return out;
}
