// Shows the numbers of the hovered or selected sample, neuron, edge or epoch, in a tooltip and
// in the details panel. Does not change the run.

import { h } from "../../../viz/web/static/page/dom.js";
import { format } from "../../../viz/web/static/page/numbers.js";
import { byId, hideTooltip, setText, showTooltip, table } from "../shared/elements.js";
import { METRICS } from "./network.js";

const HINT = "Hover over a neuron, an edge or a sample to see its numbers; click to keep them here.";

export class Inspector {
    /** `trainer` has the views and what they show: plot, curve, network, ready, frame, losses. */
    constructor(trainer) {
        this.trainer = trainer;
        this.chosen = null; // a neuron or an edge of the network, or a sample
        const on = (id, event, run) => byId(id).addEventListener(event, run);
        on("plot", "pointermove", (event) => this.#hoverPlot(event));
        on("plot", "pointerleave", hideTooltip);
        on("curve", "pointermove", (event) => this.#hoverCurve(event));
        on("curve", "pointerleave", () => this.#leaveCurve());
        on("sample", "input", () => this.chooseSample(byId("sample").valueAsNumber - 1));
        this.show();
    }

    /** Clears the selection for a new run. */
    reset() {
        const { points } = this.trainer.ready;
        const field = byId("sample");
        field.max = points.length;
        if (!(field.valueAsNumber <= points.length)) field.value = 1;
        this.choose(null);
    }

    choose(thing) {
        this.chosen = thing;
        if (thing?.kind !== "sample") this.trainer.plot.choose(null);
        this.show();
    }

    chooseSample(index) {
        const { plot, ready } = this.trainer;
        if (!ready || !(index in ready.points)) return;
        plot.choose(index);
        this.choose({ kind: "sample", index });
    }

    point(thing, x, y) {
        if (thing) showTooltip(this.trainer.network.lines(thing), x, y);
        else hideTooltip();
    }

    #hoverPlot(event) {
        const { plot } = this.trainer;
        const place = plot.at(event);
        if (!place) return hideTooltip();
        const here = [`x ${format(place.x)}, y ${format(place.y)}`, `output ${format(plot.outputAt(place))}`];
        return showTooltip(place.index === null ? here : this.#sample(place.index), event.clientX, event.clientY);
    }

    #hoverCurve(event) {
        const { curve, losses } = this.trainer;
        const epoch = curve.at(event);
        if (epoch === null) return this.#leaveCurve();
        curve.point(epoch);
        return showTooltip([`epoch ${epoch}`, `loss ${format(losses.at(epoch))}`], event.clientX, event.clientY);
    }

    #leaveCurve() {
        this.trainer.curve.point(null);
        hideTooltip();
    }

    #sample(index) {
        const { plot, ready, frame } = this.trainer;
        const [x, y, target] = plot.points[index];
        const output = frame && ready?.points === plot.points ? frame.outputs[index] : null;
        return [
            `sample ${index + 1}`,
            `x ${format(x)}, y ${format(y)}`,
            `target ${target}`,
            `output ${format(output)}`,
        ];
    }

    /** Updates the details panel from the newest frame. */
    show() {
        const { chosen } = this;
        const panel = byId("details");
        if (!chosen) {
            panel.replaceChildren(h("p", { class: "help" }, HINT));
            this.shown = null;
            return;
        }
        const lines = chosen.kind === "sample" ? this.#sample(chosen.index) : this.trainer.network.lines(chosen);
        const rows = chosen.kind === "neuron" && chosen.layer > 0 ? this.#incoming(chosen) : [];
        const shape = `${chosen.kind} ${lines.length} ${rows.length}`;
        if (this.shown !== shape) this.#build(panel, lines, rows);
        this.shown = shape;
        // Only the numbers are rewritten, so that a table keeps its scroll position and focus.
        const texts = [...panel.querySelectorAll("p")];
        for (const [i, line] of lines.entries()) setText(texts[i], line);
        const cells = [...panel.querySelectorAll("td")];
        for (const [i, text] of rows.flat().entries()) setText(cells[i], text);
    }

    #build(panel, lines, rows) {
        const parts = lines.map((line, i) => h("p", { class: i === 0 ? "head" : null }, line));
        if (rows.length) {
            const region = { class: "scroll", tabindex: 0, role: "region", "aria-label": "Incoming weights" };
            parts.push(h("div", region, table("Incoming", ["from", ...Object.values(METRICS)], rows)));
        }
        panel.replaceChildren(...parts);
    }

    #incoming({ layer, neuron }) {
        const { network, frame } = this.trainer;
        if (!frame) return [];
        return Array.from({ length: network.layers[layer - 1] }, (_, source) => {
            const place = network.place(layer, neuron, source);
            const numbers = Object.keys(METRICS).map((section) => format(frame[section][place]));
            return [network.neuronName(layer - 1, source), ...numbers];
        });
    }
}
