// Stepping through a picture: forward and backward, one number at a time.
//
// Used by the studio, by exported files and by notebooks. The stepper sends nothing anywhere; a page that
// wants to save the stepper's state listens to its `change` events.

import { asDrawn, fixedLeaves, recompute } from "../graph/engine.js";
import { Graph, isFolded } from "../graph/graph.js";
import { whyGradient, whyValue } from "../graph/nans.js";
import { h, list, s } from "../page/dom.js";
import { decode, format } from "../page/numbers.js";
import { differences, EPSILON } from "./checking.js";
import { Leaves } from "./leaves.js";
import { happening, moment } from "./moments.js";
import { Quiz } from "./quiz.js";
import { Teller } from "./telling.js";

const PAUSE = 1100; // milliseconds between steps while playing
const ICONS = {
    first: "M6 5v14M19 5 9 12l10 7z",
    back: "M17 5 7 12l10 7z",
    play: "M7 4l13 8-13 8z",
    pause: "M8 5v14M16 5v14",
    next: "M7 5l10 7-10 7z",
    last: "M18 5v14M5 5l10 7-10 7z",
};

export class Stepper {
    /**
     * `picture`, `layout` and `rules` are as in the studio's README. `sliders` may give ranges,
     * {leaf: [low, high]}, or be false for none. `step`, `values` and `predict` are a state as
     * `change` reports it. `keys` is the target of key events: the element, or the document.
     */
    constructor(element, options) {
        const { picture, layout, rules = [], sliders = {}, keys = element } = options;
        this.element = element;
        this.picture = picture;
        this.last = picture.steps.length;
        this.leaves = picture.nodes.filter((node) => node.kind === "leaf");
        this.values = new Map(this.leaves.map((node) => [node.id, decode(node.data)]));
        this.overview = true; // before the first step everything is shown, as after the last
        this.step = this.last;
        this.timer = null;
        this.quiz = new Quiz({ answered: () => this.reveal() });
        this.build(layout, rules, sliders);
        this.keys = keys;
        this.pressed = (event) => this.key(event);
        keys.addEventListener("keydown", this.pressed);
        this.restore(options);
    }

    /**
     * The state that a page may save: the step (null before the first), the values of the leaves by node
     * id, if JSON can represent them, and the mode.
     */
    get state() {
        const values = [...this.values].filter(([, x]) => Number.isFinite(x));
        return { step: this.overview ? null : this.step, values: Object.fromEntries(values), predict: this.quiz.on };
    }

    /** Whether Python's own numbers are shown: no leaf was changed, and no step was taken. */
    get untouched() {
        return this.overview && this.leaves.every((node) => Object.is(this.values.get(node.id), decode(node.data)));
    }

    /** Restores a state or part of one; invalid parts are ignored. */
    restore({ step, values, predict }) {
        for (const [id, x] of Object.entries(values ?? {})) {
            if (this.values.has(Number(id)) && !this.fixed.has(Number(id)) && typeof x === "number") {
                this.values.set(Number(id), x);
            }
        }
        if (Number.isInteger(step) && step >= 0 && step <= this.last) {
            this.step = step;
            this.overview = false;
        }
        if (typeof predict === "boolean") this.quiz.on = predict;
        this.quiz.close();
        this.compute();
    }

    destroy() {
        this.pause();
        this.keys.removeEventListener("keydown", this.pressed);
        this.graph.destroy();
        this.element.replaceChildren();
    }

    // --- building --------------------------------------------------------------------------------

    build(layout, rules, sliders) {
        this.fixed = fixedLeaves(this.picture);
        const drawing = s("svg");
        this.telling = h("section", { class: "telling", "aria-label": "This step" });
        this.spoken = h("p", { class: "hidden", role: "status", "aria-live": "polite" });
        const panels = h("div", { class: "panels" }, this.telling);
        this.noted = this.note();
        // Keep the fields' own change events inside; listeners outside expect only the stepper's.
        const properties = { class: "chainrule-stepper", onchange: (event) => event.stopPropagation() };
        this.element.replaceChildren(
            h("div", properties, drawing, this.noted, this.transport(), panels, this.spoken));
        this.graph = new Graph(drawing, this.picture, layout);
        this.teller = new Teller(this.picture, rules, this.graph.names);
        if (sliders !== false && this.leaves.length > 0) {
            const { values, fixed } = this;
            const change = (id, x) => this.move(id, x);
            this.table = new Leaves(this.leaves, { names: this.graph.names, values, fixed, ranges: sliders, change });
            panels.append(h("section", { class: "leaves", "aria-label": "Leaves" }, this.table.element, this.checks()));
        }
    }

