// The form of a run: its fields as a configuration for the studio, and as keys of the address.
//
// Knows which field means what; starts nothing.

import { h } from "./dom.js";
import { byId, setText } from "./elements.js";
import { SHAPES } from "./rasters.js";

export const DATA_SETS = ["xor", "moons", "circles", "spirals", "csv", "points"];
const ACTIVATIONS = ["tanh", "relu", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu", "sin", "linear", "exp"];
const LOSSES = {
    binary_cross_entropy_with_logits: "binary cross-entropy",
    cross_entropy: "cross-entropy",
    mse: "mean squared error",
    hinge: "hinge",
};
const OPTIMIZERS = { adam: "Adam", adamw: "AdamW", sgd: "SGD", rmsprop: "RMSprop", adagrad: "Adagrad" };
const MOST_LAYERS = 6;
const MOST_NEURONS = 64;
const LONGEST_IN_ADDRESS = 20_000; // characters of pasted data

export const DEFAULTS = {
    data: "moons", csv: "", points: [], samples: 100, noise: 0.1, layers: [8, 8], activation: "tanh",
    loss: "binary_cross_entropy_with_logits", optimizer: "adam", rate: 0.03, batch: 0, seed: 0,
};
const NUMBERS = ["samples", "noise", "batch", "seed"];

export class Settings {
    /** `on.change()` when a run has to begin anew, `on.rate(rate)` when only the rate changed. */
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
        byId("settings").addEventListener("submit", (event) => event.preventDefault());
        for (const radio of document.querySelectorAll("input[name=data]")) radio.addEventListener("change", () => this.set({ data: radio.value }));
        for (const name of ["activation", "loss", "optimizer"]) byId(name).addEventListener("change", (event) => this.set({ [name]: event.target.value }));
        for (const name of NUMBERS) byId(name).addEventListener("change", (event) => this.#number(name, event.target));
        byId("csv").addEventListener("input", (event) => this.set({ csv: event.target.value }));
        byId("csv-file").addEventListener("change", async (event) => {
            const [file] = event.target.files;
            if (file) this.set({ csv: await file.text() });
        });
        byId("rate-slider").addEventListener("input", (event) => this.#rate(Number((10 ** event.target.value).toPrecision(2))));
        byId("rate").addEventListener("change", (event) => this.#rate(event.target.valueAsNumber));
        byId("layer-add").addEventListener("click", () => this.set({ layers: [...this.config.layers, this.config.layers.at(-1) ?? 4] }));
        byId("point-add").addEventListener("click", () => this.addPoint(byId("point-x").valueAsNumber, byId("point-y").valueAsNumber));
        byId("point-undo").addEventListener("click", () => this.set({ points: this.config.points.slice(0, -1) }));
        byId("point-clear").addEventListener("click", () => this.set({ points: [] }));
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

    /** One more point of the chosen class; a made data set becomes points of one's own. */
    addPoint(x, y, others = this.config.points) {
        if (!Number.isFinite(x) || !Number.isFinite(y)) return;
        const kind = Number(byId("point-class").value);
        const point = [Number(x.toPrecision(4)), Number(y.toPrecision(4)), kind];
        this.set({ data: "points", points: [...others, point] });
    }

    #show() {
        const { config } = this;
        const { data } = config;
        for (const radio of document.querySelectorAll("input[name=data]")) radio.checked = radio.value === data;
        byId("csv-fields").hidden = data !== "csv";
        byId("point-fields").hidden = data !== "points";
        byId("made-fields").hidden = !["moons", "circles", "spirals"].includes(data);
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
        const resized = (i, count) => this.set({ layers: layers.map((old, k) => (k === i ? count : old)) });
        const focused = document.activeElement?.dataset?.layer;
        byId("layers").replaceChildren(...layers.map((count, i) => h("div", { class: "layer", role: "group", "aria-label": `Hidden layer ${i + 1}` },
            h("span", { class: "name" }, `Layer ${i + 1}`),
            h("button", { type: "button", "aria-label": `Fewer neurons in layer ${i + 1}`, "data-layer": `${i}-`, disabled: count <= 1, onclick: () => resized(i, count - 1) }, "−"),
            h("output", { "aria-label": `Neurons in layer ${i + 1}` }, String(count)),
            h("button", { type: "button", "aria-label": `More neurons in layer ${i + 1}`, "data-layer": `${i}+`, disabled: count >= MOST_NEURONS, onclick: () => resized(i, count + 1) }, "+"),
            h("button", { type: "button", class: "quiet", "aria-label": `Remove layer ${i + 1}`, "data-layer": `${i}x`, onclick: () => this.set({ layers: layers.filter((_, k) => k !== i) }) }, "✕"))));
        byId("layer-add").disabled = layers.length >= MOST_LAYERS;
        if (focused) document.querySelector(`[data-layer="${focused}"]`)?.focus();
    }

    /** What the studio is asked to train, or null while there is nothing to train on. */
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
        return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text === usual[key] ? null : text]));
    }

    #texts(config) {
        const texts = Object.fromEntries(Object.entries(config).map(([key, value]) => [key, String(value)]));
        texts.layers = config.layers.join(",") || "none";
        texts.points = config.points.map((point) => point.join(",")).join(";");
        return texts;
    }

    /** Take over what an address says; true if that is something else than before. */
    fromAddress(state) {
        const config = configOf(state);
        if (JSON.stringify(config) === JSON.stringify(this.config)) return false;
        this.set(config, { quiet: true });
        return true;
    }
}

/** The configuration in an address; what it does not say, or says wrongly, is as usual. */
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
    const layers = state.get("layers");
    if (layers === "none") config.layers = [];
    else if (layers && numbers(layers).every((n) => Number.isInteger(n) && n >= 1 && n <= MOST_NEURONS)) config.layers = numbers(layers).slice(0, MOST_LAYERS);
    config.csv = state.get("csv") ?? "";
    config.points = (state.get("points") ?? "").split(";").map(numbers).filter((p) => p.length === 3 && p.every(Number.isFinite));
    return config;
}

function requestOf({ csv, points, ...rest }) {
    if (rest.data === "csv") return csv.trim() ? { ...rest, csv } : null;
    if (rest.data === "points") return points.length ? { ...rest, points } : null;
    return rest;
}

/** What an address asks the studio to train, or null. */
export const requestIn = (state) => requestOf(configOf(state));

function options(id, names) {
    byId(id).replaceChildren(...Object.entries(names).map(([value, text]) => h("option", { value }, text)));
}
