// The Trainer tab: a run, its controls and its views.
//
// A run is prepared as soon as its settings are known, and pauses at epoch 0: the data and the
// untrained network are visible before Start.

import { h, s } from "../../../viz/web/static/page/dom.js";
import { decode, format } from "../../../viz/web/static/page/numbers.js";
import * as page from "../shared/elements.js";
import { post } from "../shared/requests.js";
import { Connection } from "./connection.js";
import { FlowBars, LossCurve } from "./curves.js";
import { Inspector } from "./inspector.js";
import { Losses } from "./losses.js";
import { METRICS, Network } from "./network.js";
import { BoundaryPlot, EMPTY_BOX, pngBlob, svgBlob } from "./plots.js";
import { logit, shape, SHAPES } from "./rasters.js";
import { Settings } from "./settings.js";
import { numberTables } from "./tables.js";

const { byId, setText, throttle } = page;

// Milliseconds. Graphics are drawn in every frame, text and tables less often.
const EDGES_EVERY = 60;
const WORDS_EVERY = 250;
const TABLES_EVERY = 1000;
const DESCRIBE_EVERY = 3000;
const REWIND_EVERY = 60;
const PREPARE_AFTER = 250; // after the last change of a setting
const PACES = { slow: 250, watch: 33, steps: 0 }; // between steps; Full does not wait for drawing
const USUAL = "watch"; // at full speed, training on moons is too quick to watch

const EXPORTS = ["open-sample", "export-code", "export-network", "export-plot-svg", "export-plot-png"];
const RAW = ["mse", "l1", "huber"]; // losses for which the output is the class number itself
const HINTS = {
    csv: "Paste a table or choose a file: a header line, then one line for each point: x, y and the class "
        + "(0, 1, 2 and so on), separated by commas, as in 0.5,-1.2,1.",
    points: "Click on the plot to add points.",
};

