// The output of the network on the plane, with the points it learns from.
//
// The raster is a small canvas that CSS scales up; contour, points and axes are SVG above it.

import { h, s } from "../../../viz/web/static/page/dom.js";
import { classColours, classContours, contour, divergingColours, paint, paintClasses } from "./rasters.js";
import { shape, tickText, ticks } from "./rasters.js";

const AREA = { left: 34, top: 6, size: 400 }; // of the plot, inside the view box
const VIEW = { width: 440, height: 430 };
const NEAR = 14; // units of the view box: a point this close counts as hit
export const EMPTY_BOX = [-1.5, 1.5, -1.5, 1.5];

let plots = 0; // for unique ids of clip paths

export class BoundaryPlot {
    constructor(element) {
        plots += 1;
        const cut = `plot-area-${plots}`;
        this.canvas = h("canvas", { width: 2, height: 2 });
        this.window = h("div", { class: "raster" }, this.canvas);
        this.axes = s("g", { class: "axes" });
        this.line = s("path", { class: "contour", "clip-path": `url(#${cut})` });
        const area = { x: AREA.left, y: AREA.top, width: AREA.size, height: AREA.size };
        this.marks = s("g", { class: "points" });
        this.ring = s("circle", { class: "ring", r: 9, visibility: "hidden" });
        this.svg = s("svg", { viewBox: `0 0 ${VIEW.width} ${VIEW.height}`, role: "img" },
            s("clipPath", { id: cut }, s("rect", area)), this.axes, s("rect", { class: "frame", ...area }),
            this.line, this.marks, this.ring);
        element.replaceChildren(this.window, this.svg);
        this.setData([], EMPTY_BOX);
        this.setRange(0, 1, [0.5]);
        this.describe("No output yet.");
    }

