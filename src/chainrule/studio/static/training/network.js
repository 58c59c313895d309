// The network as a picture: neurons with their outputs on the plane, edges whose widths show their weights.
//
// Edges are SVG, the small heat maps one canvas below them. An edge is solid where its number is
// positive and dashed where it is negative; its width has eight levels, so few attributes change.

import { h, s } from "../../../viz/web/static/page/dom.js";
import { format } from "../../../viz/web/static/page/numbers.js";
import { withStyles } from "./plots.js";
import { divergingColours, paint, roundUp, tickText } from "./rasters.js";

const LEVELS = 8;
const THINNEST = 0.4; // pixels
const WIDEST = 5;
const MOST_SHOWN = 24; // neurons of a layer
const HEAD = 24; // pixels for the names of the layers
const NEAR = 7; // pixels: the distance from an edge that still counts as a hit
export const METRICS = { weights: "weight", grads: "gradient", updates: "update" };

const WIDTHS = Array.from({ length: LEVELS + 1 }, (_, i) => (
    (THINNEST + (i / LEVELS) * (WIDEST - THINNEST)).toFixed(2)
));

// How far an edge has risen at each fraction of its width: a cubic that is horizontal at both ends.
const EASE = Float32Array.from({ length: 201 }, (_, i) => {
    let [low, high] = [0, 1];
    for (let k = 0; k < 30; k++) {
        const t = (low + high) / 2;
        if (1.5 * t * (1 - t) + t ** 3 < i / 200) low = t;
        else high = t;
    }
    return 3 * low * low - 2 * low ** 3;
});

