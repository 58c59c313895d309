// The Stepper tab: everything around the stepper itself.
//
// The server parses and computes; this file has the fields, examples, exports, and the state in the URL.

import { h } from "../../../viz/web/static/page/dom.js";
import { decode, format } from "../../../viz/web/static/page/numbers.js";
import { Stepper } from "../../../viz/web/static/stepper/stepper.js";
import { byId, copy, download, showDialog, table } from "../shared/elements.js";
import { isShutOut, post } from "../shared/requests.js";
import { requestIn } from "../training/settings.js";

const EXAMPLES = [
    { name: "A neuron and its loss", expression: "0.5*(y - sigmoid(w1*x1 + w2*x2 + b))**2",
        values: { y: 1, w1: 0.5, x1: 2, w2: -0.5, x2: 3, b: 0.1 } },
    { name: "A neuron with tanh", expression: "tanh(w1*x1 + w2*x2 + b)",
        values: { w1: -3, x1: 2, w2: 1, x2: 0, b: 6.8814 } },
    { name: "a is used twice", expression: "tanh(a*b + a**2)", values: { a: 2, b: -3 } },
];
const CONSTANTS = ["pi", "e"];
const TYPING = 400; // milliseconds without typing before a new picture
const FILES = { html: "stepper.html", svg: "graph.svg", python: "expression.py" };

export class Explorer {
    constructor({ address, say, trouble }) {
        Object.assign(this, { address, say, trouble });
        this.values = {};
        this.asked = 0; // numbers the requests; answers to older ones are dropped
        this.sample = null;
        this.#listen();
    }

    #listen() {
        const on = (id, event, run) => byId(id).addEventListener(event, run);
        const options = EXAMPLES.map(({ name }, i) => h("option", { value: i }, name));
        byId("example").append(h("option", { value: "" }, "Your own"), ...options);
        on("example", "change", (event) => {
            const example = EXAMPLES[event.target.value];
            if (example) this.#set(example.expression, example.values, { push: true });
        });
        on("expression-form", "submit", (event) => {
            event.preventDefault();
            this.#typed({ push: true });
        });
        on("expression", "input", () => {
            this.#showExample();
            this.#later();
        });
        on("check", "click", () => this.#check().catch(this.trouble));
        const copied = () => this.say("Link copied.");
        on("copy-link", "click", () => copy(location.href).then(copied, this.trouble));
        on("sample-close", "click", () => this.#closeSample());
        on("sample-every", "change", () => this.openSample(this.sample).catch(this.trouble));
        for (const button of document.querySelectorAll("[data-export]")) {
            button.addEventListener("click", () => this.#export(button.dataset.export).catch(this.trouble));
        }
    }

    // --- state -----------------------------------------------------------------------------------

    restore(state) {
        const wanted = signature(state);
        if (wanted === this.restored) return;
        this.restored = wanted;
        const step = state.has("step") ? Number(state.get("step")) : undefined;
        const moment = { step, predict: state.get("predict") === "1" };
        const expression = state.get("expression") ?? EXAMPLES[0].expression;
        const example = EXAMPLES.find((one) => one.expression === expression);
        this.values = state.has("values") ? readValues(state.get("values")) : { ...example?.values };
        byId("expression").value = expression;
        this.#showExample();
        const sample = state.has("sample") ? readSample(state) : null;
        byId("sample-every").checked = state.get("every") === "1";
        if (sample) this.openSample(sample, moment).catch(this.trouble);
        else this.#draw(moment);
    }

    #write(changes, how) {
        this.address.write(changes, how);
        this.restored = signature(this.address.read());
    }

    #set(expression, values, how) {
        byId("expression").value = expression;
        this.values = { ...values };
        this.#showExample();
        this.#typed(how);
    }

