// The settings form of a run: its fields as a configuration for the studio, and as keys of the URL.
//
// Maps fields to settings; does not start runs.

import { h } from "../../../viz/web/static/page/dom.js";
import { byId, setText } from "../shared/elements.js";
import {
    ACTIVATIONS, DATA_SETS, DEFAULTS, LOSSES, MADE, MOST_LAYERS, MOST_NEURONS, OPTIMIZERS,
} from "./choices.js";
import { SHAPES } from "./rasters.js";

const LONGEST_IN_ADDRESS = 20_000; // characters of pasted data
const NUMBERS = ["samples", "noise", "batch", "seed"];

export class Settings {
    /** `on.change()` when a new run is needed, `on.rate(rate)` when only the rate changed. */
    constructor(on) {
        this.on = on;
        this.config = structuredClone(DEFAULTS);
        options("activation", Object.fromEntries(ACTIVATIONS.map((name) => [name, name])));
        options("loss", LOSSES);
        options("optimizer", OPTIMIZERS);
        options("point-class", Object.fromEntries(SHAPES.map((shape, i) => [i, `${i} (${shape})`])));
        this.#listen();
        this.#show();
    }

    #listen() {
        const on = (id, event, run) => byId(id).addEventListener(event, ({ target }) => run(target));
        byId("settings").addEventListener("submit", (event) => event.preventDefault());
        on("data-sets", "change", ({ value }) => this.set({ data: value }));
        for (const name of ["activation", "loss", "optimizer"]) {
            on(name, "change", ({ value }) => this.set({ [name]: value }));
        }
        for (const name of NUMBERS) on(name, "change", (field) => this.#number(name, field));
        on("csv", "input", ({ value }) => this.set({ csv: value }));
        on("csv-file", "change", async ({ files }) => {
            if (files.length) this.set({ csv: await files[0].text() });
        });
        on("rate-slider", "input", ({ value }) => this.#rate(Number((10 ** value).toPrecision(2))));
        on("rate", "change", ({ valueAsNumber }) => this.#rate(valueAsNumber));
        on("layer-add", "click", () => {
            const { layers } = this.config;
            this.set({ layers: [...layers, layers.at(-1) ?? 4] });
        });
        on("point-add", "click", () => {
            this.addPoint(byId("point-x").valueAsNumber, byId("point-y").valueAsNumber);
        });
        on("point-undo", "click", () => this.set({ points: this.config.points.slice(0, -1) }));
        on("point-clear", "click", () => this.set({ points: [] }));
    }

    set(changes, { quiet = false } = {}) {
        Object.assign(this.config, changes);
        this.#show();
        if (!quiet) this.on.change();
    }

    #number(name, field) {
        const value = field.valueAsNumber;
        if (Number.isFinite(value)) this.set({ [name]: value });
        else this.#show();
    }

    #rate(rate) {
        if (rate > 0 && Number.isFinite(rate)) {
            this.config.rate = rate;
            this.on.rate(rate);
        }
        this.#show();
    }

    /** Adds a point of the selected class; a generated data set becomes editable points. */
    addPoint(x, y, others = this.config.points) {
        if (!Number.isFinite(x) || !Number.isFinite(y)) return;
        const kind = Number(byId("point-class").value);
        const short = (number) => Number(number.toPrecision(4));
        const points = [...others, [x, y, kind]].map(([a, b, c]) => [short(a), short(b), c]);
        this.set({ data: "points", points });
    }

