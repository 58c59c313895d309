// All that is drawn of a run, as tables of numbers: for those who cannot see it, or want it exactly.

import { h } from "./dom.js";
import { table } from "./elements.js";
import { format } from "./numbers.js";

const MOST_ROWS = 500;
const PLACES = 9; // across and up

export function numberTables({ ready, frame, losses, plot }) {
    const tables = [points(ready, frame), raster(plot), curve(losses), parameters(ready, frame)];
    return tables.map((table) => h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.caption.textContent }, table));
}

function points(ready, frame) {
    const rows = ready.points.slice(0, MOST_ROWS).map(([x, y, target], i) => [String(i + 1), format(x), format(y), String(target), format(frame.outputs[i])]);
    return table(`Points at epoch ${frame.epoch}`, ["sample", "x", "y", "target", "output"], rows);
}

function raster(plot) {
    const [x0, x1, y0, y1] = plot.box;
    const parts = Array.from({ length: PLACES }, (_, i) => i / (PLACES - 1));
    const head = ["y \\ x", ...parts.map((across) => format(x0 + across * (x1 - x0)))];
    const rows = parts.toReversed().map((up) => [format(y0 + up * (y1 - y0)), ...parts.map((across) => format(plot.outputAt({ across, up })))]);
    return table("Output on the plane", head, rows);
}

function curve(losses) {
    const step = Math.max(1, Math.ceil(losses.length / 50));
    const rows = [];
    for (let epoch = 1; epoch <= losses.length; epoch += step) rows.push([String(epoch), format(losses.at(epoch))]);
    if (losses.length && rows.at(-1)[0] !== String(losses.length)) rows.push([String(losses.length), format(losses.at(losses.length))]);
    return table("Loss", ["epoch", "loss"], rows);
}

function parameters(ready, frame) {
    const rows = ready.names.slice(0, MOST_ROWS).map((name, i) => [name, format(frame.weights[i]), format(frame.grads[i]), format(frame.updates[i])]);
    return table("Parameters", ["name", "weight", "gradient", "update"], rows);
}
