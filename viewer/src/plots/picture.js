/** A plot as a PNG of its own: title and legend above the curves. */
import { themed } from "./style.js";

const FAMILY = 'system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';

/** @param {import("uplot").default} plot @returns {Promise<Blob>} */
export function plotPicture(plot, title, names) {
    const source = plot.ctx.canvas;
    const ratio = source.width / plot.width;
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d");
    const rows = legendRows(context, names, plot.width - 24);
    const top = 34 + 20 * rows.length;
    canvas.width = source.width;
    canvas.height = source.height + top * ratio;
    context.fillStyle = themed("--surface");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, top * ratio);
    context.scale(ratio, ratio);
    context.fillStyle = themed("--text");
    context.font = `600 14px ${FAMILY}`;
    context.fillText(title, 12, 22);
    drawLegend(context, rows, plot);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function legendRows(context, names, width) {
    context.font = `12px ${FAMILY}`;
    const rows = [[]];
    let x = 0;
    names.forEach((name, i) => {
        const size = context.measureText(name).width + 40;
        if (x + size > width && x > 0) (rows.push([]), (x = 0));
        rows[rows.length - 1].push({ name, i, x });
        x += size;
    });
    return rows;
}

function drawLegend(context, rows, plot) {
    context.font = `12px ${FAMILY}`;
    rows.forEach((row, r) =>
        row.forEach(({ name, i, x }) => {
            const y = 42 + 20 * r;
            const series = plot.series[i + 1];
            context.strokeStyle =
                typeof series.stroke === "function" ? series.stroke(plot, i + 1) : series.stroke;
            context.lineWidth = 2;
            context.setLineDash(series.dash ?? []);
            context.beginPath();
            context.moveTo(12 + x, y - 4);
            context.lineTo(30 + x, y - 4);
            context.stroke();
            context.fillText(name, 35 + x, y);
        }),
    );
}