    /** Points as [x, y, class]; `classes` is 0 unless the output is a class number. */
    setData(points, box, classes = 0) {
        Object.assign(this, { points, box, classes, colours: null });
        this.values = null;
        this.line.setAttribute("d", "");
        this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
        this.marks.replaceChildren(...points.map(([x, y, kind]) =>
            s("path", { class: `point class-${kind}`, d: shape(kind, this.#x(x), this.#y(y), 5) })));
        this.#drawAxes();
        this.choose(null);
    }

    /** Sets the outputs with the first and the last colour, and the levels of contours; see `contour`. */
    setRange(low, high, levels, straight) {
        Object.assign(this, { low, high, levels, straight });
    }

    repaint() {
        this.colours = null;
        if (this.values) this.draw(this.values, this.grid);
    }

    draw(values, grid) {
        this.colours ??= this.classes ? classColours(0.5) : divergingColours(0.6);
        if (this.grid !== grid || this.canvas.width !== grid) this.#resize(grid);
        this.values = values;
        if (this.classes) paintClasses(this.pixels, values, grid, this.colours);
        else paint(this.pixels, values, 0, grid, this.colours, this.low, this.high);
        this.canvas.getContext("2d").putImageData(this.image, 0, 0);
        const x = (i) => AREA.left + ((i + 0.5) / grid) * AREA.size; // values belong to the centres of cells
        const y = (i) => AREA.top + (1 - (i + 0.5) / grid) * AREA.size;
        const path = this.classes ? classContours(values, grid, this.classes, x, y)
            : this.levels.map((level) => contour(values, grid, level, x, y, this.straight)).join("");
        if (path !== this.path) this.line.setAttribute("d", path);
        this.path = path;
    }

    choose(index) {
        const point = index === null ? null : this.points[index];
        this.ring.setAttribute("visibility", point ? "visible" : "hidden");
        if (!point) return;
        this.ring.setAttribute("cx", this.#x(point[0]));
        this.ring.setAttribute("cy", this.#y(point[1]));
    }

    describe(text) {
        this.svg.setAttribute("aria-label", text);
    }

    /** The place under the pointer, with the index of a point close by or null; null outside the plot. */
    at(event) {
        const frame = this.svg.getBoundingClientRect();
        const u = ((event.clientX - frame.left) / frame.width) * VIEW.width;
        const v = ((event.clientY - frame.top) / frame.height) * VIEW.height;
        const [x0, x1, y0, y1] = this.box;
        const across = (u - AREA.left) / AREA.size;
        const up = 1 - (v - AREA.top) / AREA.size;
        if (across < 0 || across > 1 || up < 0 || up > 1) return null;
        let index = null;
        let closest = NEAR ** 2;
        for (const [i, [x, y]] of this.points.entries()) {
            const distance = (this.#x(x) - u) ** 2 + (this.#y(y) - v) ** 2;
            if (distance < closest) [index, closest] = [i, distance];
        }
        return { x: x0 + across * (x1 - x0), y: y0 + up * (y1 - y0), across, up, index };
    }

    /** The output at a place, interpolated between grid points as in the picture. */
    outputAt({ across, up }) {
        if (!this.values) return null;
        const n = this.grid;
        const v = this.values;
        const cell = (part) => Math.min(n - 1, Math.max(0, part * n - 0.5)); // in cells, from the first centre
        const [column, row] = [cell(across), cell(up)];
        if (this.classes) return v[Math.round(row) * n + Math.round(column)];
        const [left, low] = [Math.min(Math.floor(column), n - 2), Math.min(Math.floor(row), n - 2)];
        const [p, q] = [column - left, row - low];
        const i = low * n + left;
        return (1 - q) * ((1 - p) * v[i] + p * v[i + 1]) + q * ((1 - p) * v[i + n] + p * v[i + n + 1]);
    }

    #x(x) {
        const [x0, x1] = this.box;
        return AREA.left + ((x - x0) / (x1 - x0)) * AREA.size;
    }

    #y(y) {
        const [, , y0, y1] = this.box;
        return AREA.top + (1 - (y - y0) / (y1 - y0)) * AREA.size;
    }

    #resize(grid) {
        this.grid = grid;
        this.canvas.width = this.canvas.height = grid;
        this.image = new ImageData(grid, grid);
        this.pixels = new Uint32Array(this.image.data.buffer);
    }

    #drawAxes() {
        const [x0, x1, y0, y1] = this.box;
        const bottom = AREA.top + AREA.size;
        const labels = [];
        for (const x of ticks(x0, x1, 5)) {
            labels.push(s("path", { d: `M${this.#x(x)} ${bottom}v4` }));
            labels.push(s("text", { x: this.#x(x), y: bottom + 17, "text-anchor": "middle" }, tickText(x)));
        }
        for (const y of ticks(y0, y1, 5)) {
            labels.push(s("path", { d: `M${AREA.left} ${this.#y(y)}h-4` }));
            labels.push(s("text", { x: AREA.left - 7, y: this.#y(y) + 4, "text-anchor": "end" }, tickText(y)));
        }
        this.axes.replaceChildren(...labels);
    }

    /** The plot as a standalone SVG element, with the raster as an image. */
    standalone() {
        const enlarged = h("canvas", { width: 400, height: 400 });
        const context = enlarged.getContext("2d");
        if (this.values) context.drawImage(this.canvas, 0, 0, 400, 400);
        const place = { x: AREA.left, y: AREA.top, width: AREA.size, height: AREA.size };
        return withStyles(this.svg, VIEW, [s("image", { ...place, href: enlarged.toDataURL() })]);
    }
}

const STYLES = [
    ...["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "stroke-linejoin"],
    ...["opacity", "font-family", "font-size", "font-weight"],
];

/**
 * A copy of an SVG element with its styles as attributes, so that it needs no style sheet.
 * The page background and other elements are placed behind it.
 */
export function withStyles(svg, { width, height }, behind) {
    const clone = svg.cloneNode(true);
    const copies = [clone, ...clone.querySelectorAll("*")];
    for (const [i, element] of [svg, ...svg.querySelectorAll("*")].entries()) {
        const style = getComputedStyle(element);
        for (const name of STYLES) copies[i].setAttribute(name, style.getPropertyValue(name));
        for (const name of ["tabindex", "class"]) copies[i].removeAttribute(name);
    }
    const fill = getComputedStyle(svg.closest(".card")).backgroundColor;
    clone.prepend(s("rect", { width, height, fill }), ...behind);
    clone.setAttribute("width", width);
    clone.setAttribute("height", height);
    return clone;
}

export function svgBlob(svg) {
    return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

/** An SVG element as a PNG, twice its size. */
export async function pngBlob(svg) {
    const url = URL.createObjectURL(svgBlob(svg));
    try {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = h("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        return await new Promise((done) => canvas.toBlob(done, "image/png"));
    } finally {
        URL.revokeObjectURL(url);
    }
}
