// The Trainer tab: a run, its controls, and what is drawn of it.
//
// A run is prepared as soon as its settings are known, and waits at epoch 0: the data and the
// untrained network are there to look at before Start.

import { Connection } from "./connection.js";
import { FlowBars, LossCurve } from "./curves.js";
import { h, s } from "./dom.js";
import { byId, copy, download, hideTooltip, post, setText, showDialog, showTooltip, table, throttle } from "./elements.js";
import { Losses } from "./losses.js";
import { METRICS, Network } from "./network.js";
import { decode, format } from "./numbers.js";
import { BoundaryPlot, EMPTY_BOX, pngBlob, svgBlob } from "./plots.js";
import { logit, shape, SHAPES } from "./rasters.js";
import { Settings } from "./settings.js";
import { numberTables } from "./tables.js";

const EDGES_EVERY = 60; // milliseconds
const WORDS_EVERY = 250;
const TABLES_EVERY = 1000;
const DESCRIBE_EVERY = 3000;
const PREPARE_AFTER = 250;
const SLOW = 250; // from step to step

export class Trainer {
    constructor({ address, say, trouble, openSample }) {
        Object.assign(this, { address, say, trouble, openSample });
        this.state = "none"; // none, preparing, paused, running, stopped
        this.ready = null;
        this.frame = null;
        this.losses = new Losses();
        this.visible = false;
        this.chosen = null; // a neuron or an edge
        this.settings = new Settings({ change: () => this.#changed(), rate: (rate) => this.#rate(rate) });
        this.plot = new BoundaryPlot(byId("plot"));
        this.curve = new LossCurve(byId("curve"));
        this.flow = new FlowBars(byId("flow"), byId("flow-scale"), byId("flow-words"));
        this.network = new Network(byId("network"), byId("network-legend"), {
            choose: (thing) => this.#choose(thing),
            point: (thing, x, y) => (thing ? showTooltip(this.network.lines(thing), x, y) : hideTooltip()),
        });
        this.connection = new Connection({
            open: (again) => this.#opened(again),
            closed: (seconds) => this.#closed(seconds),
            message: (message) => this.#message(message),
            arrived: (frame) => this.#arrived(frame),
            draw: (frame) => this.#draw(frame),
        });
        this.drawEdges = throttle(EDGES_EVERY, () => this.frame && this.network.drawEdges(this.frame));
        this.drawWords = throttle(WORDS_EVERY, () => this.#words());
        this.drawTables = throttle(TABLES_EVERY, () => this.#tables());
        this.describe = throttle(DESCRIBE_EVERY, () => this.#describe());
        this.drawn = []; // of the last second
        this.#listen();
        this.#showState();
        this.#showDetails();
    }

    // --- the tab ---------------------------------------------------------------------------------

    show() {
        this.visible = true;
        this.connection.open();
        if (this.connection.isOpen && this.state === "none") this.prepare();
        if (this.frame) this.#draw(this.frame);
    }

    /** Whether the page asks for each step itself, once it has drawn the one before. */
    get isStepping() {
        return byId("speed").value !== "full";
    }

    hide() {
        this.visible = false;
        hideTooltip();
    }

    restore(state) {
        const changed = this.settings.fromAddress(state);
        this.#check("metric", state.get("edges") in METRICS ? state.get("edges") : "weights");
        this.#check("scale", state.get("scale") === "linear" ? "linear" : "log");
        this.network.setMetric(this.#checked("metric"));
        this.curve.scale = this.#checked("scale");
        this.curve.draw();
        byId("speed").value = ["slow", "steps"].includes(state.get("speed")) ? state.get("speed") : "full";
        if (changed && this.state !== "none") this.prepare();
    }

    repaint() {
        for (const view of [this.plot, this.curve, this.network]) view.repaint();
    }

    #checked(name) {
        return document.querySelector(`input[name=${name}]:checked`).value;
    }

    #check(name, value) {
        document.querySelector(`input[name=${name}][value=${value}]`).checked = true;
    }

    #listen() {
        const on = (id, event, run) => byId(id).addEventListener(event, run);
        on("play", "click", () => this.#play());
        on("step", "click", () => this.connection.send({ type: "step" }));
        on("reset", "click", () => this.prepare());
        on("speed", "change", () => {
            this.address.write({ speed: this.isStepping ? byId("speed").value : null });
            if (this.state === "running") this.#run();
        });
        const rewind = throttle(60, (epoch) => this.connection.send({ type: "rewind", epoch }));
        on("epoch", "input", (event) => {
            if (this.state === "running") this.#pause();
            this.#goOn();
            setText(byId("epoch-number"), event.target.value);
            rewind(Number(event.target.value));
        });
        on("edge-metric", "change", () => {
            this.network.setMetric(this.#checked("metric"));
            this.address.write({ edges: this.#checked("metric") === "weights" ? null : this.#checked("metric") });
        });
        on("curve-scale", "change", () => {
            this.curve.scale = this.#checked("scale");
            this.curve.draw();
            this.address.write({ scale: this.curve.scale === "log" ? null : this.curve.scale });
        });
        on("plot", "pointermove", (event) => this.#hoverPlot(event));
        on("plot", "pointerleave", hideTooltip);
        on("plot", "click", (event) => this.#clickPlot(event));
        on("curve", "pointermove", (event) => this.#hoverCurve(event));
        on("curve", "pointerleave", () => {
            this.curve.point(null);
            hideTooltip();
        });
        on("sample", "input", () => this.#chooseSample(byId("sample").valueAsNumber - 1));
        on("open-sample", "click", () => this.#openSample());
        on("numbers", "toggle", () => this.#tables());
        on("copy-run-link", "click", () => copy(location.href).then(() => this.say("The link is copied."), this.trouble));
        on("export-code", "click", () => this.#showCode().catch(this.trouble));
        on("export-network", "click", () => this.ready && download("network.svg", svgBlob(this.network.standalone())));
        on("export-plot-svg", "click", () => download("plot.svg", svgBlob(this.plot.standalone())));
        on("export-plot-png", "click", async () => download("plot.png", await pngBlob(this.plot.standalone())));
    }

    // --- the run ---------------------------------------------------------------------------------

    /** Settings that need a new run: it waits at epoch 0 once they have come to rest. */
    #changed() {
        this.address.write(this.settings.toAddress());
        this.#showOwnPoints();
        clearTimeout(this.preparing);
        this.preparing = setTimeout(() => this.prepare(), PREPARE_AFTER);
    }

    #rate(rate) {
        this.address.write(this.settings.toAddress());
        this.connection.send({ type: "rate", rate });
        if (this.frame) this.losses.cut(this.frame.epoch);
        this.#goOn();
    }

    prepare() {
        clearTimeout(this.preparing);
        this.say("");
        byId("banner").hidden = true;
        const config = this.settings.request();
        if (!config) return this.#nothing();
        if (!this.connection.isOpen) return;
        this.config = structuredClone(config);
        this.state = "preparing";
        this.connection.send({ type: "start", config });
        this.connection.send({ type: "pause" });
        this.connection.send({ type: "rewind", epoch: 0 });
        this.#showState();
    }

    #nothing() {
        this.connection.send({ type: "stop" });
        this.state = "none";
        this.ready = this.frame = null;
        this.losses = new Losses();
        this.plot.setData([], EMPTY_BOX);
        this.curve.show(this.losses, 0);
        this.#showState();
        this.say(this.settings.config.data === "csv" ? "Paste a table: a line of names, then x, y and the class." : "Click on the plot to add points.");
        if (this.settings.config.data === "points") this.#check("click", "add");
    }

    #showOwnPoints() {
        const { data, points } = this.settings.config;
        if (data !== "points") return;
        const box = this.ready && this.config?.data === "points" ? this.ready.box : this.plot.box;
        this.plot.setData(points, points.length ? box : EMPTY_BOX);
    }

    #play() {
        if (this.state === "running") this.#pause();
        else this.#run();
    }

    #run() {
        this.state = "running";
        this.connection.send({ type: this.isStepping ? "step" : "resume" });
        this.#showState();
    }

    /** At less than full speed: the next step, now or a little later. */
    #goStep() {
        clearTimeout(this.stepping);
        const step = () => this.state === "running" && this.isStepping && this.connection.send({ type: "step" });
        if (byId("speed").value === "steps") step();
        else this.stepping = setTimeout(step, SLOW);
    }

    #pause() {
        this.state = "paused";
        this.connection.send({ type: "pause" });
        this.#showState();
    }

    /** After a NaN: something was changed, so it may be tried again. */
    #goOn() {
        if (this.state !== "stopped") return;
        this.state = "paused";
        byId("banner").hidden = true;
        this.#showState();
    }

    #showState() {
        const play = byId("play");
        const busy = this.state === "running";
        setText(play, busy ? "Pause" : this.frame?.epoch > 0 ? "Resume" : "Start");
        const waiting = this.state === "paused";
        play.disabled = !busy && !waiting;
        byId("step").disabled = !waiting;
        byId("epoch").disabled = this.losses.length === 0;
        byId("reset").disabled = this.state === "preparing";
        for (const id of ["open-sample", "export-code", "export-network", "export-plot-svg", "export-plot-png"]) byId(id).disabled = !this.ready;
    }

    #opened(again) {
        if (again) this.say("Connected again. The run was lost with the connection; Start begins it anew.");
        const text = byId("message").textContent;
        this.prepare();
        if (again) this.say(text);
    }

    #closed(seconds) {
        this.state = "none";
        this.#showState();
        this.say(`The connection to the studio is lost; trying again in ${seconds} s.`, { error: true });
    }

    #message(message) {
        if (message.type === "ready") this.#begin(message);
        if (message.type === "error") {
            if (this.state === "preparing") this.state = "none";
            this.trouble(message);
            this.#showState();
        }
        if (message.type === "stopped") this.#stopped(message);
    }

    #stopped({ reason, message }) {
        if (this.state === "preparing" || reason === "stop") return; // the run before, or as asked for
        this.state = "stopped";
        setText(byId("banner"), message);
        byId("banner").hidden = false;
        this.#showState();
    }

