// Prediction mode: asks for the number of a step, judges the answer, and keeps the score.

import { h } from "../page/dom.js";
import { format } from "../page/numbers.js";

export class Quiz {
    constructor({ answered }) {
        this.answered = answered;
        this.on = false;
        this.open = false; // whether a question waits for its answer
        this.results = new Map(); // from steps to whether the first answer was right
        this.judged = null; // the last answer: {step, text, right}
        this.field = null;
    }

    get score() {
        const right = [...this.results.values()].filter(Boolean).length;
        return this.results.size > 0 ? `${right} of ${this.results.size} right` : "";
    }

    close() {
        this.open = false;
        this.judged = null;
    }

    focus() {
        this.field?.focus();
    }

    /** The question's field; typed text survives a moved slider. */
    form(label, truth, step) {
        const typed = this.field?.step === step ? this.field.value : "";
        const field = h("input", {
            type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false", required: true,
            placeholder: "your number", "aria-label": label,
        });
        field.value = typed;
        field.step = step;
        this.field = field;
        const unread = h("p", { class: "unread", role: "alert" });
        const onsubmit = (event) => {
            event.preventDefault();
            this.submit(field, unread, truth, step);
        };
        return h("form", { class: "question", onsubmit }, field,
            h("button", { type: "submit", class: "main" }, "Check"),
            h("button", { type: "button", onclick: () => this.judge(null, truth, step) }, "Show me"), unread);
    }

    /** Only a number counts as an answer; anything else is treated as a typing error. */
    submit(field, unread, truth, step) {
        const text = field.value.trim();
        if (number(text) !== null) {
            this.judge(text, truth, step);
            return;
        }
        unread.textContent = `“${text}” is not a number, so it does not count. Type a number such as 2.5, −3 or 1e-4.`;
        field.setAttribute("aria-invalid", "true");
        field.focus();
        field.select();
    }

    judge(text, truth, step) {
        const right = text !== null && isClose(number(text), truth);
        if (!this.results.has(step)) this.results.set(step, right);
        this.open = false;
        this.field = null;
        this.judged = { step, text, right, truth };
        this.answered();
    }

    /** The verdict on the answer to this step; null if there was no answer. */
    verdict(step) {
        if (this.judged === null || this.judged.step !== step || this.judged.text === null) return null;
        const { text, right, truth } = this.judged;
        return right
            ? h("p", { class: "verdict right" }, `✓ Right: ${format(truth)}.`)
            : h("p", { class: "verdict wrong" }, `✗ Not quite: you said ${text}, it is ${format(truth)}.`);
    }
}

/** Reads numbers as people type them: with either minus, a comma, inf or nan. Anything else gives null. */
export function number(text) {
    const plain = text.replace("−", "-").replace(",", ".").replace(/∞|inf(inity)?/i, "Infinity");
    const found = Number(plain);
    return plain === "" || (Number.isNaN(found) && plain.toLowerCase() !== "nan") ? null : found;
}

/** Whether a guess is within 1 % of the truth, or is the truth rounded to two digits or more. */
function isClose(guess, truth) {
    if (guess === null || !Number.isFinite(truth)) return Object.is(guess, truth);
    const rounded = [2, 3, 4].some((digits) => Number(truth.toPrecision(digits)) === guess);
    return rounded || Math.abs(guess - truth) <= 0.01 * Math.abs(truth);
}