export class Trainer {
    constructor({ address, say, trouble, openSample }) {
        Object.assign(this, { address, say, trouble, openSample });
        this.state = "none"; // none, preparing, paused, running, stopped
        this.ready = null; // the studio's `ready` message
        this.frame = null; // the last frame drawn
        this.losses = new Losses();
        this.drawn = []; // the time and step of each frame drawn in the last second
        this.visible = false;
        this.settings = new Settings({ change: () => this.#changed(), rate: (rate) => this.#rate(rate) });
        this.#build();
        this.connection = new Connection({
            open: (again) => this.#opened(again),
            closed: (seconds) => this.#closed(seconds),
            message: (message) => this.#message(message),
            arrived: (frame) => this.#arrived(frame),
            draw: (frame) => this.#draw(frame),
        });
        this.#listen();
        this.#showState();
    }

    #build() {
        this.plot = new BoundaryPlot(byId("plot"));
        this.curve = new LossCurve(byId("curve"));
        this.flow = new FlowBars(byId("flow"), byId("flow-scale"), byId("flow-words"));
        this.network = new Network(byId("network"), byId("network-legend"), {
            choose: (thing) => this.inspector.choose(thing),
            point: (thing, x, y) => this.inspector.point(thing, x, y),
        });
        this.inspector = new Inspector(this);
        this.drawEdges = throttle(EDGES_EVERY, () => this.frame && this.network.drawEdges(this.frame));
        this.drawWords = throttle(WORDS_EVERY, () => this.#words());
        this.drawTables = throttle(TABLES_EVERY, () => this.#tables());
        this.describe = throttle(DESCRIBE_EVERY, () => this.#describe());
    }

    #listen() {
        const on = (id, event, run) => byId(id).addEventListener(event, run);
        on("play", "click", () => (this.state === "running" ? this.#pause() : this.#run()));
        on("step", "click", () => this.connection.send({ type: "step" }));
        on("reset", "click", () => this.prepare());
        on("speed", "change", () => this.#speed());
        this.rewind = throttle(REWIND_EVERY, (epoch) => this.connection.send({ type: "rewind", epoch }));
        on("epoch", "input", (event) => this.#rewound(event.target.value));
        on("edge-metric", "change", () => this.#metric(checked("metric")));
        on("curve-scale", "change", () => this.#scale(checked("scale")));
        on("plot", "click", (event) => this.#clicked(event));
        on("open-sample", "click", () => this.#openSample());
        on("numbers", "toggle", () => this.#tables());
        const copied = () => this.say("Link copied.");
        on("copy-run-link", "click", () => page.copy(location.href).then(copied, this.trouble));
        on("export-code", "click", () => this.#showCode().catch(this.trouble));
        on("export-network", "click", () => page.download("network.svg", svgBlob(this.network.standalone())));
        on("export-plot-svg", "click", () => page.download("plot.svg", svgBlob(this.plot.standalone())));
        on("export-plot-png", "click", async () => {
            page.download("plot.png", await pngBlob(this.plot.standalone()));
        });
    }

    // --- the tab ---------------------------------------------------------------------------------

    show() {
        this.visible = true;
        this.connection.open();
        if (this.connection.isOpen && this.state === "none") this.prepare();
        if (this.frame) this.#draw(this.frame);
    }

    hide() {
        this.visible = false;
        page.hideTooltip();
    }

    restore(state) {
        const changed = this.settings.fromAddress(state);
        const metric = state.get("edges") in METRICS ? state.get("edges") : "weights";
        check("metric", metric);
        this.network.setMetric(metric);
        this.curve.scale = state.get("scale") === "linear" ? "linear" : "log";
        check("scale", this.curve.scale);
        this.curve.draw();
        const speed = state.get("speed");
        byId("speed").value = Object.hasOwn(PACES, speed) || speed === "full" ? speed : USUAL;
        if (changed && this.connection.isOpen) this.prepare();
    }

    /** The theme has changed. */
    repaint() {
        for (const view of [this.plot, this.curve, this.network]) view.repaint();
    }

    #metric(metric) {
        this.network.setMetric(metric);
        this.address.write({ edges: metric === "weights" ? null : metric });
    }

    #scale(scale) {
        this.curve.scale = scale;
        this.curve.draw();
        this.address.write({ scale: scale === "log" ? null : scale });
    }

    // --- commands --------------------------------------------------------------------------------

    /** The changed settings need a new run: prepares one once the settings stop changing. */
    #changed() {
        this.address.write(this.settings.toAddress());
        this.#showOwnPoints();
        clearTimeout(this.preparing);
        this.preparing = setTimeout(() => this.prepare(), PREPARE_AFTER);
    }

    prepare() {
        clearTimeout(this.preparing);
        this.say("");
        byId("banner").hidden = true;
        const config = this.settings.request();
        if (!config) return this.#wait();
        if (!this.connection.isOpen) return undefined;
        this.config = structuredClone(config);
        this.state = "preparing";
        this.ready = null; // frames of the previous run are ignored
        this.connection.send({ type: "start", config });
        this.connection.send({ type: "pause" });
        this.connection.send({ type: "rewind", epoch: 0 });
        return this.#showState();
    }

    /** Explains what to do while there are no points. */
    #wait() {
        const { data } = this.settings.config;
        this.connection.send({ type: "stop" });
        this.state = "none";
        this.ready = this.frame = null;
        this.losses = new Losses();
        this.plot.setData([], EMPTY_BOX);
        this.curve.show(this.losses, 0);
        if (data === "points") check("click", "add");
        this.say(HINTS[data]);
        this.#showState();
    }

    /** Whether the page requests each step itself, after drawing the previous one. */
    get isStepping() {
        return byId("speed").value !== "full";
    }

    #speed() {
        const { value } = byId("speed");
        this.address.write({ speed: value === USUAL ? null : value });
        if (this.state === "running") this.#run();
    }

    #run() {
        this.state = "running";
        if (this.isStepping) this.#sendStep();
        else this.connection.send({ type: "resume" });
        this.#showState();
    }

    #sendStep() {
        this.asked = performance.now();
        this.connection.send({ type: "step" });
    }

    /** Below full speed: requests the next step, now or a little later. */
    #goStep() {
        clearTimeout(this.stepping);
        const left = PACES[byId("speed").value] - (performance.now() - this.asked);
        const step = () => {
            if (this.state === "running" && this.isStepping) this.#sendStep();
        };
        if (left <= 0) step();
        else this.stepping = setTimeout(step, left);
    }

    #pause() {
        this.state = "paused";
        this.connection.send({ type: "pause" });
        this.#showState();
    }

    #rewound(epoch) {
        if (this.state === "running") this.#pause();
        this.#tryAgain();
        setText(byId("epoch-number"), epoch);
        this.rewind(Number(epoch));
    }

    #rate(rate) {
        this.address.write(this.settings.toAddress());
        this.connection.send({ type: "rate", rate });
        if (this.frame) this.losses.cut(this.frame.epoch); // a new rate discards the later epochs
        this.#tryAgain();
    }

    /** After a NaN, a changed setting lets the run continue. */
    #tryAgain() {
        if (this.state !== "stopped") return;
        this.state = "paused";
        byId("banner").hidden = true;
        this.#showState();
    }

    #showState() {
        const running = this.state === "running";
        const paused = this.state === "paused";
        setText(byId("play"), running ? "Pause" : this.frame?.epoch > 0 ? "Resume" : "Start");
        byId("play").disabled = !running && !paused;
        byId("step").disabled = !paused;
        byId("reset").disabled = this.state === "preparing";
        byId("epoch").disabled = this.losses.length === 0;
        for (const id of EXPORTS) byId(id).disabled = !this.ready;
    }