    #begin(ready) {
        this.ready = ready;
        this.frame = null;
        this.losses = new Losses();
        const { points, box, classes, layers, small } = ready;
        this.plot.setData(points, box, layers.at(-1) > 2 ? classes : 0);
        if (this.config.loss === "hinge") this.plot.setRange(-1, 1, [0]);
        else if (this.config.loss === "mse") this.plot.setRange(0, classes - 1, Array.from({ length: classes - 1 }, (_, k) => k + 0.5));
        else this.plot.setRange(0, 1, [0.5], logit);
        this.network.setLayers(layers, small, box);
        this.flow.setLayers(layers.length - 1);
        byId("sample").max = points.length;
        if (byId("sample").valueAsNumber > points.length) byId("sample").value = 1;
        this.chosen = null;
        this.#showLegend();
        this.#showDetails();
        this.#predictions();
        this.#showState();
    }

    /** Each frame, also those that are not drawn; false for one that belongs to no run shown. */
    #arrived(frame) {
        if (!this.ready) return false;
        frame.loss = decode(frame.loss);
        if (this.state === "preparing") {
            if (frame.epoch !== 0 || frame.running) return false;
            this.state = "paused";
            this.losses = new Losses();
        } else if (frame.losses.length) {
            // What comes after the epoch stays: rewound, a run takes the same way again.
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

    #count(frame) {
        const time = performance.now();
        this.drawn.push({ time, steps: frame.steps });
        while (this.drawn[0].time < time - 1000) this.drawn.shift();
    }

    #words() {
        const { frame } = this;
        if (!frame) return;
        const slider = byId("epoch");
        slider.max = Math.max(this.losses.length, frame.epoch);
        slider.disabled = this.losses.length === 0;
        if (document.activeElement !== slider || this.state === "running") slider.value = frame.epoch;
        slider.setAttribute("aria-valuetext", `epoch ${frame.epoch}, loss ${format(frame.loss)}`);
        setText(byId("epoch-number"), String(frame.epoch));
        setText(byId("loss-number"), format(frame.loss));
        setText(byId("accuracy-number"), frame.accuracy === null || frame.accuracy === undefined ? "–" : `${(100 * frame.accuracy).toFixed(1)} %`);
        const busy = this.state === "running";
        const rate = this.isStepping ? frame.steps - this.drawn[0].steps : frame.rate;
        setText(byId("steps-rate"), busy && rate > 0 ? Math.round(rate).toLocaleString("en") : "–");
        setText(byId("frames-rate"), busy ? String(this.drawn.length) : "–");
        this.flow.show(frame.flow);
        this.#predictions();
        this.#showDetails();
        this.#showState();
    }

    #describe() {
        const { frame, ready } = this;
        if (!frame || !ready) return;
        const right = frame.accuracy === null || frame.accuracy === undefined ? "" : `, accuracy ${(100 * frame.accuracy).toFixed(1)} %`;
        this.plot.describe(`Output of the network on the plane at epoch ${frame.epoch}: loss ${format(frame.loss)}${right}; ${ready.points.length} points. The table under Numbers has the values.`);
        const best = this.losses.low.reduce((a, b) => Math.min(a, b), frame.loss);
        this.curve.describe(`Loss over ${this.losses.length} epochs, now ${format(frame.loss)}, lowest ${format(best)}.`);
    }

    /** The four cases of XOR, wanted and got. */
    #predictions() {
        const element = byId("predictions");
        const shown = this.config?.data === "xor" && this.ready && this.frame;
        element.hidden = !shown;
        if (!shown) return;
        const rows = this.ready.points.map(([x, y, target], i) => [`${x} xor ${y}`, format(this.frame.outputs[i]), String(target)]);
        if (element.children.length === 0) element.append(table("Predictions", ["Input", "Output", "Target"], rows));
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
        const { classes } = this.ready;
        const names = Array.from({ length: classes || 0 }, (_, k) => h("span", { class: "sample-line" },
            s("svg", { viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" }, s("path", { class: `point class-${k}`, d: shape(k, 7, 7, 5) })),
            `class ${k} (${SHAPES[k % SHAPES.length]})`));
        const line = s("svg", { viewBox: "0 0 24 10", width: 24, height: 10, "aria-hidden": "true" }, s("path", { class: "contour", d: "M1 5h22" }));
        const level = this.plot.classes ? "between classes" : `output ${this.plot.levels.join(", ")}`;
        byId("plot-legend").replaceChildren(...names, h("span", { class: "sample-line" }, line, level));
    }

    // --- pointing and choosing -------------------------------------------------------------------

    #pointLines(index) {
        const [x, y, target] = this.plot.points[index];
        const output = this.frame && this.ready?.points === this.plot.points ? this.frame.outputs[index] : null;
        return [`sample ${index + 1}`, `x ${format(x)}, y ${format(y)}`, `target ${target}`, `output ${format(output)}`];
    }

    #hoverPlot(event) {
        const place = this.plot.at(event);
        if (!place) return hideTooltip();
        const lines = place.index === null ? [`x ${format(place.x)}, y ${format(place.y)}`, `output ${format(this.plot.outputAt(place))}`] : this.#pointLines(place.index);
        return showTooltip(lines, event.clientX, event.clientY);
    }

    #clickPlot(event) {
        const place = this.plot.at(event);
        if (!place) return;
        if (this.#checked("click") === "add") {
            const { data, points } = this.settings.config;
            this.settings.addPoint(place.x, place.y, data === "points" ? points : (this.ready?.points ?? []));
        } else if (place.index !== null) {
            byId("sample").value = place.index + 1;
            this.#chooseSample(place.index);
        }
    }

    #hoverCurve(event) {
        const epoch = this.curve.at(event);
        this.curve.point(epoch);
        if (epoch === null) hideTooltip();
        else showTooltip([`epoch ${epoch}`, `loss ${format(this.losses.at(epoch))}`], event.clientX, event.clientY);
    }

    #chooseSample(index) {
        if (!this.ready || !(index in this.ready.points)) return;
        this.plot.choose(index);
        this.chosen = { kind: "sample", index };
        this.#showDetails();
    }

    #choose(thing) {
        this.chosen = thing;
        this.#showDetails();
    }

    #showDetails() {
        const panel = byId("details");
        const { chosen } = this;
        if (!chosen) {
            panel.replaceChildren(h("p", { class: "help" }, "Point at a neuron, an edge or a sample for its numbers; click to keep it here."));
            this.shown = null;
            return;
        }
        const lines = chosen.kind === "sample" ? this.#pointLines(chosen.index) : this.network.lines(chosen);
        const text = lines.join("\n");
        if (this.shown === text) return;
        this.shown = text;
        const [head, ...rest] = lines;
        const parts = [h("p", { class: "head" }, head), ...rest.map((line) => h("p", {}, line))];
        if (chosen.kind === "neuron" && chosen.layer > 0 && this.frame) parts.push(this.#incoming(chosen));
        panel.replaceChildren(...parts);
    }

    #incoming({ layer, neuron }) {
        const sources = this.ready.layers[layer - 1];
        const rows = Array.from({ length: sources }, (_, source) => {
            const place = this.network.place(layer, neuron, source);
            return [this.network.neuronName(layer - 1, source), ...Object.keys(METRICS).map((section) => format(this.frame[section][place]))];
        });
        return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Incoming weights" }, table("Incoming", ["from", "weight", "gradient", "update"], rows));
    }

    #openSample() {
        const index = byId("sample").valueAsNumber - 1;
        if (!this.frame || !(index in this.ready.points)) {
            this.trouble(new Error(`there is no sample ${byId("sample").value}: choose 1 to ${this.ready.points.length}`));
            return;
        }
        if (this.state === "running") this.#pause();
        const [x, y, target] = this.ready.points[index];
        this.openSample({ config: this.config, parameters: Array.from(this.frame.weights), sample: [x, y], target, epoch: this.frame.epoch });
    }

    async #showCode() {
        // The code that came with the run knows neither how long it took nor how its rate changed.
        const { epoch, rates } = this.frame ?? { epoch: 0 };
        const asked = epoch ? await post("/api/code", { config: this.config, epochs: epoch, rates }) : null;
        const code = asked ? await asked.text() : this.ready.code;
        const text = h("pre", { tabindex: 0, "aria-label": "Python code" }, h("code", {}, code));
        showDialog("This run in Python", text, [
            h("button", { type: "button", onclick: () => copy(code).then(() => this.say("The code is copied."), this.trouble) }, "Copy"),
            h("button", { type: "button", class: "primary", onclick: () => download("run.py", new Blob([code], { type: "text/x-python" })) }, "Download"),
        ]);
    }
}