    #show() {
        const { config } = this;
        const { data } = config;
        document.querySelector(`input[name=data][value=${data}]`).checked = true;
        byId("csv-fields").hidden = data !== "csv";
        byId("point-fields").hidden = data !== "points";
        byId("made-fields").hidden = !MADE.includes(data);
        for (const name of ["csv", "rate", "activation", "loss", "optimizer", ...NUMBERS]) {
            if (byId(name).value !== String(config[name])) byId(name).value = config[name];
        }
        byId("rate-slider").value = Math.log10(config.rate);
        byId("rate-slider").setAttribute("aria-valuetext", String(config.rate));
        const { length } = config.points;
        setText(byId("point-count"), length === 1 ? "1 point" : `${length} points`);
        byId("point-undo").disabled = byId("point-clear").disabled = length === 0;
        this.#showLayers();
    }

    #showLayers() {
        const { layers } = this.config;
        const focused = document.activeElement?.dataset?.layer;
        byId("layers").replaceChildren(...layers.map((count, i) => this.#layer(count, i)));
        byId("layer-add").disabled = layers.length >= MOST_LAYERS;
        if (focused) document.querySelector(`[data-layer="${focused}"]`)?.focus();
    }

    #layer(count, i) {
        const { layers } = this.config;
        const change = (sizes) => () => this.set({ layers: sizes });
        const resized = (size) => change(layers.map((old, k) => (k === i ? size : old)));
        const button = (text, label, onclick, more = {}) => (
            h("button", { type: "button", "aria-label": label, "data-layer": `${i}${text}`, onclick, ...more }, text));
        return h("div", { class: "layer", role: "group", "aria-label": `Hidden layer ${i + 1}` },
            h("span", { class: "name" }, `Layer ${i + 1}`),
            button("−", `Fewer neurons in layer ${i + 1}`, resized(count - 1), { disabled: count <= 1 }),
            h("output", { "aria-label": `Neurons in layer ${i + 1}` }, String(count)),
            button("+", `More neurons in layer ${i + 1}`, resized(count + 1), { disabled: count >= MOST_NEURONS }),
            button("✕", `Remove layer ${i + 1}`, change(layers.filter((_, k) => k !== i)), { class: "quiet" }));
    }

    /** The configuration to train, or null while there are no points. */
    request() {
        return requestOf(this.config);
    }

    /** The keys that differ from the defaults; null for those that do not. */
    toAddress() {
        const texts = this.#texts(this.config);
        const usual = this.#texts(DEFAULTS);
        const { data } = this.config;
        if (data !== "csv" || texts.csv.length > LONGEST_IN_ADDRESS) texts.csv = "";
        if (data !== "points" || texts.points.length > LONGEST_IN_ADDRESS) texts.points = "";
        const changed = Object.entries(texts).map(([key, text]) => [key, text === usual[key] ? null : text]);
        return Object.fromEntries(changed);
    }

    #texts(config) {
        const texts = Object.fromEntries(Object.entries(config).map(([key, value]) => [key, String(value)]));
        texts.layers = config.layers.join(",") || "none";
        texts.points = config.points.map((point) => point.join(",")).join(";");
        return texts;
    }

    /** Applies the state of a URL; true if that changed anything. */
    fromAddress(state) {
        const config = configOf(state);
        if (JSON.stringify(config) === JSON.stringify(this.config)) return false;
        this.set(config, { quiet: true });
        return true;
    }
}

/** The configuration in a URL; missing or invalid keys get their defaults. */
function configOf(state) {
    const config = structuredClone(DEFAULTS);
    const one = (key, known) => known.includes(state.get(key)) && (config[key] = state.get(key));
    one("data", DATA_SETS);
    one("activation", ACTIVATIONS);
    one("loss", Object.keys(LOSSES));
    one("optimizer", Object.keys(OPTIMIZERS));
    for (const key of [...NUMBERS, "rate"]) {
        const number = Number(state.get(key) ?? NaN);
        if (Number.isFinite(number) && number >= 0) config[key] = number;
    }
    const numbers = (text) => text.split(",").map(Number);
    const layers = state.get("layers") === "none" ? [] : numbers(state.get("layers") ?? "0");
    const fits = layers.every((size) => Number.isInteger(size) && size >= 1 && size <= MOST_NEURONS);
    if (fits && layers.length <= MOST_LAYERS) config.layers = layers;
    config.csv = state.get("csv") ?? "";
    const points = (state.get("points") ?? "").split(";").map(numbers);
    config.points = points.filter((point) => point.length === 3 && point.every(Number.isFinite));
    return config;
}

function requestOf({ csv, points, ...rest }) {
    if (rest.data === "csv") return csv.trim() ? { ...rest, csv } : null;
    if (rest.data === "points") return points.length ? { ...rest, points } : null;
    return rest;
}

/** The configuration to train in a URL, or null. */
export const requestIn = (state) => requestOf(configOf(state));

function options(id, names) {
    byId(id).replaceChildren(...Object.entries(names).map(([value, text]) => h("option", { value }, text)));
}
