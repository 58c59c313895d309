// The leaves as a table: a slider and a field for each, and its gradient.

import { h } from "../page/dom.js";
import { format } from "../page/numbers.js";

const NICE = [1, 2, 5];

export class Leaves {
    /** `leaves` are nodes; `fixed` is a Set of those that cannot be moved; `change(id, x)` sets a value. */
    constructor(leaves, { names, values, fixed, ranges, change }) {
        this.fields = new Map();
        const rows = leaves.map((node) => {
            const name = names[node.id];
            const disabled = fixed.has(node.id);
            const [low, high] = ranges[node.id] ?? range(values.get(node.id));
            const title = disabled ? "Feeds an operation that only Python can compute" : null;
            const common = { disabled, title };
            const slider = h("input", {
                ...common, disabled: disabled || !Number.isFinite(high - low), type: "range", min: low, max: high, step: (high - low) / 200,
                "aria-label": `Slide ${name}`,
                oninput: () => change(node.id, Number(Number(slider.value).toPrecision(12))),
            });
            const number = h("input", {
                ...common, type: "number", step: "any", "aria-label": `Value of ${name}`,
                oninput: () => Number.isFinite(number.valueAsNumber) && change(node.id, number.valueAsNumber),
            });
            const gradient = h("td", { class: "number grad" });
            this.fields.set(node.id, { slider, number, gradient });
            return h("tr", { "data-leaf": node.id },
                h("th", { scope: "row", title: name }, name),
                h("td", {}, h("div", { class: "inputs" }, number, slider)), gradient);
        });
        this.element = h("table", {},
            h("caption", { class: "hidden" }, "Leaves"),
            h("thead", {}, h("tr", {}, ["Leaf", "Value", "Gradient"].map((text) => h("th", { scope: "col" }, text)))),
            h("tbody", {}, rows));
    }

    show(values, grad) {
        for (const [id, { slider, number, gradient }] of this.fields) {
            const x = values.get(id);
            widen(slider, x);
            slider.value = x;
            const finite = Number.isFinite(x); // a number field cannot hold inf or nan
            if (finite ? number.valueAsNumber !== x : number.value !== "") number.value = finite ? x : "";
            number.placeholder = finite ? "" : format(x);
            gradient.textContent = format(grad[id]);
        }
    }
}

/** From -r to r, where r is 1, 2 or 5 times a power of ten and leaves room on both sides. */
function range(x) {
    const size = Math.max(2 * Math.abs(Number.isFinite(x) ? x : 1), 1);
    const power = 10 ** Math.floor(Math.log10(size));
    const end = power * (NICE.find((nice) => nice * power >= size) ?? 10);
    return [-end, end];
}

/** Widens the range of a slider to include a typed value. */
function widen(slider, x) {
    if (Number.isFinite(x) && (x < Number(slider.min) || x > Number(slider.max))) {
        const [low, high] = range(x);
        slider.min = Math.min(low, Number(slider.min));
        slider.max = Math.max(high, Number(slider.max));
        slider.step = (slider.max - slider.min) / 200;
    }
}