    /** Why Python's numbers differ from those at the end of stepping, if they do. */
    note() {
        const { nodes } = this.picture;
        const drawn = asDrawn(this.picture).grad;
        const { grad } = recompute(this.picture);
        const differs = (x, id) => x !== null && drawn[id] !== null && format(x) !== format(drawn[id]);
        const text = nodes.some((node) => node.changed)
            ? "Leaves have changed since this was computed. Take a step or change a value to recompute all numbers."
            : drawn.every((x) => x === null)
            ? "The gradients have not been computed yet. Take a step or change a value to compute them."
            : grad.some(differs)
            ? "These gradients are Python's: they come from several backward() calls, or do not start from 1. "
                + "Take a step or change a value to recompute them from 1 at the output."
            : null;
        return text === null ? null : h("p", { class: "note" }, text);
    }

    transport() {
        const button = (name, label, action) => (
            h("button", { type: "button", class: name, "aria-label": label, title: label, onclick: action }, icon(ICONS[name])));
        this.buttons = {
            first: button("first", "First step", () => this.go(0)),
            back: button("back", "Back", () => this.go(this.step - 1)),
            play: button("play", "Play", () => (this.timer === null ? this.play() : this.pause())),
            next: button("next", "Next", () => this.next()),
            last: button("last", "Last step", () => this.go(this.last)),
        };
        this.timeline = h("input", {
            type: "range", class: "timeline", min: 0, max: this.last, step: 1, "aria-label": "Step",
            oninput: () => this.go(Number(this.timeline.value)),
        });
        const forward = this.picture.steps.filter((step) => step.kind === "forward").length;
        this.timeline.style.setProperty("--split", `${100 * forward / Math.max(this.last, 1)}%`);
        this.progress = h("span", { class: "progress" });
        this.mode = h("input", { type: "checkbox", onchange: () => this.setMode(this.mode.checked) });
        this.score = h("span", { class: "score" });
        return h("div", { class: "transport", role: "group", "aria-label": "Steps" },
            h("div", { class: "buttons" }, Object.values(this.buttons)),
            h("div", { class: "track" }, this.timeline, this.progress),
            h("label", { class: "mode" }, this.mode, "Predict first", this.score));
    }

    checks() {
        this.rows = h("tbody");
        const head = ["Leaf", "Backward", "Differences", ""];
        this.checking = h("details", { class: "checks", ontoggle: () => this.check() },
            h("summary", {}, "Check with finite differences"),
            h("p", {}, `Each leaf is moved by ±${EPSILON}, times its absolute value if that is above 1.`),
            h("table", {},
                h("caption", { class: "hidden" }, "Gradients and finite differences"),
                h("thead", {}, h("tr", {}, head.map((text) => h(text ? "th" : "td", text ? { scope: "col" } : {}, text)))),
                this.rows));
        return this.checking;
    }

    // --- moving ----------------------------------------------------------------------------------

    /** Go to a step without asking. */
    go(step) {
        this.pause();
        this.jump(step);
    }

    jump(step) {
        this.quiz.close();
        this.overview = false;
        this.step = Math.min(Math.max(step, 0), this.last);
        this.show();
    }

    /** Takes the next step, or asks for its result first. */
    next() {
        this.pause();
        if (this.quiz.open) {
            this.quiz.focus();
            return;
        }
        if (this.overview) {
            this.overview = false;
            this.step = 0;
        }
        if (this.step < this.last && this.quiz.on && !this.unanswerable()) {
            this.quiz.open = true;
            this.show();
            this.quiz.focus();
        } else {
            this.jump(this.step + 1);
        }
    }

    /** Whether the next step gives a number that cannot be computed in the browser. */
    unanswerable() {
        const { unknown, kind, after } = happening(this.picture, this.recomputed, this.step + 1);
        return unknown === true || (kind === "forward" && after === null);
    }

    /** The question was answered: show the step, and how it is worked out. */
    reveal() {
        this.step += 1;
        this.show();
        this.buttons.next.focus();
    }