export class Network {
    /** `on.point` gets the hovered or focused neuron or edge, `on.choose` the focused or clicked one; null for none. */
    constructor(element, legend, on) {
        Object.assign(this, { element, legend, on, layers: [], metric: "weights", scale: 1 });
        this.canvas = h("canvas", { "aria-hidden": "true" });
        const name = "Network. Arrow keys move along neurons and edges.";
        this.svg = s("svg", { role: "group", "aria-label": name });
        element.replaceChildren(this.canvas, this.svg);
        this.svg.addEventListener("pointermove", (event) => this.#point(event, false));
        this.svg.addEventListener("pointerleave", () => this.#mark(null));
        this.svg.addEventListener("click", (event) => this.#point(event, true));
        this.svg.addEventListener("keydown", (event) => this.#key(event));
        new ResizeObserver(() => this.#layout()).observe(element);
    }

    /** Sets the sizes of all layers, inputs first, and computes where the parameters of each layer begin. */
    setLayers(layers, small, box) {
        Object.assign(this, { layers, small, box });
        this.frame = null;
        this.starts = [];
        this.firsts = []; // the number of the first neuron of each layer, inputs not counted
        let parameter = 0;
        let neuron = 0;
        for (let layer = 1; layer < layers.length; layer++) {
            this.starts[layer] = parameter;
            this.firsts[layer] = neuron;
            parameter += layers[layer] * (layers[layer - 1] + 1);
            neuron += layers[layer];
        }
        this.#layout();
    }

    /** The parameter index of a neuron's weight from `source`; the bias follows the neuron's last weight. */
    place(layer, neuron, source) {
        return this.starts[layer] + neuron * (this.layers[layer - 1] + 1) + source;
    }

    neuronName(layer, neuron) {
        if (layer === 0) return neuron === 0 ? "input x" : neuron === 1 ? "input y" : `input ${neuron + 1}`;
        if (this.isLast(layer)) return this.layers[layer] === 1 ? "output" : `output ${neuron + 1}`;
        return `layer ${layer}, neuron ${neuron + 1}`;
    }

    isLast(layer) {
        return layer === this.layers.length - 1;
    }

    setMetric(metric) {
        this.metric = metric;
        this.scale = 0;
        if (this.frame) this.drawEdges(this.frame);
        else this.#drawLegend();
    }

    repaint() {
        this.colours = null;
        if (this.frame) this.drawMaps(this.frame);
    }

    // --- layout ----------------------------------------------------------------------------------

    #layout() {
        const width = this.element.clientWidth;
        if (!width || !this.layers.length) return;
        const shown = this.layers.map((count) => Math.min(count, MOST_SHOWN));
        const most = Math.max(...shown);
        const spacing = Math.max(16, Math.min(60, 440 / most));
        const cell = Math.min(spacing * 0.8, 44, (width / this.layers.length) * 0.55);
        const height = HEAD + Math.max(280, most * spacing + 18);
        const step = (width - cell - 20) / (this.layers.length - 1);
        this.cell = cell;
        this.size = { width, height };
        this.columns = shown.map((count, layer) => {
            const x = 10 + cell / 2 + layer * step;
            const top = HEAD + (height - HEAD - 14 - (count - 1) * spacing) / 2;
            return { x, ys: Array.from({ length: count }, (_, i) => top + i * spacing) };
        });
        this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.element.style.height = `${height}px`;
        this.#buildEdges();
        this.#buildNeurons();
        this.#resizeCanvas(width, height);
        this.focused = null;
        if (this.frame) this.draw(this.frame);
        else this.#drawLegend();
    }

    #buildEdges() {
        const half = this.cell / 2;
        this.edges = [];
        for (let layer = 1; layer < this.columns.length; layer++) {
            const from = this.columns[layer - 1];
            const to = this.columns[layer];
            const [x0, x1] = [from.x + half, to.x - half];
            for (const [neuron, y1] of to.ys.entries()) {
                for (const [source, y0] of from.ys.entries()) {
                    const edge = { kind: "edge", layer, neuron, source, level: null, x0, x1, y0, y1 };
                    edge.place = this.place(layer, neuron, source);
                    edge.element = s("path", {
                        ...{ class: "edge", tabindex: -1, role: "img", "stroke-width": WIDTHS[0] },
                        ...{ "aria-label": this.edgeName(edge), d: curve(x0, y0, x1, y1) },
                    });
                    this.edges.push(edge);
                }
            }
        }
    }

    #buildNeurons() {
        const half = this.cell / 2;
        this.neurons = [];
        const names = [];
        for (const [layer, { x, ys }] of this.columns.entries()) {
            for (const [neuron, y] of ys.entries()) {
                const name = this.neuronName(layer, neuron);
                const element = s("rect", {
                    class: "neuron", x: x - half, y: y - half, width: this.cell, height: this.cell, rx: 4,
                    tabindex: layer === 0 && neuron === 0 ? 0 : -1, role: "img", "aria-label": name,
                });
                this.neurons.push({ kind: "neuron", layer, neuron, x, y, name, element });
            }
            names.push(...this.#layerNames(layer, x, ys.length));
        }
        this.svg.replaceChildren(
            s("g", {}, ...this.edges.map(({ element }) => element)),
            s("g", {}, ...this.neurons.map(({ element }) => element)), ...names);
        for (const thing of [...this.edges, ...this.neurons]) {
            thing.element.addEventListener("focus", () => this.#focus(thing));
            thing.element.addEventListener("blur", () => this.#mark(null));
        }
    }

    /** The text above a layer, and below one that is too large to show completely. */
    #layerNames(layer, x, shown) {
        const count = this.layers[layer];
        const half = this.cell / 2;
        const text = (place, anchor, y, words) => (
            s("text", { class: "layer-name", x: place, y, "text-anchor": anchor }, words)
        );
        const found = [];
        if (layer === 0) found.push(text(x - half, "start", 13, "inputs"));
        else if (this.isLast(layer)) found.push(text(x + half, "end", 13, count === 1 ? "output" : "outputs"));
        else found.push(text(x, "middle", 13, String(count)));
        if (count > shown) found.push(text(x, "middle", this.size.height - 2, `+ ${count - shown}`));
        return found;
    }

    #resizeCanvas(width, height) {
        const ratio = Math.min(devicePixelRatio, 2);
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        const context = this.canvas.getContext("2d");
        context.scale(ratio, ratio);
        context.imageSmoothingEnabled = true;
        const n = this.small;
        const count = this.neurons.length;
        this.sheet = h("canvas", { width: n, height: n * count });
        this.image = new ImageData(n, n * count);
        this.pixels = new Uint32Array(this.image.data.buffer);
        this.inputMaps = this.#inputMaps();
    }

    /** The inputs themselves on the plane: x grows to the right, y upwards. */
    #inputMaps() {
        const n = this.small;
        const [x0, x1, y0, y1] = this.box;
        const maps = new Float32Array(2 * n * n);
        for (let row = 0; row < n; row++) {
            for (let column = 0; column < n; column++) {
                maps[row * n + column] = x0 + ((x1 - x0) * (column + 0.5)) / n;
                maps[n * n + row * n + column] = y0 + ((y1 - y0) * (row + 0.5)) / n;
            }
        }
        return maps;
    }

    // --- drawing ---------------------------------------------------------------------------------

    draw(frame) {
        this.drawMaps(frame);
        this.drawEdges(frame);
    }

    drawMaps(frame) {
        this.frame = frame;
        if (!this.columns) return;
        this.colours ??= divergingColours();
        const n = this.small;
        for (const [i, { layer, neuron }] of this.neurons.entries()) {
            const values = layer === 0 ? this.inputMaps : frame.neurons;
            const start = (layer === 0 ? neuron : this.firsts[layer] + neuron) * n * n;
            const most = largest(values, start, start + n * n);
            paint(this.pixels, values, start, n, this.colours, -most, most, i * n * n);
        }
        this.sheet.getContext("2d").putImageData(this.image, 0, 0);
        const context = this.canvas.getContext("2d");
        const { cell } = this;
        for (const [i, { x, y }] of this.neurons.entries()) {
            context.drawImage(this.sheet, 0, i * n, n, n, x - cell / 2, y - cell / 2, cell, cell);
        }
    }

    drawEdges(frame) {
        this.frame = frame;
        if (!this.columns) return;
        const values = frame[this.metric];
        let most = 0;
        for (const { place } of this.edges) most = Math.max(most, Math.abs(values[place]));
        const scale = roundUp(most);
        // Keep a scale that is only slightly too wide, so that changes show in the widths.
        if (scale > this.scale || scale < this.scale / 3) {
            this.scale = scale;
            this.#drawLegend();
        }
        for (const edge of this.edges) {
            const value = values[edge.place];
            const level = Math.min(LEVELS, Math.round((Math.abs(value) / this.scale) * LEVELS));
            const signed = value < 0 ? -level - 1 : level;
            if (signed === edge.level) continue;
            if ((signed < 0) !== (edge.level < 0) || edge.level === null) {
                edge.element.setAttribute("class", `edge ${sign(value)}`);
            }
            edge.element.setAttribute("stroke-width", WIDTHS[level] ?? WIDTHS[0]);
            edge.level = signed;
        }
    }

    #drawLegend() {
        const word = METRICS[this.metric];
        const scale = this.scale || 1;
        const samples = [-1, -0.5, 0.5, 1].map((part) => {
            const width = WIDTHS[Math.round(Math.abs(part) * LEVELS)];
            const line = s("path", { class: `edge ${sign(part)}`, "stroke-width": width, d: "M1 5h28" });
            const picture = s("svg", { viewBox: "0 0 30 10", width: 30, height: 10, "aria-hidden": "true" }, line);
            return h("span", { class: "sample-line" }, picture, tickText(part * scale));
        });
        const title = `${word[0].toUpperCase()}${word.slice(1)} of an edge:`;
        const hint = h("span", { class: "help" }, "dashed is negative");
        this.legend.replaceChildren(h("span", {}, title), ...samples, hint);
    }

    // --- pointing and keys -----------------------------------------------------------------------

    #point(event, chosen) {
        if (!this.columns) return;
        const frame = this.svg.getBoundingClientRect();
        const x = ((event.clientX - frame.left) / frame.width) * this.size.width;
        const y = ((event.clientY - frame.top) / frame.height) * this.size.height;
        const thing = this.#neuronAt(x, y) ?? this.#edgeAt(x, y);
        this.#mark(thing, event.clientX, event.clientY);
        if (chosen) this.on.choose(thing);
    }