    #later() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.#typed(), TYPING);
    }

    #typed(how = {}) {
        clearTimeout(this.timer);
        const { expression, values } = this.#question();
        const gone = { step: null, predict: null, sample: null, weights: null, at: null, every: null };
        this.#write({ expression, values: writeValues(values), ...gone }, how);
        this.#draw({});
    }

    // --- fields ----------------------------------------------------------------------------------

    /** Selects the example that matches the expression, if any. */
    #showExample() {
        const expression = byId("expression").value;
        const example = EXAMPLES.findIndex((e) => e.expression === expression);
        byId("example").value = example < 0 ? "" : example;
    }

    /** The request: a new variable has the value 1 until it is changed in the stepper. */
    #question() {
        const expression = byId("expression").value.trim();
        const values = Object.fromEntries(namesIn(expression).map((name) => [name, this.values[name] ?? 1]));
        return { expression, values };
    }

    // --- pictures --------------------------------------------------------------------------------

    /** Repeats the request that failed while the studio was gone. */
    again() {
        if (this.failed) this.#draw({});
    }

    async #draw(moment) {
        this.#showSample(null);
        this.failed = false;
        try {
            const question = this.#question();
            await this.#show("/api/picture", question, moment);
        } catch (error) {
            this.failed = error.status === undefined || isShutOut(error);
            this.trouble(error);
        }
    }

    /** Requests a picture and opens it in the stepper; false if a newer request replaced it. */
    async #show(path, question, moment) {
        this.asked += 1;
        const mine = this.asked;
        const answer = await (await post(path, question)).json();
        if (mine !== this.asked) return false;
        const moved = this.#since(question);
        if (moved) return this.#show(path, moved, moment);
        this.say("");
        this.stepper?.destroy();
        const place = h("div");
        byId("stepper-view").replaceChildren(place);
        this.stepper = new Stepper(place, { ...answer, ...moment });
        this.labels = answer.picture.nodes.map(({ label }) => label);
        // Fields inside send `change` events too; only the stepper's own have a detail.
        place.addEventListener("change", (event) => event.detail && this.#moved(event.detail));
        return true;
    }

    /** The request with current values if one changed while the picture was loading, otherwise false. */
    #since(question) {
        const names = Object.keys(question.values ?? {});
        const values = Object.fromEntries(names.map((name) => [name, this.values[name] ?? 1]));
        return names.some((name) => !Object.is(values[name], question.values[name])) && { ...question, values };
    }

    /** The stepper or one of its sliders moved: updates the values and the URL. */
    #moved({ step, values, predict }) {
        const changes = { step, predict: predict ? "1" : null };
        if (!this.sample) {
            for (const [id, value] of Object.entries(values)) this.values[this.labels[id]] = value;
            this.#showExample();
            changes.values = writeValues(this.#question().values);
            changes.expression = byId("expression").value.trim();
        }
        this.#write(changes);
    }

    // --- samples of the trainer ------------------------------------------------------------------

    /** The loss of one sample in a trained network; true once it is shown. */
    async openSample(opened, moment = {}) {
        const { config, parameters, sample, target, epoch } = opened;
        const every = byId("sample-every").checked; // otherwise one box per neuron, which is readable
        if (!(await this.#show("/api/sample", { config, parameters, sample, target, every }, moment))) return false;
        const { step, predict } = moment;
        const link = { sample: [...sample, target].join(","), weights: packed(parameters), at: epoch };
        this.#write({ ...link, every: every ? "1" : null, step, predict: predict ? "1" : null });
        this.#showSample(opened);
        return true;
    }

    #showSample(sample) {
        this.sample = sample;
        byId("expression-form").hidden = byId("picture-tools").hidden = sample !== null;
        byId("sample-bar").hidden = sample === null;
        if (!sample) return;
        const [x, y] = sample.sample.map((number) => format(number));
        const what = `x ${x}, y ${y}, target ${sample.target}, with the parameters of epoch ${sample.epoch}`;
        byId("sample-note").textContent = `The loss of one sample of ${sample.config.data}: ${what}.`;
    }

    #closeSample() {
        this.#typed({ push: true });
        byId("expression").focus();
    }

    // --- check and export ------------------------------------------------------------------------

    async #check() {
        const { rows, notes = [] } = await (await post("/api/check", this.#question())).json();
        const words = rows.map(({ name, analytic, numeric, agrees }) => (
            [name, exact(analytic), exact(numeric), agrees ? "✓ agrees" : "✗ differs"]
        ));
        const good = rows.every(({ agrees }) => agrees);
        const text = good ? "The gradients agree with finite differences." : "Some gradients differ.";
        const caption = "Each gradient by the chain rule and by finite differences";
        const found = table(caption, ["name", "chain rule", "finite differences", "verdict"], words);
        const region = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Gradients" }, found);
        const more = notes.map((note) => h("p", { class: "help" }, note));
        showDialog("Gradient check", h("div", {}, h("p", {}, text), region, ...more));
    }

    async #export(format) {
        const response = await post("/api/export", { ...this.#question(), format });
        download(FILES[format], await response.blob());
    }
}

const KEYS = ["expression", "values", "step", "predict", "sample", "weights", "every"];

/** The state of this tab in a URL. */
const signature = (state) => JSON.stringify(KEYS.map((key) => state.get(key)));

/** The variables in an expression: identifiers that are neither called nor constants. */
function namesIn(expression) {
    const found = expression.matchAll(/(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_]*(?![\p{L}\p{N}_]*\s*\()/gu);
    return [...new Set([...found].map(([name]) => name))].filter((name) => !CONSTANTS.includes(name));
}

function writeValues(values) {
    const pairs = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    return pairs.join(",") || null;
}

function readValues(text) {
    const pairs = text.split(",").map((pair) => pair.split("=")).map(([name, value]) => [name, Number(value)]);
    return Object.fromEntries(pairs.filter(([name, value]) => name && Number.isFinite(value)));
}

const exact = (number) => String(Number(decode(number).toPrecision(10))).replaceAll("-", "−");

/** 32-bit floats as text for a URL. */
function packed(numbers) {
    const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return Array.from(new Float32Array(bytes.buffer));
}

/** The sample in a link; null if the link is damaged. */
function readSample(state) {
    const numbers = state.get("sample").split(",").map(Number);
    const config = requestIn(state);
    try {
        const parameters = unpacked(state.get("weights") ?? "");
        if (numbers.length !== 3 || !numbers.every(Number.isFinite) || !config) return null;
        const [x, y, target] = numbers;
        return { config, parameters, sample: [x, y], target, epoch: Number(state.get("at") ?? 0) };
    } catch {
        return null;
    }
}
