// Quizzes: a choice, a number, or nodes to click, with feedback on every answer.
//
// Judges answers here, so that quizzes also work in exported files. A page that stores answers
// is notified of each.

import { recompute } from "../../viz/web/static/graph/engine.js";
import { Graph } from "../../viz/web/static/graph/graph.js";
import { h, s } from "../../viz/web/static/page/dom.js";
import { decode } from "../../viz/web/static/page/numbers.js";
import { moment } from "../../viz/web/static/stepper/moments.js";
import { number } from "../../viz/web/static/stepper/quiz.js";

/** `title` is the heading; `answered` says whether an earlier first answer was right, or is null. */
export function quizView(quiz, { title, answered = null, note = () => {} }) {
    const kinds = { choice: Choice, number: NumberQuiz, node: NodeQuiz };
    return new kinds[quiz.kind](quiz, title, answered, note);
}

let count = 0;

/** The base class: a question, a form, a line with the verdict. */
class QuizView {
    constructor(quiz, title, answered, note) {
        Object.assign(this, { quiz, note });
        count += 1;
        this.id = `quiz-${count}`;
        this.result = h("div", { class: "result", role: "status" });
        this.past = h("span", { class: "past" }, past(answered));
        this.form = h("form", { class: "quiz-form", autocomplete: "off", onsubmit: (event) => {
            event.preventDefault();
            this.submit();
        } }, ...this.fields());
        this.element = h("section", { class: "quiz", "aria-labelledby": this.id },
            h("div", { class: "quiz-head" }, h("h4", { id: this.id }, title), this.past),
            h("p", { class: "question-text" }, quiz.question), this.form, this.result);
    }

    button(text = "Check") {
        return h("button", { type: "submit", class: "primary" }, text);
    }

    /** Show the verdict. Every answer is reported; only the first is counted. */
    judge(right, ...more) {
        this.note(right);
        const words = right ? "✓ Right." : "✗ Not quite.";
        this.result.replaceChildren(h("p", { class: `verdict ${right ? "right" : "wrong"}` }, words), ...more.filter(Boolean));
    }

    ask(text) {
        this.result.replaceChildren(h("p", { class: "help" }, text));
    }

    destroy() {}
}

class Choice extends QuizView {
    fields() {
        this.rows = this.quiz.options.map((option, i) => {
            const field = h("input", { type: "radio", name: `${this.id}-option`, value: i });
            return h("label", { class: "option" }, field, h("span", {}, option.text));
        });
        return [h("fieldset", {}, h("legend", { class: "unseen" }, "Answers"), ...this.rows), this.button()];
    }

    submit() {
        const i = this.rows.findIndex((row) => row.querySelector("input").checked);
        if (i < 0) return this.ask("Choose an answer first.");
        const { right, feedback } = this.quiz.options[i];
        this.rows[i].classList.add(right ? "right" : "wrong");
        return this.judge(right, h("p", {}, feedback));
    }
}

class NumberQuiz extends QuizView {
    fields() {
        this.field = h("input", { type: "text", inputmode: "text", spellcheck: "false", class: "number-field",
            placeholder: "your number", "aria-label": "Your answer" });
        const show = h("button", { type: "button", onclick: () => this.show() }, "Show me");
        return [h("div", { class: "row" }, this.field, this.button(), show)];
    }

    submit() {
        const guess = number(this.field.value.trim());
        if (guess === null) return this.ask("Type a number, such as 2.5 or -3.");
        const { answer, tolerance } = this.quiz;
        // Both numbers were rounded when they were parsed.
        const right = Math.abs(guess - answer) <= tolerance + 1e-12 * Math.max(1, Math.abs(answer));
        return this.judge(right, right ? this.worked() : h("p", {}, "Try again, or press Show me."));
    }

    show() {
        this.note(false);
        const { answer } = this.quiz;
        const plain = String(Number(answer.toPrecision(6))).replace("-", "−");
        this.result.replaceChildren(h("p", { class: "verdict" }, `The answer is ${plain}.`), this.worked());
    }

    worked() {
        const { worked } = this.quiz;
        return worked.includes("\n") ? h("pre", { class: "worked", tabindex: 0, role: "region", "aria-label": "Worked answer" }, worked)
            : h("p", {}, worked);
    }
}

class NodeQuiz extends QuizView {
    fields() {
        this.chosen = new Set();
        const { picture, layout } = this.quiz.stepper;
        const drawing = s("svg");
        this.place = h("div", { class: "graph-place" }, drawing);
        this.graph = new Graph(drawing, picture, layout);
        this.numbers = recompute(picture, leaves(picture));
        // Results and gradients would give the answer away, so they appear only after it.
        this.graph.show({ ...moment(picture, this.numbers, 0), current: null, asking: false });
        for (const { group } of this.graph.nodes) {
            group.setAttribute("role", "checkbox");
            group.setAttribute("aria-checked", "false");
        }
        this.graph.svg.addEventListener("click", ({ target }) => this.toggle(target.closest(".node")));
        this.graph.svg.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            this.toggle(event.target.closest(".node"));
        });
        const help = "Click a node to choose it, or move with ↑ and ↓ and press Space.";
        return [this.place, h("div", { class: "row" }, this.button(), h("span", { class: "help" }, help))];
    }

    toggle(group) {
        if (!group) return;
        const id = Number(group.dataset.node);
        const on = !this.chosen.delete(id);
        if (on) this.chosen.add(id);
        group.classList.toggle("chosen", on);
        group.setAttribute("aria-checked", String(on));
    }

    submit() {
        if (!this.chosen.size) return this.ask("Choose a node first.");
        const { answers, feedback, stepper } = this.quiz;
        const partial = [...this.chosen].every((id) => answers.includes(id));
        const right = partial && answers.every((id) => this.chosen.has(id));
        const { steps } = stepper.picture;
        if (right) this.graph.show({ ...moment(stepper.picture, this.numbers, steps.length), current: null, asking: false });
        const missed = partial ? "There are more nodes to choose." : "A chosen node is not part of the answer.";
        return this.judge(right, h("p", {}, right ? feedback : missed));
    }

    destroy() {
        this.graph.destroy();
    }
}

function leaves(picture) {
    return new Map(picture.nodes.filter(({ kind }) => kind === "leaf").map(({ id, data }) => [id, decode(data)]));
}

function past(answered) {
    if (answered === null || answered === undefined) return "";
    return answered ? "✓ right the first time" : "answered before";
}