    #neuronAt(x, y) {
        const half = this.cell / 2;
        return this.neurons.find((n) => Math.abs(n.x - x) <= half && Math.abs(n.y - y) <= half) ?? null;
    }

    #edgeAt(x, y) {
        let found = null;
        let closest = NEAR;
        for (const edge of this.edges) {
            const part = (x - edge.x0) / (edge.x1 - edge.x0);
            if (part < 0 || part > 1) continue;
            const distance = Math.abs(edge.y0 + (edge.y1 - edge.y0) * EASE[Math.round(part * 200)] - y);
            if (distance < closest) [found, closest] = [edge, distance];
        }
        return found;
    }

    /** Highlight one thing and show its numbers. */
    #mark(thing, x, y) {
        if (this.marked !== thing) {
            this.marked?.element.classList.remove("marked");
            thing?.element.classList.add("marked");
            this.marked = thing;
        }
        this.on.point(thing, x, y);
    }

    #focus(thing) {
        for (const other of [this.focused, this.neurons[0]]) other?.element.setAttribute("tabindex", -1);
        thing.element.setAttribute("tabindex", 0);
        this.focused = thing;
        const frame = thing.element.getBoundingClientRect();
        this.#mark(thing, frame.right, frame.bottom);
        this.on.choose(thing);
    }

    edgeName({ layer, neuron, source }) {
        return `edge from ${this.neuronName(layer - 1, source)} to ${this.neuronName(layer, neuron)}`;
    }

    /** Left and right move from neuron to edge to neuron, up and down to the neighbours. */
    #key(event) {
        const thing = this.focused;
        const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        const along = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!thing || (side === undefined && along === undefined)) return;
        event.preventDefault();
        let next;
        if (along !== undefined) {
            const all = thing.kind === "neuron" ? this.neurons.filter((n) => n.layer === thing.layer)
                : this.edges.filter((e) => e.layer === thing.layer && e.neuron === thing.neuron);
            next = all[all.indexOf(thing) + along];
        } else if (thing.kind === "neuron") {
            next = side < 0 ? this.edges.find((e) => e.layer === thing.layer && e.neuron === thing.neuron)
                : this.edges.find((e) => e.layer === thing.layer + 1 && e.source === thing.neuron);
        } else {
            const [layer, neuron] = side < 0 ? [thing.layer - 1, thing.source] : [thing.layer, thing.neuron];
            next = this.neurons.find((n) => n.layer === layer && n.neuron === neuron);
        }
        next?.element.focus();
    }

    /** The tooltip of a thing: lines of text, from the newest frame. */
    lines(thing) {
        const { frame } = this;
        if (thing.kind === "edge") {
            const head = this.edgeName(thing);
            if (!frame) return [head];
            const number = (section) => format(frame[section][thing.place]);
            return [head, ...Object.entries(METRICS).map(([section, word]) => `${word} ${number(section)}`)];
        }
        if (thing.layer === 0 || !frame) return [thing.name];
        const bias = this.place(thing.layer, thing.neuron, this.layers[thing.layer - 1]);
        return [thing.name, `bias ${format(frame.weights[bias])}`, `gradient of the bias ${format(frame.grads[bias])}`];
    }

    /** The network as a standalone SVG element, with the heat maps as images. */
    standalone() {
        const { cell, small: n } = this;
        const images = this.neurons.map(({ x, y }, i) => {
            const canvas = h("canvas", { width: n, height: n });
            canvas.getContext("2d").drawImage(this.sheet, 0, i * n, n, n, 0, 0, n, n);
            const place = { x: x - cell / 2, y: y - cell / 2, width: cell, height: cell };
            return s("image", { ...place, href: canvas.toDataURL() });
        });
        return withStyles(this.svg, this.size, images);
    }
}

const sign = (value) => (value < 0 ? "negative" : "positive");

/** Roughly the largest absolute value in a range, at least 1; every seventh value is enough for a scale. */
function largest(values, start, end) {
    let most = 1;
    for (let i = start; i < end; i += 7) most = Math.max(most, Math.abs(values[i]));
    return most;
}

/** A curve from left to right, horizontal at both ends. */
function curve(...ends) {
    const [x0, y0, x1, y1] = ends.map((number) => number.toFixed(1));
    const middle = ((ends[0] + ends[2]) / 2).toFixed(1);
    return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}
