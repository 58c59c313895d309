// Everything drawn for a run, as tables: for readers who cannot see it, or want exact numbers.

import { h } from "../../../viz/web/static/page/dom.js";
import { format } from "../../../viz/web/static/page/numbers.js";
import { table } from "../shared/elements.js";
import { METRICS } from "./network.js";

const MOST_ROWS = 500;
const PLACES = 9; // grid points in each direction

export function numberTables({ ready, frame, losses, plot }) {
    const tables = [points(ready, frame), raster(plot), curve(losses), parameters(ready, frame)];
    return tables.map((found) => {
        const name = found.caption.textContent;
        return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, found);
    });
}

function points(ready, frame) {
    const rows = ready.points.slice(0, MOST_ROWS).map(([x, y, target], i) => (
        [String(i + 1), format(x), format(y), String(target), format(frame.outputs[i])]
    ));
    return table(`Points at epoch ${frame.epoch}`, ["sample", "x", "y", "target", "output"], rows);
}

function raster(plot) {
    const [x0, x1, y0, y1] = plot.box;
    const parts = Array.from({ length: PLACES }, (_, i) => i / (PLACES - 1));
    const head = ["y \\ x", ...parts.map((across) => format(x0 + across * (x1 - x0)))];
    const rows = parts.toReversed().map((up) => (
        [format(y0 + up * (y1 - y0)), ...parts.map((across) => format(plot.outputAt({ across, up })))]
    ));
    return table("Output on the plane", head, rows);
}

/** Some evenly spaced epochs, and the last one. */
function curve(losses) {
    const last = losses.length;
    const step = Math.max(1, Math.ceil(last / 50));
    const epochs = Array.from({ length: Math.ceil(last / step) }, (_, i) => 1 + i * step);
    if (last && epochs.at(-1) !== last) epochs.push(last);
    return table("Loss", ["epoch", "loss"], epochs.map((epoch) => [String(epoch), format(losses.at(epoch))]));
}

function parameters(ready, frame) {
    const sections = Object.keys(METRICS);
    const rows = ready.names.slice(0, MOST_ROWS).map((name, i) => (
        [name, ...sections.map((section) => format(frame[section][i]))]
    ));
    return table("Parameters", ["name", ...Object.values(METRICS)], rows);
}
