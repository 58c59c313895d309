// Live figures of a lesson: a stepper, or a small network that learns.

import { h } from "../../../viz/web/static/page/dom.js";
import { decode, format } from "../../../viz/web/static/page/numbers.js";
import { Stepper } from "../../../viz/web/static/stepper/stepper.js";
import { setText, throttle } from "../shared/elements.js";
import { Connection } from "../training/connection.js";
import { LossCurve } from "../training/curves.js";
import { Losses } from "../training/losses.js";
import { BoundaryPlot } from "../training/plots.js";
import { logit } from "../training/rasters.js";

const WORDS_EVERY = 200; // milliseconds

export class StepperFigure {
    constructor(drawn) {
        const place = h("div");
        this.element = h("div", { class: "figure", role: "group", "aria-label": "Live figure" }, place);
        this.stepper = new Stepper(place, drawn);
    }

    pause() {
        this.stepper.pause();
    }

    destroy() {
        this.stepper.destroy();
    }
}

export class TrainerFigure {
    /** `settings` are those of a run; the studio's defaults fill in the rest. */
    constructor(settings, { trouble }) {
        Object.assign(this, { settings, trouble });
        this.state = "none"; // none, preparing, running, paused
        this.losses = new Losses();
        const plot = h("div", { class: "plot" });
        const curve = h("div", { class: "curve" });
        this.plot = new BoundaryPlot(plot);
        this.curve = new LossCurve(curve);
        this.play = h("button", { type: "button", class: "primary", onclick: () => this.#toggle() }, "Start");
        this.reset = h("button", { type: "button", disabled: true, onclick: () => this.#begin() }, "Reset");
        this.numbers = Object.fromEntries(["Epoch", "Loss", "Accuracy"].map((name) => [name, h("dd", {}, "–")]));
        this.element = h("div", { class: "figure card trainer-figure", role: "group", "aria-label": "Live figure: a network that learns" },
            h("p", { class: "help" }, describe(settings)),
            h("div", { class: "trainer-plots" }, plot, h("div", {}, curve,
                h("dl", { class: "figures" }, Object.entries(this.numbers).map(([name, number]) => h("div", {}, h("dt", {}, name), number))),
                h("div", { class: "row" }, this.play, this.reset,
                    h("a", { href: `#${address(settings)}` }, "Open in the Trainer")))));
        this.words = throttle(WORDS_EVERY, () => this.#words());
        this.connection = new Connection({
            open: () => this.#begin(),
            closed: (seconds) => this.#closed(seconds),
            message: (message) => this.#message(message),
            arrived: (frame) => this.#arrived(frame),
            draw: (frame) => this.#draw(frame),
        });
    }

    pause() {
        if (this.state === "running") this.#toggle();
    }

    repaint() {
        this.plot.repaint();
        this.curve.repaint();
    }

    destroy() {
        this.connection.close();
    }

    // --- commands --------------------------------------------------------------------------------

    /** Connects only when the reader starts the figure. */
    #toggle() {
        if (!this.connection.isOpen) {
            setText(this.play, "Starting …");
            this.connection.open();
            return;
        }
        this.state = this.state === "running" ? "paused" : "running";
        if (this.state === "running") this.connection.send({ type: "step" });
        this.#showState();
    }

    /** Prepares a run at epoch 0; the page then requests each step, so that every step is drawn. */
    #begin() {
        this.state = "preparing";
        this.ready = null; // frames of the previous run are ignored
        this.connection.send({ type: "start", config: this.settings });
        this.connection.send({ type: "pause" });
        this.connection.send({ type: "rewind", epoch: 0 });
    }

    #showState() {
        setText(this.play, this.state === "running" ? "Pause" : "Resume");
        this.reset.disabled = this.state === "none";
    }

    // --- messages from the studio ----------------------------------------------------------------

    #closed(seconds) {
        this.state = "none";
        this.trouble(new Error(`the connection to the studio was lost; reconnecting in ${seconds} s`));
    }

    #message({ type, message, reason, points, box, classes, layers, grid }) {
        if (type === "ready") {
            this.ready = { grid, points };
            this.losses = new Losses();
            this.plot.setData(points, box, layers.at(-1) > 2 ? classes : 0);
            this.plot.setRange(0, 1, [0.5], logit);
        } else if (type === "error" || (type === "stopped" && reason !== "stop")) {
            this.state = "paused";
            this.trouble(new Error(message));
            this.#showState();
        }
    }

    #arrived(frame) {
        if (!this.ready) return false;
        frame.loss = decode(frame.loss);
        if (this.state === "preparing") {
            if (frame.epoch !== 0 || frame.running) return false; // still rewinding to epoch 0
            this.state = "running";
            this.#showState();
        } else if (frame.losses.length) this.losses.add(frame.epoch - frame.losses.length, frame.losses);
        return true;
    }

    #draw(frame) {
        if (!this.ready) return;
        this.frame = frame;
        this.plot.draw(frame.boundary, this.ready.grid);
        this.curve.show(this.losses, frame.epoch);
        this.words();
        if (this.state === "running") this.connection.send({ type: "step" });
    }

    #words() {
        const { epoch, loss, accuracy } = this.frame;
        const share = `${(100 * accuracy).toFixed(1)} %`;
        setText(this.numbers.Epoch, epoch.toLocaleString("en"));
        setText(this.numbers.Loss, format(loss));
        setText(this.numbers.Accuracy, share);
        this.plot.describe(`Output of the network on the plane with ${this.ready.points.length} points: accuracy ${share}.`);
        this.curve.describe(`Loss over ${this.losses.length} epochs, now ${format(loss)}.`);
    }
}

function describe({ data, layers = [16, 16], activation = "tanh", rate = 0.05 }) {
    const hidden = layers.length > 1 ? `hidden layers of ${layers.join(", ")} neurons` : `one hidden layer of ${layers[0]} neurons`;
    return `A network with ${hidden} (${activation}) learns ${data === "xor" ? "XOR" : data}, with a learning rate of ${rate}.`;
}

function address({ data, layers, activation, rate }) {
    return new URLSearchParams({ tab: "trainer", data, layers: layers.join(","), activation, rate });
}