    play() {
        if (this.quiz.on || this.last === 0) return;
        this.jump(this.step === this.last ? 0 : this.step);
        this.timer = setInterval(() => {
            this.jump(this.step + 1);
            if (this.step === this.last) this.pause();
        }, PAUSE);
        this.showControls();
    }

    pause() {
        clearInterval(this.timer);
        this.timer = null;
        this.showControls();
    }

    /** Sets the value of a leaf. */
    move(id, x) {
        this.values.set(id, x);
        this.compute();
    }

    setMode(on) {
        this.pause();
        this.quiz.on = on;
        this.quiz.close();
        this.show();
    }

    key(event) {
        const actions = {
            ArrowLeft: () => this.go(this.step - 1),
            ArrowRight: () => this.next(),
            Home: () => this.go(0),
            End: () => this.go(this.last),
            " ": () => this.buttons.play.click(),
        };
        const busy = event.target.closest?.("input, select, textarea, [contenteditable]");
        const pressing = event.key === " " && event.target.closest?.("button, summary, a");
        const other = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented;
        if (!busy && !pressing && !other && Object.hasOwn(actions, event.key)) {
            event.preventDefault();
            event.stopPropagation(); // notebooks have their own keyboard shortcuts
            actions[event.key]();
        }
    }

    // --- showing ---------------------------------------------------------------------------------

    compute() {
        this.recomputed = recompute(this.picture, this.values);
        this.show();
        this.check();
    }

    show() {
        const { picture, step, untouched } = this;
        const asking = this.quiz.open;
        this.result = untouched ? asDrawn(picture) : this.recomputed;
        const { result } = this;
        const known = untouched ? result : moment(picture, result, step);
        const count = asking ? step + 1 : step;
        const what = count > 0 && !this.overview ? happening(picture, result, count) : null;
        this.graph.show({ ...known, current: what, asking });
        this.table?.show(this.values, known.grad);
        if (this.noted !== null) this.noted.hidden = !untouched;
        this.showControls();
        this.tell(what, asking);
        if (what !== null) this.graph.reveal(what.node, what.target);
        this.element.dispatchEvent(new CustomEvent("change", { detail: this.state, bubbles: true }));
    }

    showControls() {
        const { buttons, step, last, overview } = this;
        const playing = this.timer !== null;
        enable(buttons.first, step > 0);
        enable(buttons.back, step > 0);
        enable(buttons.play, last > 0 && !this.quiz.on);
        enable(buttons.next, step < last || (overview && last > 0));
        enable(buttons.last, step < last || overview);
        buttons.play.setAttribute("aria-label", playing ? "Pause" : "Play");
        buttons.play.title = playing ? "Pause" : "Play";
        buttons.play.replaceChildren(icon(playing ? ICONS.pause : ICONS.play));
        this.progress.textContent = overview ? `${last} steps` : `step ${step} of ${last}`;
        this.timeline.value = step;
        this.timeline.setAttribute("aria-valuetext", `step ${step} of ${last}`);
        this.mode.checked = this.quiz.on;
        this.score.textContent = this.quiz.score;
    }

    tell(what, asking) {
        const { data } = this.result;
        if (what === null) {
            this.telling.replaceChildren(...this.introduction());
            this.spoken.textContent = this.overview ? "" : `step 0 of ${this.last}`;
            this.telling.className = "telling";
            return;
        }
        const told = this.teller.tell(what, data);
        this.telling.className = `telling ${told.phase.toLowerCase()}`;
        const phase = h("p", { class: "phase" }, told.phase);
        if (asking) {
            const asked = this.teller.ask(what, data);
            const form = this.quiz.form(asked.label, what.after ?? 0, this.step + 1);
            this.telling.replaceChildren(phase, h("h2", {}, asked.title), list(asked.rows), form);
            this.spoken.textContent = asked.title;
            return;
        }
        const verdict = this.quiz.verdict(this.step);
        const why = this.why(what);
        this.telling.replaceChildren(
            phase, h("h2", {}, told.title), ...(verdict ? [verdict] : []), list(told.rows), ...paragraph(why));
        const heard = verdict ? `${verdict.textContent} ` : "";
        const reason = why === null ? "" : `; ${why}`;
        this.spoken.textContent = `${heard}Step ${this.step} of ${this.last}: ${told.spoken}${reason}`;
    }

