// One lesson: prose, code that runs, live figures, quizzes, and the exercises that belong to it.

import { quizView } from "../../../learn/static/quiz_view.js";
import { h } from "../../../viz/web/static/page/dom.js";
import { post } from "../shared/requests.js";
import { exerciseList, WARNING } from "./course.js";
import { Editor } from "./editor.js";
import { StepperFigure, TrainerFigure } from "./figures.js";
import { ending, printed, Program } from "./programs.js";
import { proseFrom } from "./prose.js";

export class LessonView {
    constructor(learn, lesson) {
        Object.assign(this, { learn, lesson });
        this.title = `${lesson.number}. ${lesson.title}`;
        this.codes = [];
        this.parts = []; // figures and quizzes, destroyed with the lesson
        this.quizzes = 0;
        const { number, title, promise, blocks } = lesson;
        this.element = h("article", { class: "lesson" },
            h("header", {},
                h("p", { class: "way" }, learn.link(null, {}, "All lessons"), ` · Lesson ${number} of ${lesson.count}`),
                h("h2", { tabindex: -1 }, title),
                h("p", { class: "lead" }, promise),
                h("p", { class: "notice" }, WARNING)),
            ...blocks.map((block) => this.#block(block)),
            lesson.questions ? this.#questions() : null,
            this.#ways());
    }

    destroy() {
        this.pause();
        for (const part of this.parts) part.destroy();
        for (const { program } of this.codes) program.stop().catch(() => {});
    }

    pause() {
        for (const part of this.parts) part.pause?.();
    }

    repaint() {
        for (const part of this.parts) part.repaint?.();
    }

    #block(block) {
        if (block.kind === "prose") return h("div", { class: "prose" }, ...proseFrom(block.html));
        if (block.kind === "code") return this.#code(block);
        if (block.kind === "figure") return this.#figure(block);
        if (block.kind === "quiz") return this.#quiz(block);
        if (block.kind === "exercises") {
            return h("section", { class: "card exercises", "aria-label": "Exercises" },
                h("h3", {}, block.exercises.length > 1 ? "Exercises" : "Exercise"), exerciseList(this.learn, block.exercises));
        }
        return h("pre", { tabindex: 0 }, block.text);
    }

    #figure({ stepper, trainer }) {
        const part = stepper ? new StepperFigure(stepper) : new TrainerFigure(trainer, this.learn);
        this.parts.push(part);
        return part.element;
    }

    #quiz({ key, quiz, answered }) {
        this.quizzes += 1;
        const note = (right) => post("/api/quiz", { key, right }).catch(this.learn.trouble);
        const part = quizView(quiz, { title: `Question ${this.quizzes}`, answered, note });
        this.parts.push(part);
        return part.element;
    }

    // --- code ------------------------------------------------------------------------------------

    #code(block) {
        const edits = this.learn.kept.edits;
        const key = `${this.lesson.number}.${block.index}`;
        const code = new CodeBlock(block, {
            text: edits.get(key) ?? block.text,
            total: this.lesson.blocks.filter(({ kind }) => kind === "code").length,
            run: () => this.#run(code),
            changed: () => (code.isChanged ? edits.set(key, code.text) : edits.delete(key)),
        });
        this.codes.push(code);
        return code.element;
    }

    /** Runs all blocks up to this one, with the learner's changes. */
    async #run(code) {
        const blocks = this.codes.slice(0, this.codes.indexOf(code) + 1).map(({ text }) => text);
        try {
            const { outcome } = await code.program.run("/api/run-blocks", { lesson: this.lesson.number, blocks });
            code.show(outcome);
        } catch (error) {
            code.show({ kind: "refused", message: error.message, printed: "" });
        }
    }

    // --- the end of the lesson -------------------------------------------------------------------

    /** Generated practice questions. */
    #questions() {
        const place = h("div");
        let part = null;
        const ask = async () => {
            try {
                const { quiz } = await (await post("/api/question", { lesson: this.lesson.number })).json();
                part?.destroy();
                part = quizView(quiz, { title: "A gradient by hand" });
                place.replaceChildren(part.element);
                part.element.querySelector("input").focus({ preventScroll: true });
                button.textContent = "Ask another";
            } catch (error) {
                this.learn.trouble(error);
            }
        };
        const button = h("button", { type: "button", onclick: ask }, "Ask me a question");
        return h("section", { class: "more-questions", "aria-labelledby": "more-questions" },
            h("h3", { id: "more-questions" }, "More questions"),
            h("p", {}, "As many as you like, generated on the spot. Two digits are enough."), place, h("p", {}, button));
    }

    #ways() {
        const { number, count } = this.lesson;
        const { learn } = this;
        return h("nav", { class: "ways", "aria-label": "Lessons" },
            number > 1 ? learn.link(String(number - 1), { class: "button" }, "← Previous lesson") : h("span"),
            number < count ? learn.link(String(number + 1), { class: "button primary" }, "Next lesson →") : learn.link(null, { class: "button" }, "All lessons"));
    }
}

/** A block of code that can be edited and run. */
class CodeBlock {
    constructor(block, { text, total, run, changed }) {
        this.block = block;
        const label = `Code ${block.index + 1} of ${total}`;
        this.program = new Program((running) => this.#running(running));
        this.editor = new Editor({ text, label: `${label}, Python`, submit: run, change: () => {
            changed();
            this.#changed();
        } });
        this.runner = h("button", { type: "button", class: "run", onclick: run, "aria-label": `Run ${label.toLowerCase()}` }, "▶ Run");
        this.stopper = h("button", { type: "button", hidden: true, onclick: () => this.program.stop() }, "■ Stop");
        this.reset = h("button", { type: "button", class: "quiet", onclick: () => this.editor.replace(block.text) }, "Undo changes");
        this.output = h("div", { class: "result", role: "status" }, printed(block.printed, block.raises ? "It raises" : "It prints") ?? "");
        this.element = h("div", { class: "code-block", role: "group", "aria-label": label },
            this.editor.element, h("div", { class: "code-tools" }, this.runner, this.stopper, this.reset), this.output);
        this.#changed();
    }

    get text() {
        return this.editor.text;
    }

    get isChanged() {
        return this.text !== this.block.text;
    }

    show(outcome) {
        this.output.replaceChildren(...ending(outcome));
    }

    #changed() {
        this.reset.hidden = !this.isChanged;
    }

    #running(running) {
        this.runner.disabled = running;
        this.stopper.hidden = !running;
        this.element.classList.toggle("running", running);
        if (running) this.output.replaceChildren(h("p", { class: "help" }, "running …"));
    }
}