    // --- messages from the studio ----------------------------------------------------------------

    #opened(again) {
        this.prepare();
        if (again) this.say("Reconnected. The run was lost with the connection; press Start to begin a new one.");
    }

    #closed(seconds) {
        this.state = "none";
        this.#showState();
        this.say(`The connection to the studio was lost; reconnecting in ${seconds} s.`, { error: true });
    }

    #message(message) {
        if (message.type === "ready") this.#begin(message);
        else if (message.type === "stopped") this.#stopped(message);
        else if (message.type === "error") {
            if (this.state === "preparing") this.state = "none";
            this.trouble(message);
            this.#showState();
        }
    }

    #stopped({ reason, message }) {
        if (this.state === "preparing" || reason === "stop") return; // the previous run, or stopped by the user
        this.state = "stopped";
        setText(byId("banner"), message);
        byId("banner").hidden = false;
        this.#showState();
    }

    #begin(ready) {
        const { points, box, classes, layers, small } = ready;
        this.ready = ready;
        this.frame = null;
        this.state = "preparing";
        this.losses = new Losses();
        this.plot.setData(points, box, layers.at(-1) > 2 ? classes : 0);
        const { loss } = this.config;
        if (loss === "hinge") this.plot.setRange(-1, 1, [0]);
        else if (RAW.includes(loss)) this.plot.setRange(0, classes - 1, between(classes));
        else this.plot.setRange(0, 1, [0.5], logit);
        this.network.setLayers(layers, small, box);
        this.flow.setLayers(layers.length - 1);
        this.inspector.reset();
        this.#showLegend();
        this.#predictions();
        this.#showState();
    }

    /** Called for every frame; false means that it must not be drawn. */
    #arrived(frame) {
        if (!this.ready) return false;
        frame.loss = decode(frame.loss);
        if (this.state === "preparing") {
            if (frame.epoch !== 0 || frame.running) return false; // still rewinding to epoch 0
            this.state = "paused";
        } else if (frame.losses.length) {
            // Keep losses after the epoch: a rewound run repeats them exactly.
            this.losses.add(frame.epoch - frame.losses.length, frame.losses);
        }
        return true;
    }

    // --- drawing ---------------------------------------------------------------------------------

    #draw(frame) {
        this.frame = frame;
        if (!this.visible || !this.ready) return;
        this.#count(frame);
        this.plot.draw(frame.boundary, this.ready.grid);
        this.network.drawMaps(frame);
        this.drawEdges();
        this.curve.show(this.losses, frame.epoch);
        this.drawWords();
        this.drawTables();
        this.describe();
        if (this.state === "running" && this.isStepping) this.#goStep();
    }

    #count({ steps }) {
        const time = performance.now();
        this.drawn.push({ time, steps });
        while (this.drawn[0].time < time - 1000) this.drawn.shift();
    }

    #words() {
        const { frame } = this;
        if (!frame || !this.ready) return;
        this.#showEpoch(frame);
        setText(byId("loss-number"), format(frame.loss));
        setText(byId("accuracy-number"), accuracy(frame));
        const running = this.state === "running";
        const rate = this.isStepping ? frame.steps - this.drawn[0].steps : frame.rate;
        setText(byId("steps-rate"), running && rate > 0 ? Math.round(rate).toLocaleString("en") : "–");
        setText(byId("frames-rate"), running ? String(this.drawn.length) : "–");
        this.flow.show(frame.flow);
        this.#predictions();
        this.inspector.show();
        this.#showState();
    }

    #showEpoch({ epoch, loss }) {
        const slider = byId("epoch");
        slider.max = Math.max(this.losses.length, epoch);
        // A slider that is being moved is ahead of the frames.
        if (document.activeElement !== slider || this.state === "running") slider.value = epoch;
        slider.setAttribute("aria-valuetext", `epoch ${epoch}, loss ${format(loss)}`);
        setText(byId("epoch-number"), String(epoch));
    }

    #describe() {
        const { frame, ready, losses } = this;
        if (!frame || !ready) return;
        const { epoch, loss } = frame;
        const figures = `loss ${format(loss)}, accuracy ${accuracy(frame)}`;
        const where = "The table under Numbers has the values.";
        const count = `${ready.points.length} points`;
        this.plot.describe(`Output of the network at epoch ${epoch}: ${figures}; ${count}. ${where}`);
        const best = losses.low.reduce((a, b) => Math.min(a, b), loss);
        this.curve.describe(`Loss over ${losses.length} epochs, now ${format(loss)}, lowest ${format(best)}.`);
    }

    /** The four cases of XOR, with outputs and targets. */
    #predictions() {
        const { frame, ready } = this;
        const element = byId("predictions");
        element.hidden = this.config?.data !== "xor" || !ready || !frame;
        if (element.hidden) return;
        const got = (i) => format(frame.outputs[i]);
        const rows = ready.points.map(([x, y, target], i) => [`${x} xor ${y}`, got(i), `${target}`]);
        if (!element.firstChild) element.append(page.table("Predictions", ["Input", "Output", "Target"], rows));
        const cells = element.querySelectorAll("td");
        for (const [i, text] of rows.flat().entries()) setText(cells[i], text);
    }

    #tables() {
        const element = byId("tables");
        if (!byId("numbers").open || !this.frame || !this.ready) return;
        const places = [...element.children].map((child) => child.scrollTop);
        element.replaceChildren(...numberTables(this));
        for (const [i, child] of [...element.children].entries()) child.scrollTop = places[i] ?? 0;
    }

    #showLegend() {
        const sample = (width, height, attributes, text) => {
            const size = { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" };
            return h("span", { class: "sample-line" }, s("svg", size, s("path", attributes)), text);
        };
        const classes = Array.from({ length: this.ready.classes }, (_, k) => {
            const mark = { class: `point class-${k}`, d: shape(k, 7, 7, 5) };
            return sample(14, 14, mark, `class ${k} (${SHAPES[k % SHAPES.length]})`);
        });
        const where = this.plot.classes ? "between classes" : `output ${this.plot.levels.join(", ")}`;
        byId("plot-legend").replaceChildren(...classes, sample(24, 10, { class: "contour", d: "M1 5h22" }, where));
    }

    // --- points and samples ----------------------------------------------------------------------

    /** The user's own points are shown at once, before the studio answers. */
    #showOwnPoints() {
        const { data, points } = this.settings.config;
        if (data !== "points") return;
        this.plot.setData(points, points.length ? this.plot.box : EMPTY_BOX);
    }

    #clicked(event) {
        const place = this.plot.at(event);
        if (!place) return;
        if (checked("click") === "add") {
            this.settings.addPoint(place.x, place.y, this.plot.points);
        } else if (place.index !== null) {
            byId("sample").value = place.index + 1;
            this.inspector.chooseSample(place.index);
        }
    }

    #openSample() {
        const { points } = this.ready;
        const index = byId("sample").valueAsNumber - 1;
        if (!this.frame || !(index in points)) {
            this.trouble(new Error(`there is no sample ${byId("sample").value}: choose 1 to ${points.length}`));
            return;
        }
        if (this.state === "running") this.#pause();
        const [x, y, target] = points[index];
        const { weights, epoch } = this.frame;
        const question = { config: this.config, parameters: Array.from(weights), sample: [x, y], target, epoch };
        this.openSample(question).catch(this.trouble);
    }

    async #showCode() {
        // The code in `ready` does not include the number of epochs or the rate changes.
        const { epoch, rates } = this.frame ?? { epoch: 0 };
        const asked = epoch ? await post("/api/code", { config: this.config, epochs: epoch, rates }) : null;
        const code = asked ? await asked.text() : this.ready.code;
        const copied = () => this.say("Code copied.");
        const copy = () => page.copy(code).then(copied, this.trouble);
        const download = () => page.download("run.py", new Blob([code], { type: "text/x-python" }));
        const text = h("pre", { tabindex: 0, role: "region", "aria-label": "Python code" }, h("code", {}, code));
        page.showDialog("This run in Python", text, [
            h("button", { type: "button", onclick: copy }, "Copy"),
            h("button", { type: "button", class: "primary", onclick: download }, "Download"),
        ]);
    }
}

const checked = (name) => document.querySelector(`input[name=${name}]:checked`).value;

function check(name, value) {
    document.querySelector(`input[name=${name}][value=${value}]`).checked = true;
}

const accuracy = (frame) => `${(100 * frame.accuracy).toFixed(1)} %`;

/** The thresholds between class numbers. */
const between = (classes) => Array.from({ length: classes - 1 }, (_, k) => k + 0.5);
