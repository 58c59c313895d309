// The loss over the epochs, and the gradient of each layer as a bar.

import { h } from "../../../viz/web/static/page/dom.js";
import { format } from "../../../viz/web/static/page/numbers.js";
import { setText } from "../shared/elements.js";
import { Losses } from "./losses.js";
import { tickText, ticks } from "./rasters.js";

const MARGIN = { left: 46, right: 10, top: 8, bottom: 22 };
const VANISHED = 1e-5; // a fraction of the largest layer's gradient
const EXPLODED = 1e3;

export class LossCurve {
    constructor(element) {
        this.canvas = h("canvas", { role: "img", "aria-label": "No losses yet." });
        this.cursor = h("div", { class: "cursor", hidden: true });
        element.replaceChildren(this.canvas, this.cursor);
        this.scale = "log";
        this.losses = new Losses();
        this.epoch = 0;
        new ResizeObserver(() => this.draw()).observe(element);
    }

    show(losses, epoch) {
        this.losses = losses;
        this.epoch = epoch;
        this.draw();
    }

    describe(text) {
        this.canvas.setAttribute("aria-label", text);
    }

    /** The epoch under the pointer, from 1, or null. */
    at(event) {
        const frame = this.canvas.getBoundingClientRect();
        const part = (event.clientX - frame.left - MARGIN.left) / (frame.width - MARGIN.left - MARGIN.right);
        if (part < -0.02 || part > 1.02 || !this.losses.length) return null;
        return Math.min(this.losses.length, Math.max(1, Math.round(part * this.#last())));
    }

    point(epoch) {
        this.cursor.hidden = epoch === null;
        if (epoch !== null) this.cursor.style.left = `${this.#x(epoch)}px`;
    }

    draw() {
        const { canvas } = this;
        const width = canvas.clientWidth;
        const height = canvas.clientHeight;
        if (!width) return;
        const ratio = Math.min(devicePixelRatio, 2);
        if (canvas.width !== Math.round(width * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        this.width = width;
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        const style = this.#style();
        this.#range();
        this.#axes(context, style, width, height);
        this.#line(context, style, height);
    }

    #style() {
        // Read once per theme, because reading computed styles in every frame is slow.
        if (!this.style) {
            const style = getComputedStyle(this.canvas);
            const read = (name) => {
                this.canvas.style.color = `var(${name})`; // a canvas cannot read light-dark()
                return style.color;
            };
            const [ink, grid, curve] = ["--muted", "--line", "--accent"].map(read);
            this.style = { ink, grid, curve, font: `11px ${style.fontFamily}` };
        }
        return this.style;
    }

    repaint() {
        this.style = null;
        this.draw();
    }

    #last() {
        return Math.max(10, this.losses.length);
    }

    #x(epoch) {
        return MARGIN.left + (epoch / this.#last()) * (this.width - MARGIN.left - MARGIN.right);
    }

    #y(loss, height) {
        const level = this.scale === "log" ? Math.log10(loss) : loss;
        const part = (level - this.low) / (this.high - this.low);
        return MARGIN.top + (1 - Math.min(1, Math.max(0, part))) * (height - MARGIN.top - MARGIN.bottom);
    }

    #range() {
        const usual = (loss) => Number.isFinite(loss) && (this.scale === "linear" || loss > 0);
        let low = this.losses.low.filter(usual).reduce((a, b) => Math.min(a, b), Infinity);
        let high = this.losses.high.filter(usual).reduce((a, b) => Math.max(a, b), -Infinity);
        if (low > high) [low, high] = [0.1, 1];
        if (this.scale === "log") {
            this.low = Math.floor(Math.log10(low) * 2) / 2;
            this.high = Math.max(Math.ceil(Math.log10(high) * 2) / 2, this.low + 1);
        } else {
            this.low = Math.min(0, low);
            this.high = high > this.low ? high * 1.05 : this.low + 1;
        }
    }

    #axes(context, style, width, height) {
        context.font = style.font;
        context.fillStyle = style.ink;
        context.strokeStyle = style.grid;
        context.lineWidth = 1;
        context.textAlign = "right";
        context.textBaseline = "middle";
        for (const value of this.scale === "log" ? this.#powers() : ticks(this.low, this.high, 4)) {
            const y = Math.round(this.#y(value, height)) + 0.5;
            context.beginPath();
            context.moveTo(MARGIN.left, y);
            context.lineTo(width - MARGIN.right, y);
            context.stroke();
            context.fillText(tickText(value), MARGIN.left - 7, y);
        }
        context.textBaseline = "alphabetic";
        context.textAlign = "center";
        for (const epoch of ticks(0, this.#last(), 4)) {
            if (!Number.isInteger(epoch)) continue;
            context.fillText(tickText(epoch), Math.min(this.#x(epoch), width - 14), height - 6);
        }
    }

    #powers() {
        const step = Math.max(1, Math.ceil((this.high - this.low) / 5));
        const powers = [];
        for (let power = Math.ceil(this.low); power <= this.high; power += step) powers.push(10 ** power);
        return powers;
    }

    #line(context, style, height) {
        const { low, high, size, length } = this.losses;
        context.strokeStyle = style.curve;
        context.lineWidth = 2;
        context.lineJoin = "round";
        context.beginPath();
        let pen = false;
        for (let i = 0; i < low.length; i++) {
            if (low[i] > high[i]) continue; // only NaN
            const x = this.#x(Math.min(length, i * size + (size + 1) / 2));
            if (pen) context.lineTo(x, this.#y(high[i], height));
            else context.moveTo(x, this.#y(high[i], height));
            if (low[i] < high[i]) context.lineTo(x, this.#y(low[i], height));
            pen = true;
        }
        context.stroke();
        const shown = Math.min(this.epoch, length);
        if (shown < 1) return;
        context.fillStyle = style.curve;
        context.beginPath();
        context.arc(this.#x(shown), this.#y(this.losses.at(shown), height), 4, 0, 7);
        context.fill();
    }
}

/** A warning about vanishing or exploding gradients, or "". */
export function flowWords(flow) {
    const largest = Math.max(...flow);
    const words = [];
    for (const [i, norm] of [...flow].entries()) {
        const layer = `Layer ${i + 1}`;
        if (!Number.isFinite(norm)) {
            words.push(`${layer}: the gradient is NaN.`);
        } else if (norm > EXPLODED) {
            const above = `${format(norm)} is above ${tickText(EXPLODED)}`;
            words.push(`${layer}: the gradient explodes (${above}). Try a smaller learning rate.`);
        } else if (norm < VANISHED * largest) {
            const below = `less than ${tickText(VANISHED)} of the largest`;
            words.push(`${layer}: the gradient vanishes (${below}). The layer hardly learns.`);
        }
    }
    return words.join(" ");
}

const DECADES = 7; // powers of ten that the bars span, up to the one above the largest

/** A bar per layer, on a logarithmic scale. */
export class FlowBars {
    constructor(list, scale, words) {
        Object.assign(this, { list, scale, words, rows: [] });
    }

    setLayers(count) {
        this.rows = Array.from({ length: count }, (_, i) => {
            const bar = h("span", { class: "bar" });
            const number = h("span", { class: "number" }, "–");
            const name = i === count - 1 ? "Output" : `Layer ${i + 1}`;
            const track = h("span", { class: "track", "aria-hidden": "true" }, bar);
            return { bar, number, row: h("li", {}, h("span", { class: "name" }, name), track, number) };
        });
        this.list.replaceChildren(...this.rows.map(({ row }) => row));
        setText(this.words, "");
    }

    show(flow) {
        const largest = Math.max(...flow);
        const top = largest > 0 && largest < Infinity ? Math.ceil(Math.log10(largest)) : 0;
        setText(this.scale, `from ${tickText(10 ** (top - DECADES))} to ${tickText(10 ** top)}`);
        for (const [i, { bar, number, row }] of this.rows.entries()) {
            const norm = flow[i];
            const part = norm > 0 ? 1 + (Math.log10(norm) - top) / DECADES : 0;
            bar.style.transform = `scaleX(${Math.min(1, Math.max(0, part)).toFixed(3)})`;
            setText(number, format(norm));
            row.classList.toggle("vanishes", norm < VANISHED * largest);
            row.classList.toggle("explodes", !(norm <= EXPLODED));
        }
        setText(this.words, flowWords(flow));
    }
}