    /** Why a step gave nan; null if it did not. */
    why({ kind, node }) {
        const { picture, result } = this;
        const { names } = this.graph;
        if (kind === "forward") return whyValue(picture, result.data, node, names);
        return whyGradient(picture, moment(picture, result, this.step), node, names);
    }

    /** The same for the overview: for the results, or else the first leaf whose gradient is nan. */
    whole() {
        const { picture, result } = this;
        const { names } = this.graph;
        const broken = picture.outputs.find((id) => Number.isNaN(result.data[id]));
        if (broken !== undefined) return whyValue(picture, result.data, broken, names);
        const leaf = this.leaves.find(({ id }) => Number.isNaN(result.grad[id]));
        const why = leaf ? whyGradient(picture, result, leaf.id, names) : null;
        return why === null ? null : `the gradient of ${names[leaf.id]} is nan: ${why}`;
    }

    introduction() {
        const { outputs } = this.picture;
        const values = outputs.map((id) => `${this.graph.names[id]} = ${format(this.result.data[id])}`);
        const names = outputs.map((id) => this.graph.names[id]).join(" + ");
        return [
            h("p", { class: "phase" }, this.overview ? "Overview" : "Start"),
            h("h2", {}, this.overview ? values.join(", ") : "Nothing is computed yet"),
            ...paragraph(this.overview ? this.whole() : null),
            h("p", {}, `Each box has a value and its gradient: how fast ${names} changes when this value does.`),
            h("p", {}, "Values are computed from left to right. Then gradients flow back from right to left: each "
                + "edge carries the gradient of its result times the local derivative, and where edges meet, their contributions are added up."),
            h("p", {}, "Press Play or an arrow key to watch it step by step. Change a leaf to see the effect."),
        ];
    }

    /** Compares with finite differences while their table is open. */
    check() {
        if (!this.checking?.open) return;
        const moved = this.leaves.map((node) => node.id).filter((id) => !this.fixed.has(id));
        const found = differences(this.picture, this.values, moved);
        this.rows.replaceChildren(...found.map(({ leaf, gradient, numerical, agrees }) => (
            h("tr", { class: agrees ? "agrees" : "differs", "data-leaf": leaf },
                h("th", { scope: "row" }, this.graph.names[leaf]),
                h("td", { class: "number grad", title: String(gradient) }, format(gradient)),
                h("td", { class: "number", title: String(numerical) }, format(numerical)),
                h("td", { class: "verdict" }, agrees ? "✓ agree" : "✗ differ")))));
    }
}

/** A folded picture: its boxes stand for many nodes, so its numbers are Python's and cannot be changed. */
export class Still {
    constructor(element, { picture, layout }) {
        const drawing = s("svg");
        const text = `${picture.nodes.reduce((sum, node) => sum + node.count, 0).toLocaleString("en-US")} nodes, folded `
            + `into ${picture.nodes.length} boxes, with the numbers that Python computed. A picture that is not folded, `
            + "draw(v, fold=False), can be stepped through.";
        const changed = picture.nodes.some((node) => node.changed)
            ? h("p", { class: "note" }, "Leaves have changed since this was computed.") : null;
        element.replaceChildren(h("div", { class: "chainrule-stepper" }, drawing, changed, h("p", { class: "note" }, text)));
        const names = picture.nodes.map((node) => node.label || node.symbol || (node.kind === "leaf" ? "leaf" : ""));
        this.graph = new Graph(drawing, picture, layout, names);
        this.graph.show({ ...asDrawn(picture), current: null, asking: false });
    }
}

/** A view of a picture: the stepper if it can be recomputed here, otherwise a still. */
export function shown(element, options) {
    const folded = options.picture.nodes.some(isFolded);
    return folded ? new Still(element, options) : new Stepper(element, options);
}

/** A paragraph that says why something is nan; none if it is not. */
function paragraph(why) {
    return why === null ? [] : [h("p", { class: "why" }, `Why: ${why}.`)];
}

function icon(path) {
    return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, s("path", { d: path }));
}

/** Marks a button as usable or not, without taking the focus from it. */
function enable(button, on) {
    button.setAttribute("aria-disabled", String(!on));
}
